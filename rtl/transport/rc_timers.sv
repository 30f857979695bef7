// rc_timers: tells when a queue pair has waited too long for an acknowledge (9.7.6.1.3), or long enough for a receiver not ready (9.7.5.2.8).
//
// Contract: queue pairs are looked at by turns; the time runs from the look that finds the stamp changed, so a delay is never short. An
//           ACK time-out is T = tick x 2^ack_timeout cycles, 0 means never; it is waited for while a packet that asks for an answer
//           has left since the queue pair went back and has none; without a link, for what wants to leave. An RNR delay of n x 10 us is
//           n x 2.5 ticks. An expiry carries its stamp: who takes it drops one that is stale. It is told again after another T.
// Timing:   one look is 2 cycles, 6 at a queue pair that waits: a time-out is seen at most 6 x QPS cycles late.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module rc_timers #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_retry,
  input  wire logic [15:0]            tick,            // cycles of 4.096 us

  input  wire logic                   s_watch_valid,   // what the completer last knew of watched_qp
  input  wire logic [$clog2(QPS)-1:0] watched_qp,
  input  wire watch_t                 s_watch,
  input  wire logic                   s_left_valid,    // a request that asks for an answer leaves
  input  wire logic [$clog2(QPS)-1:0] left_qp,
  input  wire left_t                  s_left,
  input  wire logic                   link_up,
  output      logic [$clog2(QPS)-1:0] look_qp,         // flight table
  input  wire logic [23:0]            sent_next,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic                   m_valid,         // time is over
  input  wire logic                   m_ready,
  output      logic [$clog2(QPS)-1:0] m_qp,
  output      logic                   m_rnr,
  output      logic [2:0]             m_stamp
);

  localparam int QW = $clog2(QPS);
  localparam int TW = 48;                    // of the clock: 2^31 ticks of 2^16 cycles do not wrap while they are waited for

  (* ram_style = "distributed" *) logic [36:0]   watch_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [27:0]   left_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [TW-1:0] since_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [3:0]    seen_mem  [0:QPS-1];  // {waiting, stamp} at that time
  initial for (int i = 0; i < QPS; i++) begin
    watch_mem[i] = '0;
    left_mem[i]  = '0;
    since_mem[i] = '0;
    seen_mem[i]  = '0;
  end

  typedef enum logic [2:0] {ST_LOOK, ST_WEIGH, ST_CFG, ST_LIMIT, ST_COMPARE, ST_TELL} state_e;
  state_e        state_q;
  logic [QW-1:0] qp_q;
  logic [TW-1:0] now_q, since_q, passed_q;
  logic [TW:0]   limit_q;                    // half cycles
  watch_t        watch_q;
  logic [3:0]    seen_q;
  logic          waits_q;
  qpc_t          cfg;
  assign cfg     = ib_pkg::QPC_W'(s_cfg_data);
  assign look_qp = qp_q;

  // The host may keep a message long after it was opened: the time begins when what asks has left (9.7.6.1.3).
  watch_t now;
  left_t  left;
  assign now  = watch_mem[qp_q];
  assign left = left_mem[qp_q];
  wire [23:0] owed  = sent_next - 24'd1 - now.acked;
  wire [23:0] asked = left.psn - now.acked;                             // not positive: answered
  wire        asks  = left.turn == now.turn && left.round == now.round && asked != '0 && !asked[23];
  wire        waits = now.rnr || (owed != '0 && (asks || !link_up));
  wire        same  = seen_q == {waits_q, watch_q.stamp};

  // Taken in a cycle later: the link decides late in its cycle.
  logic          left_valid_q;
  logic [QW-1:0] left_qp_q;
  left_t         left_q;
  always_ff @(posedge clk) begin : leaves
    left_valid_q <= !rst && s_left_valid;
    left_qp_q    <= left_qp;
    left_q       <= s_left;
  end

  logic [18:0] unit_q;                       // 5 ticks
  always_ff @(posedge clk) begin : clock
    now_q  <= rst ? '0 : now_q + 1'b1;
    unit_q <= {1'b0, tick, 2'b0} + 19'(tick);
  end
  wire [4:0]  value   = watch_q.rnr ? watch_q.code : cfg.ack_timeout;
  wire        thrice  = value[0] && value != 5'd1;
  wire [4:0]  shift   = value == '0 ? 5'd16 : value == 5'd1 ? 5'd0 : thrice ? (value - 5'd3) >> 1 : value >> 1;
  wire        running = (cfg.state == ib_pkg::QP_STATE_RTS || cfg.state == ib_pkg::QP_STATE_SQD) &&
                        (watch_q.rnr || (cap_retry && value != '0));
  logic [20:0] mantissa_q;                   // in half ticks
  logic [4:0]  shift_q;
  logic        running_q;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_LOOK;
    end else begin
      case (state_q)
        ST_LOOK: state_q <= ST_WEIGH;
        ST_WEIGH: state_q <= waits_q && same ? ST_CFG : ST_LOOK;
        ST_CFG: if (s_cfg_valid) state_q <= ST_LIMIT;
        ST_LIMIT: state_q <= ST_COMPARE;
        ST_COMPARE: state_q <= running_q && {passed_q, 1'b0} >= limit_q ? ST_TELL : ST_LOOK;
        ST_TELL: if (m_ready) state_q <= ST_LOOK;
        default: state_q <= ST_LOOK;
      endcase
    end
  end

  wire next = (state_q == ST_WEIGH && !(waits_q && same)) || (state_q == ST_COMPARE && !(running_q && {passed_q, 1'b0} >= limit_q)) ||
              (state_q == ST_TELL && m_ready);
  wire anew = (state_q == ST_WEIGH && !(waits_q && same)) || (state_q == ST_TELL && m_ready);
  always_ff @(posedge clk) begin : work
    if (rst) qp_q <= '0;
    else if (next) qp_q <= qp_q + 1'b1;
    if (state_q == ST_LOOK) begin
      watch_q <= now;
      seen_q  <= seen_mem[qp_q];
      since_q <= since_mem[qp_q];
      waits_q <= waits;
    end
    // Half ticks, times one or three times a power of two.
    if (s_cfg_valid) begin
      running_q  <= running;
      mantissa_q <= !watch_q.rnr ? 21'({tick, 1'b0}) : thrice ? 21'({unit_q, 1'b0}) + 21'(unit_q) : 21'(unit_q);
      shift_q    <= watch_q.rnr ? shift : value;
    end
    if (state_q == ST_LIMIT) begin
      limit_q  <= (TW+1)'(mantissa_q) << shift_q;
      passed_q <= now_q - since_q;
    end
    if (anew) begin
      since_mem[qp_q] <= now_q;
      seen_mem[qp_q]  <= {waits_q, watch_q.stamp};
    end
    if (s_watch_valid) watch_mem[watched_qp] <= s_watch;
    if (left_valid_q)  left_mem[left_qp_q]   <= left_q;
  end

  assign m_cfg_valid = state_q == ST_WEIGH && waits_q && same;
  assign m_cfg_qp    = qp_q;
  assign m_valid     = state_q == ST_TELL;
  assign m_qp        = qp_q;
  assign m_rnr       = watch_q.rnr;
  assign m_stamp     = watch_q.stamp;

  wire unused = &{1'b0, cfg};

endmodule

`default_nettype wire
