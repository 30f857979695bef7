// requester_run: a requester that sends one WRITE of any length as fast as it can, counted.
//
// What is counted: packets, payload bytes, AckReqs, and faults: a PSN that does not follow, an opcode in the
// wrong place, a chunk that does not go on where the one before ended.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module requester_run (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [23:0] psn,
  input  wire logic [3:0]  mtu,
  input  wire logic [31:0] length,
  output      logic [31:0] packets,
  output      logic [63:0] bytes,
  output      logic [31:0] acks,
  output      logic [31:0] faults,
  output      logic [23:0] next_psn,
  output      logic [31:0] flights,
  output      logic [23:0] flight_last_psn,
  output      logic        done
);

  localparam logic [5:0] QP = 6'd2;

  qpc_t        qpc;
  wqe_header_t header;
  wqe_data_t   data;
  always_comb begin : contents
    qpc             = '0;
    qpc.state       = ib_pkg::QP_STATE_RTS;
    qpc.path_mtu    = mtu;
    qpc.pd          = 24'd9;
    header          = '0;
    header.mark     = 8'(ib_pkg::WQE_MARK);
    header.opcode   = ib_pkg::WR_OPCODE_RDMA_WRITE;
    header.segments = 8'd1;
    header.signaled = 1'b1;
    data            = '0;
    data.lkey       = 32'h1234;
    data.length     = length;
    data.addr       = 64'h7000_0000;
  end

  logic         ctl_valid_q, ctl_ready, cfg_ask, cfg_valid_q, rd_valid, pkt_valid, chunk_valid, flight_valid, used;
  logic [4:0]   rd_word;
  logic [255:0] word_q;
  tx_desc_t     pkt;
  chunk_t       chunk;
  flight_t      flight;
  ctl_t         ctl;
  logic [5:0]   head_q;                      // messages in flight
  always_ff @(posedge clk) head_q <= rst ? '0 : head_q + 6'(flight_valid);
  always_comb begin : order
    ctl     = '0;
    ctl.op  = `CTL_RTS;
    ctl.qpn = 24'(QP);
    ctl.psn = psn;
  end

  always_ff @(posedge clk) begin : answers
    cfg_valid_q <= cfg_ask && !rst;
    if (rd_valid) word_q <= rd_word == '0 ? 256'(header) : {128'b0, data};
    if (rst) ctl_valid_q <= 1'b1;
    else if (ctl_ready) ctl_valid_q <= 1'b0;
  end

  /* verilator lint_off PINMISSING */
  /* verilator lint_off PINCONNECTEMPTY */
  rc_requester u_dut (
    .clk, .rst, .cap_fence(1'b1), .cap_inline(1'b1), .cap_atomics(1'b1), .cap_credits(1'b1), .s_qp_valid(!ctl_valid_q && !done), .s_qp(QP), .m_again_ready(1'b1),
    .m_cfg_valid(cfg_ask), .s_cfg_valid(cfg_valid_q), .s_cfg_data(qpc[`CFG_W-1:0]), .arrived(16'd1), .bad(1'b0),
    .m_rd_valid(rd_valid), .m_rd_word(rd_word), .s_word(word_q), .m_used_valid(used), .order('0), .busy_order('0), .credit('0),
    .flight_full(1'b0), .flight_head(head_q), .flight_tail(6'd0), .flight_sent(24'd0), .flight_reads(8'd0), .flight_placed(1'b1), .s_entry('0),
    .m_back_ready(1'b1), .m_lost_ready(1'b1),
    .m_flight_valid(flight_valid), .m_flight(flight), .m_kick_ready(1'b1), .list_free(1'b1), .list(8'd0),
    .m_pkt_valid(pkt_valid), .m_pkt_ready(1'b1), .m_pkt(pkt), .m_chunk_valid(chunk_valid), .m_chunk_ready(1'b1), .m_chunk(chunk),
    .m_inl_ready(1'b1), .s_ctl_valid(ctl_valid_q), .s_ctl_ready(ctl_ready), .s_ctl(ctl));
  /* verilator lint_on PINCONNECTEMPTY */
  /* verilator lint_on PINMISSING */

  logic [63:0] asked_q;                      // payload bytes whose chunks were told
  wire         first = packets == '0;
  wire         last  = bytes + 64'(pkt.payload) == 64'(length);
  wire  [7:0]  opcode = first ? (last ? ib_pkg::OP_RC_WRITE_ONLY : ib_pkg::OP_RC_WRITE_FIRST)
                              : (last ? ib_pkg::OP_RC_WRITE_LAST : ib_pkg::OP_RC_WRITE_MIDDLE);
  wire         wrong = pkt.psn != next_psn || pkt.opcode != opcode || asked_q != bytes + 64'(pkt.payload) || (last && !pkt.ack_req);

  always_ff @(posedge clk) begin : count
    if (rst) begin
      packets  <= '0;
      bytes    <= '0;
      acks     <= '0;
      faults   <= '0;
      flights  <= '0;
      asked_q  <= '0;
      next_psn <= psn;
      done     <= 1'b0;
    end else begin
      if (pkt_valid) begin
        packets  <= packets + 32'd1;
        bytes    <= bytes + 64'(pkt.payload);
        acks     <= acks + 32'(pkt.ack_req);
        next_psn <= next_psn + 24'd1;
        faults   <= faults + 32'(wrong);
      end
      if (chunk_valid) begin
        asked_q <= asked_q + 64'(chunk.len);
        if (chunk.va != data.addr + asked_q) faults <= faults + 32'd1;
      end
      if (flight_valid) begin
        flights         <= flights + 32'd1;
        flight_last_psn <= flight.last_psn;
      end
      if (used) done <= 1'b1;
    end
  end

endmodule

`default_nettype wire
