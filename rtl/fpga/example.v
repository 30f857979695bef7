// example: hca_axi under a plain Verilog top, for tools that take no SystemVerilog as a top (Vivado's block designs).
//
// The names are those by which the IP packager finds s_axil, m_axi, m_axis_link and s_axis_link by itself; what it cannot
// guess, clock, reset and interrupt, the attributes say. Copy it and set the sizes to yours: docs/parameters.md.

`default_nettype none

module example #(
  parameter DATA_W      = 256,
  parameter AXIL_DATA_W = 32,
  parameter IRQ_LINES   = 32,
  parameter ID_W        = 6,       // log2 of the outstanding host reads
  parameter QPS         = 64,
  parameter MRS         = 64,
  parameter MTTS        = 8192,
  parameter CQS         = 32,
  parameter EQS         = 4
) (
  // One clock for all ports; reset as AXI has it.
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axil:m_axi:m_axis_link:s_axis_link, ASSOCIATED_RESET aresetn" *)
  input  wire                      aclk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire                      aresetn,

  // Registers: the window of BAR0, BAR2 and the wrapper.
  input  wire [27:0]               s_axil_awaddr,
  input  wire [2:0]                s_axil_awprot,
  input  wire                      s_axil_awvalid,
  output wire                      s_axil_awready,
  input  wire [AXIL_DATA_W-1:0]    s_axil_wdata,
  input  wire [AXIL_DATA_W/8-1:0]  s_axil_wstrb,
  input  wire                      s_axil_wvalid,
  output wire                      s_axil_wready,
  output wire [1:0]                s_axil_bresp,
  output wire                      s_axil_bvalid,
  input  wire                      s_axil_bready,
  input  wire [27:0]               s_axil_araddr,
  input  wire [2:0]                s_axil_arprot,
  input  wire                      s_axil_arvalid,
  output wire                      s_axil_arready,
  output wire [AXIL_DATA_W-1:0]    s_axil_rdata,
  output wire [1:0]                s_axil_rresp,
  output wire                      s_axil_rvalid,
  input  wire                      s_axil_rready,

  // Host memory.
  output wire [ID_W-1:0]           m_axi_awid,
  output wire [63:0]               m_axi_awaddr,
  output wire [7:0]                m_axi_awlen,
  output wire [2:0]                m_axi_awsize,
  output wire [1:0]                m_axi_awburst,
  output wire                      m_axi_awlock,
  output wire [3:0]                m_axi_awcache,
  output wire [2:0]                m_axi_awprot,
  output wire [3:0]                m_axi_awqos,
  output wire                      m_axi_awvalid,
  input  wire                      m_axi_awready,
  output wire [DATA_W-1:0]         m_axi_wdata,
  output wire [DATA_W/8-1:0]       m_axi_wstrb,
  output wire                      m_axi_wlast,
  output wire                      m_axi_wvalid,
  input  wire                      m_axi_wready,
  input  wire [ID_W-1:0]           m_axi_bid,
  input  wire [1:0]                m_axi_bresp,
  input  wire                      m_axi_bvalid,
  output wire                      m_axi_bready,
  output wire [ID_W-1:0]           m_axi_arid,
  output wire [63:0]               m_axi_araddr,
  output wire [7:0]                m_axi_arlen,
  output wire [2:0]                m_axi_arsize,
  output wire [1:0]                m_axi_arburst,
  output wire                      m_axi_arlock,
  output wire [3:0]                m_axi_arcache,
  output wire [2:0]                m_axi_arprot,
  output wire [3:0]                m_axi_arqos,
  output wire                      m_axi_arvalid,
  input  wire                      m_axi_arready,
  input  wire [ID_W-1:0]           m_axi_rid,
  input  wire [DATA_W-1:0]         m_axi_rdata,
  input  wire [1:0]                m_axi_rresp,
  input  wire                      m_axi_rlast,
  input  wire                      m_axi_rvalid,
  output wire                      m_axi_rready,

  // The link.
  output wire [DATA_W-1:0]         m_axis_link_tdata,
  output wire [DATA_W/8-1:0]       m_axis_link_tkeep,
  output wire [3:0]                m_axis_link_tdest,
  output wire                      m_axis_link_tlast,
  output wire                      m_axis_link_tvalid,
  input  wire                      m_axis_link_tready,
  input  wire [DATA_W-1:0]         s_axis_link_tdata,
  input  wire [DATA_W/8-1:0]       s_axis_link_tkeep,
  input  wire [3:0]                s_axis_link_tdest,
  input  wire                      s_axis_link_tlast,
  input  wire                      s_axis_link_tvalid,
  output wire                      s_axis_link_tready,
  input  wire                      link_up,

  // Interrupts.
  output wire [IRQ_LINES-1:0]      irq_lines,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output wire                      irq
);

  hca_axi #(
    .DATA_W(DATA_W), .AXIL_DATA_W(AXIL_DATA_W), .IRQ_LINES(IRQ_LINES), .RD_TAGS(1 << ID_W), .QPS(QPS), .MRS(MRS), .MTTS(MTTS),
    .CQS(CQS), .EQS(EQS)
  ) u_hca (
    .aclk(aclk), .aresetn(aresetn), .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot),
    .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata),
    .s_axil_wstrb(s_axil_wstrb), .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
    .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
    .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
    .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
    .m_axi_awid(m_axi_awid), .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awsize(m_axi_awsize),
    .m_axi_awburst(m_axi_awburst), .m_axi_awlock(m_axi_awlock), .m_axi_awcache(m_axi_awcache), .m_axi_awprot(m_axi_awprot),
    .m_axi_awqos(m_axi_awqos), .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_wdata(m_axi_wdata),
    .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast), .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready),
    .m_axi_bid(m_axi_bid), .m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready),
    .m_axi_arid(m_axi_arid), .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_arsize(m_axi_arsize),
    .m_axi_arburst(m_axi_arburst), .m_axi_arlock(m_axi_arlock), .m_axi_arcache(m_axi_arcache), .m_axi_arprot(m_axi_arprot),
    .m_axi_arqos(m_axi_arqos), .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_rid(m_axi_rid),
    .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast), .m_axi_rvalid(m_axi_rvalid),
    .m_axi_rready(m_axi_rready), .m_axis_link_tdata(m_axis_link_tdata), .m_axis_link_tkeep(m_axis_link_tkeep),
    .m_axis_link_tdest(m_axis_link_tdest), .m_axis_link_tlast(m_axis_link_tlast), .m_axis_link_tvalid(m_axis_link_tvalid),
    .m_axis_link_tready(m_axis_link_tready), .s_axis_link_tdata(s_axis_link_tdata), .s_axis_link_tkeep(s_axis_link_tkeep),
    .s_axis_link_tdest(s_axis_link_tdest), .s_axis_link_tlast(s_axis_link_tlast), .s_axis_link_tvalid(s_axis_link_tvalid),
    .s_axis_link_tready(s_axis_link_tready), .link_up(link_up), .irq_lines(irq_lines), .irq(irq));

endmodule

`default_nettype wire
