// Fault rules: which packets of the link and which host accesses are struck. What then happens to them is
// done by FaultPipe, ReadPort and WritePort. src/fault does the same for links that pass through a client.

#pragma once

#include <cstdint>
#include <vector>

#include "prng.h"

// Counts the matches of a rule and says which of them are struck.
struct Strikes {
  uint32_t nth = 0, count = 0;  // from the nth match on, so many; 0: all
  bool random = false;          // or each by chance of 2^53
  uint64_t chance = 0;
  Prng prng{0};
  uint64_t matches = 0, strikes = 0;

  // One more match: would it be struck, if no earlier rule strikes?
  bool matched() {
    const uint64_t index = matches++;
    // Drawn for each match, so that no rule shifts the dice of another.
    if (random) return prng.next() >> 11 < chance;
    return index >= nth && (count == 0 || index < uint64_t(nth) + count);
  }
};

enum class LinkFault : uint8_t { drop, duplicate, delay, reorder, corrupt, bad_icrc, bad_vcrc, hold };
enum class DmaFault : uint8_t { timeout, unsupported, poison, fail };

// Rules in order: every rule counts, the first that strikes is the one. -1: none.
template <typename Rule, typename Matches>
int strike_first(std::vector<Rule>& rules, Matches&& matches) {
  int struck = -1;
  for (size_t i = 0; i < rules.size(); i++) {
    if (matches(rules[i]) && rules[i].strikes.matched() && struck < 0) struck = int(i);
  }
  if (struck >= 0) rules[size_t(struck)].strikes.strikes++;
  return struck;
}

struct LinkRule {
  static constexpr uint8_t either = 255;

  uint8_t from;  // the HCA that sent it
  bool asks_qpn, asks_opcode, asks_psn;
  uint32_t qpn, psn;
  uint8_t opcode;
  LinkFault what;
  uint32_t bit, cycles;
  Strikes strikes;

  // What is to be spoiled must be there.
  uint32_t least_bytes() const {
    switch (what) {
      case LinkFault::corrupt: return bit / 8 + 1;
      case LinkFault::bad_icrc: return 6;
      case LinkFault::bad_vcrc: return 2;
      default: return 0;
    }
  }
};

class LinkRules {
 public:
  std::vector<LinkRule> rules;

  // The rule that strikes a packet, LRH to VCRC, or -1.
  int strike(uint8_t from, const uint8_t* bytes, uint32_t size) {
    const uint8_t* bth = transport(bytes, size);
    return strike_first(rules, [&](const LinkRule& r) {
      if (r.from != LinkRule::either && r.from != from) return false;
      if ((r.asks_qpn | r.asks_opcode | r.asks_psn) && !bth) return false;
      if (r.asks_opcode && r.opcode != bth[0]) return false;
      if (r.asks_qpn && r.qpn != serial(bth + 5)) return false;
      if (r.asks_psn && r.psn != serial(bth + 9)) return false;
      return size >= r.least_bytes();
    });
  }

 private:
  static constexpr uint32_t lrh_bytes = 8, grh_bytes = 40, bth_bytes = 12;

  static uint32_t serial(const uint8_t* at) { return uint32_t(at[0]) << 16 | uint32_t(at[1]) << 8 | at[2]; }

  // The BTH, where LNH says that there is one; nothing more is looked at.
  static const uint8_t* transport(const uint8_t* bytes, uint32_t size) {
    if (size < lrh_bytes || (bytes[1] & 3) < 2) return nullptr;
    const uint32_t at = lrh_bytes + ((bytes[1] & 3) == 3 ? grh_bytes : 0);
    return size < at + bth_bytes ? nullptr : bytes + at;
  }
};

struct DmaRule {
  uint8_t host;
  bool write;
  uint64_t first, last;  // addresses, both included
  DmaFault what;
  Strikes strikes;
};

class DmaRules {
 public:
  std::vector<DmaRule> rules;

  int strike(uint8_t host, bool write, uint64_t address, uint32_t size) {
    if (rules.empty()) return -1;
    return strike_first(rules, [&](const DmaRule& r) {
      return r.host == host && r.write == write && address <= r.last && address + (size - 1) >= r.first;
    });
  }
};

struct Faults {
  LinkRules link;
  DmaRules dma;
};
