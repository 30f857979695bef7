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

struct Check {
  Tables& tables;
  std::deque<Chunk> asks;
  struct Open { Chunk chunk; u64 since; };
  std::deque<Open> open;
  Offer offer;
  u64 done = 0, latency = 0;
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
    if (top->m_chk_valid) {
      if (open.empty()) fail("check: an answer too many");
      Chunk c = open.front().chunk;
      latency = now - open.front().since;
      // 7 alone; behind its slice up to two requests of each of 9 clients and table reads may go first.
      if (latency < 7 || latency > 7 + 2 * 9 + 8) fail("check: latency %llu", (unsigned long long)latency);
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
