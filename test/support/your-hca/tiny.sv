// tiny: somebody else's HCA, to show how one is put under our checks: it answers RDMA WRITEs to one window of memory.
//
// It shares nothing with rtl/ but the ports. One queue pair, one packet at a time, a byte a cycle for the CRCs: store the packet,
// sum it, judge it, write it, answer it. What it cannot judge it drops; what it refuses it NAKs, and stops until software begins anew.
// BAR 0, 4 bytes each: 00 identity "TINY", 04 control (1: begin anew and run, 2: with a bug, it counts no messages), 08 LID, 0c LID of the peer, 10 QPN, 14 QPN of the peer,
// 18 P_Key, 1c path MTU in bytes, 20 PSN expected next, 24 R_Key, 28 window: virtual address, 30 physical address (8 bytes each),
// 38 its length, 3c messages done, 40 packets dropped, 44 stopped.

// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDPARAM

`default_nettype none

module hca #(
  parameter int DATA_W            = 256,
  parameter int QPS               = 64,
  parameter int MRS               = 64,
  parameter int MTTS              = 8192,
  parameter int CQS               = 32,
  parameter int EQS               = 4,
  parameter int INFLIGHT          = 32,
  parameter int RD_TAGS           = 64,
  parameter int MAX_PAYLOAD_BYTES = 256,
  parameter int MAX_READ_BYTES    = 512
) (
  input  wire logic                       clk,
  input  wire logic                       rst,

  input  wire logic                       s_bar_valid,
  output      logic                       s_bar_ready,
  input  wire logic                       s_bar_write,
  input  wire logic [2:0]                 s_bar_bar,
  input  wire logic [31:0]                s_bar_addr,
  input  wire logic [63:0]                s_bar_wdata,
  input  wire logic [7:0]                 s_bar_wstrb,
  output      logic                       m_bar_valid,
  input  wire logic                       m_bar_ready,
  output      logic [63:0]                m_bar_rdata,

  output      logic                       m_rdreq_valid,
  input  wire logic                       m_rdreq_ready,
  output      logic [63:0]                m_rdreq_addr,
  output      logic [12:0]                m_rdreq_len,
  output      logic [$clog2(RD_TAGS)-1:0] m_rdreq_tag,
  input  wire logic                       s_rdcpl_valid,
  output      logic                       s_rdcpl_ready,
  input  wire logic [$clog2(RD_TAGS)-1:0] s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]          s_rdcpl_data,
  input  wire logic                       s_rdcpl_last,
  input  wire logic                       s_rdcpl_error,

  output      logic                       m_wr_valid,
  input  wire logic                       m_wr_ready,
  output      logic [63:0]                m_wr_addr,
  output      logic [12:0]                m_wr_len,
  output      logic [DATA_W-1:0]          m_wr_data,
  output      logic [DATA_W/8-1:0]        m_wr_keep,
  output      logic                       m_wr_last,
  input  wire logic                       s_wrack_valid,
  input  wire logic                       s_wrack_error,

  output      logic                       m_irq_valid,
  input  wire logic                       m_irq_ready,
  output      logic [7:0]                 m_irq_vector,

  output      logic                       m_link_valid,
  input  wire logic                       m_link_ready,
  output      logic [DATA_W-1:0]          m_link_data,
  output      logic [DATA_W/8-1:0]        m_link_keep,
  output      logic                       m_link_last,
  output      logic [3:0]                 m_link_vl,
  input  wire logic                       s_link_valid,
  output      logic                       s_link_ready,
  input  wire logic [DATA_W-1:0]          s_link_data,
  input  wire logic [DATA_W/8-1:0]        s_link_keep,
  input  wire logic                       s_link_last,
  input  wire logic [3:0]                 s_link_vl,
  input  wire logic                       s_link_up
);

  localparam int LANES = DATA_W / 8;
  localparam int ROOM  = 4352;               // bytes of the longest packet

  localparam bit [7:0] WRITE_FIRST = 8'h06, WRITE_MIDDLE = 8'h07, WRITE_LAST = 8'h08, WRITE_ONLY = 8'h0a, ACKNOWLEDGE = 8'h11;
  localparam bit [7:0] ACK = 8'h1f, NAK_SEQUENCE = 8'h60, NAK_INVALID = 8'h61, NAK_ACCESS = 8'h62, NAK_OPERATION = 8'h63;

  // Registers

  logic [63:0] regs_q [0:8];                 // as software sees them, 8 bytes each
  wire         running  = regs_q[0][32], buggy = regs_q[0][33];
  wire  [15:0] lid      = regs_q[1][15:0],  peer_lid = regs_q[1][47:32];
  wire  [23:0] qpn      = regs_q[2][23:0],  peer_qpn = regs_q[2][55:32];
  wire  [15:0] pkey     = regs_q[3][15:0];
  wire  [12:0] mtu      = regs_q[3][44:32];
  wire  [31:0] rkey     = regs_q[4][63:32];
  wire  [63:0] window   = regs_q[5], physical = regs_q[6];
  wire  [31:0] length   = regs_q[7][31:0];

  logic [23:0] epsn_q, msn_q;
  logic [31:0] dropped_q;
  logic        stopped_q, nakked_q;          // in Error; this gap has been told
  wire         access = s_bar_valid && s_bar_ready;
  wire         write  = access && s_bar_write && s_bar_bar == 3'd0;
  wire         begins = write && s_bar_addr[6:3] == 4'd0 && s_bar_wstrb[4];

  assign s_bar_ready = !m_bar_valid;
  always_ff @(posedge clk) begin : registers
    if (write && s_bar_addr[6:3] <= 4'd8)
      for (int i = 0; i < 8; i++) if (s_bar_wstrb[i]) regs_q[s_bar_addr[6:3]][8*i +: 8] <= s_bar_wdata[8*i +: 8];
    if (access && !s_bar_write) begin
      m_bar_valid <= 1'b1;
      case (s_bar_addr[6:3])
        4'd0:    m_bar_rdata <= {31'b0, running, "TINY"};
        4'd4:    m_bar_rdata <= {rkey, 8'b0, epsn_q};
        4'd7:    m_bar_rdata <= {8'b0, msn_q, length};
        4'd8:    m_bar_rdata <= {31'b0, stopped_q, dropped_q};
        default: m_bar_rdata <= regs_q[s_bar_addr[6:3]];
      endcase
    end else if (m_bar_ready) m_bar_valid <= 1'b0;
    if (rst) begin
      m_bar_valid <= 1'b0;
      regs_q[0]   <= '0;
    end
  end

  // The packet, byte by byte

  typedef enum logic [2:0] {ST_CLEAR, ST_STORE, ST_SUM, ST_JUDGE, ST_PLACE, ST_SETTLE, ST_ANSWER} state_e;
  state_e      state_q;
  logic [7:0]  packet_q [0:ROOM-1];
  logic [12:0] got_q, at_q;
  logic [31:0] icrc_q;
  logic [15:0] vcrc_q;

  // Both CRCs take the low bit first (7.8): shifted out, it decides whether the polynomial comes in.
  function automatic logic [31:0] icrc_of(input logic [31:0] crc, input logic [7:0] data);
    icrc_of = crc ^ {24'b0, data};
    for (int i = 0; i < 8; i++) icrc_of = icrc_of[0] ? (icrc_of >> 1) ^ 32'hedb88320 : icrc_of >> 1;
  endfunction
  function automatic logic [15:0] vcrc_of(input logic [15:0] crc, input logic [7:0] data);
    vcrc_of = crc ^ {8'b0, data};
    for (int i = 0; i < 8; i++) vcrc_of = vcrc_of[0] ? (vcrc_of >> 1) ^ 16'hd008 : vcrc_of >> 1;
  endfunction
  // What a switch may change counts as ones: the lane, and the reserved byte of the BTH.
  function automatic logic [7:0] fixed(input logic [12:0] at, input logic [7:0] data);
    fixed = at == 13'd0 ? data | 8'hf0 : at == 13'd12 ? 8'hff : data;
  endfunction

  wire        crcs_ok = icrc_q == ~{packet_q[got_q-3], packet_q[got_q-4], packet_q[got_q-5], packet_q[got_q-6]} &&
                        vcrc_q == ~{packet_q[got_q-1], packet_q[got_q-2]};
  wire [7:0]  opcode  = packet_q[8];
  wire [23:0] psn     = {packet_q[17], packet_q[18], packet_q[19]};
  wire        asks    = packet_q[16][7];
  wire        first   = opcode == WRITE_FIRST || opcode == WRITE_ONLY, last = opcode == WRITE_LAST || opcode == WRITE_ONLY;
  wire        known   = first || last || opcode == WRITE_MIDDLE;
  wire [12:0] begins_at = first ? 13'd36 : 13'd20;
  wire [12:0] payload = got_q - 13'd6 - begins_at - 13'(packet_q[9][5:4]);
  wire        ours    = crcs_ok && got_q >= 13'd26 && {packet_q[4][2:0], packet_q[5], 2'b0} + 13'd2 == got_q &&
                        packet_q[0][3:0] == '0 && packet_q[1][1:0] == 2'd2 && {packet_q[2], packet_q[3]} == lid &&
                        packet_q[9][3:0] == '0 && {packet_q[10], packet_q[11]} == pkey &&
                        {packet_q[13], packet_q[14], packet_q[15]} == qpn && running && !stopped_q;
  wire [23:0] ahead   = psn - epsn_q;        // 0: the one expected; negative: seen before

  // The message

  logic        open_q;
  logic [31:0] left_q;                       // of the message, this packet included once it is judged
  logic [63:0] to_q;                         // where its next byte goes
  logic [63:0] va;
  logic [31:0] key, total;
  always_comb begin : reth
    for (int i = 0; i < 8; i++) va[63 - 8*i -: 8] = packet_q[20 + i];
    for (int i = 0; i < 4; i++) key[31 - 8*i -: 8] = packet_q[28 + i];
    for (int i = 0; i < 4; i++) total[31 - 8*i -: 8] = packet_q[32 + i];
  end
  wire [31:0] left   = first ? total : left_q;
  wire        sized  = last ? left == 32'(payload) && payload <= mtu && (opcode == WRITE_ONLY || payload != '0)
                            : payload == mtu && left > 32'(mtu);
  wire        fits = !first || total == '0 ||
                       (key == rkey && va >= window && 65'(va) + 65'(total) <= 65'(window) + 65'(length));

  // Writes of a beat at the most

  logic [12:0] done_q, waiting_q;            // bytes placed; writes not yet acknowledged
  logic [7:0]  syndrome_q;
  logic        failed_q, again_q;            // a write was refused; the packet is one seen before
  wire  [12:0] rest  = payload - done_q;
  wire  [12:0] space = 13'(LANES) - {8'b0, to_q[4:0]};
  wire  [12:0] piece = rest < space ? rest : space;
  assign m_wr_valid = state_q == ST_PLACE && rest != '0;
  assign m_wr_addr  = to_q;
  assign m_wr_len   = piece;
  assign m_wr_last  = 1'b1;
  always_comb begin : lanes
    m_wr_data = '0;
    m_wr_keep = '0;
    for (int i = 0; i < LANES; i++)
      if (13'(i) >= {8'b0, to_q[4:0]} && 13'(i) < {8'b0, to_q[4:0]} + piece) begin
        m_wr_keep[i]        = 1'b1;
        m_wr_data[8*i +: 8] = packet_q[begins_at + done_q + 13'(i) - {8'b0, to_q[4:0]}];
      end
  end

  // The answer fits a beat

  logic [23:0] answer_psn;
  logic [8*24-1:0] answer;                   // LRH, BTH, AETH, first byte on top
  logic [31:0] answer_icrc;
  logic [15:0] answer_vcrc;
  assign answer_psn = syndrome_q == ACK && again_q ? epsn_q - 24'd1 : syndrome_q == NAK_SEQUENCE ? epsn_q : psn;
  assign answer = {8'h00, 8'h02, peer_lid, 16'd7, lid,
                   ACKNOWLEDGE, 8'h40, pkey, 8'h00, peer_qpn, 8'h00, answer_psn, syndrome_q, msn_q};
  always_comb begin : sums
    answer_icrc = '1;
    for (int i = 0; i < 24; i++) answer_icrc = icrc_of(answer_icrc, fixed(13'(i), answer[8*(23-i) +: 8]));
    answer_icrc = ~answer_icrc;
    answer_vcrc = '1;
    for (int i = 0; i < 24; i++) answer_vcrc = vcrc_of(answer_vcrc, answer[8*(23-i) +: 8]);
    for (int i = 0; i < 4; i++) answer_vcrc = vcrc_of(answer_vcrc, answer_icrc[8*i +: 8]);
    answer_vcrc = ~answer_vcrc;
    m_link_data = '0;
    for (int i = 0; i < 24; i++) m_link_data[8*i +: 8] = answer[8*(23-i) +: 8];
    m_link_data[8*24 +: 48] = {answer_vcrc, answer_icrc};
  end
  assign m_link_valid = state_q == ST_ANSWER;
  assign m_link_keep  = LANES'(32'h3fffffff);
  assign m_link_last  = 1'b1;
  assign m_link_vl    = '0;
  assign s_link_ready = state_q == ST_STORE;

  always_ff @(posedge clk) begin : machine
    if (s_wrack_valid && s_wrack_error) failed_q <= 1'b1;
    waiting_q <= waiting_q + 13'(m_wr_valid && m_wr_ready) - 13'(s_wrack_valid);
    case (state_q)
      ST_CLEAR: begin
        got_q   <= '0;
        at_q    <= '0;
        icrc_q  <= '1;
        vcrc_q  <= '1;
        state_q <= ST_STORE;
      end
      ST_STORE: if (s_link_valid) begin
        for (int i = 0; i < LANES; i++) if (s_link_keep[i]) packet_q[got_q + 13'(i)] <= s_link_data[8*i +: 8];
        got_q <= got_q + 13'($countones(s_link_keep));
        if (s_link_last) state_q <= ST_SUM;
      end
      ST_SUM: begin
        at_q <= at_q + 13'd1;
        if (at_q + 13'd6 < got_q) icrc_q <= icrc_of(icrc_q, fixed(at_q, packet_q[at_q]));
        vcrc_q <= vcrc_of(vcrc_q, packet_q[at_q]);
        if (at_q + 13'd3 >= got_q) state_q <= ST_JUDGE;
      end
      ST_JUDGE: begin
        done_q   <= '0;
        failed_q <= 1'b0;
        again_q  <= ahead[23];
        state_q  <= ST_ANSWER;
        if (!ours || (!ahead[23] && ahead != '0 && nakked_q)) begin
          state_q   <= ST_CLEAR;
          dropped_q <= dropped_q + 32'd1;
        end else if (ahead[23]) begin
          syndrome_q <= ACK;                 // done before: said again, nothing written
          if (!asks) state_q <= ST_CLEAR;
        end else if (ahead != '0) begin
          syndrome_q <= NAK_SEQUENCE;
          nakked_q   <= 1'b1;
        end else if (!known || first == open_q || !sized || !fits) begin
          syndrome_q <= known && first != open_q && sized ? NAK_ACCESS : NAK_INVALID;
          stopped_q  <= 1'b1;
        end else begin
          nakked_q <= 1'b0;
          open_q   <= !last;
          left_q   <= left - 32'(payload);
          if (first) to_q <= physical + (va - window);
          state_q  <= ST_PLACE;
        end
      end
      ST_PLACE: if (rest == '0) state_q <= ST_SETTLE;
                else if (m_wr_ready) begin
                  done_q <= done_q + piece;
                  to_q   <= to_q + 64'(piece);
                end
      ST_SETTLE: if (waiting_q == '0) begin
        syndrome_q <= failed_q ? NAK_OPERATION : ACK;
        stopped_q  <= failed_q;
        epsn_q     <= epsn_q + 24'd1;
        if (last && !failed_q && !buggy) msn_q <= msn_q + 24'd1;
        state_q    <= asks || failed_q ? ST_ANSWER : ST_CLEAR;
      end
      default: if (m_link_ready) state_q <= ST_CLEAR;
    endcase
    if (begins) begin
      {stopped_q, nakked_q, open_q} <= '0;
      epsn_q    <= regs_q[4][23:0];
      msn_q     <= '0;
    end
    if (rst) begin
      state_q   <= ST_CLEAR;
      waiting_q <= '0;
      dropped_q <= '0;
      {stopped_q, nakked_q, open_q} <= '0;
    end
  end

  assign m_rdreq_valid = 1'b0;
  assign m_rdreq_addr  = '0;
  assign m_rdreq_len   = '0;
  assign m_rdreq_tag   = '0;
  assign s_rdcpl_ready = 1'b1;
  assign m_irq_valid   = 1'b0;
  assign m_irq_vector  = '0;
  wire unused = &{1'b0, m_rdreq_ready, s_rdcpl_valid, s_rdcpl_tag, s_rdcpl_data, s_rdcpl_last, s_rdcpl_error, m_irq_ready,
                  s_link_vl, s_link_up, s_bar_addr[31:7], s_bar_addr[2:0]};

endmodule

`default_nettype wire
