// rsp_commit: does what a judged packet asks for once the gate has spoken: places data, answers, or fails its queue pair (9.7.5, 10.10.4).
//
// Contract: records are done in order. A packet that is refused, by its record or by its plan, is NAKed and its queue pair fails: the
//           receive WQE in use completes in error, else an event tells; what was judged behind it is dropped. Payload goes to
//           memory only through a scatter command whose every piece the gate has allowed.
// Timing:   2 cycles a packet, 1 more for each chunk behind the first; a refusal 5.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "responder.svh"

module rsp_commit #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_credits,     // offered

  input  wire logic                   s_rsp_valid,
  output      logic                   s_rsp_ready,
  input  wire rsp_t                   s_rsp,
  output      logic                   m_done,          // with a record

  input  wire logic                   plan_done,       // rsp_plan
  output      logic                   m_plan_ready,
  input  wire logic                   plan_ok,
  input  wire logic                   plan_short,
  input  wire logic [2:0]             plan_cause,
  input  wire logic [4:0]             plan_chunks,
  input  wire logic                   plan_chunk_valid,
  output      logic                   m_plan_chunk_ready,
  input  wire chunk_t                 plan_chunk,

  output      logic                   m_cmd_valid,     // scatter
  input  wire logic                   m_cmd_ready,
  output      rsp_t                   m_rsp,           // the packet in hand
  output      logic [4:0]             m_cmd_chunks,
  output      logic                   m_cmd_tok_valid,
  output      tok_t                   m_cmd_tok,
  output      logic                   m_chunk_valid,
  input  wire logic                   m_chunk_ready,
  output      chunk_t                 m_chunk,
  output      logic                   m_free_valid,    // slot of a packet that writes nothing
  input  wire logic                   m_free_ready,

  output      rsp_t                   m_read,          // a READ or atomic to be answered
  output      logic                   m_read_valid,
  input  wire logic                   m_read_ready,
  output      logic [23:0]            m_read_msn,
  output      logic                   m_ack_valid,
  input  wire logic                   m_ack_ready,
  output      logic [23:0]            m_ack_msn,
  output      logic [7:0]             m_ack_syndrome,

  output      logic                   m_error_valid,   // the queue pair fails
  input  wire logic                   m_error_ready,
  output      logic                   m_event_valid,   // tell the consumer
  input  wire logic                   m_event_ready,
  output      logic [7:0]             m_event,
  output      logic                   m_flush_valid,   // receive WQEs from this index on are flushed
  input  wire logic                   m_flush_ready,
  output      logic [15:0]            m_flush_index,
  output      logic                   m_drop_valid,    // count it
  output      logic [4:0]             m_drop_reason,

  input  wire logic [$clog2(QPS)-1:0] look_qp,         // of rsp_check
  output      logic                   look_dead,
  output      logic [63:0]            look_end,        // dead: {WQE index, MSN, PSN} where it failed
  input  wire logic                   s_clear_valid,   // Reset of look_qp
  input  wire logic                   s_clear_ready
);

  localparam int QW = $clog2(QPS);

  typedef enum logic [2:0] {ST_IDLE, ST_READ, ST_DO, ST_EVENT, ST_FAIL, ST_FLUSH} step_e;
  step_e step_q;
  rsp_t  head, rsp_q;
  assign head = s_rsp;

  // Queue pairs that failed; orders clear them.
  logic          head_dead, unused_was;
  logic          fails;
  wire  [QW-1:0] qp = head.qpn[QW-1:0];
  prim_flags #(.N(QPS), .LOOKUPS(2)) u_dead (
    .clk, .set_en(fails && !rst), .set_index(qp), .clear_en(s_clear_valid && s_clear_ready), .clear_index(look_qp), .set_was(unused_was),
    .index({qp, look_qp}), .flag({head_dead, look_dead}));
  (* ram_style = "distributed" *) logic [63:0] end_mem [0:QPS-1];
  assign look_end = end_mem[look_qp];

  wire is_send   = head.opcode <= ib_pkg::OP_RC_SEND_ONLY_IMM;
  wire is_write  = head.opcode >= ib_pkg::OP_RC_WRITE_FIRST && head.opcode <= ib_pkg::OP_RC_WRITE_ONLY_IMM;
  wire asks      = !is_send && !is_write;
  wire with_imm  = ib_pkg::op_has_immdt(head.opcode);

  // The verdict. A plan's refusal goes before the record's.
  wire known     = s_rsp_valid && (!head.planned || plan_done);
  wire barred    = head.planned && !plan_ok;
  wire refused   = known && !head_dead && !head.again && (barred || head.refuse);
  wire executed  = known && !head_dead && head.accept && !barred;
  wire repeated  = known && !head_dead && head.again && !barred;
  wire uses_wqe  = barred ? is_send : head.wqe;
  wire completes = refused && uses_wqe;                                 // in error
  logic [7:0] syndrome, status;
  always_comb begin : refusal
    syndrome = head.syndrome;
    status   = head.status;
    if (barred) begin
      syndrome = is_send ? (plan_short ? ib_pkg::NAK_SYNDROME_NAK_INVALID_REQUEST : ib_pkg::NAK_SYNDROME_NAK_REMOTE_OPERATIONAL)
                         : ib_pkg::NAK_SYNDROME_NAK_REMOTE_ACCESS;
      status   = plan_short ? ib_pkg::WC_STATUS_LOC_LEN_ERR : ib_pkg::WC_STATUS_LOC_PROT_ERR;
    end
  end

  // Data or a completion goes to scatter at once; a READ is told first, so that it is there before it may start.
  wire  reads    = executed && asks;
  logic told_q;                              // the READ in hand has been told
  wire  commands = (executed && (!asks || told_q)) || completes;
  assign m_cmd_valid  = step_q == ST_IDLE && commands;
  assign m_cmd_chunks = executed ? plan_chunks : 5'd0;
  wire   commanded    = m_cmd_valid && m_cmd_ready;
  wire   leaves       = step_q == ST_IDLE && known && (commands ? m_cmd_ready : !reads);
  assign m_plan_ready = leaves && head.planned;
  assign s_rsp_ready  = leaves;
  assign m_rsp        = step_q == ST_IDLE ? head : rsp_q;
  assign fails        = leaves && refused;
  always_ff @(posedge clk) if (fails && !rst) end_mem[qp] <= {head.index + 16'(uses_wqe), head.msn, head.epsn};

  // What is left to do, each by itself; but an answer to a READ's duplicate has none.
  logic [4:0]  chunks_q;                     // of the plan, to be written or forgotten
  logic        writes_q, free_q, ack_q, repeat_q, event_q, fails_q;
  logic [23:0] msn_q;
  logic [7:0]  syndrome_q, event_type_q;
  logic [15:0] flush_q;
  wire  chunk_gone = step_q == ST_DO && chunks_q != '0 && plan_chunk_valid && (!writes_q || m_chunk_ready);
  assign m_chunk_valid      = step_q == ST_DO && chunks_q != '0 && writes_q && plan_chunk_valid;
  assign m_plan_chunk_ready = chunk_gone;
  assign m_chunk            = plan_chunk;
  assign m_free_valid       = step_q == ST_DO && free_q;
  assign m_ack_valid        = step_q == ST_DO && ack_q;
  assign m_ack_msn          = msn_q;
  assign m_ack_syndrome     = syndrome_q;
  wire   chunks_over = chunks_q == '0 || (chunks_q == 5'd1 && chunk_gone);
  wire   done        = step_q == ST_DO && chunks_over && (!free_q || m_free_ready) && (!ack_q || m_ack_ready) && (!repeat_q || m_read_ready);

  wire [7:0] credit_syndrome = cap_credits ? {3'b0, rc_pkg::credit_code(head.credits)} : ib_pkg::NAK_SYNDROME_ACK_NO_CREDITS;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
      told_q <= 1'b0;
    end else begin
      case (step_q)
        ST_IDLE: if (reads && !told_q) step_q <= ST_READ;
                 else if (leaves) step_q <= ST_DO;
        ST_READ: if (m_read_ready) step_q <= ST_IDLE;
        ST_DO: if (done) step_q <= event_q ? ST_EVENT : fails_q ? ST_FAIL : ST_IDLE;
        ST_EVENT: if (m_event_ready) step_q <= fails_q ? ST_FAIL : ST_IDLE;
        ST_FAIL: if (m_error_ready) step_q <= ST_FLUSH;
        ST_FLUSH: if (m_flush_ready) step_q <= ST_IDLE;
        default: step_q <= ST_IDLE;
      endcase
      if (step_q == ST_READ && m_read_ready) told_q <= 1'b1;
      else if (leaves) told_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin : work
    if (step_q == ST_IDLE) begin
      rsp_q        <= head;
      chunks_q     <= head.planned ? plan_chunks : 5'd0;
      writes_q     <= executed;
      free_q       <= !executed && !completes;
      ack_q        <= !head_dead && (refused || (head.ack && !head.again));
      syndrome_q   <= refused ? syndrome : head.good ? credit_syndrome : head.syndrome;
      msn_q        <= head.msn + 24'(executed && head.counts);
      repeat_q     <= repeated;
      event_q      <= (refused && !uses_wqe) || (executed && head.established);
      event_type_q <= refused ? head.event_type : ib_pkg::EVENT_TYPE_COMM_EST;
      fails_q      <= refused;
      flush_q      <= head.index + 16'(uses_wqe);
    end else if (step_q == ST_DO) begin
      if (chunk_gone) chunks_q <= chunks_q - 5'd1;
      if (m_free_ready) free_q <= 1'b0;
      if (m_ack_ready) ack_q <= 1'b0;
      if (m_read_ready) repeat_q <= 1'b0;
    end
  end

  // The completion: of the message that ends, or of the receive WQE that a refusal uses up.
  cqe_t cqe;
  always_comb begin : completion
    cqe           = '0;
    cqe.qpn       = head.qpn;
    cqe.queue     = 1'b1;
    cqe.wqe_index = head.index;
    cqe.opcode    = is_write ? ib_pkg::WC_OPCODE_RECV_RDMA_WITH_IMM : ib_pkg::WC_OPCODE_RECV;
    if (completes) begin
      cqe.opcode = ib_pkg::WC_OPCODE_RECV;
      cqe.status = status;
      cqe.vendor = barred ? {13'b0, plan_cause} : 16'd0;
    end else begin
      cqe.with_imm   = with_imm;
      cqe.grh        = head.grh;
      cqe.solicited  = head.solicited;
      cqe.byte_len   = head.byte_len;
      if (with_imm) cqe.immediate = {head.imm[7:0], head.imm[15:8], head.imm[23:16], head.imm[31:24]};
      cqe.slid       = head.slid;
      cqe.sl         = head.sl;
      cqe.path_bits  = head.path_bits;
      cqe.src_qpn    = head.src_qpn;
      cqe.pkey_index = head.pkey_index;
    end
  end
  assign m_cmd_tok_valid = completes || head.ends || asks;
  assign m_cmd_tok.read   = executed && asks;
  assign m_cmd_tok.placed = 1'b0;
  assign m_cmd_tok.silent = 1'b0;
  assign m_cmd_tok.cqn    = executed && asks ? head.qpn : head.recv_cqn;
  assign m_cmd_tok.cqe    = cqe;

  assign m_read        = rsp_q;
  assign m_read_valid  = step_q == ST_READ || (step_q == ST_DO && repeat_q);
  assign m_read_msn    = rsp_q.again ? rsp_q.msn : rsp_q.msn + 24'd1;
  assign m_event_valid = step_q == ST_EVENT;
  assign m_event       = event_type_q;
  assign m_error_valid = step_q == ST_FAIL;
  assign m_flush_valid = step_q == ST_FLUSH;
  assign m_flush_index = flush_q;
  always_ff @(posedge clk) begin : count_drop
    m_drop_valid  <= !rst && leaves && (head_dead || head.drop);
    m_drop_reason <= head_dead ? ib_pkg::DROP_REASON_STATE : head.reason;
  end
  assign m_done        = (done && !event_q && !fails_q) || (step_q == ST_EVENT && m_event_ready && !fails_q) ||
                         (step_q == ST_FLUSH && m_flush_ready);

  wire unused = &{1'b0, unused_was, rsp_q, commanded};

endmodule

`default_nettype wire
