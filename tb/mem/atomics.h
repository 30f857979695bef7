// Atomics: one after the other, each judged in order against a shadow of what memory must hold.
#pragma once
#include "rings.h"

constexpr int VICTIM_A = 20, ATOMIC_FIRST = 21, ATOMIC_REGIONS = 4, ATOMIC_TAG = RD_TAGS - 1;

struct Atomics {
  Tables& tables;
  Host& host;
  struct Ask { uint32_t key, pd; u64 va, swapAdd, compare; bool swap; int user; };
  std::deque<Ask> asks, open;
  std::unordered_map<u64, u64> shadow;       // words at host addresses
  Offer offer;
  int ready = 100, serial = 0;
  u64 done = 0, failed = 0, swaps = 0, firstDone = 0, lastDone = 0;
  Atomics(Tables& t, Host& h) : tables(t), host(h) {}

  u64 inMemory(u64 pa) {
    u64 value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | tables.memory.at(pa + i, "bench");
    return value;
  }
  u64& word(u64 pa) { return shadow.try_emplace(pa, inMemory(pa)).first->second; }

  // Few words, so that they meet; a comparison often holds.
  void add(int region, int wrong) {
    Chunk c = randomChunk(tables, region, REMOTE_ATOMIC, 8, wrong);
    Region& r = tables.regions[region];
    if (rnd.percent(80)) c.va = r.start + 8 * rnd.below(4) + (rnd.percent(50) ? r.length / 2 & ~7ull : 0);
    c.va = (c.va + 7) & ~7ull;
    Ask a = {c.key, c.pd, c.va, rnd.next(), rnd.next(), rnd.percent(50), serial++ & 1023};
    Answer found = tables.judge(c.key, c.pd, REMOTE_ATOMIC, c.va, 8);
    if (found.ok && !(found.pa & 7)) {       // known before it changes
      u64 now = word(found.pa);
      if (rnd.percent(60)) a.compare = now;
    }
    asks.push_back(a);
  }

  void drive(Vmem_unit* top) {
    top->s_a_valid = offer.drive(!asks.empty());
    top->m_a_ready = rnd.percent(ready);
    if (asks.empty()) return;
    Ask& a = asks.front();
    top->s_a_key = a.key, top->s_a_pd = a.pd, top->s_a_va = a.va, top->s_a_swap = a.swap;
    top->s_a_swap_add = a.swapAdd, top->s_a_compare = a.compare, top->s_a_user = a.user;
  }

  void sample(Vmem_unit* top) {
    if (top->m_rdreq_valid && top->m_rdreq_ready && top->m_rdreq_tag == ATOMIC_TAG) {
      if (top->m_rdreq_len != 8 || top->m_rdreq_addr & 7) fail("an atomic reads %d bytes at %llx", top->m_rdreq_len, (unsigned long long)top->m_rdreq_addr);
      for (int i = 0; i <= ATOMIC_REGIONS; i++)
        if (host.writing(VICTIM_A + i)) fail("an atomic reads while the write of another is under way");
    }
    if (top->m_a_valid && top->m_a_ready) finish(top);
    if (top->s_a_valid && top->s_a_ready) open.push_back(asks.front()), asks.pop_front(), offer.on = false;
  }

  void finish(Vmem_unit* top) {
    if (open.empty()) fail("an answer of no atomic");
    Ask a = open.front();
    open.pop_front();
    if (top->m_a_user != a.user) fail("atomic %d answered, expected %d", top->m_a_user, a.user);
    Answer found = tables.judge(a.key, a.pd, REMOTE_ATOMIC, a.va, 8);
    int cause = found.cause;
    if (found.ok && found.pa & 7) cause = 5;
    else if (found.ok && tables.memory.fails(found.pa, 8, READ_FAILS)) cause = 6;
    bool victim = (a.key >> 8) == VICTIM_A;
    if (!cause && !(victim && top->m_a_cause == 1)) {
      u64& value = word(found.pa);
      if (top->m_a_value != value) fail("atomic %d: found %llx, expected %llx", a.user, (unsigned long long)top->m_a_value, (unsigned long long)value);
      bool writes = !a.swap || value == a.compare;
      swaps += a.swap && writes;
      if (writes && tables.memory.fails(found.pa, 8, WRITE_FAILS)) cause = 6;
      else if (writes) value = a.swap ? a.swapAdd : value + a.swapAdd;
      if (inMemory(found.pa) != value) fail("atomic %d: memory holds %llx, expected %llx", a.user, (unsigned long long)inMemory(found.pa), (unsigned long long)value);
    }
    if (top->m_a_cause != cause && !(victim && top->m_a_cause == 1)) fail("atomic %d: cause %d, expected %d", a.user, top->m_a_cause, cause);
    done++, failed += top->m_a_cause != 0;
    if (!firstDone) firstDone = now;
    lastDone = now;
  }
  void compare() {
    for (auto& [pa, value] : shadow)
      if (inMemory(pa) != value) fail("the word at %llx differs", (unsigned long long)pa);
  }
  bool idle() { return asks.empty() && open.empty(); }
};
