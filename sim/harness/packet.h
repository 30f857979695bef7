// Packets on the link: LRH to VCRC, from a pool, so that a run allocates nothing per packet.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pins.h"
#include "report.h"

class LinkIn;

struct Packet {
  static constexpr uint32_t max_bytes = 4096 + 256;  // largest MTU with every header there is, and some

  uint32_t size;
  uint32_t beats;     // beats in so far
  bool complete;      // the last beat is in
  bool injected;
  uint8_t device;     // the HCA it left
  uint8_t vl;
  LinkIn* target;     // where it goes; none: to the client
  uint64_t number;    // of those that left the HCA; injected: what the client calls it
  uint64_t first, last;  // cycles of the first and the last beat
  uint64_t not_before;   // injected: the cycle it may start at
  uint32_t arrival[max_bytes / lanes];  // of each beat, cycles after the first
  uint8_t bytes[max_bytes];
};

class PacketPool {
 public:
  Packet* get() {
    if (free_.empty()) {
      if (all_.size() == max_packets) die(ErrorKind::resource, "link: more than %zu packets under way or not taken", max_packets);
      all_.push_back(std::make_unique<Packet>());
      free_.push_back(all_.back().get());
    }
    Packet* p = free_.back();
    free_.pop_back();
    p->size = p->beats = 0;
    p->complete = p->injected = false;
    p->not_before = 0;
    return p;
  }
  void put(Packet* p) { free_.push_back(p); }

 private:
  static constexpr size_t max_packets = 1u << 17;

  std::vector<std::unique_ptr<Packet>> all_;
  std::vector<Packet*> free_;
};
