// follow: one word, chosen at will, from when it is taken until it leaves: nothing is lost, doubled, changed or passed.
//
// What holds for any one word holds for all. `held` counts on its own; ahead, inside and word let a proof say where the word is.

`default_nettype none
`include "prim_assert.svh"

module follow #(
  parameter int WIDTH = 8,
  parameter int MOST  = 16                   // words that can be held
) (
  input  wire logic                        clk,
  input  wire logic                        rst,
  input  wire logic                        put,
  input  wire logic [WIDTH-1:0]            put_data,
  input  wire logic                        get,
  input  wire logic                        shows,        // get_data is the next to leave
  input  wire logic [WIDTH-1:0]            get_data,
  output      logic [$clog2(MOST+1)-1:0]   held,
  output      logic                        inside,       // the chosen word is held
  output      logic [$clog2(MOST+1)-1:0]   ahead,        // so many leave before it
  output      logic [WIDTH-1:0]            word
);

  localparam int CW = $clog2(MOST + 1);
  (* anyseq *) logic pick;

  always_ff @(posedge clk) begin
    held <= held + CW'(put) - CW'(get);
    if (!inside && put && pick) begin
      inside <= 1'b1;
      ahead  <= held - CW'(get);
      word   <= put_data;
    end else if (inside && get) begin
      inside <= ahead != '0;
      ahead  <= ahead - CW'(1);
    end
    if (rst) begin
      held   <= '0;
      inside <= 1'b0;
    end
  end

  // Nothing leaves that was not taken.
  `ASSERT(a_taken, !get || held != '0)
  // No more is taken than there is room for.
  `ASSERT(a_fits, !put || held != CW'(MOST) || get)
  // The word leaves in its turn, as it came.
  `ASSERT(a_in_order, !(shows && inside && ahead == '0) || get_data == word)
  `ASSERT(i_ahead, held <= CW'(MOST) && (!inside || ahead < held))

endmodule

`default_nettype wire
