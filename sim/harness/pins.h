// The ports of one HCA as C++ sees them: references into the top, and byte lanes.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "top.h"

template <typename T>
using Plain = std::remove_reference_t<T>;

// Widths follow from the top, so that no second place states them.
using Data = Plain<decltype(std::declval<Ports&>().a_m_link_data)>;
using Keep = Plain<decltype(std::declval<Ports&>().a_m_link_keep)>;
constexpr uint32_t lanes = sizeof(Data);
static_assert(lanes == 16 || lanes == 32 || lanes == 64, "DATA_W is 128, 256 or 512");

// Byte lanes first..first+count-1.
inline Keep keep_mask(uint32_t first, uint32_t count) {
  const uint64_t ones = count >= 64 ? ~0ull : (1ull << count) - 1;
  return Keep(ones << first);
}

// Lane 0 is the lowest byte of a little-endian vector: on the hosts we run on, a plain copy.
inline void put_lanes(Data& pins, const uint8_t* from) { memcpy(pins.data(), from, lanes); }
inline void get_lanes(const Data& pins, uint8_t* to) { memcpy(to, pins.data(), lanes); }

// VlWide turns into a pointer when compared: == would compare addresses.
inline bool same(const Data& a, const Data& b) { return memcmp(a.data(), b.data(), lanes) == 0; }

#define HCA_PINS(X) \
  X(s_bar_valid) X(s_bar_ready) X(s_bar_write) X(s_bar_bar) X(s_bar_addr) X(s_bar_wdata) X(s_bar_wstrb) \
  X(m_bar_valid) X(m_bar_ready) X(m_bar_rdata) \
  X(m_rdreq_valid) X(m_rdreq_ready) X(m_rdreq_addr) X(m_rdreq_len) X(m_rdreq_tag) \
  X(s_rdcpl_valid) X(s_rdcpl_ready) X(s_rdcpl_tag) X(s_rdcpl_data) X(s_rdcpl_last) X(s_rdcpl_error) \
  X(m_wr_valid) X(m_wr_ready) X(m_wr_addr) X(m_wr_len) X(m_wr_data) X(m_wr_keep) X(m_wr_last) \
  X(s_wrack_valid) X(s_wrack_error) \
  X(m_irq_valid) X(m_irq_ready) X(m_irq_vector) \
  X(m_link_valid) X(m_link_ready) X(m_link_data) X(m_link_keep) X(m_link_last) X(m_link_vl) \
  X(s_link_valid) X(s_link_ready) X(s_link_data) X(s_link_keep) X(s_link_last) X(s_link_vl) X(s_link_up)

struct Pins {
#define X(name) Plain<decltype(std::declval<Ports&>().a_##name)>& name;
  HCA_PINS(X)
#undef X
};

inline Pins pins_a(Ports& top) {
#define X(name) top.a_##name,
  return Pins{HCA_PINS(X)};
#undef X
}

inline Pins pins_b(Ports& top) {
#define X(name) top.b_##name,
  return Pins{HCA_PINS(X)};
#undef X
}
