// Regions and rings of the bench, and what the gate must say of an access: written from the rules, in plain arithmetic.
#pragma once
#include "host.h"

constexpr int MRS = 32, MTTS = 2048;
enum Need : int { LOCAL_READ = 0, LOCAL_WRITE = 1, REMOTE_WRITE = 2, REMOTE_READ = 4, REMOTE_ATOMIC = 8 };

struct Region {
  int index = 0;
  uint32_t key = 0, pd = 0, rights = 0, mtt = 0;
  int shift = 12;
  u64 start = 0, length = 0, offset = 0;
  bool live = false;
};
struct Answer { bool ok; int cause; u64 pa; int span; };

struct Tables {
  Memory& memory;
  Region regions[MRS];
  struct Mtt { bool present = false; u64 page = 0; } mtt[MTTS];
  int nextMtt = 0;
  u64 nextPage = 0x1000;
  explicit Tables(Memory& m) : memory(m) {}

  // Fresh pages somewhere in the 64-bit space, a run of 4 KiB pages for each.
  int allocate(int pages, int shift, int owner, int present = 100) {
    int first = nextMtt;
    for (int i = 0; i < pages; i++) {
      u64 base = (rnd.below(1 << 20) << 44) | (nextPage << 12);
      nextPage += (1ull << (shift - 12)) + rnd.below(4);
      mtt[nextMtt++] = {rnd.percent(present), base};
      for (u64 at = 0; at < (1ull << shift); at += 4096) {
        Memory::Page& page = memory.pages[(base + at) >> 12];
        page.owner = owner;
        for (auto& byte : page.data) byte = uint8_t(rnd.next() >> 13);
      }
    }
    if (nextMtt > MTTS) fail("bench: MTT is full");
    return first;
  }

  Region& make(int index, u64 length, int shift, int rights) {
    Region& r = regions[index];
    r.index = index;
    r.key = (index << 8) | rnd.below(256);
    r.pd = uint32_t(rnd.below(1 << 24));
    r.rights = rights;
    r.shift = shift;
    r.length = length;
    r.start = rnd.percent(20) ? 0 - length : rnd.percent(20) ? 0 : rnd.next() >> 1;
    r.offset = rnd.below(1ull << shift);
    r.mtt = allocate(int(((r.offset + length) >> shift) + 1), shift, index);
    r.live = true;
    return r;
  }

  Answer ring(uint32_t first, u64 offset) {
    u64 at = first + (offset >> 12);
    if (at >= MTTS || !mtt[at].present) return {false, 5, 0, 0};
    return {true, 0, mtt[at].page + (offset & 4095), int(4096 - (offset & 4095))};
  }
  Answer judge(uint32_t key, uint32_t pd, int need, u64 va, u64 len) {
    uint32_t index = key >> 8;
    if (index >= MRS || !regions[index].live || regions[index].key != key) return {false, 1, 0, 0};
    Region& r = regions[index];
    if (r.pd != pd) return {false, 2, 0, 0};
    unsigned __int128 begin = va, end = begin + len, first = r.start, behind = first + r.length;
    unsigned __int128 top = (unsigned __int128)1 << 64;
    if (len == 0 || begin < first || end > behind || end > top) return {false, 3, 0, 0};
    if (need & ~r.rights) return {false, 4, 0, 0};
    u64 at = va - r.start + r.offset;
    u64 page = r.mtt + (at >> r.shift);
    if (page >= MTTS || !mtt[page].present) return {false, 5, 0, 0};
    u64 pa = mtt[page].page + (at & ((1ull << r.shift) - 1));
    return {true, 0, pa, int(4096 - (pa & 4095))};
  }
};

struct Chunk {
  bool inl = false;
  uint32_t key = 0, pd = 0;
  int need = 0;
  u64 va = 0;
  uint32_t len = 0;
  Bytes bytes;                   // inline
};

// A random access of len bytes; wrong in some way now and then.
inline Chunk randomChunk(Tables& t, int region, int need, uint32_t len, int wrongPercent) {
  Region& r = t.regions[region];
  Chunk c;
  c.key = r.key, c.pd = r.pd, c.need = need, c.len = len;
  c.va = r.start + (rnd.percent(10) ? 0 : rnd.percent(10) ? r.length - len : rnd.below(r.length - len + 1));
  if (rnd.percent(wrongPercent)) {
    switch (rnd.below(6)) {
      case 0: c.key ^= 1u << rnd.below(32); break;
      case 1: c.pd ^= 1u << rnd.below(24); break;
      case 2: c.va = r.start + r.length - len + 1; break;
      case 3: c.va = r.start - 1; break;
      case 4: c.need |= REMOTE_ATOMIC; break;
      case 5: c.va = rnd.next(); break;
    }
  }
  return c;
}
