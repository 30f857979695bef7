// rx_park: request packets that wait for a receive WQE or for an atomic before them, in order per queue pair, without holding up others.
//
// Contract: s_park puts a packet behind the others of its queue pair; s_wake says that receive WQEs arrived, s_executed that an atomic was executed: the oldest packet
//           of that queue pair then shows at m_; s_drop takes it away, and the next one shows; s_keep leaves it until woken again.

`default_nettype none
`include "prim_assert.svh"
`include "hca_types.svh"

module rx_park #(
  parameter int QPS   = 64,
  parameter int SLOTS = 16                   // packets that can be anywhere: one receive buffer slot each
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_park,
  input  wire rx_desc_t               s_desc,
  input  wire logic [$clog2(QPS)-1:0] look_qp,
  output      logic                   parked,          // packets of look_qp wait

  input  wire logic                   s_retry,         // look at look_qp again, its state changed meanwhile
  input  wire logic                   s_wake_valid,
  output      logic                   s_wake_ready,
  input  wire logic [$clog2(QPS)-1:0] s_wake_qp,
  input  wire logic                   s_executed_valid,
  output      logic                   s_executed_ready,
  input  wire logic [$clog2(QPS)-1:0] s_executed_qp,

  output      logic                   m_valid,         // try this packet again
  output      rx_desc_t               m_desc,
  input  wire logic                   s_drop,          // it is done with
  input  wire logic                   s_keep           // it has to wait on
);

  localparam int QW = $clog2(QPS);
  localparam int SW = $clog2(SLOTS);

  // A list per queue pair: who is first, who is last, who follows whom. Counts have one writer each.
  (* ram_style = "distributed" *) logic [SW-1:0] first_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [SW-1:0] last_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [SW:0]   in_mem    [0:QPS-1];
  (* ram_style = "distributed" *) logic [SW:0]   out_mem   [0:QPS-1];
  (* ram_style = "distributed" *) logic [SW-1:0] next_mem  [0:SLOTS-1];
  initial for (int i = 0; i < QPS; i++) begin
    in_mem[i]  = '0;
    out_mem[i] = '0;
  end

  logic [QW:0]  sweep_q;                     // queue pairs whose list has been emptied since reset
  wire          swept = sweep_q[QW];
  always_ff @(posedge clk) sweep_q <= rst ? '0 : sweep_q + (QW+1)'(!swept);

  wire [QW-1:0] park_qp = s_desc.qpn[QW-1:0];
  wire [SW-1:0] slot    = s_desc.slot[SW-1:0];
  wire [SW:0]   in_now  = in_mem[park_qp];
  wire          alone   = in_now == out_mem[park_qp];
  wire [SW-1:0] last    = last_mem[park_qp];
  assign parked = in_mem[look_qp] != out_mem[look_qp];

  typedef enum logic [1:0] {ST_IDLE, ST_READ, ST_SHOW, ST_AGAIN} state_e;
  state_e        state_q;
  logic [QW-1:0] qp_q, pop_qp;
  logic          pop_valid, again_ready;
  wire  [SW:0]   out_now  = out_mem[qp_q];
  wire           waiting  = in_mem[qp_q] != out_now;
  wire  [SW-1:0] first    = first_mem[qp_q];

  // A packet that was just parked is tried once more: its WQE may have come in between.
  logic          retry_valid, retry_ready, retry_room;
  logic [QW-1:0] retry_qp;
  prim_skid #(.DATA_W(QW)) u_retry (
    .clk, .rst, .s_valid(s_park || s_retry), .s_ready(retry_room), .s_data(s_park ? park_qp : look_qp),
    .m_valid(retry_valid), .m_ready(retry_ready), .m_data(retry_qp));
  `ASSERT(a_retry, !(s_park || s_retry) || retry_room)
  `ASSERT(a_one_retry, !(s_park && s_retry))

  qp_queue #(.QPS(QPS), .PUSHERS(4)) u_awake (
    .clk, .rst, .s_valid({s_executed_valid, s_wake_valid, state_q == ST_AGAIN, retry_valid}),
    .s_ready({s_executed_ready, s_wake_ready, again_ready, retry_ready}), .s_qp({s_executed_qp, s_wake_qp, qp_q, retry_qp}),
    .m_valid(pop_valid), .m_ready(state_q == ST_IDLE), .m_qp(pop_qp));

  prim_ram #(.WIDTH($bits(rx_desc_t'('0))), .DEPTH(SLOTS)) u_descs (
    .clk, .wr_en(s_park), .wr_addr(slot), .wr_data(s_desc), .rd_en(state_q == ST_READ), .rd_addr(first), .rd_data(m_desc));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (pop_valid) state_q <= ST_READ;
        ST_READ: state_q <= waiting ? ST_SHOW : ST_IDLE;
        // The responder looks at it.
        ST_SHOW: if (s_drop) state_q <= ST_AGAIN;
                 else if (s_keep) state_q <= ST_IDLE;
        ST_AGAIN: if (again_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) qp_q <= pop_qp;
  end

  always_ff @(posedge clk) begin : lists
    if (!swept) in_mem[sweep_q[QW-1:0]] <= '0;
    else if (s_park) in_mem[park_qp] <= in_now + 1'b1;
    if (s_park) begin
      last_mem[park_qp] <= slot;
      if (!alone) next_mem[last] <= slot;
    end
    if (s_park && alone) first_mem[park_qp] <= slot;
    else if (state_q == ST_SHOW && s_drop) first_mem[qp_q] <= next_mem[first];
    if (!swept) out_mem[sweep_q[QW-1:0]] <= '0;
    else if (state_q == ST_SHOW && s_drop) out_mem[qp_q] <= out_now + 1'b1;
  end

  assign m_valid = state_q == ST_SHOW;
  `ASSERT(a_one_writer, !(s_park && alone && state_q == ST_SHOW && s_drop))

endmodule

`default_nettype wire
