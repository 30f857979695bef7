// link_rx: keeps received packets in slots and passes on the headers of those whose CRCs and link fields are right.
//
// Contract: nothing of a packet is passed on before its CRCs are known right; the slot of a bad one is given
//           back and the packet counted by reason (7.8, 9.6.1). A packet waits on the link when no slot is free.
// Timing:   one beat a cycle; a header shows 10 cycles after its packet's last beat, one in 3 cycles.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module link_rx #(
  parameter int DATA_W = 256,
  parameter int SLOTS  = 16,
  parameter int BEAT_W = 8                   // log2 of the beats of a slot
) (
  input  wire logic                        clk,
  input  wire logic                        rst,
  input  wire logic                        enable,
  input  wire logic [15:0]                 lid,
  input  wire logic [2:0]                  lmc,
  input  wire logic [3:0]                  mtu,
  output      logic [127:0]                dgid,         // look-up in the GID table
  input  wire logic                        dgid_known,

  input  wire logic                        s_link_valid,
  output      logic                        s_link_ready,
  input  wire logic [DATA_W-1:0]           s_link_data,
  input  wire logic [DATA_W/8-1:0]         s_link_keep,
  input  wire logic                        s_link_last,

  output      logic                        m_desc_valid,
  input  wire logic                        m_desc_ready,
  output      rx_desc_t                    m_desc,
  output      logic                        m_drop_valid, // count it
  output      logic [4:0]                  m_drop_reason,
  output      logic                        m_count_valid, // a packet came, of so many bytes
  output      logic [13:0]                 m_count_bytes,

  input  wire logic                        s_free_valid, // slots given back by those who took the payload
  input  wire logic [$clog2(SLOTS)-1:0]    s_free,
  output      logic                        s_free_ready,
  input  wire logic                        s_rd_en,      // payload read: data one cycle later
  input  wire logic [$clog2(SLOTS)+BEAT_W-1:0] s_rd_addr,
  output      logic [DATA_W-1:0]           m_rd_data
);

  localparam int BYTES  = DATA_W / 8;
  localparam int BW     = $clog2(BYTES) + 1;
  localparam int SW     = $clog2(SLOTS);
  localparam int WINDOW = 88;                // bytes: LRH, GRH, BTH, AtomicETH
  localparam int WBEATS = (WINDOW + BYTES - 1) / BYTES;

  // Bytes of the last beat.
  logic [BW-1:0] beat_bytes;
  always_comb begin : count_keep
    beat_bytes = '0;
    for (int i = 0; i < BYTES; i++) if (s_link_keep[i]) beat_bytes = BW'(i + 1);
  end

  logic          slot_valid, check_ready, wait_ready, take;
  logic [3:0]    wait_level;
  logic [SW-1:0] slot, free_slot;
  logic          free_valid;
  prim_pool #(.N(SLOTS)) u_slots (
    .clk, .rst, .m_valid(slot_valid), .m_number(slot), .s_take(take && s_link_last), .s_free_valid(free_valid),
    .s_free(free_slot));

  logic room_q;                              // verdicts and headers of the packets under way fit
  always_ff @(posedge clk) room_q <= !rst && check_ready && wait_level < 4'd6;
  assign s_link_ready = slot_valid && room_q;
  assign take         = s_link_valid && s_link_ready;

  logic verdict_valid, verdict_ready, vcrc_ok, icrc_ok;
  crc_check #(.DATA_W(DATA_W)) u_check (
    .clk, .rst, .s_valid(take), .s_ready(check_ready), .s_data(s_link_data), .s_bytes(beat_bytes), .s_last(s_link_last),
    .m_valid(verdict_valid), .m_ready(verdict_ready), .m_vcrc_ok(vcrc_ok), .m_icrc_ok(icrc_ok));

  // Beats go to the slot, the first ones to the header window too. What is too long for a slot stops being kept.
  logic [BEAT_W:0]            beat_q;
  logic [WBEATS*DATA_W-1:0]   window_q, window;
  logic [13:0]                bytes_q;
  wire  [13:0]                bytes = bytes_q + 14'(beat_bytes);
  always_comb begin : gather_headers
    window = window_q;
    for (int i = 0; i < WBEATS; i++) if (beat_q == (BEAT_W+1)'(i)) window[i*DATA_W +: DATA_W] = s_link_data;
  end
  always_ff @(posedge clk) begin : position
    if (rst || (take && s_link_last)) begin
      beat_q  <= '0;
      bytes_q <= '0;
    end else if (take) begin
      if (!beat_q[BEAT_W]) beat_q <= beat_q + 1'b1;
      if (!bytes_q[13]) bytes_q <= bytes;
    end
    if (take) window_q <= window;
  end

  // The value of an AtomicAck is stored as the host keeps numbers, its lowest byte first: it is scattered like payload.
  wire        with_grh  = window[9:8] == ib_pkg::LNH_IBA_GLOBAL;
  wire [7:0]  opcode    = with_grh ? window[48*8 +: 8] : window[8*8 +: 8];
  wire        is_value  = ib_pkg::op_has_atomicacketh(opcode);
  logic [DATA_W-1:0] stored;
  always_comb begin : little_endian
    stored = s_link_data;
    for (int i = 0; i < 8; i++) begin
      if (is_value && !with_grh && beat_q == (BEAT_W+1)'(24 / BYTES)) stored[(24 % BYTES + i)*8 +: 8] = s_link_data[(24 % BYTES + 7 - i)*8 +: 8];
      if (is_value && with_grh && beat_q == (BEAT_W+1)'(64 / BYTES)) stored[(64 % BYTES + i)*8 +: 8] = s_link_data[(64 % BYTES + 7 - i)*8 +: 8];
    end
  end

  prim_ram #(.WIDTH(DATA_W), .DEPTH(SLOTS << BEAT_W)) u_store (
    .clk, .wr_en(take && !beat_q[BEAT_W]), .wr_addr({slot, beat_q[BEAT_W-1:0]}), .wr_data(stored),
    .rd_en(s_rd_en), .rd_addr(s_rd_addr), .rd_data(m_rd_data));

  // Headers wait for the verdict on their packet.
  typedef struct packed {
    logic [SW-1:0] slot;
    logic [13:0]   bytes;
    logic [703:0]  window;                   // first byte on top
  } waiting_t;
  waiting_t   wait_in, waiting;
  logic       wait_valid;
  assign wait_in.slot  = slot;
  assign wait_in.bytes = bytes;
  logic [703:0] turned;
  for (genvar i = 0; i < WINDOW; i++) begin : g_turn
    assign turned[703 - i*8 -: 8] = window[i*8 +: 8];
  end
  assign wait_in.window = turned;

  prim_fifo #(.WIDTH($bits(waiting_t'('0))), .DEPTH(8)) u_wait (
    .clk, .rst, .s_valid(take && s_link_last), .s_ready(wait_ready), .s_data(wait_in),
    .m_valid(wait_valid), .m_ready(verdict_ready), .m_data(waiting), .level(wait_level));

  // Three steps: take the headers, look up the DGID, read and judge. The judged packet leaves beside.
  typedef enum logic [1:0] {ST_HEAD, ST_MATCH, ST_JUDGE} state_e;
  state_e   state_q;
  waiting_t head_q;
  logic     vcrc_q, icrc_q, known_q;
  logic     ok, ok_q, judged_q;
  logic [4:0] reason, reason_q;
  rx_desc_t desc, desc_q;
  ib_parser u_parser (
    .window(head_q.window), .bytes(head_q.bytes), .vcrc_ok(vcrc_q), .icrc_ok(icrc_q), .lid, .lmc, .mtu, .dgid_known(known_q),
    .dgid, .m_ok(ok), .m_reason(reason), .m_desc(desc));

  wire leave = judged_q && (ok_q ? m_desc_ready : !s_free_valid);
  wire judge = state_q == ST_JUDGE && (!judged_q || leave);
  assign verdict_ready = state_q == ST_HEAD && verdict_valid && wait_valid;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q  <= ST_HEAD;
      judged_q <= 1'b0;
    end else begin
      case (state_q)
        ST_HEAD: if (verdict_ready) state_q <= ST_MATCH;
        ST_MATCH: state_q <= ST_JUDGE;
        ST_JUDGE: if (judge) state_q <= ST_HEAD;
        default: state_q <= ST_HEAD;
      endcase
      if (judge) judged_q <= 1'b1;
      else if (leave) judged_q <= 1'b0;
    end
  end

  logic counted_q;                           // the port was on when it was judged
  always_ff @(posedge clk) begin : work
    if (verdict_ready) begin
      head_q <= waiting;
      vcrc_q <= vcrc_ok;
      icrc_q <= icrc_ok;
    end
    known_q <= dgid_known;
    if (judge) begin
      ok_q        <= ok && enable;
      reason_q    <= reason;
      desc_q      <= desc;
      desc_q.slot <= 8'(head_q.slot);
      counted_q   <= enable;
    end
  end

  assign m_desc_valid  = judged_q && ok_q;
  assign m_desc        = desc_q;
  assign m_drop_valid  = judged_q && !ok_q && !s_free_valid && counted_q;
  assign m_drop_reason = reason_q;
  assign m_count_valid = judge && enable;
  assign m_count_bytes = head_q.bytes;

  // Slots come back from elsewhere first.
  assign free_valid   = s_free_valid || (judged_q && !ok_q);
  assign free_slot    = s_free_valid ? s_free : desc_q.slot[SW-1:0];
  assign s_free_ready = 1'b1;

  `ASSERT(a_room, !(take && s_link_last) || wait_ready)

endmodule

`default_nettype wire
