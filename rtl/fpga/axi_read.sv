// axi_read: the core's tagged host reads on the read channels of an AXI4 master.
//
// Contract: a read of s_rdreq becomes one INCR burst of whole beats whose ID is its tag; it stays inside 4 KiB because the
//           read does. Data comes back on m_rdcpl as the bus brings it: any order and any interleaving across IDs. A read of
//           which any beat said SLVERR or DECERR ends with m_rdcpl_error. No read is taken while hold; busy: one is not ended.
// Timing:   requests one per cycle, latency 1; data passes in the same cycle.

`default_nettype none

module axi_read #(
  parameter int         DATA_W = 256,
  parameter int         ID_W   = 6,          // bits of a tag
  parameter logic [3:0] CACHE  = 4'b0010     // normal memory, not buffered
) (
  input  wire logic              clk,
  input  wire logic              rst,
  input  wire logic              hold,
  output      logic              busy,

  input  wire logic              s_rdreq_valid,
  output      logic              s_rdreq_ready,
  input  wire logic [63:0]       s_rdreq_addr,
  input  wire logic [12:0]       s_rdreq_len,   // bytes, at least 1
  input  wire logic [ID_W-1:0]   s_rdreq_tag,
  output      logic              m_rdcpl_valid,
  input  wire logic              m_rdcpl_ready,
  output      logic [ID_W-1:0]   m_rdcpl_tag,
  output      logic [DATA_W-1:0] m_rdcpl_data,
  output      logic              m_rdcpl_last,
  output      logic              m_rdcpl_error,

  output      logic [ID_W-1:0]   m_axi_arid,
  output      logic [63:0]       m_axi_araddr,
  output      logic [7:0]        m_axi_arlen,
  output      logic [2:0]        m_axi_arsize,
  output      logic [1:0]        m_axi_arburst,
  output      logic              m_axi_arlock,
  output      logic [3:0]        m_axi_arcache,
  output      logic [2:0]        m_axi_arprot,
  output      logic [3:0]        m_axi_arqos,
  output      logic              m_axi_arvalid,
  input  wire logic              m_axi_arready,
  input  wire logic [ID_W-1:0]   m_axi_rid,
  input  wire logic [DATA_W-1:0] m_axi_rdata,
  input  wire logic [1:0]        m_axi_rresp,
  input  wire logic              m_axi_rlast,
  input  wire logic              m_axi_rvalid,
  output      logic              m_axi_rready
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);
  localparam int W     = ID_W + 64 + 8;

  wire [12:0] reach = 13'(s_rdreq_addr[LW-1:0]) + s_rdreq_len - 13'd1;   // last byte, from lane 0 of the first beat
  wire [12:0] beats = reach >> LW;           // minus 1
  logic       ar_ready;
  wire        take  = s_rdreq_valid && s_rdreq_ready;
  assign s_rdreq_ready = ar_ready && !hold;
  prim_skid #(.DATA_W(W)) u_ar (
    .clk, .rst, .s_valid(take), .s_ready(ar_ready),
    .s_data({s_rdreq_tag, s_rdreq_addr[63:LW], LW'(0), beats[7:0]}),
    .m_valid(m_axi_arvalid), .m_ready(m_axi_arready), .m_data({m_axi_arid, m_axi_araddr, m_axi_arlen}));

  assign m_axi_arsize  = 3'(LW);
  assign m_axi_arburst = 2'b01;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = CACHE;
  assign m_axi_arprot  = 3'b000;
  assign m_axi_arqos   = 4'd0;

  logic [ID_W:0] under_way_q;
  assign busy = under_way_q != '0;
  always_ff @(posedge clk) begin : count
    if (rst) under_way_q <= '0;
    else under_way_q <= under_way_q + (ID_W+1)'(take) - (ID_W+1)'(m_axi_rvalid && m_axi_rready && m_axi_rlast);
  end

  // Reads of which an earlier beat failed.
  logic [(1<<ID_W)-1:0] failed_q;
  wire failed = failed_q[m_axi_rid] || m_axi_rresp[1];
  always_ff @(posedge clk) begin : remember
    if (rst) failed_q <= '0;
    else if (m_axi_rvalid && m_axi_rready) failed_q[m_axi_rid] <= failed && !m_axi_rlast;
  end

  assign m_rdcpl_valid = m_axi_rvalid;
  assign m_axi_rready  = m_rdcpl_ready;
  assign m_rdcpl_tag   = m_axi_rid;
  assign m_rdcpl_data  = m_axi_rdata;
  assign m_rdcpl_last  = m_axi_rlast;
  assign m_rdcpl_error = m_axi_rlast && failed;

  wire unused = &{1'b0, m_axi_rresp[0], beats[12:8]};

endmodule

`default_nettype wire
