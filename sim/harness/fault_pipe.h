// One direction of a link that fails: packets go in whole, as they left, and come out when they may arrive.
// src/fault/pipe.ts does the same: what is changed here is changed there.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "faults.h"
#include "packet.h"

class FaultPipe {
 public:
  explicit FaultPipe(PacketPool& pool) : pool_(pool) {}

  bool empty() const { return timed_.empty() && kept_.empty(); }
  // The link is stopped: it takes nothing.
  bool held() const { return cycle_now < held_until_; }

  // A whole packet, struck by a rule or by none.
  void put(Packet* p, const LinkRule* rule) {
    if (timed_.size() + kept_.size() > max_packets)
      die(ErrorKind::resource, "link faults: more than %zu packets held", max_packets);
    if (!rule) {
      pass(p);
      return;
    }
    switch (rule->what) {
      case LinkFault::drop: pool_.put(p); break;
      case LinkFault::duplicate:
        if (rule->cycles) {
          Packet* twin = copy(p);
          pass(p);
          later(twin, cycle_now + rule->cycles);
        } else {
          pass(p, copy(p));
        }
        break;
      case LinkFault::delay: later(p, cycle_now + rule->cycles); break;
      case LinkFault::reorder: kept_.push_back({p, cycle_now + rule->cycles}); break;
      case LinkFault::hold: hold(cycle_now + rule->cycles); pass(p); break;
      case LinkFault::corrupt: p->bytes[rule->bit / 8] ^= uint8_t(1 << rule->bit % 8); pass(p); break;
      case LinkFault::bad_vcrc: p->bytes[p->size - 1] ^= 1; pass(p); break;
      case LinkFault::bad_icrc:
        p->bytes[p->size - 3] ^= 1;
        put_vcrc(p->bytes, p->size - 2);
        pass(p);
        break;
    }
  }

  // Calls `arrive` for what comes out by now, in order.
  template <typename Arrive>
  void drain(Arrive&& arrive) {
    expire();
    size_t due = 0;
    for (; due < timed_.size() && timed_[due].cycle <= cycle_now; due++) arrive(timed_[due].packet);
    timed_.erase(timed_.begin(), timed_.begin() + long(due));
  }

 private:
  static constexpr size_t max_packets = 65536;

  struct Entry {
    Packet* packet;
    uint64_t cycle;
  };

  // Packets arrive now; what was kept comes right behind.
  void pass(Packet* p, Packet* twin = nullptr) {
    expire();
    later(p, cycle_now);
    if (twin) later(twin, cycle_now);
    for (const Entry& e : kept_) later(e.packet, cycle_now);
    kept_.clear();
  }

  // It comes by itself at that time; what is kept waits for another.
  void later(Packet* p, uint64_t cycle) {
    const uint64_t at = std::max(cycle, held_until_);
    const auto behind = std::upper_bound(timed_.begin(), timed_.end(), at,
                                         [](uint64_t value, const Entry& e) { return value < e.cycle; });
    timed_.insert(behind, {p, at});
  }

  void hold(uint64_t until) {
    expire();
    held_until_ = std::max(held_until_, until);
    for (Entry& e : timed_)
      if (e.cycle > cycle_now) e.cycle = std::max(e.cycle, until);
  }

  // Nothing came in time to pass them.
  void expire() {
    for (size_t i = 0; i < kept_.size();) {
      if (kept_[i].cycle > cycle_now) {
        i++;
        continue;
      }
      const Entry e = kept_[i];
      kept_.erase(kept_.begin() + long(i));
      later(e.packet, e.cycle);
    }
  }

  Packet* copy(const Packet* p) {
    Packet* twin = pool_.get();
    *twin = *p;
    return twin;
  }

  // IBA vol. 1, 7.8.2: behind `size` bytes.
  static void put_vcrc(uint8_t* bytes, uint32_t size) {
    uint32_t crc = 0xffff;
    for (uint32_t i = 0; i < size; i++) {
      crc ^= bytes[i];
      for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xd008 : crc >> 1;
    }
    bytes[size] = uint8_t(~crc);
    bytes[size + 1] = uint8_t(~crc >> 8);
  }

  PacketPool& pool_;
  std::vector<Entry> timed_;  // by time, then by order of entry
  std::vector<Entry> kept_;   // to be passed by the next one; at the latest at their time
  uint64_t held_until_ = 0;
};
