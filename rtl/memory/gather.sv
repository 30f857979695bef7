// gather: turns packet descriptions into packet images: header lanes zero, then the payload.
//
// Contract: per description one image of ceil((hdr_bytes + payload + pad) / BYTES) beats, also when a
//           chunk was refused or a host read failed (the missing bytes are undefined), and then one m_gpkt with
//           error and the first cause, in order, not before the image's last beat was taken. Inline bytes
//           may come any time; a chunk of them starts at lane 0 of a beat. An epoch is held from the
//           gate until the host has answered, however long the image waits.
// Timing:   one beat per cycle over packets back to back; INL_BEATS beats of inline data are taken ahead.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module gather #(
  parameter int DATA_W         = 256,
  parameter int DESC_W         = 32,
  parameter int TAGS           = 48,
  parameter int TAG_BASE       = 0,
  parameter int TAG_W          = 6,
  parameter int MAX_READ_BYTES = 512,
  parameter int INL_BEATS      = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_gpkt_valid,
  output      logic                   s_gpkt_ready,
  input  wire logic [DESC_W-1:0]      s_gpkt_desc,
  input  wire logic [6:0]             s_gpkt_hdr_bytes, // multiple of 4, 20..88
  input  wire logic [12:0]            s_gpkt_payload,   // 0..4096
  input  wire logic [4:0]             s_gpkt_chunks,    // 0 iff payload is 0
  input  wire logic                   s_gchunk_valid,
  output      logic                   s_gchunk_ready,
  input  wire logic                   s_gchunk_inl,
  input  wire logic [31:0]            s_gchunk_key,
  input  wire logic [23:0]            s_gchunk_pd,
  input  wire logic [3:0]             s_gchunk_need,
  input  wire logic [63:0]            s_gchunk_va,
  input  wire logic [31:0]            s_gchunk_len,     // 1..4096
  input  wire logic                   s_ginl_valid,
  output      logic                   s_ginl_ready,
  input  wire logic [DATA_W-1:0]      s_ginl_data,

  output      logic                   m_first_valid,
  input  wire logic                   m_first_ready,
  output      logic [`GATE_REQ_W-1:0] m_first_data,
  input  wire logic                   s_first_valid,
  output      logic                   m_rest_valid,
  input  wire logic                   m_rest_ready,
  output      logic [`GATE_REQ_W-1:0] m_rest_data,
  input  wire logic                   s_rest_valid,
  input  wire logic [`GATE_RSP_W-1:0] s_rsp_data,
  output      logic                   m_release_valid,
  output      logic                   m_release_epoch,

  output      logic                   m_req_valid,
  input  wire logic                   m_req_ready,
  output      logic [63:0]            m_req_addr,
  output      logic [12:0]            m_req_len,
  output      logic [TAG_W-1:0]       m_req_tag,
  input  wire logic                   s_cpl_valid,
  input  wire logic [TAG_W-1:0]       s_cpl_tag,
  input  wire logic [DATA_W-1:0]      s_cpl_data,
  input  wire logic                   s_cpl_last,
  input  wire logic                   s_cpl_error,

  output      logic                   m_gbeat_valid,
  input  wire logic                   m_gbeat_ready,
  output      logic [DATA_W-1:0]      m_gbeat_data,
  output      logic                   m_gbeat_last,
  output      logic                   m_gpkt_valid,
  input  wire logic                   m_gpkt_ready,
  output      logic [DESC_W-1:0]      m_gpkt_desc,
  output      logic                   m_gpkt_error,
  output      logic [2:0]             m_gpkt_cause
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);
  localparam int ENDS  = 8;                  // packets between alignment and m_gpkt

  logic               rd_valid, rd_ready, slot_free, pkt_valid, pkt_ready, plan_valid, plan_ready;
  logic [`SPAN_W-1:0] rd_data;
  logic [DESC_W-1:0]  pkt_desc;
  logic [6:0]         pkt_dst, plan_src;
  logic [2:0]         pkt_blank, plan_cause;
  logic               plan_host, plan_inl, plan_first, plan_last;
  logic [12:0]        plan_len;

  gather_plan #(.DATA_W(DATA_W), .DESC_W(DESC_W), .TAGS(TAGS), .MAX_READ_BYTES(MAX_READ_BYTES)) u_plan (
    .clk, .rst, .s_gpkt_valid, .s_gpkt_ready, .s_gpkt_desc, .s_gpkt_hdr_bytes, .s_gpkt_payload, .s_gpkt_chunks,
    .s_gchunk_valid, .s_gchunk_ready, .s_gchunk_inl, .s_gchunk_key, .s_gchunk_pd, .s_gchunk_need, .s_gchunk_va,
    .s_gchunk_len, .m_first_valid, .m_first_ready, .m_first_data, .s_first_valid, .m_rest_valid, .m_rest_ready,
    .m_rest_data, .s_rest_valid, .s_rsp_data, .m_rd_valid(rd_valid), .m_rd_ready(rd_ready), .m_rd_data(rd_data),
    .s_slot_free(slot_free), .m_pkt_valid(pkt_valid), .m_pkt_ready(pkt_ready), .m_pkt_desc(pkt_desc),
    .m_pkt_dst(pkt_dst), .m_pkt_blank(pkt_blank), .m_plan_valid(plan_valid), .m_plan_ready(plan_ready),
    .m_plan_host(plan_host), .m_plan_inl(plan_inl), .m_plan_first(plan_first), .m_plan_last(plan_last),
    .m_plan_cause(plan_cause), .m_plan_src(plan_src), .m_plan_len(plan_len));

  logic              beat_valid, beat_ready, beat_last, beat_error, read_valid, read_ready, read_last, read_error;
  logic [DATA_W-1:0] read_data;
  logic [DATA_W-1:0] beat_data;

  dma_rd_client #(.DATA_W(DATA_W), .TAGS(TAGS), .TAG_BASE(TAG_BASE), .TAG_W(TAG_W),
                  .MAX_READ_BYTES(MAX_READ_BYTES)) u_read (
    .clk, .rst, .s_rd_valid(rd_valid), .s_rd_ready(rd_ready), .s_rd_data(rd_data),
    .m_req_valid, .m_req_ready, .m_req_addr, .m_req_len, .m_req_tag,
    .s_cpl_valid, .s_cpl_tag, .s_cpl_data, .s_cpl_last, .s_cpl_error,
    .m_beat_valid(read_valid), .m_beat_ready(read_ready), .m_beat_data(read_data), .m_beat_last(read_last),
    .m_beat_error(read_error), .m_slot_free(slot_free), .m_release_valid, .m_release_epoch);

  // The reader counts by itself what it hands on.
  prim_skid #(.DATA_W(DATA_W + 2)) u_beats (
    .clk, .rst, .s_valid(read_valid), .s_ready(read_ready), .s_data({read_error, read_last, read_data}),
    .m_valid(beat_valid), .m_ready(beat_ready), .m_data({beat_error, beat_last, beat_data}));

  logic                       inl_valid, inl_ready;
  logic [DATA_W-1:0]          inl_data;
  logic [$clog2(INL_BEATS):0] inl_level;
  prim_fifo #(.WIDTH(DATA_W), .DEPTH(INL_BEATS)) u_inline (
    .clk, .rst, .s_valid(s_ginl_valid), .s_ready(s_ginl_ready), .s_data(s_ginl_data),
    .m_valid(inl_valid), .m_ready(inl_ready), .m_data(inl_data), .level(inl_level));

  // Steps: what one source beat brings.
  logic        mid_q;                        // inside a piece
  logic [12:0] rem_q;
  wire  [LW-1:0] src  = mid_q ? '0 : plan_src[LW-1:0];
  wire  [12:0] rem    = mid_q ? rem_q : plan_len;
  wire  [12:0] room   = 13'(BYTES) - 13'(src);
  wire         fin    = rem <= room;
  wire  [LW:0] n      = fin ? rem[LW:0] : room[LW:0];
  wire         ends   = fin && plan_last;
  wire         source = plan_host ? beat_valid : plan_inl ? inl_valid : 1'b1;
  logic        step_ready, end_room;
  wire         may    = plan_valid && pkt_valid && source && (!ends || end_room);
  wire         step   = may && step_ready;

  assign plan_ready = step && fin;
  assign pkt_ready  = step && ends;
  assign beat_ready = step && plan_host;
  assign inl_ready  = step && plan_inl;

  // The first reason why the packet failed.
  logic [2:0]  cause_q;
  wire  [2:0]  new_cause = plan_host && beat_error && fin ? `MEM_CAUSE_HOST : plan_cause;
  wire  [2:0]  cause     = cause_q != '0 ? cause_q : new_cause;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      mid_q   <= 1'b0;
      cause_q <= '0;
    end else if (step) begin
      mid_q   <= !fin;
      cause_q <= ends ? '0 : cause;
    end
    if (step) rem_q <= rem - 13'(n);
  end

  logic              out_valid, out_ready, out_last;
  logic [DATA_W-1:0] out_data;
  mem_align #(.DATA_W(DATA_W)) u_align (
    .clk, .rst, .s_valid(may), .s_ready(step_ready), .s_data(plan_inl ? inl_data : beat_data),
    .s_zero(!plan_host && !plan_inl), .s_src(src), .s_n(n), .s_first(plan_first && !mid_q), .s_last(ends),
    .s_dst(pkt_dst[LW-1:0]), .s_blank(pkt_blank),
    .m_valid(out_valid), .m_ready(out_ready), .m_data(out_data), .m_last(out_last));

  prim_skid #(.DATA_W(DATA_W + 1)) u_out (
    .clk, .rst, .s_valid(out_valid), .s_ready(out_ready), .s_data({out_data, out_last}),
    .m_valid(m_gbeat_valid), .m_ready(m_gbeat_ready), .m_data({m_gbeat_data, m_gbeat_last}));

  // A packet's result, once its image was taken.
  localparam int EW = $clog2(ENDS);
  logic          end_valid;
  logic [2:0]    end_cause;
  logic [EW:0]   end_level, taken_q;         // images taken, results not
  wire           result = m_gpkt_valid && m_gpkt_ready;
  prim_fifo #(.WIDTH(DESC_W + 3), .DEPTH(ENDS)) u_ends (
    .clk, .rst, .s_valid(step && ends), .s_ready(end_room), .s_data({pkt_desc, cause}),
    .m_valid(end_valid), .m_ready(result), .m_data({m_gpkt_desc, end_cause}), .level(end_level));

  assign m_gpkt_valid = end_valid && taken_q != '0;
  assign m_gpkt_cause = end_cause;
  assign m_gpkt_error = end_cause != '0;

  always_ff @(posedge clk) begin : results
    if (rst) taken_q <= '0;
    else     taken_q <= taken_q + (EW+1)'(m_gbeat_valid && m_gbeat_ready && m_gbeat_last) - (EW+1)'(result);
  end

  `ASSERT(a_beats, !(step && plan_host) || beat_last == fin)
  `ASSERT(a_ends, taken_q <= end_level)

  wire unused = &{1'b0, pkt_dst, plan_src, beat_last, inl_level, end_level, rem};

endmodule

`default_nettype wire
