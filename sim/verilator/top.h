// The pair as Verilator makes it, and its time.

#pragma once

#include <cstdint>

#include "Vpair.h"
#include "coverage.h"
#include "waves.h"

using Ports = Vpair;

class Top {
 public:
  // After so many cycles of a run: whether the client is there, and a sign of life for it.
  static constexpr uint64_t cycles_per_look = 8192, cycles_per_sign = 131072;

  explicit Top(uint64_t seed) : ports(seeded(&context_, seed), "top"), waves(ports) {}
  ~Top() {
    waves.close();
    ports.final();
    leave_coverage(context_);
  }

  // The outputs follow the inputs.
  void settle() { ports.eval(); }

  // Half a cycle: the clock gets this level, and the inputs as they are.
  void half(bool clk) {
    const uint64_t time = cycle_now * 2 + clk;
    ports.clk = clk;
    context_.time(time);
    ports.eval();
    waves.dump(time);
  }

 private:
  // The context must know its seed before the top draws initial values from it.
  static VerilatedContext* seeded(VerilatedContext* context, uint64_t seed) {
    context->randReset(2);  // registers without a reset value start random
    context->randSeed(int(seed & 0x7fffffff) + 1);
    context->traceEverOn(Waves::available);
    return context;
  }

  VerilatedContext context_;

 public:
  Ports ports;
  Waves waves;
};
