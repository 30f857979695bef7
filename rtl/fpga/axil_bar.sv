// axil_bar: AXI4-Lite accesses as accesses of the core's BARs and of the wrapper's own registers.
//
// Contract: one access at a time, all answered OKAY. Of the window's bits 27:26, 00 is BAR0, 01 the own registers, 1x BAR2.
//           What no byte enable picks is not written. With 64 bits an access is what it says. With 32 bits two accesses make
//           one of the core's 64: a low half that is written whole is kept, and leaves with its high half if that comes next,
//           else by itself before the next access; a read of a low half keeps the high one for the read that comes next.
//           The own registers keep nothing: each access is done at once. While hold the core is not asked: it reads as zero;
//           busy: a read is not answered by it yet.
// Timing:   3 cycles and those of the core; writes and reads that wait for each other take turns.

`default_nettype none

module axil_bar #(
  parameter int DATA_W = 32,                 // 32 or 64
  parameter int ADDR_W = ib_pkg::AXI_WINDOW_BITS
) (
  input  wire logic                clk,
  input  wire logic                rst,
  input  wire logic                hold,
  output      logic                busy,

  input  wire logic [ADDR_W-1:0]   s_axil_awaddr,   // bits 1:0 (2:0) are ignored: the byte enables tell
  input  wire logic                s_axil_awvalid,
  output      logic                s_axil_awready,
  input  wire logic [DATA_W-1:0]   s_axil_wdata,
  input  wire logic [DATA_W/8-1:0] s_axil_wstrb,
  input  wire logic                s_axil_wvalid,
  output      logic                s_axil_wready,
  output      logic [1:0]          s_axil_bresp,
  output      logic                s_axil_bvalid,
  input  wire logic                s_axil_bready,
  input  wire logic [ADDR_W-1:0]   s_axil_araddr,
  input  wire logic                s_axil_arvalid,
  output      logic                s_axil_arready,
  output      logic [DATA_W-1:0]   s_axil_rdata,
  output      logic [1:0]          s_axil_rresp,
  output      logic                s_axil_rvalid,
  input  wire logic                s_axil_rready,

  output      logic                m_bar_valid,
  input  wire logic                m_bar_ready,
  output      logic                m_bar_write,
  output      logic [2:0]          m_bar_bar,
  output      logic [31:0]         m_bar_addr,
  output      logic [63:0]         m_bar_wdata,
  output      logic [7:0]          m_bar_wstrb,
  input  wire logic                s_bar_valid,
  output      logic                s_bar_ready,
  input  wire logic [63:0]         s_bar_rdata,

  output      logic                m_own_write,
  output      logic [11:0]         m_own_addr,
  output      logic [63:0]         m_own_wdata,
  output      logic [7:0]          m_own_wstrb,
  input  wire logic [63:0]         s_own_rdata
);

  localparam bit HALVES = DATA_W == 32;
  initial begin
    if (DATA_W != 32 && DATA_W != 64) $fatal(1, "%m: DATA_W is 32 or 64");
    if (ADDR_W != 28) $fatal(1, "%m: ADDR_W is 28");
  end

  typedef enum logic [2:0] {ST_IDLE, ST_FLUSH, ST_ACT, ST_BAR, ST_DATA, ST_OWN, ST_ANSWER} state_e;
  state_e state_q;

  // Address and data of a write come in any order; each waits in its register.
  logic                aw_full_q, w_full_q, ar_full_q, write_q, wrote_q;
  logic [ADDR_W-1:3]   addr_q, aw_q, ar_q;
  logic                high_q, aw_high_q, ar_high_q;
  logic [DATA_W-1:0]   w_q;
  logic [DATA_W/8-1:0] strb_q;
  assign s_axil_awready = !aw_full_q;
  assign s_axil_wready  = !w_full_q;
  assign s_axil_arready = !ar_full_q;

  wire write_here = aw_full_q && w_full_q;
  wire pick_write = write_here && !(ar_full_q && wrote_q);       // the other kind was last
  wire start      = state_q == ST_IDLE && (write_here || ar_full_q);

  always_ff @(posedge clk) begin : arrivals
    if (rst) begin
      aw_full_q <= 1'b0;
      w_full_q  <= 1'b0;
      ar_full_q <= 1'b0;
    end else begin
      if (s_axil_awvalid && s_axil_awready) aw_full_q <= 1'b1;
      if (s_axil_wvalid && s_axil_wready) w_full_q <= 1'b1;
      if (s_axil_arvalid && s_axil_arready) ar_full_q <= 1'b1;
      if (state_q == ST_ANSWER && write_q && s_axil_bready) begin
        aw_full_q <= 1'b0;
        w_full_q  <= 1'b0;
      end
      if (state_q == ST_ANSWER && !write_q && s_axil_rready) ar_full_q <= 1'b0;
    end
    if (s_axil_awready) {aw_q, aw_high_q} <= {s_axil_awaddr[ADDR_W-1:3], HALVES && s_axil_awaddr[2]};
    if (s_axil_wready) {w_q, strb_q} <= {s_axil_wdata, s_axil_wstrb};
    if (s_axil_arready) {ar_q, ar_high_q} <= {s_axil_araddr[ADDR_W-1:3], HALVES && s_axil_araddr[2]};
  end

  // The access as the core has it: 64 bits.
  logic [63:0] wide_data;
  logic [7:0]  wide_strb;
  if (HALVES) begin : g_halves
    assign wide_data = {2{w_q}};
    assign wide_strb = high_q ? {strb_q, 4'b0} : {4'b0, strb_q};
  end else begin : g_whole
    assign wide_data = w_q;
    assign wide_strb = strb_q;
  end

  // The half that was written or read before; never both.
  logic              low_q, rest_q;          // a low half waits to be written; a high half to be read
  logic [ADDR_W-1:3] kept_addr_q;
  logic [31:0]       kept_q;
  logic [63:0]       rdata_q;
  wire is_own   = addr_q[27:26] == 2'b01;
  wire same     = kept_addr_q == addr_q;
  wire joins    = low_q && same && write_q && wide_strb == 8'hf0;
  wire keeps    = HALVES && write_q && !is_own && wide_strb == 8'h0f;
  wire answered = !write_q && rest_q && same && high_q;
  wire flush    = state_q == ST_FLUSH;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
      wrote_q <= 1'b0;
      low_q   <= 1'b0;
      rest_q  <= 1'b0;
    end else begin
      case (state_q)
        ST_IDLE: if (start) state_q <= ST_ACT;

        // What was kept goes first, if it does not go along.
        ST_ACT: begin
          rest_q <= 1'b0;
          if (low_q && !joins) state_q <= ST_FLUSH;
          else if (keeps) begin
            low_q   <= 1'b1;
            state_q <= ST_ANSWER;
          end else if (answered || (write_q && strb_q == '0)) state_q <= ST_ANSWER;
          else state_q <= is_own ? ST_OWN : ST_BAR;
        end
        ST_FLUSH: if (m_bar_ready || hold) begin
          low_q   <= 1'b0;
          state_q <= ST_ACT;
        end

        ST_BAR: if (m_bar_ready || hold) begin
          low_q   <= 1'b0;
          state_q <= write_q || hold ? ST_ANSWER : ST_DATA;
        end
        ST_DATA: if (s_bar_valid) begin
          rest_q  <= HALVES && !high_q;
          state_q <= ST_ANSWER;
        end
        ST_OWN: state_q <= ST_ANSWER;
        ST_ANSWER: if (write_q ? s_axil_bready : s_axil_rready) begin
          wrote_q <= write_q;
          state_q <= ST_IDLE;
        end
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) begin
      write_q <= pick_write;
      {addr_q, high_q} <= pick_write ? {aw_q, aw_high_q} : {ar_q, ar_high_q};
    end
    if (state_q == ST_ACT && keeps && !low_q) begin
      kept_addr_q <= addr_q;
      kept_q      <= wide_data[31:0];
    end
    if (state_q == ST_ACT && answered && !low_q) rdata_q <= {kept_q, kept_q};
    if (state_q == ST_DATA && s_bar_valid) begin
      rdata_q     <= s_bar_rdata;
      kept_addr_q <= addr_q;
      kept_q      <= s_bar_rdata[63:32];
    end
    if (state_q == ST_OWN) rdata_q <= s_own_rdata;
    if (state_q == ST_BAR && hold) rdata_q <= '0;
  end

  wire [ADDR_W-1:3] out_addr = flush ? kept_addr_q : addr_q;
  assign m_bar_valid = (state_q == ST_BAR || flush) && !hold;
  assign busy        = state_q == ST_DATA;
  assign m_bar_write = write_q || flush;
  assign m_bar_bar   = out_addr[27] ? 3'd2 : 3'd0;
  assign m_bar_addr  = {5'd0, out_addr[26:3], 3'b0};
  assign m_bar_wdata = flush || low_q ? {wide_data[63:32], kept_q} : wide_data;
  assign m_bar_wstrb = flush ? 8'h0f : joins ? 8'hff : wide_strb;
  assign s_bar_ready = state_q == ST_DATA;

  assign m_own_write = state_q == ST_OWN && write_q;
  assign m_own_addr  = {addr_q[11:3], 3'b0};
  assign m_own_wdata = wide_data;
  assign m_own_wstrb = wide_strb;

  assign s_axil_bvalid = state_q == ST_ANSWER && write_q;
  assign s_axil_rvalid = state_q == ST_ANSWER && !write_q;
  assign s_axil_bresp  = 2'b00;
  assign s_axil_rresp  = 2'b00;
  assign s_axil_rdata  = high_q ? rdata_q[63 -: DATA_W] : rdata_q[DATA_W-1:0];

endmodule

`default_nettype wire
