// echo: a stand-in with the name and the ports of the HCA, to test the simulator without one.
//
// Four engines, started by the doorbell, each doing its work `count` times in steps of `stride`:
// host reads (summed up), host writes (each byte is its address, low 8 bits), packets (byte i of
// packet n is n + i), and one interrupt when the others are done and the writes acknowledged.
// `misbehave` makes it break one rule of its ports.
//
// BAR 0 (8 bytes each): 00 scratch, 08 read address, 10 write address, 18 length, 20 count,
// 28 stride, 30 vector, 38 misbehave, 40 doorbell (bits: reads, writes, packets, interrupt),
// 48 read sum, 50 read errors, 58 write errors, 60 packets received, 68 their byte sum,
// 70 link up, 78 beats of read data, f8 never answered.

// verilator lint_off DECLFILENAME

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
  localparam int TAG_W = $clog2(RD_TAGS);

  // Values of `misbehave`.
  localparam bit [7:0] BAD_TAG        = 8'd1;   // every read with tag 0
  localparam bit [7:0] BAD_WR_KEEP    = 8'd2;   // the first byte enable of each beat inverted
  localparam bit [7:0] BAD_WR_LEN     = 8'd3;   // length one more in all beats but the first
  localparam bit [7:0] BAD_WR_CHANGE  = 8'd4;   // data changes while it waits
  localparam bit [7:0] BAD_IRQ_DROP   = 8'd5;   // valid is withdrawn
  localparam bit [7:0] BAD_LINK_KEEP  = 8'd6;   // a hole in keep
  localparam bit [7:0] BAD_LINK_GAP   = 8'd7;   // valid low inside a packet
  localparam bit [7:0] BAD_LINK_VL    = 8'd8;   // virtual lane changes inside a packet
  localparam bit [7:0] BAD_ASSERT     = 8'd9;
  localparam bit [7:0] BAD_PRINT      = 8'd10;  // $display, which is no fault
  localparam bit [7:0] BAD_ANSWER     = 8'd11;  // an answer nobody asked for
  localparam bit [7:0] BAD_LINK_CHANGE = 8'd12;
  localparam bit [7:0] BAD_RDREQ_DROP = 8'd13;

  logic [63:0] scratch_q, rd_addr_q, wr_addr_q, rd_sum_q, rx_sum_q;
  logic [12:0] len_q;
  logic [31:0] count_q, stride_q, rd_left_q, wr_left_q, tx_left_q, rd_open_q, wr_open_q;
  logic [31:0] rd_errors_q, wr_errors_q, rx_packets_q, rd_beats_q;
  logic [7:0]  vector_q, bad_q;
  logic        irq_wanted_q, irq_up_q, reset_seen_q;
  logic [63:0] rd_at_q, wr_at_q;
  logic [RD_TAGS-1:0] tag_busy_q;
  logic [TAG_W-1:0]   tag_q;
  logic [12:0] wr_done_q, tx_done_q;
  logic [7:0]  tx_number_q;
  logic        gap_q, odd_q;

  // Registers

  assign s_bar_ready = !m_bar_valid;
  wire doorbell = s_bar_valid && s_bar_ready && s_bar_write && s_bar_bar == 3'd0 && s_bar_addr == 32'h40;

  logic [63:0] mask, rdata;
  always_comb begin : bar_lanes
    for (int i = 0; i < 8; i++) mask[i*8 +: 8] = {8{s_bar_wstrb[i]}};
    case (s_bar_addr[7:0])
      8'h00: rdata = scratch_q;
      8'h08: rdata = rd_addr_q;
      8'h18: rdata = 64'(len_q);
      8'h48: rdata = rd_sum_q;
      8'h50: rdata = 64'(rd_errors_q);
      8'h58: rdata = 64'(wr_errors_q);
      8'h60: rdata = 64'(rx_packets_q);
      8'h68: rdata = rx_sum_q;
      8'h70: rdata = 64'(s_link_up);
      8'h78: rdata = 64'(rd_beats_q);
      default: rdata = 64'hdeadbeef_deadbeef;
    endcase
  end

  always_ff @(posedge clk) begin : registers
    reset_seen_q <= !rst;
    if (m_bar_ready) m_bar_valid <= 1'b0;
    if (bad_q == BAD_ANSWER && reset_seen_q) m_bar_valid <= 1'b1;
    if (s_bar_valid && s_bar_ready) begin
      if (!s_bar_write) begin
        m_bar_valid <= s_bar_addr != 32'hf8;
        m_bar_rdata <= s_bar_bar == 3'd0 ? rdata : {29'd0, s_bar_bar, s_bar_addr};
      end else if (s_bar_bar == 3'd0) begin
        case (s_bar_addr[7:0])
          8'h00: scratch_q <= (scratch_q & ~mask) | (s_bar_wdata & mask);
          8'h08: rd_addr_q <= s_bar_wdata;
          8'h10: wr_addr_q <= s_bar_wdata;
          8'h18: len_q     <= s_bar_wdata[12:0];
          8'h20: count_q   <= s_bar_wdata[31:0];
          8'h28: stride_q  <= s_bar_wdata[31:0];
          8'h30: vector_q  <= s_bar_wdata[7:0];
          8'h38: bad_q     <= s_bar_wdata[7:0];
          default: ;
        endcase
      end
    end
    if (rst) begin
      m_bar_valid <= 1'b0;
      scratch_q   <= '0;
      bad_q       <= '0;
    end
  end

  // Host reads

  assign m_rdreq_valid = rd_left_q != 0 && (!tag_busy_q[tag_q] || bad_q == BAD_TAG)
                         && !(bad_q == BAD_RDREQ_DROP && odd_q);
  assign m_rdreq_addr  = rd_at_q;
  assign m_rdreq_len   = len_q;
  assign m_rdreq_tag   = bad_q == BAD_TAG ? '0 : tag_q;
  assign s_rdcpl_ready = 1'b1;
  wire rd_go   = m_rdreq_valid && m_rdreq_ready;
  wire rd_done = s_rdcpl_valid && s_rdcpl_last;

  // The lanes of a completion that hold asked-for bytes: known by tag, counted from its address.
  logic [63:0] next_addr [RD_TAGS];
  logic [63:0] end_addr [RD_TAGS];
  logic [63:0] beat_sum;
  always_comb begin : sum_lanes
    beat_sum = '0;
    for (int i = 0; i < LANES; i++)
      if ((next_addr[s_rdcpl_tag] & ~64'(LANES - 1)) + 64'(i) >= next_addr[s_rdcpl_tag]
          && (next_addr[s_rdcpl_tag] & ~64'(LANES - 1)) + 64'(i) < end_addr[s_rdcpl_tag])
        beat_sum = beat_sum + 64'(s_rdcpl_data[i*8 +: 8]);
  end

  always_ff @(posedge clk) begin : reads
    if (rd_go) begin
      rd_left_q <= rd_left_q - 32'd1;
      rd_at_q   <= rd_at_q + 64'(stride_q);
      tag_q     <= tag_q + TAG_W'(1);
      tag_busy_q[tag_q] <= 1'b1;
      next_addr[tag_q] <= rd_at_q;
      end_addr[tag_q]  <= rd_at_q + 64'(len_q);
    end
    if (s_rdcpl_valid) begin
      rd_beats_q <= rd_beats_q + 32'd1;
      if (!s_rdcpl_error) rd_sum_q <= rd_sum_q + beat_sum;
      next_addr[s_rdcpl_tag] <= (next_addr[s_rdcpl_tag] & ~64'(LANES - 1)) + 64'(LANES);
      if (s_rdcpl_last) tag_busy_q[s_rdcpl_tag] <= 1'b0;
      if (s_rdcpl_last && s_rdcpl_error) rd_errors_q <= rd_errors_q + 32'd1;
    end
    rd_open_q <= rd_open_q + 32'(rd_go) - 32'(rd_done);
    if (doorbell && s_bar_wdata[0]) begin
      rd_left_q <= count_q;
      rd_at_q   <= rd_addr_q;
      rd_sum_q  <= '0;
    end
    if (rst) begin
      rd_left_q   <= '0;
      rd_open_q   <= '0;
      tag_q       <= '0;
      tag_busy_q  <= '0;
      rd_errors_q <= '0;
      rd_beats_q  <= '0;
    end
  end

  // Host writes

  wire [12:0] wr_skew = 13'(wr_at_q[$clog2(LANES)-1:0]);
  wire        wr_first = wr_done_q == 0;
  wire [12:0] wr_total = wr_skew + len_q;
  always_comb begin : write_beat
    m_wr_valid = wr_left_q != 0;
    m_wr_addr  = wr_at_q;
    m_wr_len   = len_q + 13'(bad_q == BAD_WR_LEN && !wr_first);
    m_wr_last  = wr_total <= wr_done_q + 13'(LANES);
    for (int i = 0; i < LANES; i++) begin
      m_wr_keep[i] = wr_done_q + 13'(i) >= wr_skew && wr_done_q + 13'(i) < wr_total;
      m_wr_data[i*8 +: 8] = 8'(wr_at_q - 64'(wr_skew) + 64'(wr_done_q) + 64'(i));
    end
    if (bad_q == BAD_WR_KEEP) m_wr_keep[0] = !m_wr_keep[0];
    if (bad_q == BAD_WR_CHANGE && odd_q) m_wr_data[0] = !m_wr_data[0];
  end
  wire wr_go = m_wr_valid && m_wr_ready;

  always_ff @(posedge clk) begin : writes
    if (wr_go) begin
      wr_done_q <= wr_done_q + 13'(LANES);
      if (m_wr_last) begin
        wr_done_q <= '0;
        wr_left_q <= wr_left_q - 32'd1;
        wr_at_q   <= wr_at_q + 64'(stride_q);
      end
    end
    wr_open_q   <= wr_open_q + 32'(wr_go && m_wr_last) - 32'(s_wrack_valid);
    wr_errors_q <= wr_errors_q + 32'(s_wrack_valid && s_wrack_error);
    if (doorbell && s_bar_wdata[1]) begin
      wr_left_q <= count_q;
      wr_at_q   <= wr_addr_q;
    end
    if (rst) begin
      wr_left_q   <= '0;
      wr_open_q   <= '0;
      wr_done_q   <= '0;
      wr_errors_q <= '0;
    end
  end

  // Packets

  always_comb begin : packet_beat
    m_link_valid = tx_left_q != 0 && !(bad_q == BAD_LINK_GAP && gap_q);
    m_link_last  = len_q <= tx_done_q + 13'(LANES);
    m_link_vl    = bad_q == BAD_LINK_VL ? {3'd0, tx_done_q != 0} : 4'd0;
    for (int i = 0; i < LANES; i++) begin
      m_link_keep[i] = tx_done_q + 13'(i) < len_q;
      m_link_data[i*8 +: 8] = 8'(tx_number_q + 8'(tx_done_q) + 8'(i));
    end
    if (bad_q == BAD_LINK_KEEP) m_link_keep[1] = 1'b0;
    if (bad_q == BAD_LINK_CHANGE && odd_q) m_link_data[0] = !m_link_data[0];
  end
  wire tx_go = m_link_valid && m_link_ready;

  always_ff @(posedge clk) begin : packets
    gap_q <= tx_go && !m_link_last;
    odd_q <= !odd_q;
    if (tx_go) begin
      tx_done_q <= tx_done_q + 13'(LANES);
      if (m_link_last) begin
        tx_done_q   <= '0;
        tx_left_q   <= tx_left_q - 32'd1;
        tx_number_q <= tx_number_q + 8'd1;
      end
    end
    if (doorbell && s_bar_wdata[2]) tx_left_q <= count_q;
    if (rst) begin
      tx_left_q   <= '0;
      tx_done_q   <= '0;
      tx_number_q <= '0;
      gap_q       <= 1'b0;
      odd_q       <= 1'b0;
    end
  end

  logic [63:0] rx_beat;
  always_comb begin : rx_lanes
    rx_beat = '0;
    for (int i = 0; i < LANES; i++) if (s_link_keep[i]) rx_beat = rx_beat + 64'(s_link_data[i*8 +: 8]);
  end
  assign s_link_ready = 1'b1;

  always_ff @(posedge clk) begin : receive
    if (s_link_valid) begin
      rx_sum_q <= rx_sum_q + rx_beat;
      if (s_link_last) rx_packets_q <= rx_packets_q + 32'd1;
    end
    if (rst) begin
      rx_sum_q     <= '0;
      rx_packets_q <= '0;
    end
  end

  // Interrupt

  wire quiet = rd_left_q == 0 && rd_open_q == 0 && wr_left_q == 0 && wr_open_q == 0 && tx_left_q == 0;
  assign m_irq_valid  = irq_up_q && !(bad_q == BAD_IRQ_DROP && odd_q);
  assign m_irq_vector = vector_q;
  always_ff @(posedge clk) begin : interrupt
    if (irq_wanted_q && quiet && !irq_up_q) irq_up_q <= 1'b1;
    if (m_irq_valid && m_irq_ready) {irq_up_q, irq_wanted_q} <= 2'b00;
    if (doorbell && s_bar_wdata[3]) irq_wanted_q <= 1'b1;
    if (rst) {irq_up_q, irq_wanted_q} <= 2'b00;
  end

  always_ff @(posedge clk) begin : misbehaviour
    if (!rst && reset_seen_q && doorbell && bad_q == BAD_ASSERT) begin : a_told
      assert (bad_q == 0) else $error("told to fail");
    end
    if (doorbell && bad_q == BAD_PRINT) $display("stand-in: doorbell %0d", s_bar_wdata);
  end

  wire unused = &{1'b0, s_link_vl, 32'(QPS), 32'(MRS), 32'(MTTS), 32'(CQS), 32'(EQS), 32'(INFLIGHT),
                  32'(MAX_PAYLOAD_BYTES), 32'(MAX_READ_BYTES)};

endmodule

`default_nettype wire
