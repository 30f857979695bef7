// wqe_store: keeps the next WQEs of every queue pair's send (or receive) ring at hand, read in batches.
//
// Contract: a WQE is read once from host memory after its doorbell and stays in the store until s_used;
//           arrived(qp) counts WQEs that are here; m_arrived tells that there are new ones.
//           A failed host read sets bad(qp): its WQEs are not to be believed. Going back reads the ring anew.
// Timing:   a word asked for by s_rd shows on m_word one cycle later. Up to 256 bytes (4 small WQEs) a read.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module wqe_store #(
  parameter int DATA_W  = 256,
  parameter int QPS     = 64,
  parameter int BLOCKS  = 16,                // 64-byte blocks kept for each queue pair
  parameter bit RECEIVE = 1'b0               // serves receive rings
) (
  input  wire logic                    clk,
  input  wire logic                    rst,

  input  wire logic                    s_ring_valid,    // the producer index of qp moved
  output      logic                    s_ring_ready,
  input  wire logic [$clog2(QPS)-1:0]  s_ring_qp,
  output      logic [$clog2(QPS)-1:0]  producer_qp,     // look-up at the doorbells
  input  wire logic [15:0]             producer,

  output      logic                    m_cfg_valid,
  output      logic [$clog2(QPS)-1:0]  m_cfg_qp,
  input  wire logic                    s_cfg_valid,
  input  wire logic [`CFG_W-1:0]       s_cfg_data,

  output      logic                    m_f_valid,       // ring read
  input  wire logic                    m_f_ready,
  output      logic [23:0]             m_f_mtt,
  output      logic [31:0]             m_f_offset,
  output      logic [9:0]              m_f_len,
  input  wire logic                    s_f_valid,       // its data
  output      logic                    s_f_ready,
  input  wire logic [DATA_W-1:0]       s_f_data,
  input  wire logic                    s_f_last,
  input  wire logic                    s_f_error,

  output      logic                    m_arrived_valid,
  input  wire logic                    m_arrived_ready,
  output      logic [$clog2(QPS)-1:0]  m_arrived_qp,

  input  wire logic [$clog2(QPS)-1:0]  look_qp,
  output      logic [15:0]             arrived,
  output      logic                    bad,
  input  wire logic                    s_rd_valid,
  input  wire logic [$clog2(QPS)-1:0]  s_rd_qp,
  input  wire logic [15:0]             s_rd_index,      // WQE
  input  wire logic [1:0]              s_rd_log_stride,
  input  wire logic [4:0]              s_rd_word,       // 32-byte word of the WQE
  output      logic [255:0]            m_word,
  input  wire logic                    s_used_valid,    // the oldest WQE of the QP is no longer needed
  input  wire logic [$clog2(QPS)-1:0]  s_used_qp,

  input  wire logic                    s_back_valid,    // read again from s_back_index on
  output      logic                    s_back_ready,
  input  wire logic [$clog2(QPS)-1:0]  s_back_qp,
  input  wire logic [15:0]             s_back_index,

  input  wire logic                    s_ctl_valid,     // CTL_CLEAR
  output      logic                    s_ctl_ready,
  input  wire ctl_t                    s_ctl
);

  localparam int QW = $clog2(QPS);
  localparam int WORDS_W = $clog2(BLOCKS * 2);

  // Per QP: WQEs asked for, here, and done with, since Reset; each has one writer.
  (* ram_style = "distributed" *) logic [15:0] fetched_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [15:0] arrived_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [15:0] used_mem    [0:QPS-1];
  (* ram_style = "distributed" *) logic        round_mem   [0:QPS-1]; // flips at Reset: older reads are void
  (* ram_style = "distributed" *) logic [2:0]  turn_mem    [0:QPS-1]; // counts going back, likewise
  initial for (int i = 0; i < QPS; i++) begin
    fetched_mem[i] = '0;
    arrived_mem[i] = '0;
    used_mem[i]    = '0;
    round_mem[i]   = 1'b0;
    turn_mem[i]    = '0;
  end

  logic          used_pend_q;                // a used WQE's QP waits to be looked at
  logic [QW-1:0] used_qp_q;

  // Who may have something to fetch: a doorbell rang, a WQE was used, or a batch left some over.
  logic          again_valid, again_ready, used_ready, look_valid, look_ready;
  logic [QW-1:0] again_qp, pop_qp;
  qp_queue #(.QPS(QPS), .PUSHERS(3)) u_queue (
    .clk, .rst, .s_valid({s_ring_valid, again_valid, used_pend_q}), .s_ready({s_ring_ready, again_ready, used_ready}),
    .s_qp({s_ring_qp, again_qp, used_qp_q}), .m_valid(look_valid), .m_ready(look_ready), .m_qp(pop_qp));

  // A used WQE frees room: look at its QP again. A second one before the first was queued is covered by it.
  wire           clear = s_ctl_valid && s_ctl_ready;
  wire           back  = s_back_valid && s_back_ready;
  wire [QW-1:0]  ctl_qp = s_ctl.qpn[QW-1:0];
  // The counts of a queue pair start anew.
  wire           start = clear || back;
  wire [QW-1:0]  start_qp    = clear ? ctl_qp : s_back_qp;
  wire [15:0]    start_index = clear ? 16'd0 : s_back_index;
  logic          done_q;                     // s_used comes late in its cycle: a cycle later here
  logic [QW-1:0] done_qp_q;
  wire [15:0]    used_now = used_mem[done_qp_q];
  always_ff @(posedge clk) begin : take_used
    done_q    <= s_used_valid && !rst;
    done_qp_q <= s_used_qp;
  end

  always_ff @(posedge clk) begin : used
    if (rst) used_pend_q <= 1'b0;
    else if (done_q || back) used_pend_q <= 1'b1;
    else if (used_ready) used_pend_q <= 1'b0;
    if (done_q || back) used_qp_q <= back ? s_back_qp : done_qp_q;
    if (start)       used_mem[start_qp]  <= start_index;
    else if (done_q) used_mem[done_qp_q] <= used_now + 16'd1;
  end
  `ASSERT(a_used_kept, !(done_q && used_pend_q && !used_ready && used_qp_q != done_qp_q))

  // One look at a queue pair: read its configuration, count, ask for a batch.
  typedef enum logic [2:0] {ST_IDLE, ST_CFG, ST_COUNT, ST_ASK, ST_AGAIN} state_e;
  state_e      state_q;
  logic [QW-1:0] qp_q;
  qpc_t        cfg;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);

  wire [23:0] cfg_mtt    = RECEIVE ? cfg.rq_mtt : cfg.sq_mtt;
  wire [3:0]  cfg_size   = RECEIVE ? cfg.rq_log_size : cfg.sq_log_size;
  wire [1:0]  cfg_stride = RECEIVE ? cfg.rq_log_stride[1:0] : cfg.sq_log_stride[1:0];
  wire        cfg_open   = cfg.state == ib_pkg::QP_STATE_RTS || cfg.state == ib_pkg::QP_STATE_SQD ||
                           (RECEIVE && (cfg.state == ib_pkg::QP_STATE_INIT || cfg.state == ib_pkg::QP_STATE_RTR));

  logic [15:0] first_q, posted_q, room_q, size_mask_q;
  logic [23:0] mtt_q;
  logic [1:0]  stride_q;
  logic        round_q;
  logic [2:0]  turn_q;
  assign producer_qp = qp_q;

  // The largest batch: 256 bytes, not past the ring's end nor the page's.
  wire [2:0]  batch     = 3'd4 >> (stride_q == 2'd3 ? 2'd2 : stride_q);
  wire [15:0] to_end    = size_mask_q - (first_q & size_mask_q) + 16'd1;
  wire [5:0]  page_mask = 6'h3f >> stride_q;
  wire [6:0]  to_page   = {1'b0, page_mask} - {1'b0, first_q[5:0] & page_mask} + 7'd1;
  logic [2:0] count;
  always_comb begin : smallest
    count = batch;
    if (to_page < 7'(count)) count = to_page[2:0];
    if (to_end < 16'(count)) count = to_end[2:0];
    if (posted_q < 16'(count)) count = posted_q[2:0];
  end
  logic [2:0] count_q;

  logic        flight_ready, flight_valid;
  logic [4:0]  flight_level;
  typedef struct packed {
    logic [QW-1:0] qp;
    logic          round;
    logic [2:0]    turn;
    logic [15:0]   first;
    logic [2:0]    count;
    logic [1:0]    stride;
  } flight_wqe_t;
  flight_wqe_t flight_in, flight;
  assign flight_in = {qp_q, round_q, turn_q, first_q, count_q, stride_q};

  wire ask = state_q == ST_ASK && m_f_ready && flight_ready;
  assign look_ready  = state_q == ST_IDLE && !s_ctl_valid && !s_back_valid;
  assign m_cfg_valid = look_ready && look_valid;
  assign m_cfg_qp    = pop_qp;
  assign m_f_valid   = state_q == ST_ASK && flight_ready;
  assign m_f_mtt     = mtt_q;
  assign m_f_offset  = {10'b0, 22'(first_q & size_mask_q) << stride_q} << 6;
  assign m_f_len     = {1'b0, 9'(count_q) << stride_q} << 6;
  assign again_valid = state_q == ST_AGAIN;
  assign again_qp    = qp_q;

  always_ff @(posedge clk) begin : look
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (m_cfg_valid) state_q <= ST_CFG;
        // The configuration is on its way.
        ST_CFG: if (s_cfg_valid) state_q <= cfg_open ? ST_COUNT : ST_IDLE;
        ST_COUNT: state_q <= (count == 3'd0 || room_q < 16'(count)) ? ST_IDLE : ST_ASK;
        // The ring reader takes the read.
        ST_ASK: if (ask) state_q <= ST_AGAIN;
        // There may be more: back to the end of the queue.
        ST_AGAIN: if (again_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  wire [15:0] fetched_now = fetched_mem[qp_q];
  always_ff @(posedge clk) begin : count_wqes
    if (m_cfg_valid) qp_q <= pop_qp;
    if (state_q == ST_CFG) begin
      mtt_q       <= cfg_mtt;
      stride_q    <= cfg_stride;
      size_mask_q <= 16'((17'd1 << cfg_size) - 17'd1);
      first_q     <= fetched_now;
      posted_q    <= producer - fetched_now;
      room_q      <= 16'(BLOCKS >> cfg_stride) - (fetched_now - used_mem[qp_q]);
      round_q     <= round_mem[qp_q];
      turn_q      <= turn_mem[qp_q];
    end
    count_q <= count;
    if (start) fetched_mem[start_qp] <= start_index;
    else if (ask) fetched_mem[qp_q] <= first_q + 16'(count_q);
    if (clear) round_mem[ctl_qp] <= s_ctl.round;
    if (back) turn_mem[s_back_qp] <= turn_mem[s_back_qp] + 3'd1;
  end

  // Arrival: words go to their place; the last of a batch makes it known.
  logic         word_valid, word_last, word_error;
  logic [4:0]   word_count_q;
  logic         arrived_pend_q;
  logic [QW-1:0] arrived_qp_q;
  logic [255:0] word;
  wire          word_take = word_valid && !arrived_pend_q && !start && flight_valid;

  prim_fifo #(.WIDTH($bits(flight_wqe_t'('0))), .DEPTH(16)) u_flight (
    .clk, .rst, .s_valid(ask), .s_ready(flight_ready), .s_data(flight_in),
    .m_valid(flight_valid), .m_ready(word_take && word_last), .m_data(flight), .level(flight_level));

  beat_to_word #(.DATA_W(DATA_W)) u_words (
    .clk, .rst, .s_valid(s_f_valid), .s_ready(s_f_ready), .s_data(s_f_data), .s_last(s_f_last), .s_error(s_f_error),
    .m_valid(word_valid), .m_ready(!arrived_pend_q && !start && flight_valid), .m_data(word), .m_last(word_last),
    .m_error(word_error));

  wire [WORDS_W-1:0] word_place = WORDS_W'({flight.first, 1'b0} << flight.stride) + WORDS_W'(word_count_q);
  wire [WORDS_W-1:0] read_place = WORDS_W'({s_rd_index, 1'b0} << s_rd_log_stride) + WORDS_W'(s_rd_word);
  wire current = flight.round == round_mem[flight.qp] && flight.turn == turn_mem[flight.qp];

  prim_ram #(.WIDTH(256), .DEPTH(QPS * BLOCKS * 2)) u_store (
    .clk, .wr_en(word_take && current), .wr_addr({flight.qp, word_place}), .wr_data(word),
    .rd_en(s_rd_valid), .rd_addr({s_rd_qp, read_place}), .rd_data(m_word));

  wire batch_in = word_take && word_last && current;
  wire [15:0] arrived_next = flight.first + 16'(flight.count);

  always_ff @(posedge clk) begin : arrival
    if (rst) begin
      word_count_q   <= '0;
      arrived_pend_q <= 1'b0;
    end else begin
      if (word_take) word_count_q <= word_last ? '0 : word_count_q + 5'd1;
      if (batch_in) arrived_pend_q <= 1'b1;
      else if (m_arrived_ready) arrived_pend_q <= 1'b0;
    end
    if (batch_in) arrived_qp_q <= flight.qp;
    if (start) arrived_mem[start_qp] <= start_index;
    else if (batch_in) arrived_mem[flight.qp] <= arrived_next;
  end

  assign m_arrived_valid = arrived_pend_q;
  assign m_arrived_qp    = arrived_qp_q;
  assign arrived         = arrived_mem[look_qp];

  logic bad_was;
  prim_flags #(.N(QPS)) u_bad (
    .clk, .set_en(batch_in && word_error && !bad_was), .set_index(flight.qp), .clear_en(start), .clear_index(start_qp),
    .set_was(bad_was), .index(look_qp), .flag(bad));

  assign s_ctl_ready  = state_q == ST_IDLE && !done_q;
  assign s_back_ready = s_ctl_ready && !s_ctl_valid && !used_pend_q;
  wire unused = &{1'b0, flight_level, s_ctl.op, s_ctl.psn, s_ctl.qpn};

  `ASSERT(a_batch, !(word_take && word_last) || word_count_q == 5'({flight.count, 1'b0} << flight.stride) - 5'd1)

endmodule

`default_nettype wire
