// link_tx: sends packets: headers, payload and both CRCs; acknowledges first.
//
// Contract: a packet starts only when it is wholly here and then never pauses for want of data; a packet of a queue pair that
//           left RTR..Error meanwhile (Reset, Init) is dropped. m_sent tells when an answer's last response is on its way.
// Timing:   4 cycles from a packet to its first beat at the CRCs, 8 more to the link; headers of the next packet are
//           built while one leaves, 3 cycles a packet.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module link_tx #(
  parameter int DATA_W = 256,
  parameter int QPS    = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic [15:0]            lid,
  input  wire logic [2:0]             lmc,
  input  wire logic [63:0]            sl2vl,
  input  wire logic                   link_up,         // no packet starts while it is down

  input  wire logic                   s_ack_valid,     // a packet without payload, sent before any other
  output      logic                   s_ack_ready,
  input  wire tx_desc_t               s_ack,
  input  wire logic                   s_pkt_valid,
  output      logic                   s_pkt_ready,
  input  wire tx_desc_t               s_pkt,
  input  wire logic                   s_beat_valid,    // images of s_pkt: payload in place, header lanes zero
  output      logic                   s_beat_ready,
  input  wire logic [DATA_W-1:0]      s_beat_data,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,
  output      logic [7:0]             sgid_index,      // look-ups in the port's tables
  input  wire logic [127:0]           sgid,
  output      logic [15:0]            pkey_index,
  input  wire logic [15:0]            pkey,

  output      logic                   m_begun_valid,   // the first response to a READ or atomic was chosen
  output      logic [$clog2(QPS)-1:0] m_begun_qp,
  output      logic                   m_begun_round,
  output      logic                   m_sent_valid,
  output      logic [$clog2(QPS)-1:0] m_sent_qp,
  output      logic                   m_sent_round,
  output      logic                   m_count_valid,   // a packet leaves, of so many bytes
  output      logic [13:0]            m_count_bytes,
  output      logic                   m_count_answer,  // it is an ACK or a NAK, of this syndrome
  output      logic [7:0]             m_count_syndrome,

  output      logic                   m_link_valid,
  input  wire logic                   m_link_ready,
  output      logic [DATA_W-1:0]      m_link_data,
  output      logic [DATA_W/8-1:0]    m_link_keep,
  output      logic                   m_link_last,
  output      logic [3:0]             m_link_vl
);

  localparam int QW    = $clog2(QPS);
  localparam int BYTES = DATA_W / 8;
  localparam int BW    = $clog2(BYTES) + 1;
  localparam int HBEATS = (88 + BYTES - 1) / BYTES;

  // Choose a packet, read its context, build its headers.
  typedef enum logic [1:0] {ST_CHOOSE, ST_CONTEXT, ST_BUILD} state_e;
  state_e   state_q;
  logic     image_q;                         // the packet has beats in the buffer
  tx_desc_t desc_q;
  logic [`CFG_W-1:0] cfg_q;
  qpc_t     cfg;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);

  wire choose = s_ack_ready && (s_ack_valid || s_pkt_valid);
  assign s_ack_ready = state_q == ST_CHOOSE && link_up;
  assign s_pkt_ready = s_ack_ready && !s_ack_valid;
  assign m_cfg_valid = choose;
  assign m_cfg_qp    = s_ack_valid ? s_ack.qpn[QW-1:0] : s_pkt.qpn[QW-1:0];

  logic [127:0] sgid_q;
  logic [15:0]  pkey_q;
  assign sgid_index = cfg.sgid_index;
  assign pkey_index = cfg.pkey_index;

  logic [703:0] header;
  logic [6:0]   hdr_bytes;
  logic [12:0]  bytes;
  logic [3:0]   vl;
  ib_builder u_builder (
    .s_desc(desc_q), .s_cfg(cfg_q), .sgid(sgid_q), .pkey(pkey_q), .lid, .lmc, .sl2vl,
    .m_header(header), .m_hdr_bytes(hdr_bytes), .m_bytes(bytes), .m_vl(vl));

  // Packets ready to leave: headers turned to lanes, number of beats.
  typedef struct packed {
    logic                     image;
    logic                     dead;          // take its beats, send none
    logic [3:0]               vl;
    logic [8:0]               beats;
    logic [BW-1:0]            tail;          // bytes of the last beat
    logic [12:0]              bytes;
    logic                     answer;        // ACK or NAK
    logic [7:0]               syndrome;
    logic [HBEATS*DATA_W-1:0] lanes;
  } leaving_t;
  leaving_t next, now;
  logic     next_ready, now_valid, now_done, dead_q;
  logic [2:0] level;
  logic [HBEATS*DATA_W-1:0] next_lanes;
  always_comb begin : to_lanes
    next_lanes = '0;
    for (int i = 0; i < 88; i++) next_lanes[i*8 +: 8] = header[703 - i*8 -: 8];
    next.lanes    = next_lanes;
    next.image    = image_q;
    next.dead     = dead_q;
    next.vl       = vl;
    next.beats    = 9'((bytes + 13'(BYTES - 1)) >> $clog2(BYTES));
    next.tail     = bytes[BW-2:0] == '0 ? BW'(BYTES) : {1'b0, bytes[BW-2:0]};
    next.bytes    = bytes;
    next.answer   = desc_q.opcode == ib_pkg::OP_RC_ACKNOWLEDGE;
    next.syndrome = desc_q.syndrome;
  end

  always_ff @(posedge clk) begin : build
    if (rst) begin
      state_q <= ST_CHOOSE;
    end else begin
      case (state_q)
        ST_CHOOSE: if (choose) state_q <= ST_CONTEXT;
        ST_CONTEXT: if (s_cfg_valid) state_q <= ST_BUILD;
        ST_BUILD: if (next_ready) state_q <= ST_CHOOSE;
        default: state_q <= ST_CHOOSE;
      endcase
    end
    if (state_q == ST_CHOOSE) begin
      desc_q  <= s_ack_valid ? s_ack : s_pkt;
      image_q <= !s_ack_valid && !s_pkt.bare;
    end
    if (state_q == ST_CONTEXT) begin
      cfg_q  <= s_cfg_data;
      sgid_q <= sgid;
      pkey_q <= pkey;
      // Requests that were waiting when their queue pair failed die here; what it owes as a responder still leaves.
      dead_q <= cfg.state == ib_pkg::QP_STATE_RESET || cfg.state == ib_pkg::QP_STATE_INIT ||
                (desc_q.request && cfg.state == ib_pkg::QP_STATE_ERR);
    end
  end
  // A NAK in place of a response ends the queue pair: what waits behind that READ is never acknowledged.
  assign m_begun_valid = s_pkt_valid && s_pkt_ready && !s_pkt.request && s_pkt.first;
  assign m_begun_qp    = s_pkt.qpn[QW-1:0];
  assign m_begun_round = s_pkt.round;
  assign m_sent_valid = state_q == ST_BUILD && next_ready && !desc_q.request && desc_q.last && desc_q.opcode != ib_pkg::OP_RC_ACKNOWLEDGE;
  assign m_sent_qp    = desc_q.qpn[QW-1:0];
  assign m_sent_round = desc_q.round;

  prim_fifo #(.WIDTH($bits(leaving_t'('0))), .DEPTH(4)) u_leaving (
    .clk, .rst, .s_valid(state_q == ST_BUILD), .s_ready(next_ready), .s_data(next),
    .m_valid(now_valid), .m_ready(now_done), .m_data(now), .level);

  // Beat by beat: headers over the image.
  logic [8:0]        beat_q;
  wire [HBEATS*DATA_W-1:0] now_lanes = now.lanes;
  logic [DATA_W-1:0] head;
  logic              out_valid, out_ready;
  wire               last = beat_q == now.beats - 9'd1;
  wire               have = now_valid && (!now.image || s_beat_valid);
  assign out_valid    = have && !now.dead;
  wire   go           = have && (now.dead || out_ready);
  assign now_done     = go && last;
  assign s_beat_ready = go && now.image;
  always_comb begin : pick_head
    head = '0;
    for (int i = 0; i < HBEATS; i++) if (beat_q == 9'(i)) head = now_lanes[i*DATA_W +: DATA_W];
  end
  wire [DATA_W-1:0] out_data = head | (now.image ? s_beat_data : '0);

  always_ff @(posedge clk) begin : walk
    if (rst) beat_q <= '0;
    else if (go) beat_q <= last ? '0 : beat_q + 9'd1;
  end
  `ASSERT(a_no_pause, !(now_valid && now.image && beat_q != '0) || s_beat_valid)

  assign m_count_valid    = now_done && !now.dead;
  assign m_count_bytes    = {1'b0, now.bytes} + 14'd6;
  assign m_count_answer   = now.answer;
  assign m_count_syndrome = now.syndrome;

  // CRCs. The lane travels beside: at most this many packets are between here and the link.
  logic [DATA_W-1:0] masked, icrc_data;
  logic              icrc_valid, icrc_ready, icrc_last, crc_in_ready, vl_ready, vl_valid;
  logic [BW-1:0]     icrc_bytes, vcrc_bytes;
  logic [4:0]        vl_level;
  assign out_ready = crc_in_ready && vl_ready;

  icrc_mask #(.DATA_W(DATA_W)) u_mask (
    .clk, .rst, .s_en(out_valid && out_ready), .s_last(last), .s_data(out_data), .m_data(masked));
  crc_append #(.DATA_W(DATA_W), .CRC_W(32)) u_icrc (
    .clk, .rst, .s_valid(out_valid && vl_ready), .s_ready(crc_in_ready), .s_data(out_data), .s_crc_data(masked),
    .s_bytes(last ? now.tail : BW'(BYTES)), .s_last(last),
    .m_valid(icrc_valid), .m_ready(icrc_ready), .m_data(icrc_data), .m_bytes(icrc_bytes), .m_last(icrc_last));
  crc_append #(.DATA_W(DATA_W), .CRC_W(16)) u_vcrc (
    .clk, .rst, .s_valid(icrc_valid), .s_ready(icrc_ready), .s_data(icrc_data), .s_crc_data(icrc_data),
    .s_bytes(icrc_bytes), .s_last(icrc_last),
    .m_valid(m_link_valid), .m_ready(m_link_ready), .m_data(m_link_data), .m_bytes(vcrc_bytes), .m_last(m_link_last));

  prim_fifo #(.WIDTH(4), .DEPTH(16)) u_vl (
    .clk, .rst, .s_valid(out_valid && out_ready && beat_q == '0), .s_ready(vl_ready), .s_data(now.vl),
    .m_valid(vl_valid), .m_ready(m_link_valid && m_link_ready && m_link_last), .m_data(m_link_vl), .level(vl_level));

  for (genvar i = 0; i < BYTES; i++) begin : g_keep
    assign m_link_keep[i] = !m_link_last || BW'(i) < vcrc_bytes;
  end

  wire unused = &{1'b0, hdr_bytes, level, vl_level, vl_valid};

endmodule

`default_nettype wire
