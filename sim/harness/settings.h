// What a client may set of the PCIe and link models, per HCA, and the three named profiles.

#pragma once

#include <array>
#include <cstdint>

#include "packet.h"

#define SETTINGS(X) \
  X(read_latency)          /* cycles from a read request to its first completion */ \
  X(read_jitter)           /* up to so many cycles more, by seed */ \
  X(read_split_percent)    /* chance that a completion ends at a 64-byte boundary */ \
  X(read_reorder)          /* 1: completions of different tags in any order, interleaved */ \
  X(read_timeout)          /* cycles until a read whose completion is lost ends in error */ \
  X(read_max_outstanding)  /* reads accepted and not yet completed */ \
  X(rdreq_ready_percent)   /* chance per cycle that m_rdreq_ready is up */ \
  X(rdcpl_valid_percent)   /* chance per cycle that a completion beat is offered */ \
  X(wr_ready_percent) \
  X(write_latency)         /* cycles from a write's last beat until it is in memory */ \
  X(write_jitter) \
  X(write_reorder)         /* 1: writes not yet acknowledged enter memory in any order */ \
  X(wrack_latency)         /* cycles from memory to s_wrack */ \
  X(irq_ready_percent) \
  X(bar_valid_percent)     /* chance per cycle that the next BAR access is offered */ \
  X(bar_ready_percent) \
  X(bar_timeout)           /* cycles a BAR access may take */ \
  X(link_ready_percent) \
  X(link_valid_percent)    /* chance per cycle that a beat is offered on s_link */ \
  X(link_latency)          /* cycles from m_link to the other side's s_link, at least 1 */ \
  X(link_buffer)           /* beats the link holds besides those in flight */ \
  X(scramble)              /* 1: noise on data lines that carry nothing */ \
  X(idle_cycles)           /* so many quiet cycles are "idle" (HCA 0's counts) */

enum class Setting : uint8_t {
#define X(name) name,
  SETTINGS(X)
#undef X
  count
};

struct Settings {
#define X(name) uint64_t name = 0;
  SETTINGS(X)
#undef X

  uint64_t* by_number(uint8_t number) {
    static constexpr std::array<uint64_t Settings::*, size_t(Setting::count)> fields{
#define X(name) &Settings::name,
        SETTINGS(X)
#undef X
    };
    return number < fields.size() ? &(this->*fields[number]) : nullptr;
  }
};

enum class Profile : uint8_t { ideal = 0, typical = 1, hostile = 2 };

// A cycle is 4 ns: 250 of them are the microsecond a read takes in a PC.
inline Settings profile_settings(Profile profile) {
  Settings s;
  s.read_timeout = 12500;
  s.read_max_outstanding = 256;
  s.rdreq_ready_percent = s.rdcpl_valid_percent = s.wr_ready_percent = s.irq_ready_percent = 100;
  s.bar_valid_percent = s.bar_ready_percent = s.link_ready_percent = s.link_valid_percent = 100;
  s.bar_timeout = 20000;
  s.link_latency = 1;
  s.link_buffer = 32;
  // While a packet fills the transmit buffer or a receive slot no port shows it: twice the beats of the longest.
  s.idle_cycles = 64 + 2 * (Packet::max_bytes / lanes);

  if (profile == Profile::typical) {
    s.read_latency = 250;
    s.write_latency = 20;
    s.wrack_latency = 5;
    s.link_latency = 8;
  }
  if (profile == Profile::hostile) {
    s.read_latency = 200;
    s.read_jitter = 100;
    s.read_split_percent = 60;
    s.read_reorder = 1;
    s.write_latency = 10;
    s.write_jitter = 100;
    s.write_reorder = 1;
    s.wrack_latency = 5;
    s.rdreq_ready_percent = s.wr_ready_percent = s.irq_ready_percent = 30;
    s.bar_ready_percent = s.link_ready_percent = 30;
    s.rdcpl_valid_percent = s.link_valid_percent = 70;
    s.bar_valid_percent = 50;
    s.link_latency = 8;
    s.scramble = 1;
  }
  return s;
}
