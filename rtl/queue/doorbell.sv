// doorbell: takes doorbells, refuses the wrong ones, keeps the producer indices of all work queues.
//
// Contract: what a doorbell must satisfy is docs/programming.md, "Rings"; a refused one changes nothing and is counted.
//           CQ and EQ doorbells go on to those who keep their consumer indices. Timing: 5 cycles a doorbell.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module doorbell #(
  parameter int QPS     = 64,
  parameter int CQS     = 32,
  parameter int EQS     = 4,
  parameter int LOOKUPS = 4
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic [QPS-1:0]         qp_owned,
  input  wire logic [CQS-1:0]         cq_owned,
  input  wire logic [EQS-1:0]         eq_owned,

  input  wire logic                   s_db_valid,
  output      logic                   s_db_ready,
  input  wire logic [3:0]             s_db_page,
  input  wire logic [11:0]            s_db_offset,     // in its page
  input  wire logic [63:0]            s_db_data,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic [1:0]             m_ring_valid,    // new WQEs: 0 send queue, 1 receive queue
  input  wire logic [1:0]             m_ring_ready,
  output      logic [$clog2(QPS)-1:0] m_ring_qp,
  output      logic                   m_flush_valid,   // the same, for flush
  input  wire logic                   m_flush_ready,
  output      logic                   m_flush_queue,
  output      logic                   m_cq_valid,
  input  wire logic                   m_cq_ready,
  output      logic                   m_eq_valid,
  input  wire logic                   m_eq_ready,
  output      logic [23:0]            m_number,        // of the CQ or EQ
  output      logic [3:0]             m_page,
  output      logic [23:0]            m_index,
  output      logic [1:0]             m_arm,
  output      logic                   m_refused,

  input  wire logic [LOOKUPS*$clog2(QPS)-1:0] look_qp,
  output      logic [LOOKUPS*16-1:0]  look_sq,
  output      logic [LOOKUPS*16-1:0]  look_rq,

  input  wire logic                   s_ctl_valid,     // CTL_CLEAR
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl
);

  localparam int QW = $clog2(QPS);

  (* ram_style = "distributed" *) logic [15:0] sq_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [15:0] rq_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    sq_mem[i] = '0;
    rq_mem[i] = '0;
  end
  for (genvar i = 0; i < LOOKUPS; i++) begin : g_lookup
    assign look_sq[i*16 +: 16] = sq_mem[look_qp[i*QW +: QW]];
    assign look_rq[i*16 +: 16] = rq_mem[look_qp[i*QW +: QW]];
  end

  typedef enum logic [2:0] {ST_IDLE, ST_KIND, ST_CFG, ST_CHECK, ST_RING, ST_FLUSH, ST_CQ, ST_EQ} state_e;
  state_e           state_q;
  doorbell_record_t db_q;
  logic [11:0]      offset_q;
  logic [3:0]       page_q;
  qpc_t             cfg, cfg_q;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);

  wire is_sq = offset_q == ib_pkg::DB_SQ;
  wire is_rq = offset_q == ib_pkg::DB_RQ;
  wire is_cq = offset_q == ib_pkg::DB_CQ;
  wire is_eq = offset_q == ib_pkg::DB_EQ;
  wire [QW-1:0] qp = db_q.number[QW-1:0];
  wire clean  = db_q.resv0 == '0;
  wire qp_ok  = clean && db_q.number < 24'(QPS) && qp_owned[qp] && db_q.command == '0 && db_q.index[23:16] == '0;
  wire cq_ok  = clean && db_q.number < 24'(CQS) && cq_owned[db_q.number[$clog2(CQS)-1:0]] && db_q.command <= 8'd2;
  wire eq_ok  = clean && db_q.number < 24'(EQS) && eq_owned[db_q.number[$clog2(EQS)-1:0]] && db_q.command == '0;

  // The queue accepts posts in this state (10.3.1), and no more than its size at once.
  wire posts = is_sq ? cfg_q.state == ib_pkg::QP_STATE_RTS || cfg_q.state == ib_pkg::QP_STATE_SQD || cfg_q.state == ib_pkg::QP_STATE_ERR ||
                       cfg_q.state == ib_pkg::QP_STATE_SQE
                     : cfg_q.state != ib_pkg::QP_STATE_RESET;
  wire [15:0] old     = is_sq ? sq_mem[qp] : rq_mem[qp];
  wire [15:0] advance = db_q.index[15:0] - old;
  wire [15:0] size    = 16'd1 << (is_sq ? cfg_q.sq_log_size : cfg_q.rq_log_size);
  wire good = posts && cfg_q.uar == 16'(page_q) && advance <= size;

  assign s_db_ready  = state_q == ST_IDLE && !s_ctl_valid;
  assign m_cfg_valid = state_q == ST_KIND && (is_sq || is_rq) && qp_ok;
  assign m_cfg_qp    = qp;
  wire   refused     = (state_q == ST_KIND && !((is_sq || is_rq) && qp_ok) && !(is_cq && cq_ok) && !(is_eq && eq_ok)) ||
                       (state_q == ST_CHECK && !good);
  always_ff @(posedge clk) m_refused <= !rst && refused;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (s_db_valid && s_db_ready) state_q <= ST_KIND;
        ST_KIND: state_q <= m_cfg_valid ? ST_CFG : is_cq && cq_ok ? ST_CQ : is_eq && eq_ok ? ST_EQ : ST_IDLE;
        ST_CFG: if (s_cfg_valid) state_q <= ST_CHECK;
        ST_CHECK: state_q <= good ? ST_RING : ST_IDLE;
        // The fetcher and flush both hear of it; who of them is concerned, the state decides when they look.
        ST_RING: if (is_sq ? m_ring_ready[0] : m_ring_ready[1]) state_q <= ST_FLUSH;
        ST_FLUSH: if (m_flush_ready) state_q <= ST_IDLE;
        ST_CQ: if (m_cq_ready) state_q <= ST_IDLE;
        ST_EQ: if (m_eq_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) begin
      db_q     <= s_db_data;
      offset_q <= s_db_offset;
      page_q   <= s_db_page;
    end
    if (state_q == ST_CFG) cfg_q <= cfg;
  end

  wire clear = s_ctl_valid && s_ctl_ready;
  always_ff @(posedge clk) begin : producers
    if (clear) sq_mem[s_ctl.qpn[QW-1:0]] <= '0;
    else if (state_q == ST_CHECK && good && is_sq) sq_mem[qp] <= db_q.index[15:0];
    if (clear) rq_mem[s_ctl.qpn[QW-1:0]] <= '0;
    else if (state_q == ST_CHECK && good && !is_sq) rq_mem[qp] <= db_q.index[15:0];
  end

  assign m_ring_valid  = state_q == ST_RING ? {!is_sq, is_sq} : 2'b00;
  assign m_ring_qp     = qp;
  assign m_flush_valid = state_q == ST_FLUSH;
  assign m_flush_queue = !is_sq;
  assign m_cq_valid    = state_q == ST_CQ;
  assign m_eq_valid    = state_q == ST_EQ;
  assign m_number      = db_q.number;
  assign m_page        = page_q;
  assign m_index       = db_q.index;
  assign m_arm         = db_q.command[1:0];
  assign s_ctl_ready   = state_q == ST_IDLE;

  wire unused = &{1'b0, cfg_q, s_ctl};

endmodule

`default_nettype wire
