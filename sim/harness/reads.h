// Host reads: checks each request, answers it as a PCIe root does: late, in pieces, out of order
// across tags, as the settings say. The data is what memory holds when a completion is formed.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "host.h"
#include "writes.h"

class ReadPort {
 public:
  ReadPort(Host& host, WritePort& writes, uint32_t tags, uint32_t max_bytes)
      : host_(host), writes_(writes), tags_(tags), max_bytes_(max_bytes) {
    if (tags > max_tags || max_bytes > 4096)
      die(ErrorKind::resource, "reads: expected up to %u tags and 4096 bytes, got %u and %u", max_tags, tags, max_bytes);
  }

  bool busy() const { return live_ != 0 || host_.pins.m_rdreq_valid; }

  void drive() {
    Pins& p = host_.pins;
    retire();
    p.m_rdreq_ready = host_.willing(Die::rdreq) && live_ < host_.settings.read_max_outstanding;
    if (offered_ || live_ == 0) return;
    if (beat_ == beats_ && !form_completion()) return;
    if (!host_.willing(Die::rdcpl)) return;
    offer_beat();
  }

  void sample() {
    Pins& p = host_.pins;
    if (p.m_rdreq_valid | rule_.held()) take_request();
    if (!offered_) return;
    if (!p.s_rdcpl_ready) {
      host_.stats.rdcpl_stalls++;
      return;
    }
    host_.stats.rdcpl_beats++;
    host_.stats.rdcpl_last_cycle = cycle_now;
    if (p.s_rdcpl_last) retire_tag(p.s_rdcpl_tag);
    offered_ = false;
    accepted_ = true;
  }

 private:
  // What was taken in the last cycle leaves the pins.
  void retire() {
    if (!accepted_) return;
    Pins& p = host_.pins;
    accepted_ = false;
    p.s_rdcpl_valid = 0;
    if (!host_.settings.scramble) return;
    memset(p.s_rdcpl_data.data(), int(cycle_now & 0xff), lanes);
    p.s_rdcpl_last = cycle_now & 1;
    p.s_rdcpl_error = cycle_now >> 1 & 1;
  }

  static constexpr uint32_t max_tags = 256;
  static constexpr uint32_t boundary = 64;  // read completion boundary

  struct Read {
    bool live = false;
    bool failed = false;
    bool poisoned;  // the error comes with all of its data
    bool lost;      // nothing comes before its time-out, and nobody waits for it
    uint64_t address;
    uint32_t size;
    uint32_t good;  // bytes that come before the error
    uint32_t done;  // bytes in completions formed
    uint64_t ready_cycle;
    uint64_t writes_before;
    size_t tap;
  };

  void take_request() {
    Pins& p = host_.pins;
    rule_.check(host_, "m_rdreq", p.m_rdreq_valid, [&] {
      return p.m_rdreq_addr == kept_addr_ && p.m_rdreq_len == kept_len_ && p.m_rdreq_tag == kept_tag_;
    });
    if (!rule_.held()) check_request();
    rule_.hold(!p.m_rdreq_ready);
    if (!p.m_rdreq_ready) {
      host_.stats.rdreq_stalls++;
      kept_addr_ = p.m_rdreq_addr;
      kept_len_ = p.m_rdreq_len;
      kept_tag_ = p.m_rdreq_tag;
      return;
    }

    const Settings& s = host_.settings;
    Read& r = reads_[p.m_rdreq_tag];
    r.live = true;
    r.address = p.m_rdreq_addr;
    r.size = p.m_rdreq_len;
    r.done = 0;
    r.ready_cycle = cycle_now + s.read_latency + host_.random_jitter(s.read_jitter);
    r.writes_before = writes_.accepted();
    const int struck = host_.faults.dma.strike(host_.device, false, r.address, r.size);
    const FailRule* rule = struck < 0 ? host_.failure(false, r.address, r.size) : nullptr;
    r.failed = r.poisoned = r.lost = false;
    if (struck >= 0) {
      const DmaFault what = host_.faults.dma.rules[size_t(struck)].what;
      r.poisoned = what == DmaFault::poison;
      r.lost = what == DmaFault::timeout;
      r.failed = !r.poisoned;
      r.good = 0;
      if (r.lost) r.ready_cycle = cycle_now + s.read_timeout;
      host_.stats.read_errors++;
    } else if (rule) {
      r.failed = true;
      r.ready_cycle += rule->cycles;
      // Only whole completions come before the error, and something is left to fail.
      const uint64_t end = std::min<uint64_t>(rule->after_bytes, r.size - 1) + r.address;
      const uint64_t cut = end - end % boundary;
      r.good = cut > r.address ? uint32_t(cut - r.address) : 0;
      host_.stats.read_errors++;
    }
    r.tap = host_.taps.dma_read(host_.device, cycle_now, r.address, r.size, struck);
    order_[live_++] = p.m_rdreq_tag;
    host_.stats.reads++;
    host_.stats.read_bytes += r.size;
    host_.stats.read_max_outstanding = std::max<uint64_t>(host_.stats.read_max_outstanding, live_);
  }

  void check_request() {
    const Pins& p = host_.pins;
    const uint32_t size = p.m_rdreq_len, tag = p.m_rdreq_tag;
    if (size == 0 || size > max_bytes_)
      violation(host_.device, "m_rdreq", "expected length 1..%u, found %u", max_bytes_, size);
    if (p.m_rdreq_addr % max_bytes_ + size > max_bytes_)
      violation(host_.device, "m_rdreq", "expected a read inside %u aligned bytes, found address 0x%llx, length %u",
                max_bytes_, (unsigned long long)p.m_rdreq_addr, size);
    if (tag >= tags_) violation(host_.device, "m_rdreq", "expected tag 0..%u, found %u", tags_ - 1, tag);
    if (reads_[tag].live)
      violation(host_.device, "m_rdreq", "expected a free tag, found tag %u, whose read of 0x%llx is not complete", tag,
                (unsigned long long)reads_[tag].address);
  }

  // Picks the read that is answered next: the oldest, or any whose time has come.
  int pick() {
    if (!host_.settings.read_reorder) {
      for (uint32_t i = 0; i < live_; i++) {
        const Read& r = reads_[order_[i]];
        if (r.ready_cycle <= cycle_now) return int(i);
        if (!r.lost) return -1;
      }
      return -1;
    }
    uint32_t ripe = 0;
    for (uint32_t i = 0; i < live_; i++)
      if (reads_[order_[i]].ready_cycle <= cycle_now) ripe_[ripe++] = uint8_t(i);
    return ripe ? ripe_[host_.random.below(ripe)] : -1;
  }

  bool form_completion() {
    const int place = pick();
    if (place < 0) return false;
    if (place > 0) host_.stats.read_reordered++;
    const uint8_t tag = order_[place];
    Read& r = reads_[tag];
    if (tag != tag_ && reads_[tag_].live && reads_[tag_].done > 0) host_.stats.read_interleaved++;
    tag_ = tag;
    beat_ = 0;

    error_ = r.failed && r.done == r.good;
    if (error_) {
      last_ = true;
      beats_ = 1;
      memset(bytes_.data(), 0xee, lanes);
      return true;
    }
    const uint64_t from = r.address + r.done;
    const uint64_t limit = r.address + (r.failed ? r.good : r.size);
    uint64_t end = limit;
    if (host_.settings.read_split_percent) {
      end = std::min(limit, from - from % boundary + boundary);
      while (end < limit && !host_.random.percent(host_.settings.read_split_percent))
        end = std::min(limit, end + boundary);
    }
    const uint32_t size = uint32_t(end - from), skew = from % lanes;
    beats_ = (skew + size + lanes - 1) / lanes;
    // Lanes outside the request carry noise, never the memory next to it.
    memset(bytes_.data(), 0xee, lanes);
    memset(bytes_.data() + (beats_ - 1) * lanes, 0xee, lanes);
    writes_.enter_before(r.writes_before);
    host_.memory.read(from, bytes_.data() + skew, size);
    last_ = end == r.address + r.size;
    host_.stats.read_splits += end != limit;
    host_.taps.read_bytes(r.tap, r.done, bytes_.data() + skew, size, last_ && !r.poisoned);
    error_ = last_ && r.poisoned;
    r.done += size;
    return true;
  }

  void offer_beat() {
    Pins& p = host_.pins;
    p.s_rdcpl_valid = 1;
    p.s_rdcpl_tag = tag_;
    put_lanes(p.s_rdcpl_data, bytes_.data() + beat_ * lanes);
    beat_++;
    p.s_rdcpl_last = last_ && beat_ == beats_;
    p.s_rdcpl_error = error_ && p.s_rdcpl_last;
    offered_ = true;
  }

  void retire_tag(uint8_t tag) {
    reads_[tag].live = false;
    const auto end = order_.begin() + live_;
    std::copy(std::find(order_.begin(), end, tag) + 1, end, std::find(order_.begin(), end, tag));
    live_--;
  }

  Host& host_;
  WritePort& writes_;
  const uint32_t tags_, max_bytes_;
  std::array<Read, max_tags> reads_;
  std::array<uint8_t, max_tags> order_;  // live tags, oldest first
  std::array<uint8_t, max_tags> ripe_;
  uint32_t live_ = 0;

  // The completion on its way: beats_ beats of bytes_, beat_ of them offered.
  std::array<uint8_t, 4096 + 2 * 64> bytes_;
  uint8_t tag_ = 0;
  uint32_t beat_ = 0, beats_ = 0;
  bool last_ = false, error_ = false;
  bool offered_ = false, accepted_ = false;

  StreamRule rule_;
  uint64_t kept_addr_ = 0;
  uint32_t kept_len_ = 0, kept_tag_ = 0;
};
