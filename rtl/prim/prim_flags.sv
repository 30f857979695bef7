// prim_flags: a bit for each of N objects, set by one side and cleared by another, in two LUT RAMs.
//
// Timing: combinational look-ups; a set or clear shows the next cycle. Both at once on one object: set wins
//         if it was clear, clear wins if it was set.

`default_nettype none

module prim_flags #(
  parameter int N       = 64,
  parameter int LOOKUPS = 1
) (
  input  wire logic                         clk,
  input  wire logic                         set_en,
  input  wire logic [$clog2(N)-1:0]         set_index,
  input  wire logic                         clear_en,
  input  wire logic [$clog2(N)-1:0]         clear_index,
  output      logic                         set_was,     // the flag at set_index
  input  wire logic [LOOKUPS*$clog2(N)-1:0] index,
  output      logic [LOOKUPS-1:0]           flag
);

  localparam int IW = $clog2(N);

  // The flag is the difference of two bits, each with one writer.
  (* ram_style = "distributed" *) logic a_mem [0:N-1];
  (* ram_style = "distributed" *) logic b_mem [0:N-1];
  initial for (int i = 0; i < N; i++) begin
    a_mem[i] = 1'b0;
    b_mem[i] = 1'b0;
  end

  assign set_was = a_mem[set_index] ^ b_mem[set_index];

  always_ff @(posedge clk) begin : write
    if (set_en)   a_mem[set_index]   <= !b_mem[set_index];
    if (clear_en) b_mem[clear_index] <= a_mem[clear_index];
  end

  for (genvar i = 0; i < LOOKUPS; i++) begin : g_lookup
    assign flag[i] = a_mem[index[i*IW +: IW]] ^ b_mem[index[i*IW +: IW]];
  end

endmodule

`default_nettype wire
