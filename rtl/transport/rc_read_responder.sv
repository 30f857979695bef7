// rc_read_responder: answers READ and atomic requests and duplicates of them, one packet a turn (9.7.5.1.8, 9.7.5.1.9, 9.7.5.1.5).
//
// Contract: what comes on s_read and what becomes of it: read_ring. New requests of a queue pair are answered in order; one starts when
//           s_go says that all earlier writes of that queue pair are in memory. Every response of a READ passes the gate anew. An
//           atomic is executed once, while what came before it may still be answered (rc_execute); its duplicates are answered by the
//           value kept. If it cannot be executed a NAK leaves in
//           place of its response, m_fail tells, and nothing more of that queue pair leaves. Every answer that was opened has one
//           packet with `first` and one with `last`, or m_given_up, which tells what is missing: not begun, both; else the last.
//           CTL_CLEAR waits for an atomic of the queue pair that is being executed, so for host memory.
// Timing:   5 cycles a packet, and 5 before the first of a new request.

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
  output      logic [7:0]             executed,        // that no atomic is left to be executed of
  output      logic                   execution_failed, // an atomic of look_qp could not be
  output      logic                   m_executed_valid, // one of m_executed_qp was, or could not be
  input  wire logic                   m_executed_ready,
  output      logic [$clog2(QPS)-1:0] m_executed_qp,
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
  logic          pop_valid, push_ready, wake_valid, wake_ready, run_valid, run_ready, ring_idle, clear;
  logic [QW-1:0] wake_qp, run_qp;
  wire  [QW-1:0] ctl_qp = s_ctl.qpn[QW-1:0];

  (* ram_style = "distributed" *) logic dead_mem  [0:QPS-1];             // told that an atomic could not be executed
  (* ram_style = "distributed" *) logic round_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    dead_mem[i]  = 1'b0;
    round_mem[i] = 1'b0;
  end

  qp_queue #(.QPS(QPS), .PUSHERS(2)) u_queue (
    .clk, .rst, .s_valid({run_valid, state_q == ST_SEND && !pushed_q}), .s_ready({run_ready, push_ready}), .s_qp({run_qp, qp_q}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE && !s_ctl_valid), .m_qp(pop_qp));

  // What is next: one owed again, or a new one.
  logic [DW-1:0] next_slot, slot_q;
  logic          next_again, next_fresh, next_ran, again_q, restart, begun, done, last;
  kept_t         kept;
  asked_t        asked;
  logic [23:0]   sent, sent_q, at_q;         // packets of its answer that were made; of the whole request
  wire           looks   = state_q == ST_LOOK;
  wire           nothing = dead_mem[qp_q] || (!next_again && !next_fresh);

  // Atomics, apart from the answers.
  logic          run, run_look, ran, run_idle, run_busy, turn_failed;
  logic [DW-1:0] run_slot;
  wire           told = s_a_valid && s_a_ready;
  rc_execute #(.QPS(QPS), .DEPTH(DEPTH)) u_execute (
    .clk, .rst, .s_wake_valid({wake_valid, s_go_valid}), .s_wake_ready({wake_ready, s_go_ready}), .s_wake_qp({wake_qp, s_go_qp}),
    .m_wake_valid(run_valid), .m_wake_ready(run_ready), .m_executed_valid, .m_executed_ready, .m_qp(run_qp),
    .s_run(run), .s_slot(run_slot), .s_free(state_q == ST_IDLE || state_q == ST_SEND), .m_look(run_look), .s_kept(kept), .m_ran(ran),
    .m_a_valid, .m_a_ready, .m_a, .m_a_user, .s_a_valid, .s_a_ready, .s_a_ok(s_a_cause == '0), .s_a_qp(s_a_user[QW+DW-1 -: QW]),
    .turn_qp(qp_q), .turn_failed, .look_qp, .look_failed(execution_failed),
    .s_hold(s_ctl_valid), .m_idle(run_idle), .s_clear(clear), .s_clear_qp(ctl_qp), .clear_busy(run_busy));
  assign m_executed_qp = run_qp;
  always_ff @(posedge clk) m_done <= told && s_a_cause == '0 && !rst;

  read_ring #(.QPS(QPS), .DEPTH(DEPTH)) u_ring (
    .clk, .rst, .s_read_valid, .s_read_ready, .s_read_qp, .s_read, .s_go_valid(s_go_valid && s_go_ready), .s_go_qp, .look_qp, .closed,
    .m_opened_valid, .m_opened_again, .m_given_up_valid, .m_given_up_begun, .m_drop,
    .m_wake_valid(wake_valid), .m_wake_ready(wake_ready), .m_wake_qp(wake_qp),
    .run_qp, .m_run(run), .m_run_slot(run_slot), .s_run_look(run_look), .s_ran(ran), .ran(executed),
    .turn_qp(qp_q), .s_turn(looks || state_q == ST_LOAD || state_q == ST_MAKE), .m_again(next_again), .m_fresh(next_fresh), .m_ran(next_ran), .m_slot(next_slot),
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
  wire         fresh     = !is_read && !again_q;                        // an atomic that was not answered before
  wire         failed    = fresh && !ran_q && undone_q;
  wire         made      = state_q == ST_MAKE && cfg_q.state != ib_pkg::QP_STATE_RESET && !rst;
  assign       done      = made && (!fresh || ran_q || undone_q);

  logic [7:0]  opcode_q;
  logic [12:0] payload_q;
  logic [23:0] psn_q;
  logic [63:0] va_q;
  logic        last_q, failed_q, round_q, read_q;
  logic        ran_q, undone_q;              // when the values were looked up
  logic [31:0] rkey_q;
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
        // The packet counts as made; or the queue pair was reset, or its atomic is not executed yet.
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
      slot_q   <= next_slot;
      again_q  <= next_again;
      ran_q    <= next_ran;
      undone_q <= turn_failed;
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
      read_q    <= is_read;
      rkey_q    <= kept.rkey;
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

  always_ff @(posedge clk) begin : lives
    if (clear) dead_mem[ctl_qp] <= 1'b0;
    else if (done && failed) dead_mem[qp_q] <= 1'b1;
    if (clear) round_mem[ctl_qp] <= s_ctl.round;
  end

  assign m_chunk_valid   = state_q == ST_SEND && payload_q != '0 && !chunk_sent_q;
  assign m_chunk         = {1'b0, rkey_q, cfg_q.pd, `NEED_REMOTE_READ, va_q, 19'b0, payload_q};
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
    m_pkt.swap_add = read_q || failed_q ? 64'd0 : result[63:0];
    m_pkt.first    = first_q;
    m_pkt.last     = last_q;
    m_pkt.round    = round_q;
  end
  assign m_fail_valid = state_q == ST_SEND && failed_q && !fail_told_q;
  assign m_fail_qp    = qp_q;

  // A first life waits for nothing: what memories hold of it means nothing.
  assign clear       = s_ctl_valid && s_ctl_ready;
  assign s_ctl_ready = state_q == ST_IDLE && ring_idle && run_idle && !s_go_valid && (s_ctl.fresh || !run_busy);

  wire unused = &{1'b0, s_ctl.op, s_ctl.psn, s_ctl.qpn, kept, cfg_q};

endmodule

`default_nettype wire
