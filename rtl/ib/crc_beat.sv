// crc_beat: one step of a CRC: the register after a beat of DATA_W bits. Combinational.

`default_nettype none

module crc_beat #(
  parameter int DATA_W = 256,
  parameter int CRC_W  = 32                  // 32: ICRC, 16: VCRC
) (
  input  wire logic [CRC_W-1:0]  state,
  input  wire logic [DATA_W-1:0] beat,
  output      logic [CRC_W-1:0]  next
);

  wire [DATA_W-1:0] mixed = beat ^ DATA_W'(state);

  if (CRC_W == 32) begin : g_icrc
    if (DATA_W == 128)      begin : g_128 assign next = crc_pkg::icrc_beat_128(mixed); end
    else if (DATA_W == 256) begin : g_256 assign next = crc_pkg::icrc_beat_256(mixed); end
    else                    begin : g_512 assign next = crc_pkg::icrc_beat_512(mixed); end
  end else begin : g_vcrc
    if (DATA_W == 128)      begin : g_128 assign next = crc_pkg::vcrc_beat_128(mixed); end
    else if (DATA_W == 256) begin : g_256 assign next = crc_pkg::vcrc_beat_256(mixed); end
    else                    begin : g_512 assign next = crc_pkg::vcrc_beat_512(mixed); end
  end

endmodule

`default_nettype wire
