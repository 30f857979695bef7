// What registers and memories hold before anything has written them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vpi_user.h>

#include "prng.h"

// In a simulator with four values: every bit below `scope` that is x becomes 0 or 1, by the seed. Real registers
// start as one of the two; an x would spread and never leave where a bit is written from its old value.
// One with two values has done so itself.
class Initial {
 public:
  // First everything is x, what has a value already included: whoever looks at it sees it change, and is computed anew.
  void forget(const std::string& scope, uint64_t seed);
  // At a later time: the values.
  void set();

 private:
  struct Entry {
    vpiHandle object;
    size_t at, count;  // in words_
  };
  void walk(vpiHandle scope, Prng& prng);
  void take(vpiHandle object, Prng& prng);

  std::vector<Entry> entries_;
  std::vector<s_vpi_vecval> words_;
};
