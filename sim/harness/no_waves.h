// Of a simulator that writes no waves.

#pragma once

#include <cstdint>
#include <string>

#include "report.h"

class Waves {
 public:
  static constexpr bool available = false;
  template <typename Top>
  explicit Waves(Top&) {}
  void window(uint64_t, uint64_t, const std::string&) {
    die(ErrorKind::protocol, "waves: this simulator was built without them");
  }
  void dump(uint64_t) {}
  void close() {}
};
