// What the port models of one HCA share: its pins, memory, settings, counters, dice and fail rules.

#pragma once

#include <cstdint>
#include <vector>

#include "faults.h"
#include "memory.h"
#include "pins.h"
#include "prng.h"
#include "settings.h"
#include "stats.h"
#include "taps.h"

// Host accesses that fail: the first `count` that touch the range (0: all of them).
struct FailRule {
  bool write;
  uint64_t address, size;
  uint32_t count;
  uint32_t cycles;       // reads: answered so many cycles later than usual (a completion time-out)
  uint32_t after_bytes;  // reads: so much data comes before the error
  uint32_t hits = 0;
};

// The ports that roll a die each cycle; each has 8 bits of the cycle's random word.
enum class Die : uint8_t { rdreq, rdcpl, wr, irq, bar, bar_offer, link, link_offer };

struct Host {
  Host(uint8_t device, Pins pins, Taps& taps, Faults& faults, uint64_t seed)
      : device(device), pins(pins), taps(taps), faults(faults), random(seed) {
    set(profile_settings(Profile::ideal));
  }

  const uint8_t device;
  Pins pins;
  Taps& taps;
  Faults& faults;
  HostMemory memory;
  Settings settings;
  Stats stats;
  Prng random;
  std::vector<FailRule> fail_rules;

  void set(const Settings& s) {
    settings = s;
    const uint64_t percents[8] = {s.rdreq_ready_percent, s.rdcpl_valid_percent, s.wr_ready_percent,
                                  s.irq_ready_percent,   s.bar_ready_percent,   s.bar_valid_percent,
                                  s.link_ready_percent,  s.link_valid_percent};
    always_ = true;
    for (int i = 0; i < 8; i++) {
      thresholds_[i] = uint16_t(percents[i] >= 100 ? 256 : percents[i] * 256 / 100);
      always_ &= thresholds_[i] == 256;
    }
  }

  // Once a cycle; nothing random is drawn when every port is always willing.
  void roll() {
    if (!always_) dice_ = random.next();
  }
  bool willing(Die die) const {
    return always_ || uint8_t(dice_ >> (8 * int(die))) < thresholds_[int(die)];
  }

  // 0..most cycles; draws nothing when there is nothing to choose.
  uint64_t random_jitter(uint64_t most) { return most ? random.below(most + 1) : 0; }

  // The rule this access falls under, or none. Counts the hit.
  const FailRule* failure(bool write, uint64_t address, uint32_t size) {
    if (fail_rules.empty()) return nullptr;
    for (FailRule& rule : fail_rules) {
      if (rule.write != write) continue;
      // Overlap of two ranges, also at the top of the space.
      if (address - rule.address >= rule.size && rule.address - address >= size) continue;
      if (rule.count && rule.hits >= rule.count) continue;
      rule.hits++;
      return &rule;
    }
    return nullptr;
  }

 private:
  uint16_t thresholds_[8] = {};
  uint64_t dice_ = 0;
  bool always_ = true;
};

// The stream rule: a word offered stays as it is until it is taken.
class StreamRule {
 public:
  // `same` compares the word of this cycle with the kept one; asked only after a stall.
  template <typename Same>
  void check(const Host& host, const char* port, bool valid, Same&& same) const {
    if (!held_) return;
    if (!valid) violation(host.device, port, "expected valid to stay until ready, found it withdrawn");
    if (!same()) violation(host.device, port, "expected the word to stay as offered until ready, found it changed");
  }
  bool held() const { return held_; }
  void hold(bool stalled) { held_ = stalled; }

 private:
  bool held_ = false;
};
