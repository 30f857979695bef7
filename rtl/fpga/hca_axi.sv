// hca_axi: the HCA with the buses of an FPGA design around it: wiring only.
//
// Ports, all on aclk, aresetn low for at least one cycle of it:
//   s_axil        registers: a window of 256 MiB, BAR0 at 0, the wrapper's registers (irq_level) at AXI_WINDOW_OWN, BAR2 at
//                 AXI_WINDOW_BAR2; see axil_bar for what two accesses of 32 bits mean
//   m_axi         host memory: reads with as many IDs as RD_TAGS, answered in any order; writes all of ID 0. A write's response
//                 says that a later write, and the host, find its data in memory
//   m_axis_link   packets LRH to VCRC, the virtual lane on tdest, each starting at lane 0, tkeep contiguous. Inside a packet
//                 tvalid never falls, so that a link that cannot pause can start when the first beat is there, if its tready
//                 stays high to the last
//   s_axis_link   the same towards the HCA. tready may fall inside a packet: what comes from a link that cannot pause goes through
//                 a FIFO for whole packets
//   link_up       the link is trained; low makes the port down
//   irq           up while a line is; irq_lines: pending and not masked, by vector
// The wrapper's register `reset` resets the core alone (core_reset).

`default_nettype none

module hca_axi #(
  parameter int DATA_W            = 256,   // datapath, AXI4 and link width, bits: 128, 256 or 512
  parameter int AXIL_DATA_W       = 32,    // of the register window: 32 or 64
  parameter int IRQ_LINES         = 32,    // interrupt lines, 1..64
  parameter int QPS               = 64,    // from here on as in hca
  parameter int MRS               = 64,
  parameter int MTTS              = 8192,
  parameter int CQS               = 32,
  parameter int EQS               = 4,
  parameter int INFLIGHT          = 32,
  parameter int RD_DEPTH          = 16,
  parameter int RD_LISTS          = 32,
  parameter int WQE_BLOCKS        = 16,
  parameter int RX_SLOTS          = 16,
  parameter int RD_TAGS           = 64,
  parameter int MAX_PAYLOAD_BYTES = 256,   // the longest write burst
  parameter int MAX_READ_BYTES    = 512,   // the longest read burst
  parameter logic [3:0] CACHE     = 4'b0010  // of both address channels
) (
  // One clock for all ports; reset as AXI has it.
  input  wire logic                       aclk,
  input  wire logic                       aresetn,

  // Registers: the window of BAR0, BAR2 and the wrapper.
  input  wire logic [27:0]                s_axil_awaddr,
  input  wire logic [2:0]                 s_axil_awprot,
  input  wire logic                       s_axil_awvalid,
  output      logic                       s_axil_awready,
  input  wire logic [AXIL_DATA_W-1:0]     s_axil_wdata,
  input  wire logic [AXIL_DATA_W/8-1:0]   s_axil_wstrb,
  input  wire logic                       s_axil_wvalid,
  output      logic                       s_axil_wready,
  output      logic [1:0]                 s_axil_bresp,
  output      logic                       s_axil_bvalid,
  input  wire logic                       s_axil_bready,
  input  wire logic [27:0]                s_axil_araddr,
  input  wire logic [2:0]                 s_axil_arprot,
  input  wire logic                       s_axil_arvalid,
  output      logic                       s_axil_arready,
  output      logic [AXIL_DATA_W-1:0]     s_axil_rdata,
  output      logic [1:0]                 s_axil_rresp,
  output      logic                       s_axil_rvalid,
  input  wire logic                       s_axil_rready,

  // Host memory.
  output      logic [$clog2(RD_TAGS)-1:0] m_axi_awid,
  output      logic [63:0]                m_axi_awaddr,
  output      logic [7:0]                 m_axi_awlen,
  output      logic [2:0]                 m_axi_awsize,
  output      logic [1:0]                 m_axi_awburst,
  output      logic                       m_axi_awlock,
  output      logic [3:0]                 m_axi_awcache,
  output      logic [2:0]                 m_axi_awprot,
  output      logic [3:0]                 m_axi_awqos,
  output      logic                       m_axi_awvalid,
  input  wire logic                       m_axi_awready,
  output      logic [DATA_W-1:0]          m_axi_wdata,
  output      logic [DATA_W/8-1:0]        m_axi_wstrb,
  output      logic                       m_axi_wlast,
  output      logic                       m_axi_wvalid,
  input  wire logic                       m_axi_wready,
  input  wire logic [$clog2(RD_TAGS)-1:0] m_axi_bid,
  input  wire logic [1:0]                 m_axi_bresp,
  input  wire logic                       m_axi_bvalid,
  output      logic                       m_axi_bready,
  output      logic [$clog2(RD_TAGS)-1:0] m_axi_arid,
  output      logic [63:0]                m_axi_araddr,
  output      logic [7:0]                 m_axi_arlen,
  output      logic [2:0]                 m_axi_arsize,
  output      logic [1:0]                 m_axi_arburst,
  output      logic                       m_axi_arlock,
  output      logic [3:0]                 m_axi_arcache,
  output      logic [2:0]                 m_axi_arprot,
  output      logic [3:0]                 m_axi_arqos,
  output      logic                       m_axi_arvalid,
  input  wire logic                       m_axi_arready,
  input  wire logic [$clog2(RD_TAGS)-1:0] m_axi_rid,
  input  wire logic [DATA_W-1:0]          m_axi_rdata,
  input  wire logic [1:0]                 m_axi_rresp,
  input  wire logic                       m_axi_rlast,
  input  wire logic                       m_axi_rvalid,
  output      logic                       m_axi_rready,

  // The link.
  output      logic [DATA_W-1:0]          m_axis_link_tdata,
  output      logic [DATA_W/8-1:0]        m_axis_link_tkeep,
  output      logic [3:0]                 m_axis_link_tdest,
  output      logic                       m_axis_link_tlast,
  output      logic                       m_axis_link_tvalid,
  input  wire logic                       m_axis_link_tready,
  input  wire logic [DATA_W-1:0]          s_axis_link_tdata,
  input  wire logic [DATA_W/8-1:0]        s_axis_link_tkeep,
  input  wire logic [3:0]                 s_axis_link_tdest,
  input  wire logic                       s_axis_link_tlast,
  input  wire logic                       s_axis_link_tvalid,
  output      logic                       s_axis_link_tready,
  input  wire logic                       link_up,

  // Interrupts.
  output      logic [IRQ_LINES-1:0]       irq_lines,
  output      logic                       irq
);

  localparam int ID_W = $clog2(RD_TAGS);
  wire clk = aclk;
  wire rst = !aresetn;

  // Registers.
  logic        hold, core_rst, bar_busy, read_busy, write_busy, link_busy;
  logic [63:0] reset_rdata;
  logic        bar_valid, bar_ready, bar_write, bar_rvalid, bar_rready, own_write;
  logic [2:0]  bar_bar;
  logic [31:0] bar_addr;
  logic [63:0] bar_wdata, bar_rdata, own_wdata, irq_rdata;
  logic [7:0]  bar_wstrb, own_wstrb;
  logic [11:0] own_addr;
  axil_bar #(.DATA_W(AXIL_DATA_W)) u_bar (
    .clk, .rst, .hold, .busy(bar_busy), .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid, .s_axil_wready,
    .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid, .s_axil_arready, .s_axil_rdata,
    .s_axil_rresp, .s_axil_rvalid, .s_axil_rready,
    .m_bar_valid(bar_valid), .m_bar_ready(bar_ready), .m_bar_write(bar_write), .m_bar_bar(bar_bar), .m_bar_addr(bar_addr),
    .m_bar_wdata(bar_wdata), .m_bar_wstrb(bar_wstrb), .s_bar_valid(bar_rvalid), .s_bar_ready(bar_rready), .s_bar_rdata(bar_rdata),
    .m_own_write(own_write), .m_own_addr(own_addr), .m_own_wdata(own_wdata), .m_own_wstrb(own_wstrb),
    .s_own_rdata(irq_rdata | reset_rdata));

  // The core's reset.
  core_reset u_reset (
    .clk, .rst, .s_own_write(own_write), .s_own_addr(own_addr), .s_own_wdata(own_wdata), .s_own_wstrb(own_wstrb),
    .m_own_rdata(reset_rdata), .s_busy(bar_busy || read_busy || write_busy || link_busy), .m_hold(hold), .m_rst(core_rst));

  // Interrupts.
  logic       irq_valid, irq_ready;
  logic [7:0] irq_vector;
  irq_level #(.LINES(IRQ_LINES), .DATA_W(DATA_W), .AXIL_DATA_W(AXIL_DATA_W)) u_irq (
    .clk, .rst(core_rst), .s_irq_valid(irq_valid), .s_irq_ready(irq_ready), .s_irq_vector(irq_vector),
    .s_own_write(own_write), .s_own_addr(own_addr), .s_own_wdata(own_wdata), .s_own_wstrb(own_wstrb), .m_own_rdata(irq_rdata),
    .m_irq_lines(irq_lines), .m_irq(irq));

  // Host memory.
  logic                rdreq_valid, rdreq_ready, rdcpl_valid, rdcpl_ready, rdcpl_last, rdcpl_error;
  logic [63:0]         rdreq_addr, wr_addr;
  logic [12:0]         rdreq_len, wr_len;
  logic [ID_W-1:0]     rdreq_tag, rdcpl_tag;
  logic [DATA_W-1:0]   rdcpl_data, wr_data;
  logic                wr_valid, wr_ready, wr_last, wrack_valid, wrack_error;
  logic [DATA_W/8-1:0] wr_keep;
  axi_read #(.DATA_W(DATA_W), .ID_W(ID_W), .CACHE(CACHE)) u_read (
    .clk, .rst, .hold, .busy(read_busy), .s_rdreq_valid(rdreq_valid), .s_rdreq_ready(rdreq_ready), .s_rdreq_addr(rdreq_addr), .s_rdreq_len(rdreq_len),
    .s_rdreq_tag(rdreq_tag), .m_rdcpl_valid(rdcpl_valid), .m_rdcpl_ready(rdcpl_ready), .m_rdcpl_tag(rdcpl_tag),
    .m_rdcpl_data(rdcpl_data), .m_rdcpl_last(rdcpl_last), .m_rdcpl_error(rdcpl_error),
    .m_axi_arid, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst, .m_axi_arlock, .m_axi_arcache, .m_axi_arprot,
    .m_axi_arqos, .m_axi_arvalid, .m_axi_arready, .m_axi_rid, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast, .m_axi_rvalid,
    .m_axi_rready);
  axi_write #(.DATA_W(DATA_W), .ID_W(ID_W), .CACHE(CACHE)) u_write (
    .clk, .rst, .hold, .busy(write_busy), .s_wr_valid(wr_valid), .s_wr_ready(wr_ready), .s_wr_addr(wr_addr), .s_wr_len(wr_len), .s_wr_data(wr_data),
    .s_wr_keep(wr_keep), .s_wr_last(wr_last), .m_wrack_valid(wrack_valid), .m_wrack_error(wrack_error),
    .m_axi_awid, .m_axi_awaddr, .m_axi_awlen, .m_axi_awsize, .m_axi_awburst, .m_axi_awlock, .m_axi_awcache, .m_axi_awprot,
    .m_axi_awqos, .m_axi_awvalid, .m_axi_awready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast, .m_axi_wvalid, .m_axi_wready,
    .m_axi_bid, .m_axi_bresp, .m_axi_bvalid, .m_axi_bready);

  // The link out, which no reset cuts in the middle of a packet.
  logic link_valid, link_ready;
  packet_gate u_gate (
    .clk, .rst, .hold, .busy(link_busy), .s_valid(link_valid), .s_ready(link_ready), .s_last(m_axis_link_tlast),
    .m_valid(m_axis_link_tvalid), .m_ready(m_axis_link_tready));

  hca #(
    .DATA_W(DATA_W), .QPS(QPS), .MRS(MRS), .MTTS(MTTS), .CQS(CQS), .EQS(EQS),
    .INFLIGHT(INFLIGHT), .RD_DEPTH(RD_DEPTH), .RD_LISTS(RD_LISTS), .WQE_BLOCKS(WQE_BLOCKS), .RX_SLOTS(RX_SLOTS), .RD_TAGS(RD_TAGS),
    .MAX_PAYLOAD_BYTES(MAX_PAYLOAD_BYTES), .MAX_READ_BYTES(MAX_READ_BYTES)
  ) u_hca (
    .clk, .rst(core_rst), .s_bar_valid(bar_valid), .s_bar_ready(bar_ready), .s_bar_write(bar_write), .s_bar_bar(bar_bar),
    .s_bar_addr(bar_addr), .s_bar_wdata(bar_wdata), .s_bar_wstrb(bar_wstrb), .m_bar_valid(bar_rvalid), .m_bar_ready(bar_rready),
    .m_bar_rdata(bar_rdata), .m_rdreq_valid(rdreq_valid), .m_rdreq_ready(rdreq_ready), .m_rdreq_addr(rdreq_addr),
    .m_rdreq_len(rdreq_len), .m_rdreq_tag(rdreq_tag), .s_rdcpl_valid(rdcpl_valid), .s_rdcpl_ready(rdcpl_ready),
    .s_rdcpl_tag(rdcpl_tag), .s_rdcpl_data(rdcpl_data), .s_rdcpl_last(rdcpl_last), .s_rdcpl_error(rdcpl_error),
    .m_wr_valid(wr_valid), .m_wr_ready(wr_ready), .m_wr_addr(wr_addr), .m_wr_len(wr_len), .m_wr_data(wr_data),
    .m_wr_keep(wr_keep), .m_wr_last(wr_last), .s_wrack_valid(wrack_valid), .s_wrack_error(wrack_error),
    .m_irq_valid(irq_valid), .m_irq_ready(irq_ready), .m_irq_vector(irq_vector),
    .m_link_valid(link_valid), .m_link_ready(link_ready), .m_link_data(m_axis_link_tdata),
    .m_link_keep(m_axis_link_tkeep), .m_link_last(m_axis_link_tlast), .m_link_vl(m_axis_link_tdest),
    .s_link_valid(s_axis_link_tvalid), .s_link_ready(s_axis_link_tready), .s_link_data(s_axis_link_tdata),
    .s_link_keep(s_axis_link_tkeep), .s_link_last(s_axis_link_tlast), .s_link_vl(s_axis_link_tdest), .s_link_up(link_up));

  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot};

endmodule

`default_nettype wire
