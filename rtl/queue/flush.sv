// flush: completes what queue pairs in Error have posted, and what they post later, in order, without reading a WQE (C10-42).
//
// Contract: a queue starts at the index that its engine hands over, when what its engines have given to scatter before is done, and
//           is flushed to its producer index; a later doorbell runs it again; queues take turns, one completion each; CTL_CLEAR
//           ends both queues of a QP. Timing: 5 cycles a completion.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module flush #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic [1:0]             s_start_valid,   // 0 send queue, 1 receive queue
  output      logic [1:0]             s_start_ready,
  input  wire logic [2*$clog2(QPS)-1:0] s_start_qp,
  input  wire logic [31:0]            s_start_index,
  output      logic                   m_mark,          // what was given to scatter up to now
  input  wire logic                   s_drained,       // is done
  input  wire logic                   s_ring_valid,    // a doorbell
  output      logic                   s_ring_ready,
  input  wire logic [$clog2(QPS)-1:0] s_ring_qp,
  input  wire logic                   s_ring_queue,
  input  wire logic [$clog2(QPS)-1:0] show_qp,         // for QUERY_QP: {being flushed, index of the next}
  output      logic [16:0]            show_sq,
  output      logic [16:0]            show_rq,
  output      logic [$clog2(QPS)-1:0] look_qp,         // look-up at the doorbells
  input  wire logic [15:0]            sq_producer,
  input  wire logic [15:0]            rq_producer,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic                   m_tok_valid,     // a completion
  input  wire logic                   m_tok_ready,
  output      tok_t                   m_tok,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl
);

  localparam int QW = $clog2(QPS);

  // Index of the next WQE to flush, and whether the queue is being flushed: {queue pair, queue}.
  (* ram_style = "distributed" *) logic [16:0] state_mem [0:2*QPS-1];
  initial for (int i = 0; i < 2 * QPS; i++) state_mem[i] = '0;

  typedef enum logic [3:0] {ST_IDLE, ST_MARK, ST_SETTLE, ST_START, ST_CFG, ST_TOKEN, ST_AGAIN, ST_CLEAR_SQ, ST_CLEAR_RQ} state_e;
  state_e      state_q;
  logic [QW:0] id_q, pop_id, start_id;
  logic        pop_valid, again_ready, start_pick;
  logic [15:0] start_index;
  logic [23:0] cqn_q;
  qpc_t        cfg;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);

  assign start_pick  = !s_start_valid[0];
  assign start_id    = start_pick ? {s_start_qp[QW +: QW], 1'b1} : {s_start_qp[0 +: QW], 1'b0};
  assign start_index = start_pick ? s_start_index[31:16] : s_start_index[15:0];
  wire   start       = state_q == ST_IDLE && !s_ctl_valid && s_start_valid != '0;
  assign s_start_ready = start ? (start_pick ? 2'b10 : 2'b01) : 2'b00;

  qp_queue #(.QPS(2 * QPS), .PUSHERS(2)) u_queue (
    .clk, .rst, .s_valid({s_ring_valid, state_q == ST_AGAIN}), .s_ready({s_ring_ready, again_ready}),
    .s_qp({s_ring_qp, s_ring_queue, id_q}), .m_valid(pop_valid),
    .m_ready(state_q == ST_IDLE && !s_ctl_valid && s_start_valid == '0), .m_qp(pop_id));

  wire [16:0] now      = state_mem[id_q];
  assign show_sq = state_mem[{show_qp, 1'b0}];
  assign show_rq = state_mem[{show_qp, 1'b1}];
  wire [15:0] producer = id_q[0] ? rq_producer : sq_producer;
  wire        work     = now[16] && now[15:0] != producer;
  assign look_qp     = id_q[QW:1];
  assign m_cfg_valid = state_q == ST_START && work;
  assign m_cfg_qp    = id_q[QW:1];
  wire   token       = state_q == ST_TOKEN && m_tok_ready;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (s_ctl_valid) state_q <= ST_CLEAR_SQ;
                 else if (start) state_q <= ST_MARK;
                 else if (pop_valid) state_q <= ST_START;
        // Older completions wait elsewhere for their turn: the order is theirs (C10-99.2.1).
        ST_MARK: state_q <= ST_SETTLE;
        ST_SETTLE: if (s_drained) state_q <= ST_AGAIN;
        ST_START: state_q <= work ? ST_CFG : ST_IDLE;
        ST_CFG: if (s_cfg_valid) state_q <= ST_TOKEN;
        ST_TOKEN: if (m_tok_ready) state_q <= ST_AGAIN;
        ST_AGAIN: if (again_ready) state_q <= ST_IDLE;
        ST_CLEAR_SQ: state_q <= ST_CLEAR_RQ;
        ST_CLEAR_RQ: state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  logic          put;                        // a RAM has one way in
  logic [QW:0]   put_id;
  logic [16:0]   put_state;
  always_comb begin : change
    put       = 1'b0;
    put_id    = id_q;
    put_state = '0;
    case (state_q)
      ST_IDLE: begin
        put       = start;
        put_id    = start_id;
        put_state = {1'b1, start_index};
      end
      ST_TOKEN: begin
        put       = token;
        put_state = {1'b1, now[15:0] + 16'd1};
      end
      ST_CLEAR_SQ, ST_CLEAR_RQ: begin
        put    = 1'b1;
        put_id = {s_ctl.qpn[QW-1:0], state_q == ST_CLEAR_RQ};
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin : work_on
    if (state_q == ST_IDLE) id_q <= start ? start_id : pop_id;
    if (state_q == ST_CFG) cqn_q <= id_q[0] ? cfg.recv_cqn : cfg.send_cqn;
    if (put) state_mem[put_id] <= put_state;
  end

  cqe_t cqe;
  always_comb begin : completion
    cqe           = '0;
    cqe.qpn       = 24'(id_q[QW:1]);
    cqe.queue     = id_q[0];
    cqe.opcode    = id_q[0] ? ib_pkg::WC_OPCODE_RECV : ib_pkg::WC_OPCODE_SEND;
    cqe.status    = ib_pkg::WC_STATUS_WR_FLUSH_ERR;
    cqe.wqe_index = now[15:0];
  end
  assign m_tok_valid = state_q == ST_TOKEN;
  assign m_tok.read  = 1'b0;
  assign m_tok.placed = 1'b0;
  assign m_tok.silent = 1'b0;
  assign m_tok.cqn   = cqn_q;
  assign m_tok.cqe   = cqe;
  assign s_ctl_ready = state_q == ST_CLEAR_RQ;
  assign m_mark      = state_q == ST_MARK;

  wire unused = &{1'b0, cfg, s_ctl.op, s_ctl.psn, s_ctl.qpn};

endmodule

`default_nettype wire
