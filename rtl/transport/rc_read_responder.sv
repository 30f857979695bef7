// rc_read_responder: answers READ and atomic requests and duplicates of them, one packet a turn (9.7.5.1.8, 9.7.5.1.9, 9.7.5.1.5).
//
// Contract: what comes on s_read and what becomes of it: read_ring. New requests of a queue pair are answered in order; one starts when
//           s_go says that all earlier writes of that queue pair are in memory. Every response of a READ passes the gate anew. An
//           atomic is executed once; its duplicates are answered by the value kept. If it cannot be executed a NAK leaves in
//           place of its response, m_fail tells, and nothing more of that queue pair leaves. Every answer that was opened has one
//           packet with `first` and one with `last`, or m_given_up, which tells what is missing: not begun, both; else the last.
//           CTL_CLEAR waits for an atomic of the queue pair that is being executed, so for host memory.
// Timing:   5 cycles a packet, 4 more to start an atomic.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"
`include "answers.svh"

module rc_read_responder #(
  parameter int QPS   = 64,
  parameter int DEPTH = 16                   // requests kept of a queue pair, a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_read_valid,    // of the responder
  output      logic                   s_read_ready,
  input  wire logic [$clog2(QPS)-1:0] s_read_qp,
  input  wire read_req_t              s_read,
  input  wire logic [$clog2(QPS)-1:0] look_qp,
  output      logic [7:0]             closed,          // new requests of look_qp that were answered, modulo 256
  input  wire logic                   s_go_valid,      // the next new request of the QP may start
  output      logic                   s_go_ready,
  input  wire logic [$clog2(QPS)-1:0] s_go_qp,
  output      logic                   m_opened_valid,  // pulses, when s_read is taken: one answer more is owed
  output      logic [$clog2(QPS)-1:0] m_opened_qp,
  output      logic                   m_opened_again,  // by a duplicate
  output      logic                   m_given_up_valid, // one that was owed is not finished
  output      logic [$clog2(QPS)-1:0] m_given_up_qp,
  output      logic                   m_given_up_begun,
  output      logic                   m_drop,          // a duplicate of nothing that is known

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

  output      logic                   m_a_valid,       // atomics, to memory
  input  wire logic                   m_a_ready,
  output      atomic_t                m_a,
  output      logic [$clog2(QPS)+$clog2(DEPTH)-1:0] m_a_user,
  input  wire logic                   s_a_valid,       // in their order
  output      logic                   s_a_ready,
  input  wire logic [2:0]             s_a_cause,       // 0: executed
  input  wire logic [63:0]            s_a_value,       // what was there before
  input  wire logic [$clog2(QPS)+$clog2(DEPTH)-1:0] s_a_user,
  output      logic                   m_done,          // pulse: an atomic was executed
  output      logic                   m_fail_valid,    // the queue pair fails: an atomic could not be executed
  input  wire logic                   m_fail_ready,
  output      logic [$clog2(QPS)-1:0] m_fail_qp,

  input  wire logic                   s_ctl_valid,     // CTL_CLEAR
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl
);

  localparam int QW = $clog2(QPS);
  localparam int DW = $clog2(DEPTH);

  typedef enum logic [2:0] {ST_IDLE, ST_LOOK, ST_LOAD, ST_MAKE, ST_SEND} state_e;
  state_e        state_q;
  logic [QW-1:0] qp_q, pop_qp;
  logic          pop_valid, push_ready, wake_valid, wake_ready, told_ready, ring_idle, clear;
  logic [QW-1:0] wake_qp;
  wire  [QW-1:0] ctl_qp = s_ctl.qpn[QW-1:0];

  // The atomic of a queue pair that is to be answered next.
  typedef enum logic [2:0] {EXEC_NONE, EXEC_BUSY, EXEC_DONE, EXEC_FAILED, EXEC_DEAD} exec_e;
  (* ram_style = "distributed" *) logic [2:0] exec_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic       round_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    exec_mem[i]  = EXEC_NONE;
    round_mem[i] = 1'b0;
  end
  wire [2:0] exec = exec_mem[qp_q];

  // What was told of atomics wakes their queue pair.
  logic          told_q;
  logic [QW-1:0] told_qp_q;
  wire           told    = s_a_valid && s_a_ready;
  wire  [QW-1:0] told_qp = s_a_user[QW+DW-1 -: QW];

  qp_queue #(.QPS(QPS), .PUSHERS(4)) u_queue (
    .clk, .rst, .s_valid({told_q, wake_valid, s_go_valid, state_q == ST_SEND && !pushed_q}),
    .s_ready({told_ready, wake_ready, s_go_ready, push_ready}), .s_qp({told_qp_q, wake_qp, s_go_qp, qp_q}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE && !s_ctl_valid), .m_qp(pop_qp));

  // What is next: one owed again, or a new one.
  logic [DW-1:0] next_slot, slot_q;
  logic          next_again, next_fresh, again_q, restart, begun, done, last;
  kept_t         kept;
  asked_t        asked;
  logic [23:0]   sent, sent_q, at_q;         // packets of its answer that were made; of the whole request
  wire           looks   = state_q == ST_LOOK;
  wire           nothing = exec == EXEC_DEAD || (!next_again && (!next_fresh || exec == EXEC_BUSY));

  read_ring #(.QPS(QPS), .DEPTH(DEPTH)) u_ring (
    .clk, .rst, .s_read_valid, .s_read_ready, .s_read_qp, .s_read, .s_go_valid(s_go_valid && s_go_ready), .s_go_qp, .look_qp, .closed,
    .m_opened_valid, .m_opened_again, .m_given_up_valid, .m_given_up_begun, .m_drop,
    .m_wake_valid(wake_valid), .m_wake_ready(wake_ready), .m_wake_qp(wake_qp),
    .turn_qp(qp_q), .s_turn(looks || state_q == ST_LOAD || state_q == ST_MAKE), .m_again(next_again), .m_fresh(next_fresh), .m_slot(next_slot),
    .s_look(looks), .s_slot(slot_q), .m_kept(kept), .m_asked(asked), .m_sent(sent), .m_restart(restart), .m_begun(begun),
    .s_done(done), .s_done_again(again_q), .s_done_last(last), .s_done_sent(sent_q + 24'd1),
    .s_clear(clear), .s_clear_qp(ctl_qp), .idle(ring_idle));
  assign m_opened_qp   = s_read_qp;
  assign m_given_up_qp = s_read_qp;

  // Values found by atomics, or why one failed.
  logic [66:0] result;
  prim_ram #(.WIDTH(67), .DEPTH(QPS * DEPTH)) u_results (
    .clk, .wr_en(told && !rst), .wr_addr(s_a_user), .wr_data({s_a_cause, s_a_value}),
    .rd_en(looks), .rd_addr({qp_q, next_slot}), .rd_data(result));
  wire [2:0] cause = result[66:64];

  // The configuration comes while the request is looked up.
  qpc_t        cfg_in, cfg_q;
  logic        cfg_here_q, first_q;
  assign cfg_in      = ib_pkg::QPC_W'(s_cfg_data);
  assign m_cfg_valid = state_q == ST_IDLE && !s_ctl_valid && pop_valid;
  assign m_cfg_qp    = pop_qp;

  // Where in the READ, and what this packet is.
  wire         is_read   = kept.opcode == ib_pkg::OP_RC_READ_REQUEST;
  wire  [12:0] mtu_bytes = 13'd128 << cfg_q.path_mtu;
  wire  [31:0] offset    = 32'({12'b0, at_q} << (4'd7 + cfg_q.path_mtu));
  wire  [31:0] rest      = kept.swap_add[31:0] - offset;
  wire         at_last   = rest <= 32'(mtu_bytes);
  wire         at_first  = sent_q == '0;
  assign       last      = !is_read || at_last;
  wire         failed    = !is_read && !again_q && exec == EXEC_FAILED;
  wire         made      = state_q == ST_MAKE && cfg_q.state != ib_pkg::QP_STATE_RESET && !rst;
  wire         starts    = made && !is_read && !again_q && exec == EXEC_NONE;
  assign       done      = made && !starts;

  logic [7:0]  opcode_q;
  logic [12:0] payload_q;
  logic [23:0] psn_q;
  logic [63:0] va_q;
  logic        last_q, failed_q, round_q;
  logic        pushed_q, pkt_sent_q, chunk_sent_q, fail_told_q;
  wire         pushed     = pushed_q || push_ready;
  wire         pkt_sent   = pkt_sent_q || m_pkt_ready;
  wire         chunk_sent = chunk_sent_q || payload_q == '0 || m_chunk_ready;
  wire         fail_told  = fail_told_q || !failed_q || m_fail_ready;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (m_cfg_valid) state_q <= ST_LOOK;
        ST_LOOK: state_q <= nothing ? ST_IDLE : ST_LOAD;
        ST_LOAD: if (cfg_here_q || s_cfg_valid) state_q <= ST_MAKE;
        // The packet counts as made; or the queue pair was reset, or its atomic is executed first.
        ST_MAKE: state_q <= done ? ST_SEND : ST_IDLE;
        ST_SEND: if (pushed && pkt_sent && chunk_sent && fail_told) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin : work
    if (state_q == ST_IDLE) begin
      qp_q       <= pop_qp;
      cfg_here_q <= 1'b0;
    end else if (s_cfg_valid) begin
      cfg_here_q <= 1'b1;
      cfg_q      <= cfg_in;
    end
    if (looks) begin
      slot_q  <= next_slot;
      again_q <= next_again;
    end
    if (state_q == ST_LOAD) begin
      sent_q  <= restart ? 24'd0 : sent;
      at_q    <= asked.psn - kept.psn + (restart ? 24'd0 : sent);
      first_q <= !begun;
    end
    if (state_q == ST_MAKE) begin
      opcode_q <= failed ? ib_pkg::OP_RC_ACKNOWLEDGE
                : !is_read ? ib_pkg::OP_RC_ATOMIC_ACKNOWLEDGE
                : at_first ? (at_last ? ib_pkg::OP_RC_READ_RESPONSE_ONLY : ib_pkg::OP_RC_READ_RESPONSE_FIRST)
                           : (at_last ? ib_pkg::OP_RC_READ_RESPONSE_LAST : ib_pkg::OP_RC_READ_RESPONSE_MIDDLE);
      payload_q <= !is_read ? 13'd0 : at_last ? rest[12:0] : mtu_bytes;
      psn_q     <= kept.psn + at_q;
      va_q      <= kept.va + {32'b0, offset};
      last_q    <= last;
      failed_q  <= failed;
      round_q   <= round_mem[qp_q];
    end
    pushed_q     <= state_q == ST_SEND && pushed;
    pkt_sent_q   <= state_q == ST_SEND && pkt_sent;
    chunk_sent_q <= state_q == ST_SEND && chunk_sent;
    fail_told_q  <= state_q == ST_SEND && fail_told;
  end

  assign s_a_ready = !told_q && state_q != ST_MAKE && !clear;
  always_ff @(posedge clk) begin : executed
    if (rst) told_q <= 1'b0;
    else if (told) told_q <= 1'b1;
    else if (told_ready) told_q <= 1'b0;
    if (told) told_qp_q <= told_qp;
    m_done <= told && s_a_cause == '0 && !rst;

    if (clear)                     exec_mem[ctl_qp]  <= EXEC_NONE;
    else if (told && !rst)         exec_mem[told_qp] <= s_a_cause == '0 ? EXEC_DONE : EXEC_FAILED;
    else if (starts)               exec_mem[qp_q]    <= EXEC_BUSY;
    else if (done && !is_read && !again_q) exec_mem[qp_q] <= failed ? EXEC_DEAD : EXEC_NONE;
    if (clear) round_mem[ctl_qp] <= s_ctl.round;
  end

  atomic_t atomic;
  assign atomic = {kept.rkey, cfg_q.pd, kept.va, kept.opcode == ib_pkg::OP_RC_COMPARE_SWAP, kept.swap_add, kept.compare};
  rc_atomic #(.QPS(QPS), .USER_W(QW + DW)) u_atomics (
    .clk, .rst, .s_put_valid(starts), .s_put_user({qp_q, slot_q}), .s_put(atomic), .m_a_valid, .m_a_ready, .m_a, .m_a_user);

  assign m_chunk_valid   = state_q == ST_SEND && payload_q != '0 && !chunk_sent_q;
  assign m_chunk         = {1'b0, kept.rkey, cfg_q.pd, `NEED_REMOTE_READ, va_q, 19'b0, payload_q};
  assign m_pkt_valid     = state_q == ST_SEND && !pkt_sent_q;
  assign m_pkt_chunks    = payload_q == '0 ? 5'd0 : 5'd1;
  assign m_pkt_hdr_bytes = ib_pkg::op_header_bytes(opcode_q) + (cfg_q.grh ? 7'd40 : 7'd0);
  always_comb begin : packet
    m_pkt          = '0;
    m_pkt.qpn      = 24'(qp_q);
    m_pkt.opcode   = opcode_q;
    m_pkt.psn      = psn_q;
    m_pkt.payload  = payload_q;
    m_pkt.syndrome = !failed_q ? asked.told.syndrome
                   : cause == `MEM_CAUSE_HOST || cause == `MEM_CAUSE_PAGE ? ib_pkg::NAK_SYNDROME_NAK_REMOTE_OPERATIONAL
                                                                          : ib_pkg::NAK_SYNDROME_NAK_REMOTE_ACCESS;
    m_pkt.msn      = asked.told.msn;
    m_pkt.swap_add = is_read || failed_q ? 64'd0 : result[63:0];
    m_pkt.first    = first_q;
    m_pkt.last     = last_q;
    m_pkt.round    = round_q;
  end
  assign m_fail_valid = state_q == ST_SEND && failed_q && !fail_told_q;
  assign m_fail_qp    = qp_q;

  // A first life waits for nothing: what memories hold of it means nothing.
  assign clear       = s_ctl_valid && s_ctl_ready;
  assign s_ctl_ready = state_q == ST_IDLE && ring_idle && !s_go_valid && (s_ctl.fresh || exec_mem[ctl_qp] != EXEC_BUSY);

  `ASSERT(a_told, !told || exec_mem[told_qp] == EXEC_BUSY)
  wire unused = &{1'b0, s_ctl.op, s_ctl.psn, s_ctl.qpn, kept, cfg_q};

endmodule

`default_nettype wire
