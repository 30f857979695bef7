// rsp_plan: finds out where the payload of a packet goes, before anything of it is written; the next packet's plan goes on meanwhile.
//
// Contract: from s_start on, either one address range (direct) or a walk over data segments, two to a word, from segment `seg` at
//           `seg_offset`; every piece is judged by the gate (10.6.4). m_asked: all questions are asked, and where the next packet
//           goes on is known. Results come in order: ok, and so many chunks to be taken; or refused (cause of the gate), or
//           short (segments ran out): its chunks are taken all the same, to be forgotten. Nothing is judged for zero bytes
//           (C10-54.1.1, C10-54.1.2).
// Timing:   2 cycles a direct range, 3 a segment, for the pages of the first and the last byte of a piece: it is at most 4 KiB and
//           has no page between these. A result comes the gate's latency after the last question. Words asked for show one cycle later.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"

module rsp_plan (
  input  wire logic         clk,
  input  wire logic         rst,

  output      logic         m_idle,          // can start
  input  wire logic         s_start,
  input  wire logic         s_direct,
  input  wire logic [23:0]  s_pd,
  input  wire logic [31:0]  s_key,           // direct: range of `len` bytes of which `need` are written
  input  wire logic [63:0]  s_va,
  input  wire logic [31:0]  s_len,
  input  wire logic [3:0]   s_rights,
  input  wire logic [12:0]  s_need,          // payload bytes
  input  wire logic [4:0]   s_seg,           // walk: from here on, s_word shows its word at the start
  input  wire logic [31:0]  s_seg_offset,
  input  wire logic [4:0]   s_segments,

  output      logic         m_word_valid,    // word of the list
  output      logic [2:0]   m_word,          // segments 2n and 2n + 1
  input  wire logic [255:0] s_word,

  output      logic         m_chk_valid,
  input  wire logic         m_chk_ready,
  output      gate_req_t    m_chk,
  input  wire logic         s_chk_valid,
  input  wire gate_rsp_t    s_chk,

  output      logic         m_asked,         // with the last question, or when there is none
  output      logic [4:0]   m_seg,           // where the next packet goes on
  output      logic [31:0]  m_seg_offset,

  output      logic         m_done,          // result of the oldest plan
  input  wire logic         m_done_ready,
  output      logic         m_ok,
  output      logic         m_short,
  output      logic [2:0]   m_cause,
  output      logic [4:0]   m_chunks,
  output      logic         m_chunk_valid,
  input  wire logic         m_chunk_ready,
  output      chunk_t       m_chunk
);

  localparam int PLANS  = 8;                 // whose answers are awaited
  localparam int CHUNKS = 32;                // pieces judged, and questions under way
  localparam int PW     = $clog2(PLANS);

  typedef enum logic [2:0] {ST_IDLE, ST_WALK, ST_ASK, ST_TAIL, ST_PUT} state_e;
  state_e      state_q;
  chunk_t      chunk_q;                      // the piece in hand
  logic [31:0] range_q;                      // bytes judged with it: of a direct range, all
  logic        direct_q, ends_q, full_q;     // one range; the piece ends its segment; and its packet
  logic [23:0] pd_q;
  logic [31:0] seg_offset_q;
  logic [12:0] need_q;
  logic [4:0]  seg_q, segments_q, chunks_q;
  logic [5:0]  asked_q;
  logic        short_q;

  wqe_data_t low, high, segment;
  assign low     = s_word[127:0];
  assign high    = s_word[255:128];
  assign segment = seg_q[0] ? high : low;

  wire [31:0] seg_rest = segment.length - seg_offset_q;
  wire        seg_ends = seg_rest <= 32'(need_q);
  wire        seg_more = segment.length != seg_offset_q;
  logic       stale_q;                       // the word that shows is not that of seg_q yet
  wire        walk     = state_q == ST_WALK && !stale_q;
  wire        out      = walk && seg_q >= segments_q;
  wire        skip     = walk && !out && !seg_more;                     // nothing (more) in this segment

  // Room for what this cycle and the one before may have to put: nothing waits on a level of the same cycle.
  logic       room_q, chunk_ready, whose_ready, plan_ready;
  wire        ask  = m_chk_valid && m_chk_ready;
  wire        keep = ask && state_q == ST_TAIL;
  logic [5:0] chunk_level, whose_level;
  prim_fifo #(.WIDTH($bits(chunk_t'('0))), .DEPTH(CHUNKS)) u_chunks (
    .clk, .rst, .s_valid(keep), .s_ready(chunk_ready), .s_data(chunk_q), .m_valid(m_chunk_valid), .m_ready(m_chunk_ready), .m_data(m_chunk),
    .level(chunk_level));

  // The range from its first byte, then the page of the piece's last byte.
  assign m_chk_valid = room_q && (state_q == ST_ASK || state_q == ST_TAIL);
  always_comb begin : request
    m_chk      = '0;
    m_chk.key  = chunk_q.key;
    m_chk.pd   = pd_q;
    m_chk.need = chunk_q.need;
    m_chk.va   = state_q == ST_TAIL ? chunk_q.va + 64'(chunk_q.len) - 64'd1 : chunk_q.va;
    m_chk.len  = state_q == ST_TAIL ? 32'd1 : range_q;
  end

  // Where it goes on; behind every second segment is another word.
  wire   advance      = skip || (keep && !direct_q && ends_q);
  assign m_seg        = advance ? seg_q + 5'd1 : seg_q;
  assign m_seg_offset = advance ? 32'd0 : keep ? seg_offset_q + chunk_q.len : seg_offset_q;
  assign m_word_valid = advance && seg_q[0];
  assign m_word       = seg_q[3:1] + 3'd1;

  // Whose question an answer belongs to, and what the answers say.
  logic [PW-1:0] id_q, whose, oldest_q;
  logic          whose_valid;
  logic [5:0]    answered_q [0:PLANS-1];
  logic [2:0]    cause_q    [0:PLANS-1];
  prim_fifo #(.WIDTH(PW), .DEPTH(CHUNKS)) u_whose (
    .clk, .rst, .s_valid(ask), .s_ready(whose_ready), .s_data(id_q), .m_valid(whose_valid), .m_ready(s_chk_valid), .m_data(whose),
    .level(whose_level));

  typedef struct packed {
    logic       ran_out;
    logic [4:0] chunks;
    logic [5:0] asked;
  } plan_t;
  plan_t plan_in, plan;
  logic  plan_valid;
  logic [PW:0] plan_level;
  wire [4:0] chunks = chunks_q + 5'(keep);
  wire [5:0] asked  = asked_q + 6'(ask);
  assign plan_in    = {short_q, chunks, asked};
  wire put = (state_q == ST_PUT && room_q) || (keep && full_q);
  prim_fifo #(.WIDTH($bits(plan_t'('0))), .DEPTH(PLANS)) u_plans (
    .clk, .rst, .s_valid(put), .s_ready(plan_ready), .s_data(plan_in), .m_valid(plan_valid), .m_ready(m_done && m_done_ready),
    .m_data(plan), .level(plan_level));
  assign m_done   = plan_valid && answered_q[oldest_q] == plan.asked;
  assign m_cause  = cause_q[oldest_q];
  assign m_ok     = m_cause == '0 && !plan.ran_out;
  assign m_short  = m_cause == '0 && plan.ran_out;
  assign m_chunks = plan.chunks;
  wire done = m_done && m_done_ready;
  always_ff @(posedge clk) begin : answers
    for (int i = 0; i < PLANS; i++) begin
      if (rst || (done && oldest_q == PW'(i))) begin
        answered_q[i] <= '0;
        cause_q[i]    <= '0;
      end else if (s_chk_valid && whose == PW'(i)) begin
        answered_q[i] <= answered_q[i] + 6'd1;
        if (!s_chk.ok && cause_q[i] == '0) cause_q[i] <= s_chk.cause;
      end
    end
    if (rst) id_q <= '0;
    else if (put) id_q <= id_q + 1'b1;
    if (rst) oldest_q <= '0;
    else if (done) oldest_q <= oldest_q + 1'b1;
  end

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_WALK: if (out) state_q <= ST_PUT;
                 else if (walk && !skip) state_q <= ST_ASK;
        ST_ASK: if (ask) state_q <= need_q == '0 ? ST_PUT : ST_TAIL;
        ST_TAIL: if (keep && !full_q) state_q <= ST_WALK;
        default: ;
      endcase
      if (put) state_q <= ST_IDLE;
      if (s_start) state_q <= s_direct ? (s_len == '0 ? ST_PUT : ST_ASK) : s_need == '0 ? ST_PUT : ST_WALK;
    end
  end

  always_ff @(posedge clk) begin : work
    stale_q <= m_word_valid;
    room_q  <= chunk_level < 6'(CHUNKS - 1) && whose_level < 6'(CHUNKS - 1) && plan_level < (PW+1)'(PLANS - 1);
    if (s_start) begin
      chunk_q      <= {1'b0, s_key, s_pd, s_rights, s_va, 19'b0, s_need};
      range_q      <= s_len;
      direct_q     <= s_direct;
      full_q       <= s_direct;
      pd_q         <= s_pd;
      need_q       <= s_need;
      seg_q        <= s_seg;
      seg_offset_q <= s_seg_offset;
      segments_q   <= s_segments;
      short_q      <= 1'b0;
      asked_q      <= '0;
      chunks_q     <= '0;
    end else begin
      asked_q  <= asked;
      chunks_q <= chunks;
      if (out) short_q <= 1'b1;
      if (walk) begin
        chunk_q <= {1'b0, segment.lkey, pd_q, `NEED_LOCAL_WRITE, segment.addr + {32'b0, seg_offset_q}, 19'b0,
                    seg_ends ? seg_rest[12:0] : need_q};
        range_q <= seg_ends ? seg_rest : 32'(need_q);
        ends_q  <= seg_ends;
        full_q  <= seg_rest >= 32'(need_q);
      end
      if (keep) need_q <= need_q - chunk_q.len[12:0];
      seg_q        <= m_seg;
      seg_offset_q <= m_seg_offset;
    end
  end

  assign m_asked = put;
  assign m_idle  = state_q == ST_IDLE || put;

  `ASSERT(a_start, !s_start || m_idle)
  `ASSERT(a_whose, !s_chk_valid || whose_valid)
  `ASSERT(a_room, (!keep || chunk_ready) && (!ask || whose_ready) && (!put || plan_ready))
  wire unused = &{1'b0, s_chk.epoch, s_chk.pa, s_chk.span, chunk_level, whose_level, plan_level, whose_valid};

endmodule

`default_nettype wire
