// The ports of tb/pair.sv as plain values, named and typed as Verilator does it.

#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

// Lanes and bytes of a beat.
using Beat = std::array<uint32_t, DATA_W / 32>;
using Lanes = std::conditional_t<DATA_W == 128, uint16_t, std::conditional_t<DATA_W == 256, uint32_t, uint64_t>>;

// The parameters that the pair tells of itself.
#define PAIR_PORTS(CFG) \
  CFG(uint16_t, cfg_rd_tags) CFG(uint16_t, cfg_max_payload_bytes) CFG(uint16_t, cfg_max_read_bytes) \
  CFG(uint8_t, cfg_peer)

// IN is what the harness drives; FLAG an output that always means something; WORD one that means something while
// its valid is up. sim/vpi/pads.cpp compares the widths with the design when it starts.
#define HCA_PORTS(IN, FLAG, WORD) \
  IN(uint8_t, s_bar_valid) FLAG(uint8_t, s_bar_ready) IN(uint8_t, s_bar_write) IN(uint8_t, s_bar_bar) \
  IN(uint32_t, s_bar_addr) IN(uint64_t, s_bar_wdata) IN(uint8_t, s_bar_wstrb) \
  FLAG(uint8_t, m_bar_valid) IN(uint8_t, m_bar_ready) WORD(uint64_t, m_bar_rdata, m_bar_valid) \
  FLAG(uint8_t, m_rdreq_valid) IN(uint8_t, m_rdreq_ready) WORD(uint64_t, m_rdreq_addr, m_rdreq_valid) \
  WORD(uint16_t, m_rdreq_len, m_rdreq_valid) WORD(uint8_t, m_rdreq_tag, m_rdreq_valid) \
  IN(uint8_t, s_rdcpl_valid) FLAG(uint8_t, s_rdcpl_ready) IN(uint8_t, s_rdcpl_tag) IN(Beat, s_rdcpl_data) \
  IN(uint8_t, s_rdcpl_last) IN(uint8_t, s_rdcpl_error) \
  FLAG(uint8_t, m_wr_valid) IN(uint8_t, m_wr_ready) WORD(uint64_t, m_wr_addr, m_wr_valid) \
  WORD(uint16_t, m_wr_len, m_wr_valid) WORD(Beat, m_wr_data, m_wr_valid) WORD(Lanes, m_wr_keep, m_wr_valid) \
  WORD(uint8_t, m_wr_last, m_wr_valid) \
  IN(uint8_t, s_wrack_valid) IN(uint8_t, s_wrack_error) \
  FLAG(uint8_t, m_irq_valid) IN(uint8_t, m_irq_ready) WORD(uint8_t, m_irq_vector, m_irq_valid) \
  FLAG(uint8_t, m_link_valid) IN(uint8_t, m_link_ready) WORD(Beat, m_link_data, m_link_valid) \
  WORD(Lanes, m_link_keep, m_link_valid) WORD(uint8_t, m_link_last, m_link_valid) \
  WORD(uint8_t, m_link_vl, m_link_valid) \
  IN(uint8_t, s_link_valid) FLAG(uint8_t, s_link_ready) IN(Beat, s_link_data) IN(Lanes, s_link_keep) \
  IN(uint8_t, s_link_last) IN(uint8_t, s_link_vl) IN(uint8_t, s_link_up)

struct Ports {
  uint8_t clk{}, rst{};
#define CFG(type, name) type name{};
  PAIR_PORTS(CFG)
#undef CFG
#define FIELD_A(type, name, ...) type a_##name{};
#define FIELD_B(type, name, ...) type b_##name{};
  HCA_PORTS(FIELD_A, FIELD_A, FIELD_A)
  HCA_PORTS(FIELD_B, FIELD_B, FIELD_B)
#undef FIELD_A
#undef FIELD_B
};
