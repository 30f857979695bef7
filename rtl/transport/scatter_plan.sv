// scatter_plan: finds out where the payload of one packet goes, before anything of it is written.
//
// Contract: from s_start on, either one address range (direct) or a walk over data segments, two to a word, from segment
//           `seg` at `seg_offset`; every piece is judged by the gate (10.6.4). Then m_done: ok, and the chunks wait in order
//           for s_release; or refused (cause of the gate), or short (segments ran out): s_discard forgets them.
//           Nothing is judged for zero bytes (C10-54.1.1, C10-54.1.2).
// Timing:   two cycles a segment, for the pages of its first and last byte (3 where a word must be fetched), and the gate's
//           latency once. A piece is at most 4 KiB: it has no page between these.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"

module scatter_plan (
  input  wire logic         clk,
  input  wire logic         rst,

  input  wire logic         s_start,
  input  wire logic         s_direct,
  input  wire logic [23:0]  s_pd,
  input  wire logic [31:0]  s_key,           // direct: range of `len` bytes of which `need` are written
  input  wire logic [63:0]  s_va,
  input  wire logic [31:0]  s_len,
  input  wire logic [3:0]   s_rights,
  input  wire logic [12:0]  s_need,          // payload bytes
  input  wire logic [4:0]   s_seg,           // walk
  input  wire logic [31:0]  s_seg_offset,
  input  wire logic [4:0]   s_segments,

  output      logic         m_word_valid,    // word of the list: shows one cycle later
  output      logic [2:0]   m_word,          // segments 2n and 2n + 1
  input  wire logic [255:0] s_word,

  output      logic         m_chk_valid,
  input  wire logic         m_chk_ready,
  output      gate_req_t    m_chk,
  input  wire logic         s_chk_valid,
  input  wire gate_rsp_t    s_chk,

  output      logic         m_idle,          // can start
  output      logic         m_done,          // holds until released or discarded
  output      logic         m_ok,
  output      logic         m_short,
  output      logic [2:0]   m_cause,
  output      logic [4:0]   m_chunks,
  output      logic [4:0]   m_seg,           // where the next packet goes on
  output      logic [31:0]  m_seg_offset,
  input  wire logic         s_release,
  input  wire logic         s_discard,
  output      logic         m_chunk_valid,
  input  wire logic         m_chunk_ready,
  output      chunk_t       m_chunk
);

  typedef enum logic [2:0] {ST_IDLE, ST_WALK, ST_ASK, ST_TAIL, ST_WAIT, ST_DONE, ST_RELEASE} state_e;
  state_e      state_q;
  chunk_t      chunk_q;                      // the piece in hand
  logic [31:0] range_q;                      // bytes judged with it: of a direct range, all
  logic        direct_q, ends_q;             // one range; the piece ends its segment
  logic [23:0] pd_q;
  logic [31:0] seg_offset_q;
  logic [12:0] need_q;
  logic [4:0]  seg_q, segments_q;
  logic [5:0]  asked_q, answered_q;
  logic        short_q, refused_q;
  logic [2:0]  cause_q;

  wqe_data_t low, high, segment;
  assign low     = s_word[127:0];
  assign high    = s_word[255:128];
  assign segment = seg_q[0] ? high : low;

  wire [31:0] seg_rest = segment.length - seg_offset_q;
  wire        seg_ends = seg_rest <= 32'(need_q);
  wire        seg_more = segment.length != seg_offset_q;
  wire        out      = state_q == ST_WALK && seg_q >= segments_q;
  wire        skip     = state_q == ST_WALK && !out && !seg_more;       // nothing (more) in this segment
  wire        full     = direct_q || chunk_q.len[12:0] == need_q;

  logic       room, chunk_valid;
  logic [4:0] chunk_level;                   // no more than the segments of a WQE
  wire        ask  = m_chk_valid && m_chk_ready;
  wire        keep = ask && state_q == ST_TAIL;
  prim_fifo #(.WIDTH($bits(chunk_t'('0))), .DEPTH(16)) u_chunks (
    .clk, .rst(rst || (state_q == ST_DONE && s_discard)), .s_valid(keep), .s_ready(room), .s_data(chunk_q),
    .m_valid(chunk_valid), .m_ready(m_chunk_ready && state_q == ST_RELEASE), .m_data(m_chunk), .level(chunk_level));
  assign m_chunk_valid = chunk_valid && state_q == ST_RELEASE;

  // The range from its first byte, then the page of the piece's last byte.
  assign m_chk_valid = state_q == ST_ASK || state_q == ST_TAIL;
  always_comb begin : request
    m_chk      = '0;
    m_chk.key  = chunk_q.key;
    m_chk.pd   = pd_q;
    m_chk.need = chunk_q.need;
    m_chk.va   = state_q == ST_TAIL ? chunk_q.va + 64'(chunk_q.len) - 64'd1 : chunk_q.va;
    m_chk.len  = state_q == ST_TAIL ? 32'd1 : range_q;
  end

  // Words are fetched at the start and behind every second segment; they show one cycle later.
  wire   advance      = skip || (keep && !direct_q && ends_q);
  assign m_word_valid = s_start || (advance && seg_q[0]);
  assign m_word       = s_start ? s_seg[3:1] : seg_q[3:1] + 3'd1;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (s_start) state_q <= s_direct ? (s_len == '0 ? ST_WAIT : ST_ASK) : s_need == '0 ? ST_WAIT : ST_WALK;
        ST_WALK: if (out) state_q <= ST_WAIT;
                 else if (!skip) state_q <= ST_ASK;
        ST_ASK: if (ask) state_q <= need_q == '0 ? ST_WAIT : ST_TAIL;
        ST_TAIL: if (keep) state_q <= full ? ST_WAIT : ST_WALK;
        ST_WAIT: if (asked_q == answered_q) state_q <= ST_DONE;
        ST_DONE: if (s_discard) state_q <= ST_IDLE;
                 else if (s_release) state_q <= chunk_valid ? ST_RELEASE : ST_IDLE;
        ST_RELEASE: if (m_chunk_ready && chunk_level == 5'd1) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin : work
    if (s_start) begin
      chunk_q      <= {1'b0, s_key, s_pd, s_rights, s_va, 19'b0, s_need};
      range_q      <= s_len;
      direct_q     <= s_direct;
      pd_q         <= s_pd;
      need_q       <= s_need;
      seg_q        <= s_seg;
      seg_offset_q <= s_seg_offset;
      segments_q   <= s_segments;
      short_q      <= 1'b0;
      refused_q    <= 1'b0;
      cause_q      <= '0;
      asked_q      <= '0;
      answered_q   <= '0;
    end else begin
      if (ask) asked_q <= asked_q + 6'd1;
      if (s_chk_valid) answered_q <= answered_q + 6'd1;
      if (s_chk_valid && !s_chk.ok && !refused_q) begin
        refused_q <= 1'b1;
        cause_q   <= s_chk.cause;
      end
      if (out) short_q <= 1'b1;
      if (state_q == ST_WALK) begin
        chunk_q <= {1'b0, segment.lkey, pd_q, `NEED_LOCAL_WRITE, segment.addr + {32'b0, seg_offset_q}, 19'b0,
                    seg_ends ? seg_rest[12:0] : need_q};
        range_q <= seg_ends ? seg_rest : 32'(need_q);
        ends_q  <= seg_ends;
      end
      if (keep) need_q <= need_q - chunk_q.len[12:0];
      if (advance) begin
        seg_q        <= seg_q + 5'd1;
        seg_offset_q <= '0;
      end else if (keep) begin
        seg_offset_q <= seg_offset_q + chunk_q.len;
      end
    end
  end

  assign m_done       = state_q == ST_DONE;
  assign m_ok         = !refused_q && !short_q;
  assign m_short      = short_q && !refused_q;
  assign m_cause      = cause_q;
  assign m_chunks     = chunk_level;
  assign m_seg        = seg_q;
  assign m_seg_offset = seg_offset_q;
  assign m_idle       = state_q == ST_IDLE;

  `ASSERT(a_start, !s_start || state_q == ST_IDLE)
  `ASSERT(a_room, !keep || room)
  wire unused = &{1'b0, s_chk.epoch, s_chk.pa, s_chk.span};

endmodule

`default_nettype wire
