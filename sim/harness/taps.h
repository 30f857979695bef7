// What was seen on the ports, kept as the bytes of the reply until the client takes it.

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "frames.h"
#include "packet.h"
#include "report.h"

enum class TapKind : uint8_t { packet = 1, dma_read = 2, dma_write = 3, interrupt = 4, arrival = 5 };

class Taps {
 public:
  bool packets = false, dma = false, interrupts = false, dma_bytes = false, arrivals = false;

  // `fault`: the rule that struck, or -1.
  void packet(const Packet& p, uint8_t device, uint64_t first, uint64_t last, int fault) {
    if (!packets) return;
    head(TapKind::packet, device, p.injected ? 1 : 0, last);
    u32(uint32_t(fault + 1));
    u64(p.number);
    u64(first);
    u32(p.size);
    raw(p.bytes, p.size);
  }

  void arrival(const Packet& p, uint8_t device, uint64_t first, uint64_t last) {
    if (!arrivals) return;
    head(TapKind::arrival, device, p.injected ? 1 : 0, last);
    raw(&p.device, 1);
    u64(p.number);
    u64(first);
    u32(p.size);
    raw(p.bytes, p.size);
  }

  // A read's bytes come later: the record has room for them, named by the number returned.
  size_t dma_read(uint8_t device, uint64_t cycle, uint64_t address, uint32_t size, int fault) {
    if (!dma) return none;
    head(TapKind::dma_read, device, 0, cycle);
    u32(uint32_t(fault + 1));
    u64(address);
    u32(size);
    u32(dma_bytes ? size : 0);
    if (!dma_bytes) return none;
    const size_t at = bytes_.size();
    bytes_.resize(at + size);
    return taken_ + at;
  }

  void read_bytes(size_t record, uint32_t offset, const uint8_t* bytes, uint32_t size, bool complete) {
    if (record == none || record < taken_) return;  // its record has left already
    uint8_t* to = bytes_.data() + (record - taken_);
    memcpy(to + offset, bytes, size);
    if (complete) to[flags_before_bytes] = 1;
  }

  void dma_write(uint8_t device, uint64_t address, const uint8_t* bytes, uint32_t size, int fault) {
    if (!dma) return;
    head(TapKind::dma_write, device, dma_bytes ? 1 : 0, cycle_now);
    u32(uint32_t(fault + 1));
    u64(address);
    u32(size);
    u32(dma_bytes ? size : 0);
    if (dma_bytes) raw(bytes, size);
  }

  void interrupt(uint8_t device, uint8_t vector) {
    if (!interrupts) return;
    head(TapKind::interrupt, device, 0, cycle_now);
    raw(&vector, 1);
  }

  void take(FrameWriter& reply) {
    reply.u32(count_);
    reply.raw(bytes_.data(), bytes_.size());
    taken_ += bytes_.size();
    bytes_.clear();
    count_ = 0;
  }

 private:
  static constexpr size_t none = ~size_t(0);
  static constexpr size_t max_bytes = 128u << 20;
  // From the first byte of a read's data back to its flags: cycle, fault, address, length, count, flags.
  static constexpr int flags_before_bytes = -(8 + 4 + 8 + 4 + 4 + 1);

  void head(TapKind kind, uint8_t device, uint8_t flags, uint64_t cycle) {
    if (bytes_.size() > max_bytes) die(ErrorKind::resource, "taps: more than %zu bytes not taken", max_bytes);
    const uint8_t start[3] = {uint8_t(kind), device, flags};
    raw(start, 3);
    u64(cycle);
    count_++;
  }
  void u32(uint32_t v) { raw(&v, 4); }
  void u64(uint64_t v) { raw(&v, 8); }
  void raw(const void* from, size_t size) {
    const auto* b = static_cast<const uint8_t*>(from);
    bytes_.insert(bytes_.end(), b, b + size);
  }

  std::vector<uint8_t> bytes_;
  size_t taken_ = 0;  // bytes that left before bytes_[0]
  uint32_t count_ = 0;
};
