// Host writes: checks each burst, lets it enter memory after a while, acknowledges in order.
//
// Until its s_wrack a write may be passed by a later one (write_reorder), as on a bus without posted
// order: an HCA that writes a completion before the data is acknowledged is found out. Writes to the
// same bytes keep their order.

#pragma once

#include <array>
#include <cstdint>

#include "host.h"

class WritePort {
 public:
  WritePort(Host& host, uint32_t max_bytes) : host_(host), max_bytes_(max_bytes) {}

  bool busy() const { return in_burst_ || head_ != tail_; }
  // Writes accepted so far: a read accepted now must see all of these.
  uint64_t accepted() const { return tail_; }

  void drive() {
    Pins& p = host_.pins;
    p.m_wr_ready = host_.willing(Die::wr) && tail_ - head_ < slots;
    p.s_wrack_valid = 0;
    if (head_ == tail_) return;
    enter_due();
    const Write& oldest = at(head_);
    if (!oldest.entered || cycle_now < oldest.enter_cycle + host_.settings.wrack_latency) return;
    p.s_wrack_valid = 1;
    p.s_wrack_error = oldest.failed;
    head_++;
  }

  void sample() {
    Pins& p = host_.pins;
    if (!(p.m_wr_valid | rule_.held())) return;
    rule_.check(host_, "m_wr", p.m_wr_valid, [&] {
      return p.m_wr_addr == kept_addr_ && p.m_wr_len == kept_len_ && p.m_wr_keep == kept_keep_ &&
             p.m_wr_last == kept_last_ && same(p.m_wr_data, kept_data_);
    });
    rule_.hold(!p.m_wr_ready);
    if (!p.m_wr_ready) {
      host_.stats.wr_stalls++;
      kept_addr_ = p.m_wr_addr;
      kept_len_ = p.m_wr_len;
      kept_keep_ = p.m_wr_keep;
      kept_last_ = p.m_wr_last;
      kept_data_ = p.m_wr_data;
      return;
    }
    take_beat();
  }

  // A read passes no write that was accepted before it.
  void enter_before(uint64_t sequence) {
    for (uint64_t i = head_; i < sequence && i < tail_; i++)
      if (!at(i).entered) enter(at(i));
  }

 private:
  static constexpr uint64_t slots = 64;

  struct Write {
    uint64_t address;
    uint32_t size;
    bool entered, failed;
    uint64_t enter_cycle;
    uint8_t bytes[4096];
  };

  Write& at(uint64_t sequence) { return writes_[sequence % slots]; }

  void take_beat() {
    Pins& p = host_.pins;
    Write& w = at(tail_);
    if (!in_burst_) {
      start_burst(w);
    } else if (p.m_wr_addr != w.address || p.m_wr_len != w.size) {
      violation(host_.device, "m_wr", "expected address 0x%llx, length %u through the burst, found 0x%llx, %u",
                (unsigned long long)w.address, w.size, (unsigned long long)p.m_wr_addr, p.m_wr_len);
    }
    // The bytes of the burst that this beat carries, counted from its aligned start.
    const uint32_t skew = w.address % lanes;
    const uint32_t first = beat_ == 0 ? skew : 0;
    const uint32_t left = skew + w.size - beat_ * lanes;
    const uint32_t end = left < lanes ? left : lanes;
    const bool last = left <= lanes;
    const Keep expected = keep_mask(first, end - first);
    if (p.m_wr_keep != expected)
      violation(host_.device, "m_wr", "expected byte enables 0x%llx for address 0x%llx, length %u, beat %u, found 0x%llx",
                (unsigned long long)expected, (unsigned long long)w.address, w.size, beat_,
                (unsigned long long)p.m_wr_keep);
    if (bool(p.m_wr_last) != last)
      violation(host_.device, "m_wr", "expected last %d for address 0x%llx, length %u, beat %u, found %d", last,
                (unsigned long long)w.address, w.size, beat_, p.m_wr_last);

    const auto* data = reinterpret_cast<const uint8_t*>(p.m_wr_data.data());
    memcpy(w.bytes + (beat_ * lanes + first - skew), data + first, end - first);
    beat_++;
    host_.stats.wr_beats++;
    host_.stats.wr_last_cycle = cycle_now;
    if (last) finish_burst(w);
  }

  void start_burst(Write& w) {
    const Pins& p = host_.pins;
    w.address = p.m_wr_addr;
    w.size = p.m_wr_len;
    w.entered = false;
    beat_ = 0;
    in_burst_ = true;
    if (w.size == 0 || w.size > max_bytes_)
      violation(host_.device, "m_wr", "expected length 1..%u, found %u", max_bytes_, w.size);
    if (w.address % 4096 + w.size > 4096)
      violation(host_.device, "m_wr", "expected a burst inside 4 KiB, found address 0x%llx, length %u",
                (unsigned long long)w.address, w.size);
  }

  void finish_burst(Write& w) {
    const Settings& s = host_.settings;
    const int struck = host_.faults.dma.strike(host_.device, true, w.address, w.size);
    w.failed = struck >= 0 || host_.failure(true, w.address, w.size) != nullptr;
    w.enter_cycle = cycle_now + s.write_latency + host_.random_jitter(s.write_jitter);
    in_burst_ = false;
    tail_++;
    host_.stats.writes++;
    host_.stats.write_bytes += w.size;
    host_.stats.write_errors += w.failed;
    if (tail_ - head_ > host_.stats.write_max_pending) host_.stats.write_max_pending = tail_ - head_;
    host_.taps.dma_write(host_.device, w.address, w.bytes, w.size, struck);
    if (s.write_latency == 0 && s.write_jitter == 0) enter_due();
  }

  void enter_due() {
    for (uint64_t i = head_; i < tail_; i++) {
      Write& w = at(i);
      if (w.entered) continue;
      if (w.enter_cycle > cycle_now || overlaps_waiting(i)) {
        if (!host_.settings.write_reorder) return;
        continue;
      }
      if (has_waiting(i)) host_.stats.write_reordered++;
      enter(w);
    }
  }

  void enter(Write& w) {
    if (!w.failed) host_.memory.write(w.address, w.bytes, w.size);
    w.entered = true;
    w.enter_cycle = cycle_now;
  }

  bool has_waiting(uint64_t before) {
    for (uint64_t i = head_; i < before; i++)
      if (!at(i).entered) return true;
    return false;
  }

  bool overlaps_waiting(uint64_t sequence) {
    const Write& w = at(sequence);
    for (uint64_t i = head_; i < sequence; i++) {
      const Write& older = at(i);
      if (!older.entered && (w.address - older.address < older.size || older.address - w.address < w.size)) return true;
    }
    return false;
  }

  Host& host_;
  const uint32_t max_bytes_;
  std::array<Write, slots> writes_;
  uint64_t head_ = 0, tail_ = 0;  // sequence numbers: oldest not acknowledged, next
  bool in_burst_ = false;
  uint32_t beat_ = 0;

  StreamRule rule_;
  uint64_t kept_addr_ = 0;
  uint32_t kept_len_ = 0;
  Keep kept_keep_ = 0;
  bool kept_last_ = false;
  Data kept_data_;
};
