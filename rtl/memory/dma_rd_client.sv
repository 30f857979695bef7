// dma_rd_client: host reads of one reader, delivered in the order they were asked for.
//
// Contract: a read is split at MAX_READ_BYTES boundaries; each part owns a tag of this client and a
//           buffer for all its data before it is asked for, so completions are always taken. The beats are
//           address-aligned, always as many as the read spans (of a failed read their content is
//           undefined); error comes with last. The epoch is released when the host has answered
//           the read and all earlier ones, whether or not the beats were taken.
// Timing:   one part per cycle, one beat per cycle. m_slot_free pulses when a part's buffer is free again.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module dma_rd_client #(
  parameter int DATA_W         = 256,
  parameter int TAGS           = 48,
  parameter int TAG_BASE       = 0,
  parameter int TAG_W          = 6,
  parameter int MAX_READ_BYTES = 512
) (
  input  wire logic               clk,
  input  wire logic               rst,

  input  wire logic               s_rd_valid,
  output      logic               s_rd_ready,
  input  wire logic [`SPAN_W-1:0] s_rd_data,    // span_t

  output      logic               m_req_valid,
  input  wire logic               m_req_ready,
  output      logic [63:0]        m_req_addr,
  output      logic [12:0]        m_req_len,
  output      logic [TAG_W-1:0]   m_req_tag,

  input  wire logic               s_cpl_valid,  // of all clients: the tag tells ours
  input  wire logic [TAG_W-1:0]   s_cpl_tag,
  input  wire logic [DATA_W-1:0]  s_cpl_data,
  input  wire logic               s_cpl_last,
  input  wire logic               s_cpl_error,

  output      logic               m_beat_valid,
  input  wire logic               m_beat_ready,
  output      logic [DATA_W-1:0]  m_beat_data,
  output      logic               m_beat_last,
  output      logic               m_beat_error,

  output      logic               m_slot_free,
  output      logic               m_release_valid,
  output      logic               m_release_epoch
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);
  localparam int BEATS = MAX_READ_BYTES / BYTES;
  localparam int BW    = $clog2(BEATS);
  localparam int MW    = $clog2(MAX_READ_BYTES);
  localparam int SW    = $clog2(TAGS);
  localparam int NW    = $clog2(TAGS + 2);
  initial if (BEATS < 2 || (1 << MW) != MAX_READ_BYTES || TAGS < 2) $fatal(1, "%m: wrong sizes");
  initial if (TAG_BASE + TAGS > (1 << TAG_W)) $fatal(1, "%m: tags do not fit");

  // Split.
  logic        busy_q;
  logic [63:0] pa_q;
  logic [12:0] rem_q;
  logic        epoch_q;
  span_t       rd;
  assign rd = s_rd_data;

  wire [12:0] room  = 13'(MAX_READ_BYTES) - 13'(pa_q[MW-1:0]);
  wire        fin   = rem_q <= room;
  wire [12:0] part  = fin ? rem_q : room;
  wire [12:0] reach = 13'(pa_q[LW-1:0]) + part - 13'd1;  // last byte, from lane 0 of the first beat

  logic [NW-1:0] used_q, pend_q, avail_q;    // slots taken; not answered; answered and not delivered
  logic [SW-1:0] tail_q, seen_q, head_q;
  wire           issue = busy_q && used_q != NW'(TAGS) && (!m_req_valid || m_req_ready);

  assign s_rd_ready = !busy_q || (issue && fin);

  always_ff @(posedge clk) begin : split
    if (rst) begin
      busy_q      <= 1'b0;
      m_req_valid <= 1'b0;
    end else begin
      if (m_req_ready) m_req_valid <= 1'b0;
      if (issue) m_req_valid <= 1'b1;
      if (s_rd_ready) busy_q <= s_rd_valid;
    end
    if (issue) begin
      m_req_addr <= pa_q;
      m_req_len  <= part;
      m_req_tag  <= TAG_W'(TAG_BASE) + TAG_W'(tail_q);
      pa_q       <= pa_q + 64'(part);
      rem_q      <= rem_q - part;
    end
    if (s_rd_ready) begin
      pa_q    <= rd.pa;
      rem_q   <= rd.len;
      epoch_q <= rd.epoch;
    end
  end

  // What is known of each slot: beats - 1, last part of its read, epoch.
  (* ram_style = "distributed" *) logic [BW+1:0] info [0:TAGS-1];
  logic [BW+1:0] head_info, seen_info;
  assign head_info = info[head_q];
  assign seen_info = info[seen_q];
  always_ff @(posedge clk) begin : remember
    if (issue) info[tail_q] <= {reach[MW-1:LW], fin, epoch_q};
  end

  // Completions into the reorder buffer.
  logic [TAGS-1:0] done_q, error_q;
  logic [BW-1:0]   fill_q [0:TAGS-1];
  wire [TAG_W-1:0] nth  = s_cpl_tag - TAG_W'(TAG_BASE);
  wire             mine = s_cpl_valid && {1'b0, nth} < (TAG_W+1)'(TAGS);
  wire [SW-1:0]    slot = SW'(nth);
  logic [BW-1:0]   fill;
  assign fill = fill_q[slot];

  always_ff @(posedge clk) begin : complete
    if (issue) done_q[tail_q] <= 1'b0;
    if (mine) begin
      fill_q[slot] <= s_cpl_last ? '0 : fill + 1'b1;
      if (s_cpl_last) begin
        done_q[slot]  <= 1'b1;
        error_q[slot] <= s_cpl_error;
      end
    end
    if (rst) for (int i = 0; i < TAGS; i++) fill_q[i] <= '0;
  end

  // Deliver in order.
  logic [BW-1:0] beat_q;
  logic          failed_q;                   // an earlier part of this read
  wire           rd_en  = avail_q != '0 && (!m_beat_valid || m_beat_ready);
  wire           end_of = beat_q == head_info[BW+1:2];
  wire           freed  = rd_en && end_of;
  wire           see    = pend_q != '0 && done_q[seen_q];
  logic          see_q;                      // counted as available a cycle later

  prim_ram #(.WIDTH(DATA_W), .DEPTH(TAGS * BEATS)) u_buffer (
    .clk, .wr_en(mine), .wr_addr({slot, fill}), .wr_data(s_cpl_data),
    .rd_en, .rd_addr({head_q, beat_q}), .rd_data(m_beat_data));

  always_ff @(posedge clk) begin : deliver
    if (rst) begin
      used_q          <= '0;
      pend_q          <= '0;
      avail_q         <= '0;
      see_q           <= 1'b0;
      tail_q          <= '0;
      seen_q          <= '0;
      head_q          <= '0;
      beat_q          <= '0;
      failed_q        <= 1'b0;
      m_beat_valid    <= 1'b0;
      m_slot_free     <= 1'b0;
      m_release_valid <= 1'b0;
    end else begin
      used_q  <= used_q  + NW'(issue) - NW'(m_slot_free);
      pend_q  <= pend_q  + NW'(issue) - NW'(see);
      see_q   <= see;
      avail_q <= avail_q + NW'(see_q) - NW'(freed);
      if (issue) tail_q <= tail_q == SW'(TAGS - 1) ? '0 : tail_q + 1'b1;
      if (see)   seen_q <= seen_q == SW'(TAGS - 1) ? '0 : seen_q + 1'b1;
      if (freed) head_q <= head_q == SW'(TAGS - 1) ? '0 : head_q + 1'b1;
      m_slot_free     <= freed;
      m_release_valid <= see && seen_info[1];
      if (m_beat_ready) m_beat_valid <= 1'b0;
      if (rd_en) begin
        m_beat_valid <= 1'b1;
        beat_q       <= end_of ? '0 : beat_q + 1'b1;
        if (end_of) failed_q <= !head_info[1] && (failed_q || error_q[head_q]);
      end
    end
    m_release_epoch <= seen_info[0];
    if (rd_en) begin
      m_beat_last  <= end_of && head_info[1];
      m_beat_error <= end_of && head_info[1] && (failed_q || error_q[head_q]);
    end
  end

  `ASSERT(a_asked, !mine || pend_q != '0)
  `ASSERT(a_counts, used_q == pend_q + avail_q + NW'(see_q) + NW'(m_slot_free) && used_q <= NW'(TAGS))
  `ASSERT(a_once, !(issue && mine && slot == tail_q))
  `ASSERT(a_length, !(s_rd_valid && s_rd_ready) || (rd.len != '0 && 13'(rd.pa[11:0]) + rd.len <= 13'd4096))

  wire unused = &{1'b0, head_info[0], seen_info, nth, reach};

endmodule

`default_nettype wire
