// ack_unit: what each queue pair still has to acknowledge, as state of the queue pair, and sends it in its turn.
//
// Contract: a newer acknowledge takes the place of one that waits (9.7.5.1.2, coalescing); one of a PSN behind a READ or atomic waits
//           until that answer's last response is on its way (9.7.4: responses leave in PSN order). Answers are counted: opened,
//           begun, sent; one that is given up counts as all of them. What is owed when a duplicate opens an answer again
//           goes behind that answer; or nowhere if an answer behind it is open already, which acknowledges it too.
// Timing:   3 cycles an acknowledge.

`default_nettype none
`include "hca_types.svh"

module ack_unit #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_ack_valid,     // from the responder; taken at once
  input  wire logic [$clog2(QPS)-1:0] s_ack_qp,
  input  wire logic [23:0]            s_ack_psn,
  input  wire logic [23:0]            s_ack_msn,
  input  wire logic [7:0]             s_ack_syndrome,
  output      logic                   s_ack_ready,
  input  wire logic                   s_opened_valid,  // an answer more is owed
  input  wire logic [$clog2(QPS)-1:0] s_opened_qp,
  input  wire logic                   s_opened_again,  // by a duplicate
  input  wire logic                   s_given_up_valid, // one of them will not be finished: its place goes to a new one
  input  wire logic [$clog2(QPS)-1:0] s_given_up_qp,
  input  wire logic                   s_given_up_begun, // its first response is on its way, or was
  input  wire logic                   s_begun_valid,   // an answer's first response was chosen to leave
  input  wire logic [$clog2(QPS)-1:0] s_begun_qp,
  input  wire logic                   s_begun_round,
  input  wire logic                   s_sent_valid,    // an answer's last response is on its way
  input  wire logic [$clog2(QPS)-1:0] s_sent_qp,
  input  wire logic                   s_sent_round,

  output      logic                   m_ack_valid,
  input  wire logic                   m_ack_ready,
  output      tx_desc_t               m_ack,

  input  wire logic                   s_ctl_valid,     // CTL_CLEAR
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl
);

  localparam int QW = $clog2(QPS);

  // Answers opened, begun, sent, given up, given up before they had begun; modulo 256, each with one writer.
  (* ram_style = "distributed" *) logic [7:0] opened_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] begun_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] sent_mem   [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] gone_mem   [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] silent_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic       round_mem  [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    opened_mem[i] = '0;
    begun_mem[i]  = '0;
    sent_mem[i]   = '0;
    gone_mem[i]   = '0;
    silent_mem[i] = '0;
    round_mem[i]  = 1'b0;
  end

  typedef struct packed {
    logic [23:0] psn;
    logic [23:0] msn;
    logic [7:0]  syndrome;
  } debt_t;
  debt_t debt_in, debt, debt_q;
  assign debt_in = {s_ack_psn, s_ack_msn, s_ack_syndrome};

  wire [QW-1:0] ctl_qp  = s_ctl.qpn[QW-1:0];
  wire          clear   = s_ctl_valid && s_ctl_ready;
  // What others tell of answers is taken in a cycle later.
  logic          opened_q, again_q, begun_q, sent_q, gone_q, silent_q;
  logic [QW-1:0] opened_qp_q, begun_qp_q, ended_qp_q, gone_qp_q;
  always_ff @(posedge clk) begin : told
    opened_q    <= !rst && s_opened_valid;
    again_q     <= !rst && s_opened_valid && s_opened_again;
    begun_q     <= !rst && s_begun_valid && s_begun_round == round_mem[s_begun_qp];
    sent_q      <= !rst && s_sent_valid && s_sent_round == round_mem[s_sent_qp];
    gone_q      <= !rst && s_given_up_valid;
    silent_q    <= !rst && s_given_up_valid && !s_given_up_begun;
    opened_qp_q <= s_opened_qp;
    begun_qp_q  <= s_begun_qp;
    ended_qp_q  <= s_sent_qp;
    gone_qp_q   <= s_given_up_qp;
  end
  wire          sent    = sent_q;
  wire [7:0]    opened_d = opened_mem[opened_qp_q] + 8'd1;

  always_ff @(posedge clk) begin : answers
    if (clear)                opened_mem[ctl_qp]      <= '0;
    else if (opened_q && !rst) opened_mem[opened_qp_q] <= opened_d;
    if (clear)                begun_mem[ctl_qp]       <= '0;
    else if (begun_q && !rst) begun_mem[begun_qp_q]   <= begun_mem[begun_qp_q] + 8'd1;
    if (clear)                sent_mem[ctl_qp]        <= '0;
    else if (sent && !rst)    sent_mem[ended_qp_q]    <= sent_mem[ended_qp_q] + 8'd1;
    if (clear)                gone_mem[ctl_qp]        <= '0;
    else if (gone_q && !rst)  gone_mem[gone_qp_q]     <= gone_mem[gone_qp_q] + 8'd1;
    if (clear)                silent_mem[ctl_qp]      <= '0;
    else if (silent_q && !rst) silent_mem[gone_qp_q]  <= silent_mem[gone_qp_q] + 8'd1;
    if (clear) round_mem[ctl_qp] <= s_ctl.round;
  end

  // A queue pair comes up when it owes something new and when an answer of it was sent. (One is given up for a new one: that will be.)
  logic          pop_valid, ack_pushed, sent_pushed, sent_pend_q;
  logic [QW-1:0] pop_qp, sent_qp_q, qp_q;
  always_ff @(posedge clk) begin : sent_event
    if (rst) sent_pend_q <= 1'b0;
    else if (sent) sent_pend_q <= 1'b1;
    else if (sent_pushed) sent_pend_q <= 1'b0;
    if (sent) sent_qp_q <= ended_qp_q;
  end
  qp_queue #(.QPS(QPS), .PUSHERS(2)) u_queue (
    .clk, .rst, .s_valid({s_ack_valid && !again_q, sent_pend_q}), .s_ready({ack_pushed, sent_pushed}), .s_qp({s_ack_qp, sent_qp_q}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE && !s_ctl_valid), .m_qp(pop_qp));
  assign s_ack_ready = ack_pushed && !again_q;
  wire   ack_in      = s_ack_valid && s_ack_ready;

  typedef enum logic [1:0] {ST_IDLE, ST_LOOK, ST_SEND} state_e;
  state_e state_q;
  logic   owes, unused_was, renewed_q;
  logic [7:0] since_q;
  (* ram_style = "distributed" *) logic [7:0]  since_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [55:0] debt_mem  [0:QPS-1];
  wire [7:0] since  = since_mem[qp_q];
  wire [7:0] behind = sent_mem[qp_q] + gone_mem[qp_q] - since;          // negative: an answer before it is open
  wire [7:0] begun  = begun_mem[qp_q] + silent_mem[qp_q];
  wire       passed = begun != since_q && begun - since_q < 8'd128;
  wire       leaves = m_ack_valid && m_ack_ready;

  // Looked up in the cycle that decides: a debt that comes while its queue pair is taken from the queue is seen.
  // `since`: the answers that were opened before it; when a duplicate opens one, that one too. With one behind it open it is as if that
  // had begun: which of the two leaves first is not known here.
  wire [7:0] opened = opened_mem[s_ack_qp] + 8'(opened_q && opened_qp_q == s_ack_qp);
  wire       newer  = opened_mem[opened_qp_q] != since_mem[opened_qp_q];
  always_ff @(posedge clk) begin : debts
    if (ack_in) debt_mem[s_ack_qp] <= debt_in;
    if (again_q) since_mem[opened_qp_q] <= newer ? begun_mem[opened_qp_q] + silent_mem[opened_qp_q] - 8'd1 : opened_d;
    else if (ack_in) since_mem[s_ack_qp] <= opened;
  end
  assign debt = debt_mem[qp_q];

  // A debt is over when it left or is needless. If it was renewed since it was looked up it stays owed: the queue shows it again.
  prim_flags #(.N(QPS)) u_owes (
    .clk, .set_en(ack_in), .set_index(s_ack_qp), .clear_en(clear || (over && !renewed_q && !renewed)),
    .clear_index(clear ? ctl_qp : qp_q), .set_was(unused_was), .index(qp_q), .flag(owes));
  wire over       = state_q == ST_SEND && (leaves || passed);
  wire renewed    = ack_in && s_ack_qp == qp_q;
  wire postponed  = again_q && opened_qp_q == qp_q;                     // an answer was opened that goes before it
  wire taken      = state_q == ST_LOOK && owes && !behind[7] && !postponed;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (pop_valid && !s_ctl_valid) state_q <= ST_LOOK;
        // Owed, and no answer before it is open: send. Else whoever changes that brings it up again.
        ST_LOOK: state_q <= taken ? ST_SEND : ST_IDLE;
        // An answer behind it that has begun acknowledges it too: it would leave out of order.
        ST_SEND: if (over || postponed) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) qp_q <= pop_qp;
    if (state_q == ST_LOOK) begin
      debt_q  <= debt;
      since_q <= since;
    end
    renewed_q <= state_q != ST_IDLE && (renewed_q || renewed);
  end

  assign m_ack_valid = state_q == ST_SEND && !passed;
  always_comb begin : packet
    m_ack          = '0;
    m_ack.bare     = 1'b1;
    m_ack.qpn      = 24'(qp_q);
    m_ack.opcode   = ib_pkg::OP_RC_ACKNOWLEDGE;
    m_ack.psn      = debt_q.psn;
    m_ack.msn      = debt_q.msn;
    m_ack.syndrome = debt_q.syndrome;
  end

  assign s_ctl_ready = state_q == ST_IDLE && !opened_q && !sent_q && !begun_q && !gone_q && !s_ack_valid;
  wire unused = &{1'b0, unused_was, s_ctl.op, s_ctl.psn, s_ctl.qpn, behind};

endmodule

`default_nettype wire
