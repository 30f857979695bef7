// axi_write: the core's host writes on the write channels of an AXI4 master.
//
// Contract: a burst of s_wr becomes one INCR burst of whole beats whose strobes are its byte enables; all have ID 0, so that
//           they are answered in order. Each response is one pulse of m_wrack. Address and data wait for each other only on
//           the core's side, as AXI wants it. Responses must come from where the other reader sees the data: the bursts
//           are not marked bufferable, since the core writes a completion when it has the response to its data. No burst
//           is begun while hold; busy: one is not answered. At most BURSTS are under way.
// Timing:   one beat per cycle, latency 1; a response passes in the same cycle.

`default_nettype none

module axi_write #(
  parameter int         DATA_W = 256,
  parameter int         ID_W   = 6,
  parameter int         BURSTS = 256,        // a power of two
  parameter logic [3:0] CACHE  = 4'b0010     // normal memory, not buffered
) (
  input  wire logic                clk,
  input  wire logic                rst,
  input  wire logic                hold,
  output      logic                busy,

  input  wire logic                s_wr_valid,
  output      logic                s_wr_ready,
  input  wire logic [63:0]         s_wr_addr,   // of the burst's first byte, all beats
  input  wire logic [12:0]         s_wr_len,    // bytes of the burst, all beats
  input  wire logic [DATA_W-1:0]   s_wr_data,
  input  wire logic [DATA_W/8-1:0] s_wr_keep,
  input  wire logic                s_wr_last,
  output      logic                m_wrack_valid,
  output      logic                m_wrack_error,

  output      logic [ID_W-1:0]     m_axi_awid,
  output      logic [63:0]         m_axi_awaddr,
  output      logic [7:0]          m_axi_awlen,
  output      logic [2:0]          m_axi_awsize,
  output      logic [1:0]          m_axi_awburst,
  output      logic                m_axi_awlock,
  output      logic [3:0]          m_axi_awcache,
  output      logic [2:0]          m_axi_awprot,
  output      logic [3:0]          m_axi_awqos,
  output      logic                m_axi_awvalid,
  input  wire logic                m_axi_awready,
  output      logic [DATA_W-1:0]   m_axi_wdata,
  output      logic [DATA_W/8-1:0] m_axi_wstrb,
  output      logic                m_axi_wlast,
  output      logic                m_axi_wvalid,
  input  wire logic                m_axi_wready,
  input  wire logic [ID_W-1:0]     m_axi_bid,
  input  wire logic [1:0]          m_axi_bresp,
  input  wire logic                m_axi_bvalid,
  output      logic                m_axi_bready
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);

  logic first_q, aw_ready, w_ready;          // the next beat starts a burst
  wire  take = s_wr_valid && s_wr_ready;
  localparam int UW = $clog2(BURSTS) + 1;
  logic [UW-1:0] under_way_q;
  assign s_wr_ready = w_ready && (!first_q || (aw_ready && !hold && !under_way_q[UW-1]));
  assign busy       = under_way_q != '0;
  always_ff @(posedge clk) begin : position
    if (rst) begin
      first_q     <= 1'b1;
      under_way_q <= '0;
    end else begin
      if (take) first_q <= s_wr_last;
      under_way_q <= under_way_q + UW'(take && first_q) - UW'(m_axi_bvalid && m_axi_bready);
    end
  end

  wire [12:0] reach = 13'(s_wr_addr[LW-1:0]) + s_wr_len - 13'd1;   // last byte, from lane 0 of the first beat
  wire [12:0] beats = reach >> LW;           // minus 1
  prim_skid #(.DATA_W(64 + 8)) u_aw (
    .clk, .rst, .s_valid(take && first_q), .s_ready(aw_ready), .s_data({s_wr_addr[63:LW], LW'(0), beats[7:0]}),
    .m_valid(m_axi_awvalid), .m_ready(m_axi_awready), .m_data({m_axi_awaddr, m_axi_awlen}));
  prim_skid #(.DATA_W(DATA_W + BYTES + 1)) u_w (
    .clk, .rst, .s_valid(take), .s_ready(w_ready), .s_data({s_wr_data, s_wr_keep, s_wr_last}),
    .m_valid(m_axi_wvalid), .m_ready(m_axi_wready), .m_data({m_axi_wdata, m_axi_wstrb, m_axi_wlast}));

  assign m_axi_awid    = '0;
  assign m_axi_awsize  = 3'(LW);
  assign m_axi_awburst = 2'b01;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = CACHE;
  assign m_axi_awprot  = 3'b000;
  assign m_axi_awqos   = 4'd0;

  assign m_axi_bready  = 1'b1;
  assign m_wrack_valid = m_axi_bvalid && !rst;
  assign m_wrack_error = m_axi_bresp[1];

  wire unused = &{1'b0, m_axi_bid, m_axi_bresp[0], beats[12:8]};

endmodule

`default_nettype wire
