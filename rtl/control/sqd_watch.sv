// sqd_watch: tells when a send queue in SQD has drained (10.3.1.5): once, behind the completions of what was under way.
//
// Contract: s_set when the requester is known to start nothing more; s_clear when the state is left. The event comes when no message of
//           the queue pair is in flight and what was completed until then is in memory. Timing: a look at a queue pair is a cycle.

`default_nettype none

module sqd_watch #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   s_set,
  input  wire logic                   s_clear,
  input  wire logic [$clog2(QPS)-1:0] s_qp,
  output      logic [$clog2(QPS)-1:0] look_qp,         // flight table
  input  wire logic                   empty,
  output      logic                   m_mark,          // completions of before
  input  wire logic                   s_drained,       // are in memory
  output      logic                   m_event_valid,
  input  wire logic                   m_event_ready,
  output      logic [31:0]            m_event          // {event, number}
);

  typedef enum logic [1:0] {ST_SCAN, ST_MARK, ST_WAIT, ST_TELL} state_e;
  state_e                 state_q;
  logic [$clog2(QPS)-1:0] qp_q;
  logic                   armed, told, unused_was;
  assign told = state_q == ST_TELL && armed && m_event_ready && !s_clear;

  prim_flags #(.N(QPS)) u_armed (
    .clk, .set_en(s_set), .set_index(s_qp), .clear_en(s_clear || told), .clear_index(s_clear ? s_qp : qp_q), .set_was(unused_was),
    .index(qp_q), .flag(armed));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_SCAN;
      qp_q    <= '0;
    end else begin
      case (state_q)
        ST_SCAN: if (armed && empty) state_q <= ST_MARK;
                 else qp_q <= qp_q + 1'b1;
        ST_MARK: state_q <= ST_WAIT;
        ST_WAIT: if (s_drained) state_q <= ST_TELL;
        ST_TELL: if (told || !armed) state_q <= ST_SCAN;
        default: state_q <= ST_SCAN;
      endcase
    end
  end

  assign look_qp       = qp_q;
  assign m_mark        = state_q == ST_MARK;
  assign m_event_valid = state_q == ST_TELL && armed && !s_clear;
  assign m_event       = {ib_pkg::EVENT_TYPE_SQ_DRAINED, 24'(qp_q)};
  wire unused = &{1'b0, unused_was};

endmodule

`default_nettype wire
