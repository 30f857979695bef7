// open_board: a first sign of life on a small FPGA, for an open flow (Yosys, nextpnr): no vendor's block, four kinds of pins.
//
// After reset it reads the HCA's identity over AXI4-Lite, again and again. led[0]: it is an HCA's; led[1]: it is not;
// led[2]: the port is up; led[3]: beats with the reads. The link is looped back. There is no host memory behind m_axi: in its
// place a design puts its own (a SoC's bus, a PCIe core), and the processor of that design takes the sequencer's.

`default_nettype none

module open_board #(
  parameter        WAIT_BITS = 20,           // cycles between two reads, log2
  parameter [31:0] MAGIC     = 32'h4143484f  // 'OHCA' in memory order
) (
  input  wire       clk,
  input  wire       rst_n,
  input  wire       link_up,
  output reg  [3:0] led
);

  localparam DATA_W = 128;

  // One read of 8 bytes every so often.
  reg  [WAIT_BITS-1:0] wait_q;
  reg                  asking_q;
  wire                 arready, rvalid, port_irq;
  wire [63:0]          rdata;
  always @(posedge clk) begin : sequencer
    if (!rst_n) begin
      wait_q   <= {WAIT_BITS{1'b0}};
      asking_q <= 1'b0;
      led      <= 4'b0000;
    end else begin
      wait_q <= wait_q + 1'b1;
      if (&wait_q) asking_q <= 1'b1;
      else if (arready) asking_q <= 1'b0;
      if (rvalid) led[1:0] <= rdata[31:0] == MAGIC ? 2'b01 : 2'b10;
      if (rvalid) led[3] <= !led[3];
      led[2] <= link_up;
    end
  end

  wire [DATA_W-1:0]   tdata;
  wire [DATA_W/8-1:0] tkeep;
  wire [3:0]          tdest;
  wire                tlast, tvalid, tready;

  example #(
    .DATA_W(DATA_W), .AXIL_DATA_W(64), .IRQ_LINES(8), .ID_W(5), .QPS(8), .MRS(8), .MTTS(256), .CQS(8), .EQS(4)
  ) u_hca (
    .aclk(clk), .aresetn(rst_n),
    .s_axil_awaddr(28'd0), .s_axil_awprot(3'd0), .s_axil_awvalid(1'b0), .s_axil_awready(), .s_axil_wdata(64'd0),
    .s_axil_wstrb(8'd0), .s_axil_wvalid(1'b0), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
    .s_axil_araddr(28'd0), .s_axil_arprot(3'd0), .s_axil_arvalid(asking_q), .s_axil_arready(arready), .s_axil_rdata(rdata),
    .s_axil_rresp(), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
    .m_axi_awid(), .m_axi_awaddr(), .m_axi_awlen(), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awlock(), .m_axi_awcache(),
    .m_axi_awprot(), .m_axi_awqos(), .m_axi_awvalid(), .m_axi_awready(1'b0), .m_axi_wdata(), .m_axi_wstrb(), .m_axi_wlast(),
    .m_axi_wvalid(), .m_axi_wready(1'b0), .m_axi_bid(5'd0), .m_axi_bresp(2'd0), .m_axi_bvalid(1'b0), .m_axi_bready(),
    .m_axi_arid(), .m_axi_araddr(), .m_axi_arlen(), .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(),
    .m_axi_arprot(), .m_axi_arqos(), .m_axi_arvalid(), .m_axi_arready(1'b0), .m_axi_rid(5'd0), .m_axi_rdata({DATA_W{1'b0}}),
    .m_axi_rresp(2'd0), .m_axi_rlast(1'b0), .m_axi_rvalid(1'b0), .m_axi_rready(),
    .m_axis_link_tdata(tdata), .m_axis_link_tkeep(tkeep), .m_axis_link_tdest(tdest), .m_axis_link_tlast(tlast),
    .m_axis_link_tvalid(tvalid), .m_axis_link_tready(tready),
    .s_axis_link_tdata(tdata), .s_axis_link_tkeep(tkeep), .s_axis_link_tdest(tdest), .s_axis_link_tlast(tlast),
    .s_axis_link_tvalid(tvalid), .s_axis_link_tready(tready),
    .link_up(link_up), .irq_lines(), .irq(port_irq));

  wire unused = &{1'b0, port_irq, rdata[63:32]};

endmodule

`default_nettype wire
