// SplitMix64: small, fast, the same on every machine.

#pragma once

#include <cstdint>

class Prng {
 public:
  explicit Prng(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // 0..bound-1; bound 0 gives 0.
  uint64_t below(uint64_t bound) { return bound ? next() % bound : 0; }

  bool percent(uint64_t chance) { return chance >= 100 || (chance > 0 && below(100) < chance); }

 private:
  uint64_t state_;
};
