// mem_bench: mem_unit against plain arithmetic and a rule-keeping host.
//
//   mem_bench random SEED PACKETS   everything at once: sizes, alignments, refusals, failures, stalls, fences
//   mem_bench rate SEED             beats per cycle and cycles per command with a host 250 cycles away
#include "atomics.h"
#include "verilated.h"

struct Bench {
  Vmem_unit* top = new Vmem_unit;
  Host host;
  Tables tables{host.memory};
  Gather gather{tables};
  Scatter scatter{tables, host};
  Check check{tables};
  SendRing sq{tables, 0};
  ReceiveRing rq{tables, 0};
  Completions cqe{tables, 0};
  Events eqe{tables, 0};
  Atomics atomics{tables, host};

  enum FenceState { IDLE, FENCE, WAIT, TAKEN } fenceState = IDLE;
  int victim = VICTIM_G;
  u64 fenceDue = 0, fenceSince = 0, fences = 0, slowestFence = 0, linkHeld = 0;
  bool fenceOn = false, quiet = true;
  struct TableRead { u64 due, want; };
  std::deque<TableRead> tableReads;

  void half(bool edge) {
    top->clk = edge;
    top->eval();
  }
  void cycle() {
    host.drive(top);
    gather.drive(top), scatter.drive(top), check.drive(top);
    sq.drive(top), rq.drive(top), cqe.drive(top), eqe.drive(top), atomics.drive(top);
    if (!quiet) driveControl();
    half(false);
    gather.sample(top), scatter.sample(top), check.sample(top);
    sq.sample(top), rq.sample(top), cqe.sample(top), eqe.sample(top), atomics.sample(top);
    sampleControl();
    host.sample(top);
    half(true);
    now++;
  }

  // Regions are taken back and given again; tables are read meanwhile.
  void driveControl() {
    top->s_tbl_valid = rnd.percent(3), top->s_tbl_write = 0;
    top->s_tbl_mtt = rnd.below(2), top->s_tbl_word = rnd.below(8);
    top->s_tbl_index = rnd.below(top->s_tbl_mtt ? MTTS : 20);
    if (top->s_tbl_valid) {
      Region& r = tables.regions[top->s_tbl_index & (MRS - 1)];
      u64 words[8] = {u64(r.rights) | u64(r.shift) << 8 | u64(r.pd) << 32, u64(r.key) | u64(r.mtt) << 32, r.start, r.length, r.offset};
      Tables::Mtt& m = tables.mtt[top->s_tbl_index];
      tableReads.push_back({now + 6, top->s_tbl_mtt ? m.page | m.present : words[top->s_tbl_word]});
    }
    top->s_live_valid = 0, top->s_fence_valid = 0;
    switch (fenceState) {
      case IDLE:
        if (!fenceOn || now < fenceDue) break;
        victim = rnd.percent(30) ? VICTIM_A : rnd.percent(50) ? VICTIM_G : VICTIM_S;
        top->s_live_valid = 1, top->s_live_set = 0, top->s_live_index = victim;
        fenceState = FENCE, fenceSince = now;
        break;
      case FENCE: top->s_fence_valid = 1, fenceState = WAIT; break;
      case WAIT: break;
      case TAKEN:
        if (now < fenceDue) break;
        host.forbidden.clear();
        top->s_live_valid = 1, top->s_live_set = 1, top->s_live_index = victim;
        fenceState = IDLE, fenceDue = now + rnd.below(600);
        break;
    }
    // Now and then nobody takes images and tokens for a while: no fence may wait for that.
    if (rnd.below(3000) == 0) linkHeld = now + 4000;
    gather.stall = scatter.stall = fenceOn && now < linkHeld;
  }
  void sampleControl() {
    if (top->m_tbl_valid) {
      if (tableReads.empty() || tableReads.front().due != now) fail("table read at the wrong time");
      if (top->m_tbl_rdata != tableReads.front().want) fail("table read %llx, expected %llx", (unsigned long long)top->m_tbl_rdata, (unsigned long long)tableReads.front().want);
      tableReads.pop_front();
    }
    if (fenceState == WAIT && top->s_fence_valid && !top->s_fence_ready) fail("fence not taken");
    if (top->m_fence_done) {
      if (fenceState != WAIT) fail("fence done, none was asked");
      if (host.reading(victim) || host.writing(victim)) fail("fence done with DMA of region %d under way", victim);
      host.forbidden.insert(victim);
      slowestFence = std::max(slowestFence, now - fenceSince);
      fences++, fenceState = TAKEN, fenceDue = now + rnd.below(300);
    }
    if (fenceState == WAIT && now - fenceSince > 3900) fail("the fence waits for more than the host");
  }

  void tableWrite(bool mtt, uint32_t index, int word, u64 value) {
    top->s_tbl_valid = 1, top->s_tbl_write = 1, top->s_tbl_mtt = mtt, top->s_tbl_index = index, top->s_tbl_word = word, top->s_tbl_wdata = value;
    cycle();
    top->s_tbl_valid = 0;
  }
  void start() {
    top->rst = 1;
    top->s_tbl_valid = top->s_live_valid = top->s_fence_valid = 0;
    for (int i = 0; i < 4; i++) half(false), half(true);
    top->rst = 0;
    for (int i = 0; i < MTTS; i++) tableWrite(true, i, 0, tables.mtt[i].page | tables.mtt[i].present);
    for (Region& r : tables.regions) {
      tableWrite(false, r.index, 0, u64(r.rights) | u64(r.shift) << 8 | u64(r.pd) << 32);
      tableWrite(false, r.index, 1, u64(r.key) | u64(r.mtt) << 32);
      tableWrite(false, r.index, 2, r.start), tableWrite(false, r.index, 3, r.length), tableWrite(false, r.index, 4, r.offset);
      top->s_live_valid = r.live, top->s_live_set = 1, top->s_live_index = r.index;
      cycle();
      top->s_live_valid = 0;
    }
  }
  void setup(bool clean) {
    const int shifts[] = {12, 12, 13, 16};
    for (int i = 0; i < MRS; i++) tables.regions[i].index = i, tables.regions[i].key = i << 8;
    for (int i = 0; i < 8; i++) tables.make(i, rnd.range(5000, 60000), shifts[i & 3], REMOTE_READ);
    for (int i = 8; i < 16; i++) tables.make(i, rnd.range(5000, 60000), shifts[i & 3], LOCAL_WRITE | REMOTE_WRITE);
    tables.make(VICTIM_G, 20000, 12, REMOTE_READ);
    tables.make(VICTIM_S, 20000, 12, LOCAL_WRITE | REMOTE_WRITE);
    tables.make(18, 1, 12, 15), tables.make(19, 4096, 30 - 14, 0);
    tables.make(VICTIM_A, 20000, 12, 15);
    for (int i = 0; i < ATOMIC_REGIONS; i++) tables.make(ATOMIC_FIRST + i, rnd.range(5000, 60000), shifts[i & 3], LOCAL_WRITE | REMOTE_ATOMIC);
    for (int i = VICTIM_A; i < ATOMIC_FIRST + ATOMIC_REGIONS - !clean; i++) {   // the host addresses of all but the last are multiples of 8
      Region& r = tables.regions[i];
      r.offset = (r.offset & ~7ull) | (r.start & 7);
    }
    sq.mtt = tables.allocate(16, 12, -1, clean ? 100 : 85), rq.mtt = tables.allocate(16, 12, -1, clean ? 100 : 85);
    cqe.mtt = tables.allocate(16, 12, -1, clean ? 100 : 85), eqe.mtt = tables.allocate(16, 12, -1, clean ? 100 : 85);
    if (!clean)
      for (auto& [number, page] : host.memory.pages) {
        if (rnd.below(20)) continue;
        page.part = int(rnd.below(9));
        bool ringIn = false, ringOut = false;
        for (int i = 0; i < 32; i++) ringIn |= tables.mtt[sq.mtt + i].page >> 12 == number, ringOut |= tables.mtt[cqe.mtt + i].page >> 12 == number;
        if (page.owner >= 0) page.cls = page.owner < 8 ? READ_FAILS : page.owner < 16 ? WRITE_FAILS : page.owner >= ATOMIC_FIRST ? int(rnd.below(3)) : PLAIN;
        else page.cls = ringIn ? READ_FAILS : ringOut ? WRITE_FAILS : PLAIN;
      }
    for (int i = 0; i < 20; i++) {           // a page that is missing inside a region
      Region& r = tables.regions[rnd.percent(80) ? rnd.below(16) : ATOMIC_FIRST + rnd.below(ATOMIC_REGIONS)];
      if (!clean) tables.mtt[r.mtt + rnd.below((r.offset + r.length) >> r.shift)].present = false;
    }
  }

  uint32_t serial = 0;
  int randomLen() { return rnd.percent(40) ? int(rnd.range(1, 64)) : rnd.percent(50) ? int(rnd.range(1, 600)) : int(rnd.range(1, 4096)); }
  std::vector<Chunk> split(int len, int first, int count, int victim, int need, bool inl, int wrong) {
    std::vector<Chunk> chunks;
    while (len) {
      int n = chunks.size() == 15 || rnd.percent(50) ? len : int(rnd.range(1, len));
      if (inl && n <= 256 && rnd.percent(30)) {
        Chunk c;
        c.inl = true, c.len = n;
        for (int i = 0; i < n; i++) c.bytes.push_back(uint8_t(rnd.next()));
        chunks.push_back(c);
      } else {
        int region = rnd.percent(15) ? victim : int(first + rnd.below(count));
        chunks.push_back(randomChunk(tables, region, need, n, wrong));
      }
      len -= n;
    }
    return chunks;
  }
  void addPacket(int wrong) {
    int len = rnd.percent(10) ? 0 : randomLen();
    gather.add({serial++, int(4 * rnd.range(5, 22)), len, split(len, 0, 8, VICTIM_G, rnd.percent(50) ? LOCAL_READ : REMOTE_READ, true, wrong)});
  }
  void addCommand(int wrong) {
    int slot = scatter.freeSlots.front();
    scatter.freeSlots.erase(scatter.freeSlots.begin());
    bool twice = rnd.percent(10);
    for (int i = 0; i <= twice; i++) {
      int len = rnd.percent(15) ? 0 : randomLen();
      scatter.add({slot, int(rnd.below(128)), len, i == twice, rnd.percent(60), serial++, split(len, 8, 8, VICTIM_S, rnd.percent(50) ? LOCAL_WRITE : REMOTE_WRITE, false, wrong)});
    }
  }

  void random(int packets) {
    setup(false);
    start();
    quiet = false, fenceOn = true;
    const int paces[] = {100, 100, 70, 30};
    auto pace = [&] { return paces[rnd.below(4)]; };
    int sent = 0, commands = 0, wrong = 6;
    u64 cqes = 0, eqes = 0, quietSince = now;
    while (sent < packets || commands < packets || !gather.idle() || !scatter.idle() || !atomics.idle() || sq.open.size() || rq.open.size() || cqe.open.size() || eqe.open.size() || fenceState != IDLE) {
      if (now % 4096 == 0) {
        host.latency = rnd.percent(50) ? 250 : int(rnd.range(5, 100)), host.jitter = rnd.percent(70) ? int(rnd.range(1, 400)) : 0;
        host.readyPercent = pace(), host.writeReadyPercent = pace(), host.cplPercent = pace(), host.ackLatency = int(rnd.range(1, 60)), host.ackJitter = int(rnd.below(40));
        gather.beatReady = pace(), gather.packetReady = pace(), gather.offerPacket.percent = pace(), gather.offerChunk.percent = pace(), gather.offerInline.percent = pace();
        scatter.tokReady = pace(), scatter.offerCommand.percent = pace(), scatter.offerChunk.percent = pace();
        sq.ready = pace(), rq.ready = pace(), sq.offer.percent = pace(), rq.offer.percent = rnd.percent(50) ? 5 : pace();
        cqe.offer.percent = rnd.percent(50) ? 3 : pace(), eqe.offer.percent = 2, check.offer.percent = rnd.percent(50) ? 10 : pace();
        atomics.ready = pace(), atomics.offer.percent = rnd.percent(30) ? 5 : pace();
      }
      bool more = sent < packets || commands < packets;
      if (!more) fenceOn = false;
      if (sent < packets && gather.packets.size() < 4) addPacket(wrong), sent++;
      if (commands < packets && scatter.commands.size() < 4 && !scatter.freeSlots.empty()) addCommand(wrong), commands++;
      if (more && sq.asks.size() < 2 && rq.asks.size() < 20) {
        int len = int(64 * rnd.range(1, 8));
        sq.asks.push_back({rnd.below(15) * 4096 + 64 * rnd.below((4096 - len) / 64 + 1), len});
        len = int(64 * rnd.range(1, 8));
        rq.asks.push_back({rnd.below(16) * 4096 + 64 * rnd.below((4096 - len) / 64 + 1), len});
      }
      if (more && atomics.asks.size() < 2) atomics.add(VICTIM_A + int(rnd.below(ATOMIC_REGIONS + 1)), wrong);
      if (more && cqe.entries.size() < 2) {
        Bytes data(32);
        for (auto& byte : data) byte = uint8_t(rnd.next());
        cqe.entries.push_back({32 * (cqes++ % 2048), data});
        if (eqe.entries.empty()) eqe.entries.push_back({32 * (eqes++ % 2048), data});
      }
      if (more && check.asks.size() < 2) {
        Chunk c = randomChunk(tables, int(rnd.percent(20) ? 18 + rnd.below(2) : rnd.below(16)), int(1 << rnd.below(4)), 1, 30);
        Region& r = tables.regions[(c.key >> 8) & (MRS - 1)];
        if (r.length) c.len = uint32_t(rnd.range(1, r.length + (rnd.percent(10) ? 2 : 0))), c.va = rnd.percent(80) ? r.start + rnd.below(r.length - std::min<u64>(c.len, r.length) + 1) : c.va;
        if (rnd.percent(3)) c.len = 0;
        if ((c.key >> 8) != VICTIM_G && (c.key >> 8) != VICTIM_S) check.asks.push_back(c);
      }
      u64 before = gather.done + gather.beats + scatter.done + scatter.writes + sq.done + rq.done + atomics.done;
      cycle();
      if (gather.done + gather.beats + scatter.done + scatter.writes + sq.done + rq.done + atomics.done != before) quietSince = now;
      if (now - quietSince > 20000) fail("nothing moves: packets %d+%zu, commands %d+%zu, tokens %zu, fetches %zu+%zu, entries %zu+%zu, fence %d, slots %zu",
             sent, gather.images.size(), commands, scatter.needs.size(), scatter.tokens.size(), sq.open.size(), rq.open.size(),
             cqe.open.size(), eqe.open.size(), fenceState, scatter.freeSlots.size());
    }
    for (int i = 0; i < 50; i++) cycle();
    scatter.compare(), atomics.compare();
    printf("random: %llu cycles, %llu packets (%llu failed), %llu commands (%llu failed), %llu+%llu fetches (%llu failed), %llu+%llu entries (%llu failed), %llu checks (slowest %llu), %llu fences (slowest %llu), %llu atomics (%llu swapped, %llu failed)\n",
           (unsigned long long)now, (unsigned long long)gather.done, (unsigned long long)gather.errors, (unsigned long long)scatter.done, (unsigned long long)scatter.failed,
           (unsigned long long)sq.done, (unsigned long long)rq.done, (unsigned long long)(sq.errors + rq.errors), (unsigned long long)cqe.done, (unsigned long long)eqe.done,
           (unsigned long long)(cqe.errors + eqe.errors), (unsigned long long)check.done, (unsigned long long)check.slowest, (unsigned long long)fences, (unsigned long long)slowestFence,
           (unsigned long long)atomics.done, (unsigned long long)atomics.swaps, (unsigned long long)atomics.failed);
  }

  Chunk odd(int region, int need, int len) {
    Chunk c = randomChunk(tables, region, need, len, 0);
    c.va |= 1;
    if (c.va - tables.regions[region].start + len > tables.regions[region].length) c.va -= 64;
    return c;
  }
  void rateGather(int len, int count, int chunks) {
    gather.beats = gather.done = 0;
    for (int i = 0; i < count; i++) {
      Gather::Packet p = {serial++, 52, len, {}};
      for (int k = 0; k < chunks; k++) p.chunks.push_back(odd(int(rnd.below(8)), LOCAL_READ, k == chunks - 1 ? len - k * (len / chunks) : len / chunks));
      gather.add(p);
    }
    while (!gather.idle()) cycle();
    u64 cycles = gather.lastBeat - gather.firstBeat + 1;
    printf("gather  DATA_W %d: %4d bytes in %d chunk%s: %.3f beats/cycle, %.2f cycles/packet\n", DATA_W, len, chunks, chunks > 1 ? "s" : " ", double(gather.beats) / double(cycles), double(cycles) / count);
  }
  void rateScatter(int len, int count, int chunks) {
    u64 before = scatter.done;
    scatter.writes = 0;
    u64 begin = now;
    for (int i = 0; i < count;) {
      while (i < count && !scatter.freeSlots.empty() && scatter.commands.size() < 4) {
        int slot = scatter.freeSlots.front();
        scatter.freeSlots.erase(scatter.freeSlots.begin());
        Scatter::Command c = {slot, int(rnd.below(128)), len, true, true, serial++, {}};
        for (int k = 0; len && k < chunks; k++) c.chunks.push_back(odd(int(8 + rnd.below(8)), LOCAL_WRITE, k == chunks - 1 ? len - k * (len / chunks) : len / chunks));
        scatter.add(c), i++;
      }
      cycle();
    }
    while (!scatter.idle()) cycle();
    u64 cycles = (len ? scatter.lastWrite - scatter.firstWrite : scatter.lastDone - begin) + 1;
    printf("scatter DATA_W %d: %4d bytes in %d chunk%s: %.3f beats/cycle, %.2f cycles/command\n", DATA_W, len, chunks, chunks > 1 ? "s" : " ", double(scatter.writes) / double(cycles), double(cycles) / double(scatter.done - before));
  }
  void rateAtomics(int count) {
    host.latency = host.ackLatency = 0;
    for (int i = 0; i < count; i++) atomics.add(ATOMIC_FIRST + i % ATOMIC_REGIONS, 0), atomics.asks.back().swap = false;
    while (!atomics.idle()) cycle();
    atomics.compare();
    printf("atomics DATA_W %d: %.2f cycles/atomic\n", DATA_W, double(atomics.lastDone - atomics.firstDone) / double(atomics.done - 1));
  }
  void rate() {
    setup(true);
    start();
    for (int len : {4096, 1024, 256, 8}) rateGather(len, 300, 1);
    rateGather(4096, 300, 3), rateGather(256, 300, 3);
    for (int len : {4096, 1024, 256, 8, 0}) rateScatter(len, 300, 1);
    rateScatter(4096, 300, 3);
    check.alone = true;
    for (int i = 0; i < 200; i++) {          // back to back, then with pauses
      check.offer.percent = i < 100 ? 100 : 30;
      check.asks.push_back(randomChunk(tables, int(rnd.below(16)), 0, 8, 0));
      cycle();
    }
    while (!check.asks.empty() || !check.open.empty()) cycle();
    printf("gate    DATA_W %d: %llu checks alone, latency %llu cycles\n", DATA_W, (unsigned long long)check.done, (unsigned long long)check.slowest);
    scatter.compare();
    rateAtomics(400);
  }
};

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "random";
  seed = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1;
  rnd.state ^= seed * 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < 10; i++) rnd.next();
  Bench bench;
  if (mode == "rate") bench.rate();
  else bench.random(argc > 3 ? atoi(argv[3]) : 1000);
  printf("seed %llu passed\n", (unsigned long long)seed);
  return 0;
}
