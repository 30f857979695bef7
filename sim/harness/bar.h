// BAR accesses: one at a time, in order; a read holds up what follows until it is answered.

#pragma once

#include <cstdint>
#include <deque>

#include "host.h"

struct BarAccess {
  bool write;
  uint8_t bar;
  uint8_t strobes;
  uint32_t address;
  uint64_t data;
};

class BarPort {
 public:
  explicit BarPort(Host& host) : host_(host) {}

  void post(const BarAccess& access) { queue_.push_back(access); }
  bool busy() const { return !queue_.empty() || awaiting_; }
  // The answer to the latest read, once busy() is false.
  uint64_t answer() const { return answer_; }

  void drive() {
    Pins& p = host_.pins;
    retire();
    p.m_bar_ready = host_.willing(Die::bar);
    if (offered_) {
      if (cycle_now - since_ > host_.settings.bar_timeout) late("s_bar_ready");
      return;
    }
    if (awaiting_) {
      if (cycle_now - since_ > host_.settings.bar_timeout) late("an answer on m_bar");
      return;
    }
    if (queue_.empty() || !host_.willing(Die::bar_offer)) return;
    const BarAccess& a = queue_.front();
    p.s_bar_valid = 1;
    p.s_bar_write = a.write;
    p.s_bar_bar = a.bar;
    p.s_bar_addr = a.address;
    p.s_bar_wdata = a.data;
    p.s_bar_wstrb = a.strobes;
    offered_ = true;
    since_ = cycle_now;
  }

  void sample() {
    Pins& p = host_.pins;
    if (p.m_bar_valid | rule_.held()) {
      rule_.check(host_, "m_bar", p.m_bar_valid, [&] { return p.m_bar_rdata == kept_; });
      if (!awaiting_) violation(host_.device, "m_bar", "expected no answer without a read, found one");
      rule_.hold(!p.m_bar_ready);
      if (!p.m_bar_ready) {
        kept_ = p.m_bar_rdata;
        host_.stats.bar_stalls++;
      } else {
        answer_ = p.m_bar_rdata;
        awaiting_ = false;
      }
    }
    if (offered_ && p.s_bar_ready) {
      (queue_.front().write ? host_.stats.bar_writes : host_.stats.bar_reads)++;
      awaiting_ = !queue_.front().write;
      queue_.pop_front();
      offered_ = false;
      accepted_ = true;
    }
  }

 private:
  // What was taken in the last cycle leaves the pins.
  void retire() {
    if (!accepted_) return;
    host_.pins.s_bar_valid = 0;
    accepted_ = false;
  }

  [[noreturn]] void late(const char* what) {
    const Pins& p = host_.pins;
    die(ErrorKind::timeout, "hca %d s_bar, cycle %llu: expected %s within %llu cycles of the %s of BAR %d at 0x%x, found none",
        host_.device, (unsigned long long)cycle_now, what, (unsigned long long)host_.settings.bar_timeout,
        p.s_bar_write ? "write" : "read", p.s_bar_bar, p.s_bar_addr);
  }

  Host& host_;
  std::deque<BarAccess> queue_;
  bool offered_ = false, accepted_ = false, awaiting_ = false;
  uint64_t since_ = 0;
  uint64_t answer_ = 0, kept_ = 0;
  StreamRule rule_;
};
