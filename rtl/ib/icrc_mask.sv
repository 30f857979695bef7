// icrc_mask: sets the bits to one that the invariant CRC does not cover (7.8.1). Combinational.
//
// local (LNH 2):  VL, and BTH byte 4.  global (LNH 3): the LRH, GRH traffic class, flow label and hop limit, BTH byte 4.

`default_nettype none

module icrc_mask #(
  parameter int DATA_W = 256
) (
  input  wire logic              clk,
  input  wire logic              rst,
  input  wire logic              s_en,       // this beat is taken
  input  wire logic              s_last,
  input  wire logic [DATA_W-1:0] s_data,
  output      logic [DATA_W-1:0] m_data
);

  localparam int BYTES = DATA_W / 8;

  logic [2:0] beat_q;                        // beat of the packet, stops at 7: the headers are over
  logic       global_q;
  wire        is_global = beat_q == '0 ? s_data[9:8] == ib_pkg::LNH_IBA_GLOBAL : global_q;

  always_ff @(posedge clk) begin : position
    if (rst) beat_q <= '0;
    else if (s_en) beat_q <= s_last ? '0 : beat_q == 3'd7 ? 3'd7 : beat_q + 3'd1;
    if (s_en) global_q <= is_global;
  end

  for (genvar i = 0; i < BYTES; i++) begin : g_byte
    logic [7:0] ones;
    always_comb begin : choose
      ones = 8'h00;
      for (int b = 0; b < 64 / BYTES; b++) begin
        if (beat_q == 3'(b)) begin
          if (is_global) begin
            if (b*BYTES + i < 8)                                 ones = 8'hff;
            if (b*BYTES + i == 8)                                ones = 8'h0f;
            if (b*BYTES + i >= 9 && b*BYTES + i <= 11)           ones = 8'hff;
            if (b*BYTES + i == 15 || b*BYTES + i == 52)          ones = 8'hff;
          end else begin
            if (b*BYTES + i == 0)                                ones = 8'hf0;
            if (b*BYTES + i == 12)                               ones = 8'hff;
          end
        end
      end
    end
    assign m_data[i*8 +: 8] = s_data[i*8 +: 8] | ones;
  end

endmodule

`default_nettype wire
