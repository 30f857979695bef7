// pair: two HCAs on one clock and one reset, every other port brought out with the prefix a_ or b_.
//
// The harness joins the links and plays both hosts, so that it can watch, delay and change what
// passes. cfg_ tells it the parameters the contract of the ports depends on. PEER = 0 leaves the
// second HCA out, for runs against the golden model: what is not there costs no time.

`default_nettype none

module pair #(
  parameter int DATA_W            = 256,
  parameter bit PEER              = 1'b1,
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

  output      logic [15:0]                cfg_rd_tags,
  output      logic [15:0]                cfg_max_payload_bytes,
  output      logic [15:0]                cfg_max_read_bytes,
  output      logic                       cfg_peer,

  input  wire logic                             a_s_bar_valid,
  output      logic                             a_s_bar_ready,
  input  wire logic                             a_s_bar_write,
  input  wire logic [2:0]                       a_s_bar_bar,
  input  wire logic [31:0]                      a_s_bar_addr,
  input  wire logic [63:0]                      a_s_bar_wdata,
  input  wire logic [7:0]                       a_s_bar_wstrb,
  output      logic                             a_m_bar_valid,
  input  wire logic                             a_m_bar_ready,
  output      logic [63:0]                      a_m_bar_rdata,
  output      logic                             a_m_rdreq_valid,
  input  wire logic                             a_m_rdreq_ready,
  output      logic [63:0]                      a_m_rdreq_addr,
  output      logic [12:0]                      a_m_rdreq_len,
  output      logic [$clog2(RD_TAGS)-1:0]       a_m_rdreq_tag,
  input  wire logic                             a_s_rdcpl_valid,
  output      logic                             a_s_rdcpl_ready,
  input  wire logic [$clog2(RD_TAGS)-1:0]       a_s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]                a_s_rdcpl_data,
  input  wire logic                             a_s_rdcpl_last,
  input  wire logic                             a_s_rdcpl_error,
  output      logic                             a_m_wr_valid,
  input  wire logic                             a_m_wr_ready,
  output      logic [63:0]                      a_m_wr_addr,
  output      logic [12:0]                      a_m_wr_len,
  output      logic [DATA_W-1:0]                a_m_wr_data,
  output      logic [DATA_W/8-1:0]              a_m_wr_keep,
  output      logic                             a_m_wr_last,
  input  wire logic                             a_s_wrack_valid,
  input  wire logic                             a_s_wrack_error,
  output      logic                             a_m_irq_valid,
  input  wire logic                             a_m_irq_ready,
  output      logic [7:0]                       a_m_irq_vector,
  output      logic                             a_m_link_valid,
  input  wire logic                             a_m_link_ready,
  output      logic [DATA_W-1:0]                a_m_link_data,
  output      logic [DATA_W/8-1:0]              a_m_link_keep,
  output      logic                             a_m_link_last,
  output      logic [3:0]                       a_m_link_vl,
  input  wire logic                             a_s_link_valid,
  output      logic                             a_s_link_ready,
  input  wire logic [DATA_W-1:0]                a_s_link_data,
  input  wire logic [DATA_W/8-1:0]              a_s_link_keep,
  input  wire logic                             a_s_link_last,
  input  wire logic [3:0]                       a_s_link_vl,
  input  wire logic                             a_s_link_up,

  input  wire logic                             b_s_bar_valid,
  output      logic                             b_s_bar_ready,
  input  wire logic                             b_s_bar_write,
  input  wire logic [2:0]                       b_s_bar_bar,
  input  wire logic [31:0]                      b_s_bar_addr,
  input  wire logic [63:0]                      b_s_bar_wdata,
  input  wire logic [7:0]                       b_s_bar_wstrb,
  output      logic                             b_m_bar_valid,
  input  wire logic                             b_m_bar_ready,
  output      logic [63:0]                      b_m_bar_rdata,
  output      logic                             b_m_rdreq_valid,
  input  wire logic                             b_m_rdreq_ready,
  output      logic [63:0]                      b_m_rdreq_addr,
  output      logic [12:0]                      b_m_rdreq_len,
  output      logic [$clog2(RD_TAGS)-1:0]       b_m_rdreq_tag,
  input  wire logic                             b_s_rdcpl_valid,
  output      logic                             b_s_rdcpl_ready,
  input  wire logic [$clog2(RD_TAGS)-1:0]       b_s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]                b_s_rdcpl_data,
  input  wire logic                             b_s_rdcpl_last,
  input  wire logic                             b_s_rdcpl_error,
  output      logic                             b_m_wr_valid,
  input  wire logic                             b_m_wr_ready,
  output      logic [63:0]                      b_m_wr_addr,
  output      logic [12:0]                      b_m_wr_len,
  output      logic [DATA_W-1:0]                b_m_wr_data,
  output      logic [DATA_W/8-1:0]              b_m_wr_keep,
  output      logic                             b_m_wr_last,
  input  wire logic                             b_s_wrack_valid,
  input  wire logic                             b_s_wrack_error,
  output      logic                             b_m_irq_valid,
  input  wire logic                             b_m_irq_ready,
  output      logic [7:0]                       b_m_irq_vector,
  output      logic                             b_m_link_valid,
  input  wire logic                             b_m_link_ready,
  output      logic [DATA_W-1:0]                b_m_link_data,
  output      logic [DATA_W/8-1:0]              b_m_link_keep,
  output      logic                             b_m_link_last,
  output      logic [3:0]                       b_m_link_vl,
  input  wire logic                             b_s_link_valid,
  output      logic                             b_s_link_ready,
  input  wire logic [DATA_W-1:0]                b_s_link_data,
  input  wire logic [DATA_W/8-1:0]              b_s_link_keep,
  input  wire logic                             b_s_link_last,
  input  wire logic [3:0]                       b_s_link_vl,
  input  wire logic                             b_s_link_up
);

  assign cfg_rd_tags           = 16'(RD_TAGS);
  assign cfg_max_payload_bytes = 16'(MAX_PAYLOAD_BYTES);
  assign cfg_max_read_bytes    = 16'(MAX_READ_BYTES);
  assign cfg_peer              = PEER;

  hca #(
    .DATA_W(DATA_W), .QPS(QPS), .MRS(MRS), .MTTS(MTTS), .CQS(CQS), .EQS(EQS), .INFLIGHT(INFLIGHT),
    .RD_TAGS(RD_TAGS), .MAX_PAYLOAD_BYTES(MAX_PAYLOAD_BYTES), .MAX_READ_BYTES(MAX_READ_BYTES)
  ) u_a (
    .clk,
    .rst,
    .s_bar_valid   (a_s_bar_valid),
    .s_bar_ready   (a_s_bar_ready),
    .s_bar_write   (a_s_bar_write),
    .s_bar_bar     (a_s_bar_bar),
    .s_bar_addr    (a_s_bar_addr),
    .s_bar_wdata   (a_s_bar_wdata),
    .s_bar_wstrb   (a_s_bar_wstrb),
    .m_bar_valid   (a_m_bar_valid),
    .m_bar_ready   (a_m_bar_ready),
    .m_bar_rdata   (a_m_bar_rdata),
    .m_rdreq_valid (a_m_rdreq_valid),
    .m_rdreq_ready (a_m_rdreq_ready),
    .m_rdreq_addr  (a_m_rdreq_addr),
    .m_rdreq_len   (a_m_rdreq_len),
    .m_rdreq_tag   (a_m_rdreq_tag),
    .s_rdcpl_valid (a_s_rdcpl_valid),
    .s_rdcpl_ready (a_s_rdcpl_ready),
    .s_rdcpl_tag   (a_s_rdcpl_tag),
    .s_rdcpl_data  (a_s_rdcpl_data),
    .s_rdcpl_last  (a_s_rdcpl_last),
    .s_rdcpl_error (a_s_rdcpl_error),
    .m_wr_valid    (a_m_wr_valid),
    .m_wr_ready    (a_m_wr_ready),
    .m_wr_addr     (a_m_wr_addr),
    .m_wr_len      (a_m_wr_len),
    .m_wr_data     (a_m_wr_data),
    .m_wr_keep     (a_m_wr_keep),
    .m_wr_last     (a_m_wr_last),
    .s_wrack_valid (a_s_wrack_valid),
    .s_wrack_error (a_s_wrack_error),
    .m_irq_valid   (a_m_irq_valid),
    .m_irq_ready   (a_m_irq_ready),
    .m_irq_vector  (a_m_irq_vector),
    .m_link_valid  (a_m_link_valid),
    .m_link_ready  (a_m_link_ready),
    .m_link_data   (a_m_link_data),
    .m_link_keep   (a_m_link_keep),
    .m_link_last   (a_m_link_last),
    .m_link_vl     (a_m_link_vl),
    .s_link_valid  (a_s_link_valid),
    .s_link_ready  (a_s_link_ready),
    .s_link_data   (a_s_link_data),
    .s_link_keep   (a_s_link_keep),
    .s_link_last   (a_s_link_last),
    .s_link_vl     (a_s_link_vl),
    .s_link_up     (a_s_link_up)
  );

  if (PEER) begin : g_peer
    hca #(
      .DATA_W(DATA_W), .QPS(QPS), .MRS(MRS), .MTTS(MTTS), .CQS(CQS), .EQS(EQS), .INFLIGHT(INFLIGHT),
      .RD_TAGS(RD_TAGS), .MAX_PAYLOAD_BYTES(MAX_PAYLOAD_BYTES), .MAX_READ_BYTES(MAX_READ_BYTES)
    ) u_b (
      .clk,
      .rst,
      .s_bar_valid   (b_s_bar_valid),
      .s_bar_ready   (b_s_bar_ready),
      .s_bar_write   (b_s_bar_write),
      .s_bar_bar     (b_s_bar_bar),
      .s_bar_addr    (b_s_bar_addr),
      .s_bar_wdata   (b_s_bar_wdata),
      .s_bar_wstrb   (b_s_bar_wstrb),
      .m_bar_valid   (b_m_bar_valid),
      .m_bar_ready   (b_m_bar_ready),
      .m_bar_rdata   (b_m_bar_rdata),
      .m_rdreq_valid (b_m_rdreq_valid),
      .m_rdreq_ready (b_m_rdreq_ready),
      .m_rdreq_addr  (b_m_rdreq_addr),
      .m_rdreq_len   (b_m_rdreq_len),
      .m_rdreq_tag   (b_m_rdreq_tag),
      .s_rdcpl_valid (b_s_rdcpl_valid),
      .s_rdcpl_ready (b_s_rdcpl_ready),
      .s_rdcpl_tag   (b_s_rdcpl_tag),
      .s_rdcpl_data  (b_s_rdcpl_data),
      .s_rdcpl_last  (b_s_rdcpl_last),
      .s_rdcpl_error (b_s_rdcpl_error),
      .m_wr_valid    (b_m_wr_valid),
      .m_wr_ready    (b_m_wr_ready),
      .m_wr_addr     (b_m_wr_addr),
      .m_wr_len      (b_m_wr_len),
      .m_wr_data     (b_m_wr_data),
      .m_wr_keep     (b_m_wr_keep),
      .m_wr_last     (b_m_wr_last),
      .s_wrack_valid (b_s_wrack_valid),
      .s_wrack_error (b_s_wrack_error),
      .m_irq_valid   (b_m_irq_valid),
      .m_irq_ready   (b_m_irq_ready),
      .m_irq_vector  (b_m_irq_vector),
      .m_link_valid  (b_m_link_valid),
      .m_link_ready  (b_m_link_ready),
      .m_link_data   (b_m_link_data),
      .m_link_keep   (b_m_link_keep),
      .m_link_last   (b_m_link_last),
      .m_link_vl     (b_m_link_vl),
      .s_link_valid  (b_s_link_valid),
      .s_link_ready  (b_s_link_ready),
      .s_link_data   (b_s_link_data),
      .s_link_keep   (b_s_link_keep),
      .s_link_last   (b_s_link_last),
      .s_link_vl     (b_s_link_vl),
      .s_link_up     (b_s_link_up)
    );
  end else begin : g_alone
    assign b_s_bar_ready = '0;
    assign b_m_bar_valid = '0;
    assign b_m_bar_rdata = '0;
    assign b_m_rdreq_valid = '0;
    assign b_m_rdreq_addr = '0;
    assign b_m_rdreq_len = '0;
    assign b_m_rdreq_tag = '0;
    assign b_s_rdcpl_ready = '0;
    assign b_m_wr_valid = '0;
    assign b_m_wr_addr = '0;
    assign b_m_wr_len = '0;
    assign b_m_wr_data = '0;
    assign b_m_wr_keep = '0;
    assign b_m_wr_last = '0;
    assign b_m_irq_valid = '0;
    assign b_m_irq_vector = '0;
    assign b_m_link_valid = '0;
    assign b_m_link_data = '0;
    assign b_m_link_keep = '0;
    assign b_m_link_last = '0;
    assign b_m_link_vl = '0;
    assign b_s_link_ready = '0;
    wire unused = &{1'b0,
      b_s_bar_valid, b_s_bar_write, b_s_bar_bar, b_s_bar_addr, b_s_bar_wdata,
      b_s_bar_wstrb, b_m_bar_ready, b_m_rdreq_ready, b_s_rdcpl_valid, b_s_rdcpl_tag,
      b_s_rdcpl_data, b_s_rdcpl_last, b_s_rdcpl_error, b_m_wr_ready, b_s_wrack_valid,
      b_s_wrack_error, b_m_irq_ready, b_m_link_ready, b_s_link_valid, b_s_link_data,
      b_s_link_keep, b_s_link_last, b_s_link_vl, b_s_link_up};
  end

endmodule

`default_nettype wire
