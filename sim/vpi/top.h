// The pair inside any simulator with VPI, and its time: who moves the clock is the other side of a fiber.

#pragma once

#include <cstdint>

#include "fiber.h"
#include "no_waves.h"
#include "ports.h"

class Top {
 public:
  // Slower than the native one by far: so many cycles take no longer there.
  static constexpr uint64_t cycles_per_look = 256, cycles_per_sign = 4096;

  explicit Top(uint64_t seed) : waves(ports) { harness_fiber.seed = seed; }

  // The outputs follow the inputs.
  void settle() { step(Step::settle); }

  // Half a cycle: the clock gets this level, and the inputs as they are.
  void half(bool clk) {
    ports.clk = clk;
    step(clk ? Step::high : Step::low);
  }

  Ports ports;
  Waves waves;

 private:
  void step(Step step) {
    harness_fiber.ports = &ports;
    harness_fiber.step = step;
    harness_fiber.leave();
  }
};
