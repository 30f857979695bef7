// Drivers and monitors of mem_unit's streams. Each drive() sets inputs before the clock edge, each sample()
// looks at the settled handshakes; what comes out is compared at once with what was predicted.
#pragma once
#include "regions.h"

constexpr int SLOT_W = 3, BEAT_W = DATA_W == 128 ? 9 : DATA_W == 256 ? 8 : 7;
constexpr int VICTIM_G = 16, VICTIM_S = 17;
inline bool isVictim(uint32_t key) { return (key >> 8) == VICTIM_G || (key >> 8) == VICTIM_S; }

// An offer made with a probability, and kept until it is taken.
struct Offer {
  int percent = 100;
  bool on = false;
  bool drive(bool have) { return on = have && (on || rnd.percent(percent)); }
};

struct Gather {
  Tables& tables;
  struct Packet { uint32_t desc; int hdr, payload; std::vector<Chunk> chunks; };
  struct Expected { uint32_t desc; int beats, hdr; Bytes payload; int cause; bool uncertain; };
  std::deque<Packet> packets;
  std::deque<Chunk> chunks;
  std::deque<Bytes> inl;
  std::deque<Expected> images, results;
  std::deque<bool> wrong;                    // per image that came: it differs from the prediction
  Offer offerPacket, offerChunk, offerInline;
  int beatReady = 100, packetReady = 100;
  bool stall = false;
  Bytes image;
  u64 beats = 0, done = 0, errors = 0, firstBeat = 0, lastBeat = 0;
  explicit Gather(Tables& t) : tables(t) {}

  void add(Packet p) {
    Expected e = {p.desc, beatsOf(0, p.hdr + ((p.payload + 3) & ~3)), p.hdr, {}, 0, false};
    for (Chunk& c : p.chunks) {
      chunks.push_back(c);
      if (c.inl) {
        e.payload.insert(e.payload.end(), c.bytes.begin(), c.bytes.end());
        for (size_t at = 0; at < c.bytes.size(); at += BYTES) {
          Bytes beat(c.bytes.begin() + at, c.bytes.begin() + std::min(at + BYTES, c.bytes.size()));
          while (beat.size() < BYTES) beat.push_back(uint8_t(rnd.next()));
          inl.push_back(beat);
        }
        continue;
      }
      if (isVictim(c.key)) e.uncertain = true;
      u64 va = c.va;
      for (u64 left = c.len; left;) {
        Answer a = tables.judge(c.key, c.pd, c.need, va, left);
        if (!a.ok) {
          if (!e.cause) e.cause = a.cause;
          e.payload.resize(e.payload.size() + left);
          break;
        }
        u64 n = std::min<u64>(left, a.span);
        if (tables.memory.fails(a.pa, int(n), READ_FAILS) && !e.cause) e.cause = 6;
        for (u64 i = 0; i < n; i++) e.payload.push_back(tables.memory.at(a.pa + i, "bench"));
        va += n, left -= n;
      }
    }
    if (int(e.payload.size()) != p.payload) fail("bench: payload");
    packets.push_back(p);
    images.push_back(e);
  }

  void drive(Vmem_unit* top) {
    top->s_gpkt_valid = offerPacket.drive(!packets.empty());
    if (!packets.empty()) {
      Packet& p = packets.front();
      top->s_gpkt_desc = p.desc, top->s_gpkt_hdr_bytes = p.hdr, top->s_gpkt_payload = p.payload;
      top->s_gpkt_chunks = p.chunks.size();
    }
    top->s_gchunk_valid = offerChunk.drive(!chunks.empty());
    if (!chunks.empty()) {
      Chunk& c = chunks.front();
      top->s_gchunk_inl = c.inl, top->s_gchunk_key = c.key, top->s_gchunk_pd = c.pd;
      top->s_gchunk_need = c.need, top->s_gchunk_va = c.va, top->s_gchunk_len = c.len;
    }
    top->s_ginl_valid = offerInline.drive(!inl.empty());
    if (!inl.empty()) setBytes(top->s_ginl_data, inl.front().data(), BYTES);
    top->m_gbeat_ready = !stall && rnd.percent(beatReady);
    top->m_gpkt_ready = rnd.percent(packetReady);
  }

  void sample(Vmem_unit* top) {
    if (top->s_gpkt_valid && top->s_gpkt_ready) packets.pop_front(), offerPacket.on = false;
    if (top->s_gchunk_valid && top->s_gchunk_ready) chunks.pop_front(), offerChunk.on = false;
    if (top->s_ginl_valid && top->s_ginl_ready) inl.pop_front(), offerInline.on = false;

    if (top->m_gpkt_valid && top->m_gpkt_ready) {  // before the beat of this cycle: that one came too late
      if (results.empty()) fail("m_gpkt before its image was taken");
      Expected e = results.front();
      bool differs = wrong.front();
      results.pop_front(), wrong.pop_front();
      if (top->m_gpkt_desc != e.desc) fail("m_gpkt of %x, expected %x", top->m_gpkt_desc, e.desc);
      bool error = top->m_gpkt_error;
      if (error != (top->m_gpkt_cause != 0)) fail("error and cause disagree");
      if (e.uncertain && !e.cause) {
        if (!error && differs) fail("image %x differs", e.desc);
      } else if (!e.uncertain) {
        if (top->m_gpkt_cause != e.cause) fail("packet %x: cause %d, expected %d", e.desc, top->m_gpkt_cause, e.cause);
        if (!error && differs) fail("image %x differs", e.desc);
      } else if (!error) fail("packet %x: no error, expected one", e.desc);
      done++, errors += error;
    }

    if (top->m_gbeat_valid && top->m_gbeat_ready) {
      if (images.empty()) fail("a beat of no packet");
      uint8_t beat[BYTES];
      getBytes(top->m_gbeat_data, beat, BYTES);
      image.insert(image.end(), beat, beat + BYTES);
      if (!beats++) firstBeat = now;
      lastBeat = now;
      if (top->m_gbeat_last) {
        Expected e = images.front();
        images.pop_front();
        if (int(image.size()) != e.beats * BYTES) fail("image of %x has %zu beats, expected %d", e.desc, image.size() / BYTES, e.beats);
        Bytes want(e.beats * BYTES);
        std::copy(e.payload.begin(), e.payload.end(), want.begin() + e.hdr);
        results.push_back(e);
        wrong.push_back(want != image);
        image.clear();
      }
    }
  }
  bool idle() { return packets.empty() && chunks.empty() && images.empty() && results.empty(); }
};

struct Scatter {
  Tables& tables;
  Host& host;
  struct Command { int slot, first, len; bool free, tokValid; uint32_t tok; std::vector<Chunk> chunks; };
  struct Token { uint32_t tok; bool fail, uncertain, bare, host; u64 bursts; };
  std::deque<Command> commands;
  std::deque<Chunk> chunks;
  std::deque<Token> tokens;
  std::deque<u64> needs;                     // bursts acknowledged when a command may count as done
  std::deque<int> frees;
  std::vector<int> freeSlots;
  std::vector<Bytes> slots;
  std::unordered_map<u64, Bytes> shadow;     // pages as they must become
  u64 bursts = 0, acked = 0, done = 0, lastDone = 0, writes = 0, firstWrite = 0, lastWrite = 0, failed = 0;
  Offer offerCommand, offerChunk;
  int tokReady = 100;
  bool stall = false;
  int readAddr = -1, nextRead = -1;

  Scatter(Tables& t, Host& h) : tables(t), host(h) {
    slots.assign(1 << SLOT_W, Bytes(BYTES << BEAT_W));
    for (int i = 0; i < (1 << SLOT_W); i++) freeSlots.push_back(i), garble(i);
  }
  /** Only a command that fails has one, and nobody knows whether it does. */
  static bool spare(const Token& t) { return t.bare && !t.fail; }
  void garble(int slot) { for (auto& byte : slots[slot]) byte = uint8_t(rnd.next() >> 9); }

  void add(Command c) {
    Token t = {c.tok, false, false, !c.tokValid, false, 0};
    int from = c.first;
    for (Chunk& k : c.chunks) {
      chunks.push_back(k);
      if (isVictim(k.key)) { t.uncertain = true, from += k.len; continue; }
      u64 va = k.va;
      for (u64 left = k.len; left;) {
        Answer a = tables.judge(k.key, k.pd, k.need, va, left);
        if (!a.ok) { t.fail = true, from += left; break; }
        u64 n = std::min<u64>(left, a.span);
        bursts += (a.pa % MAX_PAYLOAD + n - 1) / MAX_PAYLOAD + 1;
        t.host |= tables.memory.fails(a.pa, int(n), WRITE_FAILS);
        auto it = shadow.find(a.pa >> 12);
        if (it == shadow.end()) it = shadow.emplace(a.pa >> 12, tables.memory.pages[a.pa >> 12].data).first;
        for (u64 i = 0; i < n; i++)
          if (!tables.memory.fails(a.pa + i, 1, WRITE_FAILS)) it->second[(a.pa + i) & 4095] = slots[c.slot][from + i];
        va += n, left -= n, from += n;
      }
    }
    t.fail |= t.host;
    t.bursts = bursts;
    needs.push_back(bursts);
    if (c.tokValid || t.fail || t.uncertain) tokens.push_back(t);
    if (c.free) frees.push_back(c.slot);
    commands.push_back(c);
  }

  void drive(Vmem_unit* top) {
    top->s_scmd_valid = offerCommand.drive(!commands.empty());
    if (!commands.empty()) {
      Command& c = commands.front();
      top->s_scmd_slot = c.slot, top->s_scmd_first = c.first, top->s_scmd_len = c.len, top->s_scmd_free = c.free;
      top->s_scmd_chunks = c.chunks.size(), top->s_scmd_tok_valid = c.tokValid, top->s_scmd_tok = c.tok;
    }
    top->s_schunk_valid = offerChunk.drive(!chunks.empty());
    if (!chunks.empty()) {
      Chunk& c = chunks.front();
      top->s_schunk_key = c.key, top->s_schunk_pd = c.pd, top->s_schunk_need = c.need;
      top->s_schunk_va = c.va, top->s_schunk_len = c.len;
    }
    top->m_tok_ready = !stall && rnd.percent(tokReady);
    if (nextRead >= 0) {
      setBytes(top->s_srd_data, &slots[nextRead >> BEAT_W][(nextRead & ((1 << BEAT_W) - 1)) * BYTES], BYTES);
      nextRead = -1;
    }
  }

  void sample(Vmem_unit* top) {
    if (top->s_scmd_valid && top->s_scmd_ready) commands.pop_front(), offerCommand.on = false;
    if (top->s_schunk_valid && top->s_schunk_ready) chunks.pop_front(), offerChunk.on = false;
    if (top->m_sfree_valid) {
      if (frees.empty() || frees.front() != top->m_sfree_slot) fail("slot %d freed", top->m_sfree_slot);
      frees.pop_front();
      garble(top->m_sfree_slot);
      freeSlots.push_back(top->m_sfree_slot);
    }
    if (top->m_srd_en) nextRead = top->m_srd_addr;
    while (uint16_t(done) != top->m_sdone) {
      if (needs.empty() || acked < needs.front()) fail("command %llu counted as done too early", (unsigned long long)done);
      needs.pop_front();
      done++, lastDone = now;
    }
    if (top->m_tok_valid && top->m_tok_ready) {
      while (!tokens.empty() && spare(tokens.front()) && !(top->m_tok_bare && top->m_tok == tokens.front().tok)) tokens.pop_front();
      if (tokens.empty()) fail("a token too many");
      Token t = tokens.front();
      tokens.pop_front();
      if (top->m_tok != t.tok || bool(top->m_tok_bare) != t.bare) fail("token %x, expected %x", top->m_tok, t.tok);
      if (acked < t.bursts) fail("token %x before its writes were ordered", t.tok);
      if (bool(top->m_tok_fail) != t.fail && !(t.uncertain && top->m_tok_fail)) fail("token %x: fail %d", t.tok, top->m_tok_fail);
      if (bool(top->m_tok_host) != t.host) fail("token %x: host %d", t.tok, top->m_tok_host);
      failed += top->m_tok_fail;
    }
    if (top->m_wr_valid && top->m_wr_ready) {
      if (!writes++) firstWrite = now;
      lastWrite = now;
    }
    if (top->s_wrack_valid) {                // seen by the unit at this edge, so it counts from the next cycle on
      int owner = tables.memory.page(host.acks.front().addr, "ack").owner;
      if (owner >= 0 && owner < VICTIM_G) acked++;
    }
  }
  void compare() {
    for (auto& [number, want] : shadow)
      if (tables.memory.pages[number].data != want) {
        int at = 0;
        while (tables.memory.pages[number].data[at] == want[at]) at++;
        fail("page %llx differs at byte %d", (unsigned long long)number, at);
      }
  }
  bool idle() { return commands.empty() && needs.empty() && std::all_of(tokens.begin(), tokens.end(), spare) && frees.empty(); }
};
