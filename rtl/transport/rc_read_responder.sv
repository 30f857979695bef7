// rc_read_responder: answers READ requests with their response packets, one packet a turn (9.7.5.1.9).
//
// Contract: accepted READs of a queue pair are answered in order; one starts when s_go says that all earlier writes of that queue
//           pair are in memory. Every response passes the gate anew. Timing: 5 cycles a packet.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module rc_read_responder #(
  parameter int QPS   = 64,
  parameter int DEPTH = 16                   // READs of a queue pair, a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_read_valid,    // accepted by the responder; taken at once
  input  wire logic [$clog2(QPS)-1:0] s_read_qp,
  input  wire logic [23:0]            s_read_psn,
  input  wire logic [23:0]            s_read_msn,
  input  wire logic [63:0]            s_read_va,
  input  wire logic [31:0]            s_read_rkey,
  input  wire logic [31:0]            s_read_len,
  input  wire logic [$clog2(QPS)-1:0] look_qp,
  output      logic [7:0]             reads_closed,    // READs of look_qp that were answered, modulo 256
  input  wire logic                   s_go_valid,      // the next READ of the QP may start
  output      logic                   s_go_ready,
  input  wire logic [$clog2(QPS)-1:0] s_go_qp,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic                   m_pkt_valid,     // to gather
  input  wire logic                   m_pkt_ready,
  output      tx_desc_t               m_pkt,
  output      logic [6:0]             m_pkt_hdr_bytes,
  output      logic [4:0]             m_pkt_chunks,
  output      logic                   m_chunk_valid,
  input  wire logic                   m_chunk_ready,
  output      chunk_t                 m_chunk,

  input  wire logic                   s_ctl_valid,     // CTL_CLEAR
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl
);

  localparam int QW = $clog2(QPS);
  localparam int DW = $clog2(DEPTH);

  typedef struct packed {
    logic [23:0] psn;
    logic [23:0] msn;
    logic [63:0] va;
    logic [31:0] rkey;
    logic [31:0] len;
  } read_t;
  read_t read_in, read, read_q;
  assign read_in = {s_read_psn, s_read_msn, s_read_va, s_read_rkey, s_read_len};

  // READs accepted, allowed to start, answered; modulo 256, each with one writer.
  (* ram_style = "distributed" *) logic [7:0] put_mem   [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] go_mem    [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] get_mem   [0:QPS-1];
  (* ram_style = "distributed" *) logic       round_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    put_mem[i]   = '0;
    go_mem[i]    = '0;
    get_mem[i]   = '0;
    round_mem[i] = 1'b0;
  end

  typedef enum logic [2:0] {ST_IDLE, ST_CTX, ST_CHUNK, ST_SEND, ST_SAVE} state_e;
  state_e        state_q;
  logic [QW-1:0] qp_q, pop_qp;
  logic          pop_valid, again_ready;
  wire  [QW-1:0] ctl_qp = s_ctl.qpn[QW-1:0];
  wire           clear  = s_ctl_valid && s_ctl_ready;
  wire  [7:0]    put    = put_mem[s_read_qp];
  wire  [7:0]    go     = go_mem[s_go_qp];
  wire  [7:0]    get    = get_mem[qp_q];
  assign reads_closed   = get_mem[look_qp];

  qp_queue #(.QPS(QPS), .PUSHERS(2)) u_queue (
    .clk, .rst, .s_valid({s_go_valid, state_q == ST_SAVE}), .s_ready({s_go_ready, again_ready}), .s_qp({s_go_qp, qp_q}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE && !s_ctl_valid), .m_qp(pop_qp));

  prim_ram #(.WIDTH($bits(read_t'('0))), .DEPTH(QPS * DEPTH)) u_reads (
    .clk, .wr_en(s_read_valid), .wr_addr({s_read_qp, put[DW-1:0]}), .wr_data(read_in),
    .rd_en(state_q == ST_IDLE), .rd_addr({pop_qp, pop_get[DW-1:0]}), .rd_data(read));
  wire [7:0] pop_get = get_mem[pop_qp];

  // Bytes and packets of the READ under way that were answered.
  logic [55:0] progress, progress_q;
  wire  [31:0] offset   = progress_q[31:0];
  wire  [23:0] sent     = progress_q[55:32];
  wire         saving   = state_q == ST_SAVE && again_ready;
  prim_ram #(.WIDTH(56), .DEPTH(QPS)) u_progress (
    .clk, .wr_en(saving || clear), .wr_addr(clear ? ctl_qp : qp_q), .wr_data(clear || last_q ? 56'd0 : progress_q),
    .rd_en(state_q == ST_IDLE), .rd_addr(pop_qp), .rd_data(progress));

  qpc_t        cfg;
  logic [23:0] pd_q;
  logic        grh_q, last_q;
  logic [12:0] payload_q;
  logic [7:0]  opcode_q;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);
  wire [12:0] mtu_bytes = 13'd128 << cfg.path_mtu;
  wire [31:0] rest      = read.len - progress[31:0];
  wire        at_last   = rest <= 32'(mtu_bytes);
  wire        at_first  = progress[31:0] == '0;

  assign m_cfg_valid = state_q == ST_IDLE && !s_ctl_valid && pop_valid;
  assign m_cfg_qp    = pop_qp;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (m_cfg_valid) state_q <= ST_CTX;
        // Nothing may start, or the queue pair was reset: the turn is over.
        ST_CTX: if (s_cfg_valid)
          state_q <= go_mem[qp_q] == get || cfg.state == ib_pkg::QP_STATE_RESET ? ST_IDLE
                   : rest == '0 ? ST_SEND : ST_CHUNK;
        ST_CHUNK: if (m_chunk_ready) state_q <= ST_SEND;
        ST_SEND: if (m_pkt_ready) state_q <= ST_SAVE;
        ST_SAVE: if (again_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin : work
    if (state_q == ST_IDLE) qp_q <= pop_qp;
    if (state_q == ST_CTX) begin
      read_q     <= read;
      progress_q <= progress;
      pd_q       <= cfg.pd;
      grh_q      <= cfg.grh;
      payload_q  <= at_last ? rest[12:0] : mtu_bytes;
      last_q     <= at_last;
      opcode_q   <= at_first ? (at_last ? ib_pkg::OP_RC_READ_RESPONSE_ONLY : ib_pkg::OP_RC_READ_RESPONSE_FIRST)
                             : (at_last ? ib_pkg::OP_RC_READ_RESPONSE_LAST : ib_pkg::OP_RC_READ_RESPONSE_MIDDLE);
    end
    if (state_q == ST_SEND && m_pkt_ready) progress_q <= {sent + 24'd1, offset + 32'(payload_q)};
  end

  always_ff @(posedge clk) begin : counts
    if (clear)             put_mem[ctl_qp]    <= '0;
    else if (s_read_valid) put_mem[s_read_qp] <= put + 8'd1;
    if (clear)                           go_mem[ctl_qp]  <= '0;
    else if (s_go_valid && s_go_ready)   go_mem[s_go_qp] <= go + 8'd1;
    if (clear)                           get_mem[ctl_qp] <= '0;
    else if (saving && last_q)           get_mem[qp_q]   <= get + 8'd1;
    if (clear) round_mem[ctl_qp] <= s_ctl.round;
  end

  assign m_chunk_valid   = state_q == ST_CHUNK;
  assign m_chunk         = {1'b0, read_q.rkey, pd_q, `NEED_REMOTE_READ, read_q.va + {32'b0, offset}, 19'b0, payload_q};
  assign m_pkt_valid     = state_q == ST_SEND;
  assign m_pkt_chunks    = payload_q == '0 ? 5'd0 : 5'd1;
  assign m_pkt_hdr_bytes = ib_pkg::op_header_bytes(opcode_q) + (grh_q ? 7'd40 : 7'd0);
  always_comb begin : packet
    m_pkt          = '0;
    m_pkt.qpn      = 24'(qp_q);
    m_pkt.opcode   = opcode_q;
    m_pkt.psn      = read_q.psn + sent;
    m_pkt.payload  = payload_q;
    m_pkt.syndrome = ib_pkg::NAK_SYNDROME_ACK_NO_CREDITS;
    m_pkt.msn      = read_q.msn;
    m_pkt.last     = last_q;
    m_pkt.round    = round_mem[qp_q];
  end

  assign s_ctl_ready = state_q == ST_IDLE && !s_read_valid && !s_go_valid;
  wire unused = &{1'b0, s_ctl.op, s_ctl.psn, s_ctl.qpn};

endmodule

`default_nettype wire
