// credits: the credit codes of the AETH against their table in the standard (9.7.7.2).

`default_nettype none
`include "prim_assert.svh"

module credits (
  input wire logic        clk,
  input wire logic        rst,
  input wire logic [4:0]  code,
  input wire logic [15:0] count
);
`include "reset.svh"

  // Table 47: what each code stands for.
  function automatic logic [16:0] listed(input logic [4:0] n);
    case (n)
      5'd0: listed = 0;       5'd1: listed = 1;      5'd2: listed = 2;      5'd3: listed = 3;      5'd4: listed = 4;
      5'd5: listed = 6;       5'd6: listed = 8;      5'd7: listed = 12;     5'd8: listed = 16;     5'd9: listed = 24;
      5'd10: listed = 32;     5'd11: listed = 48;    5'd12: listed = 64;    5'd13: listed = 96;    5'd14: listed = 128;
      5'd15: listed = 192;    5'd16: listed = 256;   5'd17: listed = 384;   5'd18: listed = 512;   5'd19: listed = 768;
      5'd20: listed = 1024;   5'd21: listed = 1536;  5'd22: listed = 2048;  5'd23: listed = 3072;  5'd24: listed = 4096;
      5'd25: listed = 6144;   5'd26: listed = 8192;  5'd27: listed = 12288; 5'd28: listed = 16384; 5'd29: listed = 24576;
      default: listed = 32768;
    endcase
  endfunction

  // Every code that counts stands for what the table says.
  `ASSERT(a_value, code == 5'd31 || rc_pkg::credits(code) == listed(code))
  // A number of receive WQEs is told as the largest code that promises no more of them.
  wire [4:0] told = rc_pkg::credit_code(count);
  `ASSERT(a_honest, told <= 5'd30 && listed(told) <= {1'b0, count})
  // No larger code would be honest.
  `ASSERT(a_most, code > 5'd30 || code <= told || listed(code) > {1'b0, count})

  // All are told.
  `COVER(c_all, told == 5'd30)

endmodule

`default_nettype wire
