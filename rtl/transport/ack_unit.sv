// ack_unit: what each queue pair still has to acknowledge, as state of the queue pair, and sends it in its turn.
//
// Contract: a newer acknowledge takes the place of one that waits (9.7.5.1.2, coalescing); one of a PSN behind a READ waits
//           until that READ's last response is on its way (9.7.4: responses leave in PSN order).
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
  input  wire logic                   s_read_valid,    // a READ of s_ack_qp was accepted
  input  wire logic                   s_begun_valid,   // a READ's first response was chosen to leave
  input  wire logic [$clog2(QPS)-1:0] s_begun_qp,
  input  wire logic                   s_begun_round,
  input  wire logic                   s_sent_valid,    // a READ's last response is on its way
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

  // READs accepted, READs whose answer has begun, READs answered, modulo 256; each has one writer.
  (* ram_style = "distributed" *) logic [7:0] opened_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] begun_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] closed_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic       round_mem  [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    opened_mem[i] = '0;
    begun_mem[i]  = '0;
    closed_mem[i] = '0;
    round_mem[i]  = 1'b0;
  end

  typedef struct packed {
    logic [23:0] psn;
    logic [23:0] msn;
    logic [7:0]  syndrome;
    logic [7:0]  opened;                     // READs before it
  } debt_t;
  debt_t debt_in, debt, debt_q;

  wire [QW-1:0] ctl_qp  = s_ctl.qpn[QW-1:0];
  wire          clear   = s_ctl_valid && s_ctl_ready;
  // What others tell of READs is taken in a cycle later.
  logic          read_q, begun_q, sent_q;
  logic [QW-1:0] read_qp_q, begun_qp_q, ended_qp_q;
  always_ff @(posedge clk) begin : told
    read_q     <= !rst && s_read_valid;
    begun_q    <= !rst && s_begun_valid && s_begun_round == round_mem[s_begun_qp];
    sent_q     <= !rst && s_sent_valid && s_sent_round == round_mem[s_sent_qp];
    read_qp_q  <= s_ack_qp;
    begun_qp_q <= s_begun_qp;
    ended_qp_q <= s_sent_qp;
  end
  wire          sent    = sent_q;
  wire [7:0]    opened  = opened_mem[s_ack_qp] + 8'(read_q && read_qp_q == s_ack_qp);
  assign debt_in = {s_ack_psn, s_ack_msn, s_ack_syndrome, opened};

  always_ff @(posedge clk) begin : reads
    if (clear)             opened_mem[ctl_qp]   <= '0;
    else if (read_q && !rst)       opened_mem[read_qp_q] <= opened_mem[read_qp_q] + 8'd1;
    if (clear)             begun_mem[ctl_qp]    <= '0;
    else if (begun_q && !rst)      begun_mem[begun_qp_q] <= begun_mem[begun_qp_q] + 8'd1;
    if (clear)             closed_mem[ctl_qp]   <= '0;
    else if (sent && !rst)         closed_mem[ended_qp_q] <= closed_mem[ended_qp_q] + 8'd1;
    if (clear) round_mem[ctl_qp] <= s_ctl.round;
  end

  // A queue pair comes up when it owes something new and when a READ of it is over.
  logic          pop_valid, ack_pushed, sent_pushed, sent_pend_q;
  logic [QW-1:0] pop_qp, sent_qp_q, qp_q;
  always_ff @(posedge clk) begin : sent_event
    if (rst) sent_pend_q <= 1'b0;
    else if (sent) sent_pend_q <= 1'b1;
    else if (sent_pushed) sent_pend_q <= 1'b0;
    if (sent) sent_qp_q <= ended_qp_q;
  end
  qp_queue #(.QPS(QPS), .PUSHERS(2)) u_queue (
    .clk, .rst, .s_valid({s_ack_valid, sent_pend_q}), .s_ready({ack_pushed, sent_pushed}), .s_qp({s_ack_qp, sent_qp_q}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE && !s_ctl_valid), .m_qp(pop_qp));
  assign s_ack_ready = ack_pushed;
  wire   ack_in      = s_ack_valid && s_ack_ready;

  typedef enum logic [1:0] {ST_IDLE, ST_LOOK, ST_SEND} state_e;
  state_e state_q;
  logic   owes, unused_was;
  wire [7:0] behind = closed_mem[qp_q] - debt.opened;                   // negative: a READ before it is open
  wire       leaves = state_q == ST_SEND && m_ack_ready;

  // Looked up in the cycle that decides: a debt that comes while its queue pair is taken from the queue is seen.
  (* ram_style = "distributed" *) logic [63:0] debt_mem [0:QPS-1];
  always_ff @(posedge clk) if (ack_in) debt_mem[s_ack_qp] <= debt_in;
  assign debt = debt_mem[qp_q];

  // A debt that is renewed in the cycle in which the old one is read stays owed: the queue shows it again.
  prim_flags #(.N(QPS)) u_owes (
    .clk, .set_en(ack_in && !renewed), .set_index(s_ack_qp), .clear_en(clear || (taken && !renewed)),
    .clear_index(clear ? ctl_qp : qp_q), .set_was(unused_was), .index(qp_q), .flag(owes));
  wire taken      = state_q == ST_LOOK && owes && !behind[7];
  wire renewed    = ack_in && taken && s_ack_qp == qp_q;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (pop_valid && !s_ctl_valid) state_q <= ST_LOOK;
        // Owed, and no READ before it is open: send. Else whoever changes that brings it up again.
        ST_LOOK: state_q <= taken ? ST_SEND : ST_IDLE;
        // A READ behind it whose answer has begun acknowledges it too: it would leave out of order.
        ST_SEND: if (leaves || passed) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) qp_q <= pop_qp;
    if (state_q == ST_LOOK) debt_q <= debt;
  end

  wire   passed      = begun_mem[qp_q] != debt_q.opened && begun_mem[qp_q] - debt_q.opened < 8'd128;
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

  assign s_ctl_ready = state_q == ST_IDLE && !read_q && !sent_q && !begun_q && !s_ack_valid;
  wire unused = &{1'b0, unused_was, s_ctl.op, s_ctl.psn, s_ctl.qpn, behind};

endmodule

`default_nettype wire
