// bench: the pair, whose ports the harness moves through VPI, and a signal by which it wakes the client's side.

`default_nettype none

module bench #(
  parameter int DATA_W = 256,
  parameter bit PEER   = 1'b1
);

  logic turn = 1'b0;                         // toggles when the harness waits for the next frame

  pair #(.DATA_W(DATA_W), .PEER(PEER)) u_pair ();

endmodule

`default_nettype wire
