// The ring readers and writers, and the check client of the gate.
#pragma once
#include "streams.h"

// One ring reader: NAME is sqf or rqf.
#define RING_READER(Name, name)                                                                                     \
  struct Name {                                                                                                     \
    Tables& tables;                                                                                                 \
    uint32_t mtt;                                                                                                   \
    struct Ask { u64 offset; int len; };                                                                            \
    std::deque<Ask> asks, open;                                                                                     \
    Offer offer;                                                                                                    \
    int ready = 100;                                                                                                \
    Bytes got;                                                                                                      \
    u64 done = 0, errors = 0;                                                                                       \
    void drive(Vmem_unit* top) {                                                                                    \
      top->s_##name##_valid = offer.drive(!asks.empty());                                                           \
      if (!asks.empty()) top->s_##name##_mtt = mtt, top->s_##name##_offset = asks.front().offset, top->s_##name##_len = asks.front().len; \
      top->m_##name##_ready = rnd.percent(ready);                                                                   \
    }                                                                                                               \
    void sample(Vmem_unit* top) {                                                                                   \
      if (top->s_##name##_valid && top->s_##name##_ready) open.push_back(asks.front()), asks.pop_front(), offer.on = false; \
      if (!(top->m_##name##_valid && top->m_##name##_ready)) return;                                                \
      uint8_t beat[BYTES];                                                                                          \
      getBytes(top->m_##name##_data, beat, BYTES);                                                                  \
      got.insert(got.end(), beat, beat + BYTES);                                                                    \
      if (top->m_##name##_last) finish(top->m_##name##_error), got.clear();                                         \
    }                                                                                                               \
    void finish(bool error) { finishRead(tables, mtt, open, got, error, done, errors); }                            \
  };

template <class Asks> void finishRead(Tables& tables, uint32_t mtt, Asks& open, Bytes& got, bool error, u64& done, u64& errors) {
  if (open.empty()) fail("ring reader: beats of no request");
  auto ask = open.front();
  open.pop_front();
  Answer a = tables.ring(mtt, ask.offset);
  bool fails = !a.ok || tables.memory.fails(a.pa, ask.len, READ_FAILS);
  if (fails != error) fail("ring reader: error %d, expected %d", error, fails);
  done++, errors += error;
  if (error) return;
  Bytes want;
  for (int i = 0; i < ask.len; i++) want.push_back(tables.memory.at(a.pa + i, "bench"));
  got.resize(std::min(got.size(), size_t(beatsOf(0, ask.len) * BYTES)));
  got.resize(ask.len);
  if (got != want) fail("ring reader: other bytes at offset %llx", (unsigned long long)ask.offset);
}

#define RING_WRITER(Name, name)                                                                                     \
  struct Name {                                                                                                     \
    Tables& tables;                                                                                                 \
    uint32_t mtt;                                                                                                   \
    struct Entry { u64 offset; Bytes data; };                                                                       \
    std::deque<Entry> entries, open;                                                                                \
    Offer offer;                                                                                                    \
    u64 done = 0, errors = 0;                                                                                       \
    void drive(Vmem_unit* top) {                                                                                    \
      top->s_##name##_valid = offer.drive(!entries.empty());                                                        \
      if (entries.empty()) return;                                                                                  \
      top->s_##name##_mtt = mtt, top->s_##name##_offset = entries.front().offset;                                   \
      setBytes(top->s_##name##_data, entries.front().data.data(), 32);                                              \
    }                                                                                                               \
    void sample(Vmem_unit* top) {                                                                                   \
      if (top->s_##name##_valid && top->s_##name##_ready) open.push_back(entries.front()), entries.pop_front(), offer.on = false; \
      if (!top->m_##name##_valid) return;                                                                           \
      if (open.empty()) fail(#name ": done of no entry");                                                           \
      Entry e = open.front();                                                                                       \
      open.pop_front();                                                                                             \
      Answer a = tables.ring(mtt, e.offset);                                                                        \
      bool fails = !a.ok || tables.memory.fails(a.pa, 32, WRITE_FAILS);                                   \
      if (fails != bool(top->m_##name##_error)) fail(#name ": error %d, expected %d", top->m_##name##_error, fails); \
      if (!fails)                                                                                                   \
        for (int i = 0; i < 32; i++)                                                                                \
          if (tables.memory.at(a.pa + i, "bench") != e.data[i]) fail(#name ": done before it was written");         \
      done++, errors += fails;                                                                                      \
    }                                                                                                               \
  };

RING_READER(SendRing, sqf)
RING_READER(ReceiveRing, rqf)
RING_WRITER(Completions, cqe)
RING_WRITER(Events, eqe)

// How long the gate takes for a request: GATE_CYCLES if none goes before it. Its slice holds one more of the
// same client; each of both may find that the other clients go first, once each. Table reads go before all.
constexpr u64 GATE_CYCLES = 7;

struct Check {
  Tables& tables;
  bool alone = false;                        // the other clients ask for nothing
  std::deque<Chunk> asks;
  struct Open { Chunk chunk; u64 since; };
  u64 tableReads[64] = {};                   // up to each of the last cycles
  std::deque<Open> open;
  Offer offer;
  u64 done = 0, slowest = 0;
  explicit Check(Tables& t) : tables(t) {}
  void drive(Vmem_unit* top) {
    top->s_chk_valid = offer.drive(!asks.empty());
    if (asks.empty()) return;
    Chunk& c = asks.front();
    setBits(top->s_chk_data, 0, 24, 0);
    setBits(top->s_chk_data, 24, 32, c.len);
    setBits(top->s_chk_data, 56, 64, c.va);
    setBits(top->s_chk_data, 120, 4, c.need);
    setBits(top->s_chk_data, 124, 24, c.pd);
    setBits(top->s_chk_data, 148, 32, c.key);
    setBits(top->s_chk_data, 180, 2, 0);
  }
  void sample(Vmem_unit* top) {
    tableReads[now % 64] = tableReads[(now - 1) % 64] + (top->s_tbl_valid && !top->s_tbl_write);
    if (top->m_chk_valid) {
      if (open.empty()) fail("check: an answer too many");
      Chunk c = open.front().chunk;
      u64 since = open.front().since, latency = now - since;
      u64 before = tableReads[(now - GATE_CYCLES + 1) % 64] - tableReads[since % 64];
      u64 most = GATE_CYCLES + 2 * (alone ? 0 : GATE_CLIENTS - 1) + before;
      if (latency < GATE_CYCLES || latency > most) fail("check: latency %llu, at most %llu", (unsigned long long)latency, (unsigned long long)most);
      slowest = std::max(slowest, latency);
      open.pop_front();
      Answer a = tables.judge(c.key, c.pd, c.need, c.va, c.len);
      int span = int(getBits(top->m_chk_data, 0, 13)), cause = int(getBits(top->m_chk_data, 78, 3));
      u64 pa = getBits(top->m_chk_data, 13, 64);
      bool ok = getBits(top->m_chk_data, 81, 1);
      if (ok != a.ok || cause != a.cause || (ok && (pa != a.pa || span != a.span)))
        fail("check of %x %llx+%x: ok %d cause %d pa %llx span %d, expected %d %d %llx %d", c.key, (unsigned long long)c.va, c.len,
             ok, cause, (unsigned long long)pa, span, a.ok, a.cause, (unsigned long long)a.pa, a.span);
      done++;
    }
    if (top->s_chk_valid && top->s_chk_ready) open.push_back({asks.front(), now}), asks.pop_front(), offer.on = false;
  }
};
