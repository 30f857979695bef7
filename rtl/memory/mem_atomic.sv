// mem_atomic: executes atomics on 8 bytes of host memory, one after the other (9.4.5, 9.7.5.1.8).
//
// Contract: in order. An atomic reads only when the write of the one before was called ordered, and no other block's access comes
//           in its way: what it does is atomic among atomics. Numbers are little-endian. Compare and swap writes only if equal.
//           m_cause tells why nothing was done (of the gate; HOST: the read or the write failed; PAGE also if the host address is
//           no multiple of 8, which is so when start and offset of the region differ modulo 8). The epoch is held until the write
//           is ordered or, if none is made, until the host has answered.
// Timing:   behind each other, with a host that answers the next cycle, 15 cycles an atomic: take 1, read request 1, port 1, host 1,
//           port 1, data 1, compute 1, write request 1, to the port 4, host 1, ordered 2. The next one passes the gate meanwhile.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module mem_atomic #(
  parameter int DATA_W = 256,
  parameter int TAG    = 63,
  parameter int TAG_W  = 6,
  parameter int USER_W = 10                  // travels with the atomic
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_a_valid,
  output      logic                   s_a_ready,
  input  wire logic [31:0]            s_a_key,
  input  wire logic [23:0]            s_a_pd,
  input  wire logic [63:0]            s_a_va,          // a multiple of 8
  input  wire logic                   s_a_swap,        // compare and swap; else fetch and add
  input  wire logic [63:0]            s_a_swap_add,
  input  wire logic [63:0]            s_a_compare,
  input  wire logic [USER_W-1:0]      s_a_user,
  output      logic                   m_a_valid,
  input  wire logic                   m_a_ready,
  output      logic [2:0]             m_a_cause,       // 0: executed
  output      logic [63:0]            m_a_value,       // what was there before
  output      logic [USER_W-1:0]      m_a_user,

  output      logic                   m_gate_valid,
  input  wire logic                   m_gate_ready,
  output      logic [`GATE_REQ_W-1:0] m_gate_data,
  input  wire logic                   s_gate_valid,
  input  wire logic [`GATE_RSP_W-1:0] s_rsp_data,
  output      logic                   m_release_valid, // of what writes nothing
  output      logic                   m_release_epoch,

  output      logic                   m_req_valid,     // host read
  input  wire logic                   m_req_ready,
  output      logic [63:0]            m_req_addr,
  output      logic [12:0]            m_req_len,
  output      logic [TAG_W-1:0]       m_req_tag,
  input  wire logic                   s_cpl_valid,     // of all clients: the tag tells ours
  input  wire logic [TAG_W-1:0]       s_cpl_tag,
  input  wire logic [DATA_W-1:0]      s_cpl_data,
  input  wire logic                   s_cpl_last,
  input  wire logic                   s_cpl_error,

  output      logic                   m_wr_valid,      // to dma_wr
  input  wire logic                   m_wr_ready,
  output      logic [`SPAN_W-1:0]     m_wr_data,
  output      logic                   m_beat_valid,
  input  wire logic                   m_beat_ready,
  output      logic [DATA_W-1:0]      m_beat_data,
  input  wire logic                   s_ord_valid,
  input  wire logic                   s_ord_error
);

  localparam int LANES = DATA_W / 64;
  localparam int LW    = $clog2(LANES);

  typedef struct packed {
    logic              swap;
    logic [63:0]       swap_add;
    logic [63:0]       compare;
    logic [USER_W-1:0] user;
  } work_t;

  // The next one passes the gate.
  typedef enum logic [1:0] {NEXT_NONE, NEXT_ASK, NEXT_WAIT, NEXT_JUDGED} next_e;
  next_e       next_q;
  work_t       next_work_q, work_q;
  logic [31:0] key_q;
  logic [23:0] pd_q;
  logic [63:0] va_q;
  gate_rsp_t   verdict_q, verdict;
  logic        take;
  assign s_a_ready = next_q == NEXT_NONE;
  assign verdict   = s_rsp_data;

  gate_req_t req;
  always_comb begin : ask
    req      = '0;
    req.hold = 1'b1;
    req.key  = key_q;
    req.pd   = pd_q;
    req.need = 4'b1000;                      // remote atomic
    req.va   = va_q;
    req.len  = 32'd8;
  end
  assign m_gate_valid = next_q == NEXT_ASK;
  assign m_gate_data  = req;

  always_ff @(posedge clk) begin : front
    if (rst) begin
      next_q <= NEXT_NONE;
    end else begin
      case (next_q)
        NEXT_NONE:   if (s_a_valid) next_q <= NEXT_ASK;
        NEXT_ASK:    if (m_gate_ready) next_q <= NEXT_WAIT;
        NEXT_WAIT:   if (s_gate_valid) next_q <= NEXT_JUDGED;
        NEXT_JUDGED: if (take) next_q <= NEXT_NONE;
        default: next_q <= NEXT_NONE;
      endcase
    end
    if (s_a_valid && s_a_ready) begin
      next_work_q <= {s_a_swap, s_a_swap_add, s_a_compare, s_a_user};
      key_q       <= s_a_key;
      pd_q        <= s_a_pd;
      va_q        <= s_a_va;
    end
    if (s_gate_valid) verdict_q <= verdict;
  end

  // The one that is executed.
  typedef enum logic [2:0] {ST_IDLE, ST_READ, ST_DATA, ST_COMPUTE, ST_WRITE, ST_ORDERED, ST_TELL} state_e;
  state_e      state_q;
  logic        epoch_q, beat_done_q, error_q;
  logic [63:0] pa_q, old_q, new_q;
  logic [2:0]  cause_q;
  wire         odd     = verdict_q.pa[2:0] != '0;
  wire         refused = !verdict_q.ok || odd;
  wire         ours    = s_cpl_valid && s_cpl_tag == TAG_W'(TAG);
  wire         writes  = !error_q && (!work_q.swap || old_q == work_q.compare);
  assign take = state_q == ST_IDLE && next_q == NEXT_JUDGED;

  // The 8 bytes in their lane.
  logic [63:0] word;
  always_comb begin : pick_lane
    word = '0;
    for (int i = 0; i < LANES; i++) if (pa_q[3 +: LW] == LW'(i)) word = s_cpl_data[i*64 +: 64];
  end

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q         <= ST_IDLE;
      m_release_valid <= 1'b0;
    end else begin
      m_release_valid <= (take && verdict_q.ok && odd) || (state_q == ST_COMPUTE && !writes);
      case (state_q)
        ST_IDLE:    if (take) state_q <= refused ? ST_TELL : ST_READ;
        ST_READ:    if (m_req_ready) state_q <= ST_DATA;
        // The host answers.
        ST_DATA:    if (ours && s_cpl_last) state_q <= ST_COMPUTE;
        ST_COMPUTE: state_q <= writes ? ST_WRITE : ST_TELL;
        ST_WRITE:   if (m_wr_ready) state_q <= ST_ORDERED;
        // No later access can pass the write any more.
        ST_ORDERED: if (s_ord_valid) state_q <= ST_TELL;
        ST_TELL:    if (m_a_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    m_release_epoch <= state_q == ST_IDLE ? verdict_q.epoch : epoch_q;
  end

  always_ff @(posedge clk) begin : work
    if (take) begin
      work_q  <= next_work_q;
      pa_q    <= verdict_q.pa;
      epoch_q <= verdict_q.epoch;
      cause_q <= !verdict_q.ok ? verdict_q.cause : odd ? `MEM_CAUSE_PAGE : 3'd0;
    end
    if (state_q == ST_DATA && ours) begin
      old_q   <= word;
      error_q <= s_cpl_error;
    end
    if (state_q == ST_COMPUTE) begin
      new_q <= work_q.swap ? work_q.swap_add : old_q + work_q.swap_add;
      if (error_q) cause_q <= `MEM_CAUSE_HOST;
    end
    if (state_q == ST_ORDERED && s_ord_valid && s_ord_error) cause_q <= `MEM_CAUSE_HOST;
    if (state_q == ST_COMPUTE) beat_done_q <= 1'b0;
    else if (m_beat_valid && m_beat_ready) beat_done_q <= 1'b1;
  end

  assign m_req_valid = state_q == ST_READ;
  assign m_req_addr  = pa_q;
  assign m_req_len   = 13'd8;
  assign m_req_tag   = TAG_W'(TAG);

  span_t span;
  always_comb begin : write
    span.epoch = epoch_q;
    span.pa    = pa_q;
    span.len   = 13'd8;
  end
  assign m_wr_valid   = state_q == ST_WRITE;
  assign m_wr_data    = span;
  assign m_beat_valid = (state_q == ST_WRITE || state_q == ST_ORDERED) && !beat_done_q;
  assign m_beat_data  = {LANES{new_q}};

  assign m_a_valid = state_q == ST_TELL;
  assign m_a_cause = cause_q;
  assign m_a_value = old_q;
  assign m_a_user  = work_q.user;

  `ASSERT(a_asked, !s_gate_valid || next_q == NEXT_WAIT)
  `ASSERT(a_answer, !ours || (state_q == ST_DATA && s_cpl_last))
  `ASSERT(a_ordered, !s_ord_valid || (state_q == ST_ORDERED && beat_done_q))
  `ASSERT(a_aligned, !(s_a_valid && s_a_ready) || s_a_va[2:0] == '0)

  wire unused = &{1'b0, verdict_q};

endmodule

`default_nettype wire
