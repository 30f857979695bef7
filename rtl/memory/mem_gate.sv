// mem_gate: the one gate to memory: judges an access by key, domain, bounds and rights, then finds its page.
//
// Contract: responses of a client come in the order of its requests, with no ready: who asks has room.
//           A request takes the epoch when it is chosen and the live bits after that; ok with hold keeps
//           the epoch until a release. len = 0 is out of bounds. Table reads go before requests.
// Timing:   one request per cycle; the response comes 7 cycles later when no other goes first, a table read 6.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "mem_types.svh"

module mem_gate #(
  parameter int MRS      = 64,
  parameter int MTTS     = 8192,
  parameter int CLIENTS  = 9,
  parameter int RELEASES = 4
) (
  input  wire logic                           clk,
  input  wire logic                           rst,

  input  wire logic [CLIENTS-1:0]             s_req_valid,
  output      logic [CLIENTS-1:0]             s_req_ready,
  input  wire logic [CLIENTS*`GATE_REQ_W-1:0] s_req_data,     // gate_req_t of each
  output      logic [CLIENTS-1:0]             m_rsp_valid,
  output      logic [`GATE_RSP_W-1:0]         m_rsp_data,     // gate_rsp_t, for the client that is valid

  input  wire logic                           s_tbl_valid,    // always taken
  input  wire logic                           s_tbl_write,
  input  wire logic                           s_tbl_mtt,      // 0: MPT, 1: MTT
  input  wire logic [23:0]                    s_tbl_index,
  input  wire logic [2:0]                     s_tbl_word,     // of the MPT entry
  input  wire logic [63:0]                    s_tbl_wdata,
  output      logic                           m_tbl_valid,    // answers of reads
  output      logic [63:0]                    m_tbl_rdata,

  input  wire logic                           s_live_valid,   // hand a region over, or take it back
  input  wire logic                           s_live_set,
  input  wire logic [23:0]                    s_live_index,
  output      logic [MRS-1:0]                 m_live,

  input  wire logic [RELEASES-1:0]            s_release_valid,
  input  wire logic [RELEASES-1:0]            s_release_epoch,
  input  wire logic                           s_fence_valid,
  output      logic                           s_fence_ready,
  output      logic                           m_fence_done
);

  localparam int MW    = $clog2(MRS);
  localparam int TW    = $clog2(MTTS);
  localparam int CW    = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
  localparam int WORDS = 5;                  // of an MPT entry that mean something

  // Cycle 0: choose a request, start reading its region.
  wire                    tbl_read = s_tbl_valid && !s_tbl_write;
  logic                   pick_valid;
  logic [`GATE_REQ_W-1:0] pick_data;
  logic [CW-1:0]          pick_client;
  logic                   pick_last;
  gate_req_t              r0_req;
  logic                   epoch;

  // A slice for each client: none feels in its own cycle what the others do.
  logic [CLIENTS-1:0]             req_valid, req_ready;
  logic [CLIENTS*`GATE_REQ_W-1:0] req_data;
  for (genvar i = 0; i < CLIENTS; i++) begin : g_client
    prim_skid #(.DATA_W(`GATE_REQ_W)) u_slice (
      .clk, .rst, .s_valid(s_req_valid[i]), .s_ready(s_req_ready[i]), .s_data(s_req_data[i*`GATE_REQ_W +: `GATE_REQ_W]),
      .m_valid(req_valid[i]), .m_ready(req_ready[i]), .m_data(req_data[i*`GATE_REQ_W +: `GATE_REQ_W]));
  end

  prim_arb #(.N(CLIENTS), .WIDTH(`GATE_REQ_W)) u_arb (
    .clk, .rst, .s_valid(req_valid), .s_ready(req_ready), .s_data(req_data), .s_last({CLIENTS{1'b1}}),
    .m_valid(pick_valid), .m_ready(!tbl_read), .m_data(pick_data), .m_last(pick_last), .m_index(pick_client));

  assign r0_req = pick_data;
  wire [MW-1:0] r0_index = tbl_read ? s_tbl_index[MW-1:0] : r0_req.key[8 +: MW];

  // Regions: a column for each word. Pages: one column.
  logic [WORDS*64-1:0] words;
  mpt_t                mpt;
  generate
    for (genvar w = 0; w < WORDS; w++) begin : g_word
      prim_ram #(.WIDTH(64), .DEPTH(MRS)) u_ram (
        .clk,
        .wr_en(s_tbl_valid && s_tbl_write && !s_tbl_mtt && (s_tbl_index >> MW) == '0 && s_tbl_word == 3'(w)),
        .wr_addr(s_tbl_index[MW-1:0]), .wr_data(s_tbl_wdata),
        .rd_en(1'b1), .rd_addr(r0_index), .rd_data(words[w*64 +: 64]));
    end
  endgenerate
  assign mpt = {{(512 - WORDS*64){1'b0}}, words};

  logic [MRS-1:0] live_q;
  assign m_live = live_q;
  always_ff @(posedge clk) begin : live
    if (rst) live_q <= '0;
    else if (s_live_valid && (s_live_index >> MW) == '0) live_q[s_live_index[MW-1:0]] <= s_live_set;
  end

  // What travels along: client, epoch, hold, ring; a table read; verdicts so far.
  logic [5:1]    valid_q, tbl_q, hold_q, ring_q, epoch_q;
  logic [5:1]    tblmtt_q;
  logic          r5_miss_q;
  logic [CW-1:0] client_q [1:5];
  logic [63:0]   word_q   [2:5];             // answer of an MPT read
  logic [23:0]   tblidx_q [1:4];
  logic [2:0]    tblword_q;
  logic [4:0]    refuse_q [2:5];             // a bit per cause: {page, rights, bounds, pd, key}

  gate_req_t     r1_req_q;
  gate_req_t     r2_req_q;
  mpt_t          r2_mpt_q;
  logic [64:0]   r2_delta_q;                 // va - start, with borrow
  logic [64:0]   r2_end_q;                   // va + len
  logic [64:0]   r3_end_q, r3_off_q;         // end of the access from start; its begin from the first page
  logic [63:0]   r3_length_q, r3_va_q;
  logic [23:0]   r3_mtt_q, r4_mtt_q;
  logic [5:0]    r3_shift_q;
  logic [51:0]   r4_page_q;                  // index behind the first page
  logic [29:0]   r4_inpage_q, r5_inpage_q;

  wire [3:0] rights = {mpt.remote_atomic, mpt.remote_read, mpt.remote_write, mpt.local_write};

  wire [24:0] r4_index = tbl_q[4] ? {1'b0, tblidx_q[4]} : {1'b0, r4_mtt_q} + {1'b0, r4_page_q[23:0]};
  wire        r4_miss  = (r4_index >> TW) != '0 || (!tbl_q[4] && r4_page_q[51:24] != '0);

  always_ff @(posedge clk) begin : travel
    valid_q <= rst ? '0 : {valid_q[4:1], pick_valid && !tbl_read};
    tbl_q   <= rst ? '0 : {tbl_q[4:1], tbl_read};
    hold_q  <= {hold_q[4:1], r0_req.hold};
    ring_q  <= {ring_q[4:1], r0_req.ring};
    epoch_q <= {epoch_q[4:1], epoch};
    tblmtt_q <= {tblmtt_q[4:1], s_tbl_mtt};
    client_q[1] <= pick_client;
    tblidx_q[1] <= s_tbl_index;
    tblword_q   <= s_tbl_word;
    for (int i = 2; i <= 5; i++) client_q[i] <= client_q[i-1];
    for (int i = 2; i <= 4; i++) tblidx_q[i] <= tblidx_q[i-1];
    for (int i = 3; i <= 5; i++) word_q[i]   <= word_q[i-1];
  end

  wire r1_known = ((tbl_q[1] ? tblidx_q[1] : r1_req_q.key[31:8]) >> MW) == '0;

  // Cycle 1: the region is there. Compare, and subtract its start.
  logic [63:0] word_d;
  always_comb begin : table_word
    word_d = '0;
    for (int w = 0; w < WORDS; w++) if (tblword_q == 3'(w) && r1_known) word_d = words[w*64 +: 64];
  end

  always_ff @(posedge clk) begin : judge
    r1_req_q    <= r0_req;

    r2_req_q    <= r1_req_q;
    r2_mpt_q    <= mpt;
    word_q[2]   <= word_d;
    refuse_q[2] <= {1'b0, (r1_req_q.need & ~rights) != '0, 1'b0, mpt.pd != r1_req_q.pd,
                    !r1_known || !live_q[r1_req_q.key[8 +: MW]] || mpt.key != r1_req_q.key};
    r2_delta_q  <= {1'b0, r1_req_q.va} - {1'b0, mpt.start};
    r2_end_q    <= {1'b0, r1_req_q.va} + 65'(r1_req_q.len);

    // Cycle 2: where the access ends in the region, and where it begins in its pages.
    refuse_q[3] <= refuse_q[2] | {2'b0, r2_delta_q[64] || r2_req_q.len == '0
                    || (r2_end_q[64] && r2_end_q[63:0] != '0), 2'b0};
    r3_end_q    <= {1'b0, r2_delta_q[63:0]} + 65'(r2_req_q.len);
    r3_off_q    <= {1'b0, r2_delta_q[63:0]} + {1'b0, r2_mpt_q.offset};
    r3_length_q <= r2_mpt_q.length;
    r3_va_q     <= r2_req_q.va;
    r3_mtt_q    <= ring_q[2] ? r2_req_q.mtt : r2_mpt_q.mtt;
    r3_shift_q  <= r2_mpt_q.page_shift;

    // Cycle 3: bounds; the page.
    refuse_q[4] <= refuse_q[3] | {r3_off_q[64] && !ring_q[3], 1'b0, r3_end_q > {1'b0, r3_length_q}, 2'b0};
    r4_page_q   <= ring_q[3] ? r3_va_q[63:12] : 52'(r3_off_q[63:0] >> r3_shift_q);
    r4_inpage_q <= ring_q[3] ? {18'b0, r3_va_q[11:0]} : r3_off_q[29:0] & ~({30{1'b1}} << r3_shift_q);
    r4_mtt_q    <= r3_mtt_q;
    if (ring_q[3]) refuse_q[4] <= '0;

    // Cycle 4: read the page.
    refuse_q[5] <= refuse_q[4] | {r4_miss, 4'b0};
    r5_miss_q   <= r4_miss;
    r5_inpage_q <= r4_inpage_q;
  end

  // A live region has pages of 4 KiB to 1 GiB.
  `ASSUME(a_pages, !valid_q[1] || r1_req_q.ring || !r1_known || !live_q[r1_req_q.key[8 +: MW]] || (mpt.page_shift >= 6'd12 && mpt.page_shift <= 6'd30))

  logic [52:0] page;                         // {page, present}
  prim_ram #(.WIDTH(53), .DEPTH(MTTS)) u_mtt (
    .clk, .wr_en(s_tbl_valid && s_tbl_write && s_tbl_mtt && (s_tbl_index >> TW) == '0),
    .wr_addr(s_tbl_index[TW-1:0]), .wr_data({s_tbl_wdata[63:12], s_tbl_wdata[0]}),
    .rd_en(1'b1), .rd_addr(r4_index[TW-1:0]), .rd_data(page));

  // Cycle 5: the verdict and the address.
  gate_rsp_t rsp, rsp_q;
  logic [CLIENTS-1:0] rsp_valid_q;
  logic               rsp_hold_q;

  wire [4:0] refuse = refuse_q[5];
  wire       there  = page[0];
  always_comb begin : verdict
    rsp       = '0;
    rsp.ok    = refuse == '0 && there;
    rsp.epoch = epoch_q[5];
    rsp.pa    = {page[52:1], 12'b0} + 64'(r5_inpage_q);
    rsp.span  = 13'd4096 - {1'b0, r5_inpage_q[11:0]};
    if      (refuse[0]) rsp.cause = `MEM_CAUSE_KEY;
    else if (refuse[1]) rsp.cause = `MEM_CAUSE_PD;
    else if (refuse[2]) rsp.cause = `MEM_CAUSE_BOUNDS;
    else if (refuse[3]) rsp.cause = `MEM_CAUSE_RIGHTS;
    else if (!rsp.ok)        rsp.cause = `MEM_CAUSE_PAGE;
  end

  always_ff @(posedge clk) begin : answer
    rsp_q       <= rsp;
    rsp_hold_q  <= valid_q[5] && hold_q[5] && rsp.ok && !rst;
    m_tbl_valid <= tbl_q[5] && !rst;
    m_tbl_rdata <= !tblmtt_q[5] ? word_q[5] : r5_miss_q ? '0 : {page[52:1], 11'b0, page[0]};
    for (int i = 0; i < CLIENTS; i++) rsp_valid_q[i] <= valid_q[5] && client_q[5] == CW'(i) && !rst;
  end
  assign m_rsp_valid = rsp_valid_q;
  assign m_rsp_data  = rsp_q;

  mem_epoch #(.RELEASES(RELEASES), .PIPE_CYCLES(8)) u_epoch (
    .clk, .rst, .m_epoch(epoch), .s_hold_valid(rsp_hold_q), .s_hold_epoch(rsp_q.epoch),
    .s_release_valid, .s_release_epoch, .s_fence_valid, .s_fence_ready, .m_fence_done);

  wire unused = &{1'b0, pick_last, mpt, r2_mpt_q, r2_req_q, tblmtt_q, ring_q[5]};

endmodule

`default_nettype wire
