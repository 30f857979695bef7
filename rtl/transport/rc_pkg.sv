// rc_pkg: the credit codes of the AETH (9.7.7.2).

`ifndef RC_PKG_SV
`define RC_PKG_SV

package rc_pkg;

  // What a code stands for: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, ... up to code 30.
  function automatic logic [16:0] credits(input logic [4:0] code);
    if (code < 5'd2) credits = 17'(code);
    else if (code[0]) credits = 17'd3 << ((code - 5'd3) >> 1);
    else              credits = 17'd1 << (code >> 1);
  endfunction

  // The largest code that stands for no more than `count`.
  function automatic logic [4:0] credit_code(input logic [15:0] count);
    credit_code = '0;
    for (int i = 1; i <= 30; i++) if ({1'b0, count} >= credits(5'(i))) credit_code = 5'(i);
  endfunction

endpackage

`endif
