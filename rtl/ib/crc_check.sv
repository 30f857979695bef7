// crc_check: judges both CRCs of every packet that passes (7.8).
//
// Contract: one verdict a packet, in order, m_ stays until taken; packets whose length is not 2 more than a multiple
//           of 4 bytes have no right VCRC. s_ready is low before a verdict could find no place, two packets ahead at least.
// Timing:   a verdict shows 6 cycles after the packet's last beat.

`default_nettype none

module crc_check #(
  parameter int DATA_W = 256
) (
  input  wire logic                      clk,
  input  wire logic                      rst,
  input  wire logic                      s_valid,      // taken at once
  output      logic                      s_ready,
  input  wire logic [DATA_W-1:0]         s_data,
  input  wire logic [$clog2(DATA_W/8):0] s_bytes,
  input  wire logic                      s_last,
  output      logic                      m_valid,
  input  wire logic                      m_ready,
  output      logic                      m_vcrc_ok,
  output      logic                      m_icrc_ok
);

  localparam int BYTES = DATA_W / 8;
  localparam int BW    = $clog2(BYTES) + 1;
  localparam int DEPTH = 16;

  wire take = s_valid;

  // VCRC: the register over everything, the VCRC itself included, is a constant.
  logic        vcrc_valid;
  logic [15:0] vcrc;
  crc_stream #(.DATA_W(DATA_W), .CRC_W(16), .STEP(2)) u_vcrc (
    .clk, .rst, .s_en(1'b1), .s_valid(take), .s_data, .s_bytes, .s_last, .m_valid(vcrc_valid), .m_crc(vcrc));

  // ICRC: everything but the last two bytes; they may stand in a beat of their own, so each beat waits for the next.
  logic [DATA_W-1:0] masked, held_q;
  logic              held_valid_q, held_last_q;
  logic [BW-1:0]     held_bytes_q;
  logic              icrc_valid;
  logic [31:0]       icrc;

  icrc_mask #(.DATA_W(DATA_W)) u_mask (.clk, .rst, .s_en(take), .s_last, .s_data, .m_data(masked));

  wire alone     = take && s_last && s_bytes <= BW'(2);                 // a beat with nothing but VCRC
  wire held_ends = held_last_q || alone;
  wire held_go   = held_valid_q && (held_last_q || take);
  wire [BW-1:0] held_covers = held_last_q ? held_bytes_q - BW'(2) : BW'(BYTES);
  wire first_alone = alone && !(held_valid_q && !held_last_q);          // a packet of two bytes: no ICRC at all

  always_ff @(posedge clk) begin : hold
    if (rst) held_valid_q <= 1'b0;
    else if (take) held_valid_q <= !alone;
    else if (held_go) held_valid_q <= 1'b0;
    if (take) begin
      held_q       <= masked;
      held_last_q  <= s_last;
      held_bytes_q <= s_bytes;
    end
  end

  crc_stream #(.DATA_W(DATA_W), .CRC_W(32), .STEP(4)) u_icrc (
    .clk, .rst, .s_en(1'b1), .s_valid(held_go), .s_data(held_q), .s_bytes(held_covers), .s_last(held_ends),
    .m_valid(icrc_valid), .m_crc(icrc));

  // Both verdicts of a packet meet.
  logic [$clog2(DEPTH):0] vcrc_level, icrc_level;
  logic v_valid, i_valid, v_ready, i_ready;
  logic [3:0] short_q;                       // as late as a register would be
  logic [2:0] odd_q;                         // the packet's length is impossible: alongside the VCRC
  always_ff @(posedge clk) odd_q <= {odd_q[1:0], s_bytes[0]};
  always_ff @(posedge clk) short_q <= rst ? '0 : {short_q[2:0], first_alone};

  prim_fifo #(.WIDTH(1), .DEPTH(DEPTH)) u_v (
    .clk, .rst, .s_valid(vcrc_valid), .s_ready(v_ready), .s_data(vcrc == crc_pkg::VCRC_RESIDUE && !odd_q[2]),
    .m_valid(v_valid), .m_ready(m_valid && m_ready), .m_data(m_vcrc_ok), .level(vcrc_level));
  prim_fifo #(.WIDTH(1), .DEPTH(DEPTH)) u_i (
    .clk, .rst, .s_valid(icrc_valid || short_q[3]), .s_ready(i_ready), .s_data(icrc_valid && icrc == crc_pkg::ICRC_RESIDUE),
    .m_valid(i_valid), .m_ready(m_valid && m_ready), .m_data(m_icrc_ok), .level(icrc_level));

  assign m_valid = v_valid && i_valid;
  assign s_ready = vcrc_level < ($clog2(DEPTH)+1)'(DEPTH - 10);
  wire unused = &{1'b0, v_ready, i_ready, icrc_level};

endmodule

`default_nettype wire
