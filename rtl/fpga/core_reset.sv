// core_reset: resets the core alone, between two runs of software, when nothing of it is under way on the buses.
//
// Contract: writing a one to bit 0 of the own register `reset` raises m_hold, which keeps new bursts, packets and accesses
//           back; when s_busy has gone the core is in reset for CYCLES, then m_hold falls. The register's bit 0 reads as one
//           all the while. A host that never answers keeps it so: then aresetn is left.

`default_nettype none

module core_reset #(
  parameter int CYCLES = 16                  // a power of two
) (
  input  wire logic        clk,
  input  wire logic        rst,

  input  wire logic        s_own_write,      // registers, one access a cycle
  input  wire logic [11:0] s_own_addr,
  input  wire logic [63:0] s_own_wdata,
  input  wire logic [7:0]  s_own_wstrb,
  output      logic [63:0] m_own_rdata,

  input  wire logic        s_busy,
  output      logic        m_hold,
  output      logic        m_rst
);

  localparam int CW = $clog2(CYCLES);
  typedef enum logic [1:0] {ST_RUN, ST_DRAIN, ST_RESET} state_e;
  state_e        state_q;
  logic [CW-1:0] count_q;

  wire here  = {s_own_addr[11:3], 3'b0} == 12'(ib_pkg::AXI_RESET);
  wire asked = s_own_write && here && s_own_wstrb[0] && s_own_wdata[0];

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_RUN;
      count_q <= '0;
    end else begin
      case (state_q)
        ST_RUN: if (asked) state_q <= ST_DRAIN;
        ST_DRAIN: if (!s_busy) state_q <= ST_RESET;
        ST_RESET: begin
          count_q <= count_q + 1'b1;
          if (&count_q) state_q <= ST_RUN;
        end
        default: state_q <= ST_RUN;
      endcase
    end
  end

  assign m_hold      = state_q != ST_RUN;
  assign m_rst       = rst || state_q == ST_RESET;
  assign m_own_rdata = here ? 64'(m_hold) : '0;

  wire unused = &{1'b0, s_own_addr[2:0], s_own_wdata[63:1], s_own_wstrb[7:1]};

endmodule

`default_nettype wire
