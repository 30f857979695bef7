// mem_align: moves a stream of bytes to other lanes: bytes of source beats in, packed beats out.
//
// Contract: a step brings n bytes from lane src of its data (or zeros). The first step of a packet puts
//           them at lane dst, behind `blank` zero beats; the others go on where the last ended. The step
//           with last ends the packet: what is left leaves as one more beat; lanes never filled are zero. n is
//           0 only in the one step of a packet of no bytes, which still gives one beat.
// Timing:   one step and one beat per cycle. The beat that flushes a packet and the blank ones hide the
//           first step of the next packet, so packets with one run of bytes follow without a bubble.

`default_nettype none
`include "prim_assert.svh"

module mem_align #(
  parameter int DATA_W = 256
) (
  input  wire logic                        clk,
  input  wire logic                        rst,
  input  wire logic                        s_valid,
  output      logic                        s_ready,
  input  wire logic [DATA_W-1:0]           s_data,
  input  wire logic                        s_zero,   // zeros, whatever data says
  input  wire logic [$clog2(DATA_W/8)-1:0] s_src,
  input  wire logic [$clog2(DATA_W/8):0]   s_n,
  input  wire logic                        s_first,
  input  wire logic                        s_last,
  input  wire logic [$clog2(DATA_W/8)-1:0] s_dst,    // with first
  input  wire logic [2:0]                  s_blank,  // with first
  output      logic                        m_valid,
  input  wire logic                        m_ready,
  output      logic [DATA_W-1:0]           m_data,
  output      logic                        m_last
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);

  // Rotate: bytes that reach over the last lane come round to lane 0.
  logic [LW-1:0]     fill_q;                 // lanes filled in the beat being packed
  wire  [LW-1:0]     at    = s_first ? s_dst : fill_q;
  wire  [LW+1:0]     upto  = {2'b0, at} + {1'b0, s_n};
  wire  [LW-1:0]     turn  = at - s_src;
  logic [DATA_W-1:0] turned, masked;

  always_comb begin : rotate
    turned = s_data;
    for (int b = 0; b < LW; b++)
      if (turn[b]) turned = (turned << (8 << b)) | (turned >> (DATA_W - (8 << b)));
  end

  always_comb begin : mask
    masked = '0;
    for (int i = 0; i < BYTES; i++)
      if (!s_zero && ((LW+2)'(i) >= {2'b0, at} ? (LW+2)'(i) < upto : (LW+2)'(i + BYTES) < upto))
        masked[i*8 +: 8] = turned[i*8 +: 8];
  end

  logic              step_q, first_q, last_q, full_q, over_q;  // full: gives a beat; over: bytes are left behind it
  logic [2:0]        blank_q;
  logic [LW-1:0]     at_q;
  logic [DATA_W-1:0] bytes_q;
  logic              done;                   // the step in the register is used up
  logic              blank_used;             // a blank beat of it was sent

  assign s_ready = !step_q || done;

  always_ff @(posedge clk) begin : stage
    if (rst) step_q <= 1'b0;
    else if (s_ready) step_q <= s_valid;
    if (s_ready) begin
      first_q <= s_first;
      last_q  <= s_last;
      full_q  <= s_last || upto >= (LW+2)'(BYTES);
      over_q  <= upto > (LW+2)'(BYTES);
      blank_q <= s_first ? s_blank : '0;
      at_q    <= at;
      bytes_q <= masked;
    end else if (blank_used) begin
      blank_q <= blank_q - 1'b1;
    end
    if (s_ready && s_valid) fill_q <= upto[LW-1:0];
  end

  // Pack: hold_q has the bytes of the beat not yet full.
  logic [DATA_W-1:0] hold_q, lower, upper;
  logic              flush_q;                // hold_q ends its packet
  logic [2:0]        owe_q;                  // blank beats to go before hold_q's packet
  wire               open  = !m_valid || m_ready;
  wire               idle  = !flush_q && owe_q == '0;   // neither flush nor blank beats go first
  wire               blank = idle && step_q && blank_q != '0;
  wire               plain = idle && step_q && blank_q == '0 && (open || !full_q);
  wire               early = step_q && first_q && !full_q && open && (flush_q || blank);  // moves in beside another's beat

  assign done       = plain || early;
  assign blank_used = blank && open && !early;

  always_comb begin : halves
    lower = '0;                              // bytes of this beat
    upper = '0;                              // bytes of the next
    for (int i = 0; i < BYTES; i++) begin
      if (LW'(i) >= at_q) lower[i*8 +: 8] = bytes_q[i*8 +: 8];
      else                upper[i*8 +: 8] = bytes_q[i*8 +: 8];
    end
  end
  wire [DATA_W-1:0] packed_now = (first_q ? '0 : hold_q) | lower;

  always_ff @(posedge clk) begin : pack
    if (rst) begin
      m_valid <= 1'b0;
      flush_q <= 1'b0;
      owe_q   <= '0;
    end else begin
      if (m_ready) m_valid <= 1'b0;
      if (open && (flush_q || owe_q != '0 || blank || (plain && full_q))) m_valid <= 1'b1;
      if (open && flush_q) flush_q <= 1'b0;
      if (plain) flush_q <= last_q && over_q;
      if (open && !flush_q && owe_q != '0) owe_q <= owe_q - 1'b1;
      if (early) owe_q <= flush_q ? blank_q : blank_q - 1'b1;
    end
    if (open) begin
      m_data <= flush_q ? hold_q : plain ? packed_now : '0;
      m_last <= flush_q || (plain && last_q && !over_q);
    end
    if (plain) hold_q <= full_q ? upper : packed_now;
    if (early) hold_q <= lower;
  end

  `ASSERT(a_bytes, !s_valid || (s_n <= (LW+1)'(BYTES) && {2'b0, s_src} + {1'b0, s_n} <= (LW+2)'(BYTES)))
  `ASSERT(a_no_loss, !(early && plain) && !(flush_q && owe_q != '0))

endmodule

`default_nettype wire
