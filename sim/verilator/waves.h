// An FST file for a window of cycles, in binaries built for it.

#pragma once

#include <cstdint>
#include <string>

#include "Vpair.h"
#include "report.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"

class Waves {
 public:
  static constexpr bool available = true;

  explicit Waves(Vpair& top) {
    top.trace(&fst_, 99);
    open_waves_ = this;
    at_death = [] { open_waves_->close(); };
  }

  void window(uint64_t start, uint64_t stop, const std::string& path) {
    close();
    start_ = start;
    stop_ = stop;
    path_ = path;
  }

  void dump(uint64_t time) {
    if (cycle_now < start_ || cycle_now >= stop_) {
      if (cycle_now >= stop_) close();
      return;
    }
    if (!fst_.isOpen()) fst_.open(path_.c_str());
    if (!fst_.isOpen()) die(ErrorKind::resource, "waves: cannot write %s", path_.c_str());
    fst_.dump(time);
  }

  void close() {
    if (fst_.isOpen()) fst_.close();
  }

 private:
  static inline Waves* open_waves_ = nullptr;
  VerilatedFstC fst_;
  uint64_t start_ = ~0ull, stop_ = 0;
  std::string path_;
};
#else
#include "no_waves.h"
#endif
