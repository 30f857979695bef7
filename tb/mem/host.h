// The host behind the DMA ports: sparse memory, split and shuffled completions, bursts with late acknowledges.
// It repairs nothing: a request that breaks the port's rules ends the run.
#pragma once
#include "common.h"
#include "Vmem_unit.h"
#include <set>
#include <unordered_map>

constexpr int MAX_READ = 512, MAX_PAYLOAD = 256, RD_TAGS = 64;

enum PageClass : int { PLAIN = 0, READ_FAILS = 1, WRITE_FAILS = 2 };

struct Memory {
  struct Page {
    Bytes data = Bytes(4096);
    int cls = PLAIN;
    int part = 8;                // the 512 bytes that fail, 8: all
    int owner = -1;              // region, or -1 for rings
  };
  std::unordered_map<u64, Page> pages;
  Page& page(u64 pa, const char* who) {
    auto it = pages.find(pa >> 12);
    if (it == pages.end()) fail("%s touches %llx, which is no page of a region or ring", who, (unsigned long long)pa);
    return it->second;
  }
  bool fails(u64 pa, int len, int cls) {
    Page& p = page(pa, "bench");
    int first = int(pa >> 9 & 7), last = int((pa + len - 1) >> 9 & 7);
    return p.cls == cls && (p.part == 8 || (first <= p.part && p.part <= last));
  }
  uint8_t& at(u64 pa, const char* who) { return page(pa, who).data[pa & 4095]; }
};

struct Host {
  Memory memory;
  std::set<int> forbidden;       // regions taken back: nobody may touch their pages
  int latency = 250, jitter = 0, readyPercent = 100, writeReadyPercent = 100, ackLatency = 20, ackJitter = 0, cplPercent = 100;
  u64 reads = 0, writeBeats = 0, bursts = 0;

  struct Read { u64 addr; int len, tag; u64 due; int sent = 0; bool fails = false; };
  std::vector<Read> open;
  int current = -1;              // index of the read whose completion is being sent
  int currentLeft = 0;
  std::set<int> tags;

  struct Burst { u64 addr; int len; Bytes bytes; u64 due; };
  std::deque<Burst> acks;
  bool inBurst = false;
  Burst burst;
  bool reading(int region) {
    for (auto& r : open) if (memory.page(r.addr, "open read").owner == region) return true;
    return false;
  }
  bool writing(int region) {
    if (inBurst && memory.page(burst.addr, "open burst").owner == region) return true;
    for (auto& b : acks) if (memory.page(b.addr, "open write").owner == region) return true;
    return false;
  }
  void check(u64 pa, const char* who) {
    int owner = memory.page(pa, who).owner;
    if (owner >= 0 && forbidden.count(owner)) fail("%s touches region %d, which was taken back", who, owner);
  }

  bool cplValid = false, ackValid = false;

  void drive(Vmem_unit* top) {
    top->m_rdreq_ready = rnd.percent(readyPercent);
    top->m_wr_ready = rnd.percent(writeReadyPercent);

    cplValid = false;
    top->s_rdcpl_valid = 0;
    if (current < 0 && !open.empty() && rnd.percent(cplPercent)) {
      std::vector<int> due;
      for (int i = 0; i < int(open.size()); i++) if (open[i].due <= now) due.push_back(i);
      if (!due.empty()) {
        current = jitter ? due[rnd.below(due.size())] : due[0];
        Read& r = open[current];
        // A completion ends at a 64-byte boundary or with the read.
        u64 begin = r.addr + r.sent, end = r.addr + r.len;
        if (jitter) {
          u64 cut = ((begin >> 6) + 1 + rnd.below(8)) << 6;
          if (cut < end) end = cut;
        }
        currentLeft = int(end - begin);
      }
    }
    if (current >= 0) {
      Read& r = open[current];
      u64 from = r.addr + r.sent;
      int lane = from % BYTES, n = std::min(BYTES - lane, currentLeft);
      uint8_t beat[BYTES];
      for (int i = 0; i < BYTES; i++) beat[i] = uint8_t(rnd.next());
      Memory::Page& page = memory.page(from, "read");
      for (int i = 0; i < n; i++) beat[lane + i] = page.data[(from + i) & 4095];
      setBytes(top->s_rdcpl_data, beat, BYTES);
      top->s_rdcpl_valid = cplValid = 1;
      top->s_rdcpl_tag = r.tag;
      top->s_rdcpl_last = r.sent + n == r.len || r.fails;
      top->s_rdcpl_error = top->s_rdcpl_last && r.fails;
    }

    ackValid = !acks.empty() && acks.front().due <= now;
    top->s_wrack_valid = ackValid;
    top->s_wrack_error = ackValid && memory.fails(acks.front().addr, acks.front().len, WRITE_FAILS);
  }

  void sample(Vmem_unit* top) {
    if (cplValid && top->s_rdcpl_ready) {
      Read& r = open[current];
      int n = std::min(BYTES - int((r.addr + r.sent) % BYTES), currentLeft);
      r.sent += n, currentLeft -= n;
      if (top->s_rdcpl_last) {
        tags.erase(r.tag);
        open.erase(open.begin() + current);
        current = -1;
      } else if (currentLeft == 0) {
        r.due = jitter ? now + rnd.below(jitter) : now;
        current = -1;
      }
    }
    if (ackValid) acks.pop_front();

    if (top->m_rdreq_valid && top->m_rdreq_ready) {
      u64 addr = top->m_rdreq_addr;
      int len = top->m_rdreq_len, tag = top->m_rdreq_tag;
      if (len < 1 || addr / MAX_READ != (addr + len - 1) / MAX_READ) fail("read of %d bytes at %llx", len, (unsigned long long)addr);
      if (!tags.insert(tag).second) fail("tag %d is live", tag);
      check(addr, "read");
      open.push_back({addr, len, tag, now + latency + (jitter ? rnd.below(jitter) : 0), 0,
                      memory.fails(addr, len, READ_FAILS)});
      reads++;
    }

    if (top->m_wr_valid && top->m_wr_ready) {
      u64 addr = top->m_wr_addr;
      int len = top->m_wr_len;
      if (!inBurst) {
        burst = {addr, len, {}, 0};
        if (len < 1 || addr / MAX_PAYLOAD != (addr + len - 1) / MAX_PAYLOAD) fail("burst of %d bytes at %llx", len, (unsigned long long)addr);
        check(addr, "write");
      }
      if (burst.addr != addr || burst.len != len) fail("address or length moved inside a burst");
      inBurst = true;
      int lane = burst.bytes.empty() ? int(addr % BYTES) : 0;
      int n = std::min(BYTES - lane, len - int(burst.bytes.size()));
      u64 keep = n == 64 ? ~0ull : ((1ull << n) - 1) << lane;
      if (u64(top->m_wr_keep) != keep) fail("byte enables %llx, expected %llx", (unsigned long long)top->m_wr_keep, (unsigned long long)keep);
      uint8_t beat[BYTES];
      getBytes(top->m_wr_data, beat, BYTES);
      burst.bytes.insert(burst.bytes.end(), beat + lane, beat + lane + n);
      bool last = int(burst.bytes.size()) == len;
      if (bool(top->m_wr_last) != last) fail("last of a burst of %d bytes is wrong", len);
      if (last) {
        Memory::Page& page = memory.page(addr, "write");
        if (!memory.fails(addr, len, WRITE_FAILS)) memcpy(&page.data[addr & 4095], burst.bytes.data(), len);
        u64 due = now + ackLatency + (ackJitter ? rnd.below(ackJitter) : 0);
        if (!acks.empty() && acks.back().due >= due) due = acks.back().due + 1;
        burst.due = due;
        acks.push_back(burst);
        inBurst = false;
        bursts++;
      }
      writeBeats++;
    }
  }
};
