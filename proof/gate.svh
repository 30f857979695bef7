// What the gate lets through, against what it was asked and what the tables held.
`include "reset.svh"

  // The tables: five words of each region; of each page where it is and whether it is there.
  (* hierconn *) wire [MRS*64-1:0]  \g_word[0].u_ram.f_mem ;
  (* hierconn *) wire [MRS*64-1:0]  \g_word[1].u_ram.f_mem ;
  (* hierconn *) wire [MRS*64-1:0]  \g_word[2].u_ram.f_mem ;
  (* hierconn *) wire [MRS*64-1:0]  \g_word[3].u_ram.f_mem ;
  (* hierconn *) wire [MRS*64-1:0]  \g_word[4].u_ram.f_mem ;
  (* hierconn *) wire [MTTS*53-1:0] \u_mtt.f_mem ;

  // A request on its way, with the region's entry when it was chosen and whether that was live the cycle behind.
  logic [6:1]          f_valid_q, f_epoch_q;
  logic [7*CW-1:CW]    f_who_q;
  logic [7*`GATE_REQ_W-1:`GATE_REQ_W] f_req_q;
  logic [319:0]        f_entry1_q, f_entry2_q, f_entry3_q;
  logic [3:2]          f_live_q;
  wire gate_req_t      f_picked = pick_data;
  wire gate_req_t      f_req1   = f_req_q[1*`GATE_REQ_W +: `GATE_REQ_W];
  wire gate_req_t      f_req2   = f_req_q[2*`GATE_REQ_W +: `GATE_REQ_W];
  wire gate_req_t      f_req3   = f_req_q[3*`GATE_REQ_W +: `GATE_REQ_W];
  wire [MW-1:0]        f_at     = f_picked.key[8 +: MW];
  always_ff @(posedge clk) begin
    f_valid_q  <= rst ? '0 : {f_valid_q[5:1], pick_valid && !tbl_read};
    f_epoch_q  <= {f_epoch_q[5:1], epoch};
    f_who_q    <= {f_who_q[6*CW-1:CW], pick_client};
    f_req_q    <= {f_req_q[6*`GATE_REQ_W-1:`GATE_REQ_W], pick_data};
    f_entry1_q <= {\g_word[4].u_ram.f_mem [64*f_at +: 64], \g_word[3].u_ram.f_mem [64*f_at +: 64], \g_word[2].u_ram.f_mem [64*f_at +: 64],
                   \g_word[1].u_ram.f_mem [64*f_at +: 64], \g_word[0].u_ram.f_mem [64*f_at +: 64]};
    f_entry2_q <= f_entry1_q;
    f_entry3_q <= f_entry2_q;
    f_live_q   <= {f_live_q[2], live_q[f_req1.key[8 +: MW]]};
  end

  // What is to be said of it, but for its page; then its page; then both.
  wire mpt_t   f_entry2 = {192'b0, f_entry2_q};
  wire mpt_t   f_entry3 = {192'b0, f_entry3_q};
  logic [2:0]  f_cause3, f_cause4_q, f_cause5_q, f_cause_q;
  logic [63:0] f_number3, f_number4_q, f_in_page3, f_in_page4_q, f_in_page5_q, f_in_page_q;
  logic [23:0] f_mtt4_q;
  logic [52:0] f_page5_q;
  logic [63:0] f_base_q;
  region #(.MRS(MRS)) f_region (.req(f_req3), .entry(f_entry3), .live(f_live_q[3]), .cause(f_cause3), .number(f_number3), .in_page(f_in_page3));
  wire [64:0]  f_page4 = {1'b0, f_number4_q} + 65'(f_mtt4_q);
  always_ff @(posedge clk) begin
    f_cause4_q   <= f_cause3;
    f_number4_q  <= f_number3;
    f_in_page4_q <= f_in_page3;
    f_mtt4_q     <= f_req3.ring ? f_req3.mtt : f_entry3.mtt;
    f_cause5_q   <= f_cause4_q == 3'd0 && f_page4 >= 65'(MTTS) ? `MEM_CAUSE_PAGE : f_cause4_q;
    f_page5_q    <= \u_mtt.f_mem [53*f_page4[TW-1:0] +: 53];
    f_in_page5_q <= f_in_page4_q;
    f_cause_q    <= f_cause5_q == 3'd0 && !f_page5_q[0] ? `MEM_CAUSE_PAGE : f_cause5_q;
    f_base_q     <= {f_page5_q[52:1], 12'b0};
    f_in_page_q  <= f_in_page5_q;
  end

  // Where the gate's own registers stand.
  logic f_travels;
  always_comb begin
    f_travels = valid_q == f_valid_q[5:1];
    for (int i = 1; i <= 5; i++)
      if (f_valid_q[i] && (tbl_q[i] || client_q[i] != f_who_q[i*CW +: CW] || epoch_q[i] != f_epoch_q[i] ||
                           (i <= 3 && ring_q[i] != f_req_q[i*`GATE_REQ_W + `GATE_REQ_W - 1]))) f_travels = 1'b0;
  end
  `ASSERT(i_travel, f_travels)
  `ASSERT(i_1, !f_valid_q[1] || (r1_req_q == f_req1 && words == f_entry1_q))
  wire f_named2 = f_req2.key[31:8] < 24'(MRS) && f_live_q[2];
  wire f_named3 = f_req3.key[31:8] < 24'(MRS) && f_live_q[3];
  `ASSERT(i_2, !f_valid_q[2] || (r2_req_q == f_req2 && r2_mpt_q == f_entry2 &&
    refuse_q[2] == {1'b0, (f_req2.need & ~{f_entry2.remote_atomic, f_entry2.remote_read, f_entry2.remote_write, f_entry2.local_write}) != '0, 1'b0,
                    f_entry2.pd != f_req2.pd, !f_named2 || f_entry2.key != f_req2.key} &&
    r2_delta_q == {1'b0, f_req2.va} - {1'b0, f_entry2.start} && r2_end_q == {1'b0, f_req2.va} + 65'(f_req2.len)))
  wire [64:0] f_delta3 = {1'b0, f_req3.va} - {1'b0, f_entry3.start};
  wire [64:0] f_end3   = {1'b0, f_req3.va} + 65'(f_req3.len);
  `ASSERT(i_3, !f_valid_q[3] || (
    refuse_q[3] == {1'b0, (f_req3.need & ~{f_entry3.remote_atomic, f_entry3.remote_read, f_entry3.remote_write, f_entry3.local_write}) != '0,
                    f_delta3[64] || f_req3.len == '0 || (f_end3[64] && f_end3[63:0] != '0), f_entry3.pd != f_req3.pd, !f_named3 || f_entry3.key != f_req3.key} &&
    r3_end_q == {1'b0, f_delta3[63:0]} + 65'(f_req3.len) && r3_off_q == {1'b0, f_delta3[63:0]} + {1'b0, f_entry3.offset} &&
    r3_length_q == f_entry3.length && r3_va_q == f_req3.va && r3_mtt_q == (f_req3.ring ? f_req3.mtt : f_entry3.mtt) && r3_shift_q == f_entry3.page_shift))
  `ASSERT(i_pages, (!f_valid_q[2] || f_req2.ring || !f_named2 || (f_entry2.page_shift >= 6'd12 && f_entry2.page_shift <= 6'd30)) &&
                   (!f_valid_q[3] || f_req3.ring || !f_named3 || (f_entry3.page_shift >= 6'd12 && f_entry3.page_shift <= 6'd30)))
  function automatic [2:0] f_first(input [4:0] refused);
    f_first = refused[0] ? `MEM_CAUSE_KEY : refused[1] ? `MEM_CAUSE_PD : refused[2] ? `MEM_CAUSE_BOUNDS : refused[3] ? `MEM_CAUSE_RIGHTS
            : refused[4] ? `MEM_CAUSE_PAGE : 3'd0;
  endfunction
  `ASSERT(i_4, !f_valid_q[4] || (f_first(refuse_q[4]) == f_cause4_q && (f_cause4_q != 3'd0 ||
    ({12'b0, r4_page_q} == f_number4_q && {34'b0, r4_inpage_q} == f_in_page4_q && r4_mtt_q == f_mtt4_q))))
  `ASSERT(i_5, !f_valid_q[5] || (f_first(refuse_q[5]) == f_cause5_q && (f_cause5_q != 3'd0 || (page == f_page5_q && {34'b0, r5_inpage_q} == f_in_page5_q))))

  (* anyconst *) logic [CW-1:0] f_c;         // any one client
  wire gate_req_t f_asked    = f_req_q[6*`GATE_REQ_W +: `GATE_REQ_W];
  wire            f_answered = f_valid_q[6];

  // No address leaves for an access that is not wholly inside of its live region, by the full key, in its domain, with all rights.
  `ASSERT(a_allowed, !(f_answered && rsp_q.ok) || f_cause_q == 3'd0)
  // An access that is allowed is not refused.
  `ASSERT(a_refused, !f_answered || rsp_q.ok == (f_cause_q == 3'd0))
  // A refusal names the first check that fails.
  `ASSERT(a_cause, !(f_answered && !rsp_q.ok) || rsp_q.cause == f_cause_q)
  // The address is the one in its page of the region, or of the ring: byte and page.
  `ASSERT(a_address, !(f_answered && rsp_q.ok) || rsp_q.pa == f_base_q + f_in_page_q)
  // What may be reached from there ends with the 4 KiB.
  `ASSERT(a_span, !f_answered || ({1'b0, rsp_q.pa[11:0]} + rsp_q.span == 13'd4096))
  // The answer has the epoch of when the request was chosen.
  `ASSERT(a_epoch, !f_answered || rsp_q.epoch == f_epoch_q[6])
  // There is one answer for each request chosen, to its client alone; none else.
  `ASSERT(a_answer, m_rsp_valid == (f_answered ? CLIENTS'(1) << f_who_q[6*CW +: CW] : '0))

  // A client's answers come in the order of its requests, one each: `follow` counts and compares.
  logic [3:0]             f_held, f_ahead;
  logic                   f_inside;
  logic [`GATE_REQ_W-1:0] f_word;
  follow #(.WIDTH(`GATE_REQ_W), .MOST(8)) f_follow (
    .clk, .rst, .put(s_req_valid[f_c] && s_req_ready[f_c]), .put_data(s_req_data[f_c*`GATE_REQ_W +: `GATE_REQ_W]),
    .get(m_rsp_valid[f_c]), .shows(m_rsp_valid[f_c]), .get_data(f_asked),
    .held(f_held), .inside(f_inside), .ahead(f_ahead), .word(f_word));
  (* hierconn *) wire                   \g_client[0].u_slice.spare_valid_q ;
  (* hierconn *) wire                   \g_client[1].u_slice.spare_valid_q ;
  (* hierconn *) wire [`GATE_REQ_W-1:0] \g_client[0].u_slice.spare_q ;
  (* hierconn *) wire [`GATE_REQ_W-1:0] \g_client[1].u_slice.spare_q ;
  wire                   f_spare      = f_c == '0 ? \g_client[0].u_slice.spare_valid_q : \g_client[1].u_slice.spare_valid_q ;
  wire [`GATE_REQ_W-1:0] f_spare_data = f_c == '0 ? \g_client[0].u_slice.spare_q : \g_client[1].u_slice.spare_q ;
  logic                  f_found_it;
  logic [3:0]            f_count;
  always_comb begin : places
    f_count    = '0;
    f_found_it = 1'b0;
    for (int i = 6; i >= 1; i--) if (f_valid_q[i] && f_who_q[i*CW +: CW] == f_c) begin
      if (f_count == f_ahead) f_found_it = f_req_q[i*`GATE_REQ_W +: `GATE_REQ_W] == f_word;
      f_count = f_count + 4'd1;
    end
    if (req_valid[f_c]) begin
      if (f_count == f_ahead) f_found_it = req_data[f_c*`GATE_REQ_W +: `GATE_REQ_W] == f_word;
      f_count = f_count + 4'd1;
    end
    if (f_spare) begin
      if (f_count == f_ahead) f_found_it = f_spare_data == f_word;
      f_count = f_count + 4'd1;
    end
  end
  `ASSERT(i_held, f_count == f_held && (!f_spare || req_valid[f_c]))
  `ASSERT(i_place, !f_inside || f_found_it)

  // The last byte of a region that ends with the address space.
  `COVER(c_end, f_answered && rsp_q.ok && !f_asked.ring && f_asked.va + 64'(f_asked.len) == '0 && f_asked.len > 32'd4096)
  // A page of 1 GiB, reached far inside.
  `COVER(c_huge, f_answered && rsp_q.ok && f_in_page_q > 64'h2000_0000)
  // A ring's page.
  `COVER(c_ring, f_answered && rsp_q.ok && f_asked.ring)
  // A key whose low bits are those of another.
  `COVER(c_key, f_answered && !rsp_q.ok && f_asked.key[31:8] >= 24'(MRS))
  // Beyond the bounds by one byte.
  `COVER(c_bounds, f_answered && rsp_q.cause == `MEM_CAUSE_BOUNDS && f_asked.len == 32'd2)
