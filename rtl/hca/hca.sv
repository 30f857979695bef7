// hca: the InfiniBand host channel adapter, one port, one clock: wiring only.
//
// Ports:
//   s_bar, m_bar   register accesses: reads answered in order by m_bar, writes posted
//   m_rdreq        tagged host reads, 1..MAX_READ_BYTES bytes, never across a MAX_READ_BYTES boundary
//                  (so never across 4 KiB); a tag is reused only after its last beat came back
//   s_rdcpl        their data: address-aligned lanes (byte at address A in lane A mod DATA_W/8); beats of one
//                  tag in address order, tags in any order, interleaved at any completion boundary (64 bytes)
//   m_wr           host writes: one burst per write, 1..MAX_PAYLOAD_BYTES bytes, never across 4 KiB,
//                  address-aligned lanes with byte enables; address and length hold for the whole burst
//   s_wrack        one pulse per burst, in order: the write can no longer be passed by a later one
//   m_irq          MSI-X vectors to raise
//   m_link, s_link packets LRH to VCRC, each starting a beat at lane 0, _keep contiguous
//   s_link_up      the port's link is up
//
// Lane 0 of every stream is the first byte on the wire or the lowest address.

`default_nettype none

module hca #(
  parameter int DATA_W            = 256,   // datapath width, bits: 128, 256 or 512
  parameter int QPS               = 64,    // queue pairs, a power of two
  parameter int MRS               = 64,    // memory regions, a power of two
  parameter int MTTS              = 8192,  // pages over all regions and rings, a power of two
  parameter int CQS               = 32,
  parameter int EQS               = 4,
  parameter int INFLIGHT          = 32,    // messages in flight per queue pair
  parameter int RD_TAGS           = 64,    // outstanding host reads
  parameter int MAX_PAYLOAD_BYTES = 256,   // PCIe maximum payload size
  parameter int MAX_READ_BYTES    = 512    // PCIe maximum read request size
) (
  input  wire logic                       clk,
  input  wire logic                       rst,            // synchronous, active high

  input  wire logic                       s_bar_valid,
  output      logic                       s_bar_ready,
  input  wire logic                       s_bar_write,
  input  wire logic [2:0]                 s_bar_bar,      // 0: registers and doorbells, 2: context tables
  input  wire logic [31:0]                s_bar_addr,     // multiple of 8; s_bar_wstrb picks the bytes
  input  wire logic [63:0]                s_bar_wdata,
  input  wire logic [7:0]                 s_bar_wstrb,
  output      logic                       m_bar_valid,
  input  wire logic                       m_bar_ready,
  output      logic [63:0]                m_bar_rdata,

  output      logic                       m_rdreq_valid,
  input  wire logic                       m_rdreq_ready,
  output      logic [63:0]                m_rdreq_addr,
  output      logic [12:0]                m_rdreq_len,    // bytes
  output      logic [$clog2(RD_TAGS)-1:0] m_rdreq_tag,

  input  wire logic                       s_rdcpl_valid,
  output      logic                       s_rdcpl_ready,
  input  wire logic [$clog2(RD_TAGS)-1:0] s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]          s_rdcpl_data,
  input  wire logic                       s_rdcpl_last,   // last beat of the request
  input  wire logic                       s_rdcpl_error,  // with last: the request failed

  output      logic                       m_wr_valid,
  input  wire logic                       m_wr_ready,
  output      logic [63:0]                m_wr_addr,      // of the burst's first byte, all beats
  output      logic [12:0]                m_wr_len,       // bytes of the burst, all beats
  output      logic [DATA_W-1:0]          m_wr_data,
  output      logic [DATA_W/8-1:0]        m_wr_keep,
  output      logic                       m_wr_last,
  input  wire logic                       s_wrack_valid,
  input  wire logic                       s_wrack_error,  // the write was refused by the host

  output      logic                       m_irq_valid,
  input  wire logic                       m_irq_ready,
  output      logic [7:0]                 m_irq_vector,

  output      logic                       m_link_valid,
  input  wire logic                       m_link_ready,
  output      logic [DATA_W-1:0]          m_link_data,
  output      logic [DATA_W/8-1:0]        m_link_keep,
  output      logic                       m_link_last,
  output      logic [3:0]                 m_link_vl,

  input  wire logic                       s_link_valid,
  output      logic                       s_link_ready,
  input  wire logic [DATA_W-1:0]          s_link_data,
  input  wire logic [DATA_W/8-1:0]        s_link_keep,
  input  wire logic                       s_link_last,
  input  wire logic [3:0]                 s_link_vl,
  input  wire logic                       s_link_up
);

endmodule

`default_nettype wire
