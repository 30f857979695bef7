// Small helpers of the memory bench: random numbers, wide ports, failing.
#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#ifndef DATA_W
#define DATA_W 256
#endif

// As build.sh reads it from mem_unit.
static_assert(GATE_CLIENTS > 1);

using u64 = uint64_t;
using Bytes = std::vector<uint8_t>;
constexpr int BYTES = DATA_W / 8;

inline u64 now = 0;
inline u64 seed = 1;

[[noreturn]] inline void fail(const char* format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "FAIL seed %llu, cycle %llu: ", (unsigned long long)seed, (unsigned long long)now);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

// xorshift64*
struct Random {
  u64 state = 88172645463325252ull;
  u64 next() {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return state * 2685821657736338717ull;
  }
  u64 below(u64 n) { return n ? (next() >> 11) % n : 0; }
  u64 range(u64 lo, u64 hi) { return lo + below(hi - lo + 1); }
  bool percent(int p) { return int(below(100)) < p; }
};
inline Random rnd;

template <class Wide> void setBits(Wide& wide, int at, int width, u64 value) {
  for (int i = 0; i < width; i++) {
    uint32_t& word = wide[(at + i) / 32];
    word = (word & ~(1u << ((at + i) % 32))) | (uint32_t((value >> i) & 1) << ((at + i) % 32));
  }
}
template <class Wide> u64 getBits(const Wide& wide, int at, int width) {
  u64 value = 0;
  for (int i = 0; i < width; i++) value |= u64((wide[(at + i) / 32] >> ((at + i) % 32)) & 1) << i;
  return value;
}
template <class Wide> void setBytes(Wide& wide, const uint8_t* bytes, int n) { memcpy(&wide[0], bytes, n); }
template <class Wide> void getBytes(const Wide& wide, uint8_t* bytes, int n) { memcpy(bytes, &wide[0], n); }

inline int beatsOf(u64 lane, u64 len) { return int((lane + len + BYTES - 1) / BYTES); }
