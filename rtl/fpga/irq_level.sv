// irq_level: turns the core's stream of vectors into lines that stay up until software has seen them.
//
// Contract: vector v sets bit v of pending, those beyond the last line set the last. Registers, at multiples of 8: pending
//           (a one clears its bit, but not one that is set in the same cycle), mask (ones pass; zero after reset), info (who
//           this is, how wide core and window are, how many lines). m_irq is up while any line is. Byte enables pick the bytes that are written.
// Timing:   a vector shows the next cycle; reads are combinational.

`default_nettype none

module irq_level #(
  parameter int LINES       = 32,            // 1..64
  parameter int DATA_W      = 256,           // of the core and
  parameter int AXIL_DATA_W = 32             // of the window, told by info
) (
  input  wire logic             clk,
  input  wire logic             rst,

  input  wire logic             s_irq_valid,
  output      logic             s_irq_ready,
  input  wire logic [7:0]       s_irq_vector,

  input  wire logic             s_own_write,   // registers, one access a cycle
  input  wire logic [11:0]      s_own_addr,
  input  wire logic [63:0]      s_own_wdata,
  input  wire logic [7:0]       s_own_wstrb,
  output      logic [63:0]      m_own_rdata,

  output      logic [LINES-1:0] m_irq_lines,
  output      logic             m_irq
);

  initial if (LINES < 1 || LINES > 64) $fatal(1, "%m: LINES is 1 to 64");

  logic [LINES-1:0] pending_q, mask_q, set, clear;
  wire [63:0] strb_mask = {{8{s_own_wstrb[7]}}, {8{s_own_wstrb[6]}}, {8{s_own_wstrb[5]}}, {8{s_own_wstrb[4]}},
                           {8{s_own_wstrb[3]}}, {8{s_own_wstrb[2]}}, {8{s_own_wstrb[1]}}, {8{s_own_wstrb[0]}}};
  wire [11:0] word = {s_own_addr[11:3], 3'b0};
  wire        at_pending = word == 12'(ib_pkg::AXI_IRQ_PENDING);
  wire        at_mask    = word == 12'(ib_pkg::AXI_IRQ_MASK);

  always_comb begin : changes
    for (int i = 0; i < LINES; i++) begin
      set[i]   = s_irq_valid && (s_irq_vector == 8'(i) || (i == LINES - 1 && s_irq_vector > 8'(i)));
      clear[i] = s_own_write && at_pending && s_own_wdata[i] && strb_mask[i];
    end
  end

  always_ff @(posedge clk) begin : state
    if (rst) begin
      pending_q <= '0;
      mask_q    <= '0;
    end else begin
      pending_q <= (pending_q & ~clear) | set;
      if (s_own_write && at_mask) mask_q <= (mask_q & ~strb_mask[LINES-1:0]) | (s_own_wdata[LINES-1:0] & strb_mask[LINES-1:0]);
    end
  end

  always_comb begin : read
    m_own_rdata = '0;
    if (at_pending) m_own_rdata = 64'(pending_q);
    else if (at_mask) m_own_rdata = 64'(mask_q);
    else if (word == 12'(ib_pkg::AXI_INFO)) m_own_rdata = {8'd0, 8'(AXIL_DATA_W / 8), 8'(LINES), 8'(DATA_W / 8), 32'(ib_pkg::AXI_MAGIC)};
  end

  assign s_irq_ready = 1'b1;
  assign m_irq_lines = pending_q & mask_q;
  assign m_irq       = |m_irq_lines;

  wire unused = &{1'b0, s_own_addr[2:0], s_own_wdata, strb_mask};

endmodule

`default_nettype wire
