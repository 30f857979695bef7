// rc_execute: lets the new requests of each queue pair run in their order, whatever is being answered: a READ runs by passing, an
// atomic by being executed (9.5).
//
// Contract: s_wake says that something of a queue pair may run, or is owed again; when nothing more can, m_wake passes it on. An
//           atomic goes to memory with its place and holds the queue pair until s_a tells: if it was executed the next one runs, if
//           not none does. Then m_executed tells. Nothing here waits for transmit.
// Timing:   2 cycles a request, 3 more a wake; s_look stands for one cycle in which nobody else reads the ring.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "answers.svh"

module rc_execute #(
  parameter int QPS   = 64,
  parameter int DEPTH = 16
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic [1:0]             s_wake_valid,
  output      logic [1:0]             s_wake_ready,
  input  wire logic [2*$clog2(QPS)-1:0] s_wake_qp,
  output      logic                   m_wake_valid,
  input  wire logic                   m_wake_ready,
  output      logic                   m_executed_valid, // an atomic was executed, or could not be
  input  wire logic                   m_executed_ready,
  output      logic [$clog2(QPS)-1:0] m_qp,            // of all of these

  input  wire logic                   s_run,           // the ring's next of m_qp may start
  input  wire logic [$clog2(DEPTH)-1:0] s_slot,
  input  wire logic                   s_free,          // the ring can be read
  output      logic                   m_look,
  input  wire kept_t                  s_kept,          // a cycle later
  output      logic                   m_ran,

  output      logic                   m_a_valid,       // atomics, to memory
  input  wire logic                   m_a_ready,
  output      atomic_t                m_a,
  output      logic [$clog2(QPS)+$clog2(DEPTH)-1:0] m_a_user,
  input  wire logic                   s_a_valid,       // in their order
  output      logic                   s_a_ready,
  input  wire logic                   s_a_ok,
  input  wire logic [$clog2(QPS)-1:0] s_a_qp,

  input  wire logic [$clog2(QPS)-1:0] turn_qp,
  output      logic                   turn_failed,     // an atomic of it could not be executed
  input  wire logic [$clog2(QPS)-1:0] look_qp,
  output      logic                   look_failed,

  input  wire logic                   s_hold,          // start nothing: so that m_idle comes
  output      logic                   m_idle,
  input  wire logic                   s_clear,         // only when idle
  input  wire logic [$clog2(QPS)-1:0] s_clear_qp,
  output      logic                   clear_busy       // an atomic of s_clear_qp is being executed
);

  localparam int QW = $clog2(QPS);
  localparam int DW = $clog2(DEPTH);

  // The atomic that is next of a queue pair.
  typedef enum logic [1:0] {EXEC_NONE, EXEC_BUSY, EXEC_DONE, EXEC_FAILED} exec_e;
  (* ram_style = "distributed" *) logic [1:0] exec_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) exec_mem[i] = EXEC_NONE;
  assign turn_failed = exec_mem[turn_qp] == EXEC_FAILED;
  assign look_failed = exec_mem[look_qp] == EXEC_FAILED;
  assign clear_busy  = exec_mem[s_clear_qp] == EXEC_BUSY;

  typedef enum logic [2:0] {ST_IDLE, ST_LOOK, ST_HAVE, ST_WAKE, ST_TELL} state_e;
  state_e        state_q;
  logic          pop_valid, told_q, told_ready, tell_q;
  logic [QW-1:0] pop_qp, qp_q, told_qp_q;
  wire [1:0]     exec   = exec_mem[qp_q];
  wire           looks  = state_q == ST_LOOK;
  wire           told   = s_a_valid && s_a_ready;
  wire           done   = looks && exec == EXEC_DONE;
  wire           next   = looks && exec == EXEC_NONE && s_run;
  wire           starts = state_q == ST_HAVE && s_kept.opcode != ib_pkg::OP_RC_READ_REQUEST;

  qp_queue #(.QPS(QPS), .PUSHERS(3)) u_queue (
    .clk, .rst, .s_valid({told_q, s_wake_valid}), .s_ready({told_ready, s_wake_ready}), .s_qp({told_qp_q, s_wake_qp}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE && !s_hold), .m_qp(pop_qp));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (pop_valid && !s_hold) state_q <= ST_LOOK;
        ST_LOOK: if (m_look) state_q <= ST_HAVE;
                 else if (!done && !next) state_q <= ST_WAKE;
        ST_HAVE: state_q <= ST_LOOK;
        ST_WAKE: if (m_wake_ready) state_q <= tell_q ? ST_TELL : ST_IDLE;
        ST_TELL: if (m_executed_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) qp_q <= pop_qp;
    if (state_q == ST_IDLE) tell_q <= 1'b0;
    else if (looks && (done || exec == EXEC_FAILED)) tell_q <= 1'b1;
  end
  assign m_qp             = qp_q;
  assign m_look           = next && s_free;
  assign m_ran            = done || (state_q == ST_HAVE && !starts);
  assign m_wake_valid     = state_q == ST_WAKE;
  assign m_executed_valid = state_q == ST_TELL;
  assign m_idle           = state_q == ST_IDLE;

  // One writer a cycle: what is told waits for a look to end.
  assign s_a_ready = !told_q && !looks && state_q != ST_HAVE && !s_clear;
  always_ff @(posedge clk) begin : executed
    if (rst) told_q <= 1'b0;
    else if (told) told_q <= 1'b1;
    else if (told_ready) told_q <= 1'b0;
    if (told) told_qp_q <= s_a_qp;

    if (s_clear)           exec_mem[s_clear_qp] <= EXEC_NONE;
    else if (told && !rst) exec_mem[s_a_qp]     <= s_a_ok ? EXEC_DONE : EXEC_FAILED;
    else if (done)         exec_mem[qp_q]       <= EXEC_NONE;
    else if (starts)       exec_mem[qp_q]       <= EXEC_BUSY;
  end

  atomic_t atomic;
  assign atomic = {s_kept.rkey, s_kept.pd, s_kept.va, s_kept.opcode == ib_pkg::OP_RC_COMPARE_SWAP, s_kept.swap_add, s_kept.compare};
  rc_atomic #(.QPS(QPS), .USER_W(QW + DW)) u_atomics (
    .clk, .rst, .s_put_valid(starts), .s_put_user({qp_q, s_slot}), .s_put(atomic), .m_a_valid, .m_a_ready, .m_a, .m_a_user);

  `ASSERT(a_told, !told || exec_mem[s_a_qp] == EXEC_BUSY)
  wire unused = &{1'b0, s_kept.psn};

endmodule

`default_nettype wire
