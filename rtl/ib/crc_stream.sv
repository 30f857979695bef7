// crc_stream: the CRC of each packet of a stream, over beats that are full but for the last.
//
// Contract: m_ shows the register of each packet, in order, no final complement. s_bytes of a packet's last
//           beat count: 1..DATA_W/8 in steps of STEP, the step at which packets of this kind can end.
// Timing:   one beat a cycle, the result LATENCY = 3 cycles after the last beat; all stages advance with s_en.

`default_nettype none

module crc_stream #(
  parameter int DATA_W = 256,
  parameter int CRC_W  = 32,
  parameter int STEP   = 4,                  // bytes
  parameter logic [CRC_W-1:0] INIT = '1
) (
  input  wire logic                        clk,
  input  wire logic                        rst,
  input  wire logic                        s_en,
  input  wire logic                        s_valid,
  input  wire logic [DATA_W-1:0]           s_data,
  input  wire logic [$clog2(DATA_W/8):0]   s_bytes,
  input  wire logic                        s_last,
  output      logic                        m_valid,
  output      logic [CRC_W-1:0]            m_crc
);

  localparam int BYTES = DATA_W / 8;
  localparam int STEPS = BYTES / STEP;       // positions at which a packet can end within a beat
  localparam int SW    = $clog2(STEPS);

  // The register before the present beat; a full beat that is not the last moves it on.
  logic [CRC_W-1:0] state_q, state_next;
  crc_beat #(.DATA_W(DATA_W), .CRC_W(CRC_W)) u_run (.state(state_q), .beat(s_data), .next(state_next));

  // The last beat, register mixed in, is moved up behind zeros: they leave a zero register as it is.
  logic                      tail_valid_q, moved_valid_q, done_valid_q;
  logic [DATA_W-1:0]         tail_q, moved_q;
  logic [$clog2(BYTES):0]    free_bytes_q;   // that the packet leaves unused
  logic [CRC_W-1:0]          done_q, done;
  wire  [SW:0]               free_steps = (SW+1)'(free_bytes_q / ($clog2(BYTES)+1)'(STEP));
  crc_beat #(.DATA_W(DATA_W), .CRC_W(CRC_W)) u_tail (.state('0), .beat(moved_q), .next(done));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q       <= INIT;
      tail_valid_q  <= 1'b0;
      moved_valid_q <= 1'b0;
      done_valid_q  <= 1'b0;
    end else if (s_en) begin
      if (s_valid) state_q <= s_last ? INIT : state_next;
      tail_valid_q  <= s_valid && s_last;
      moved_valid_q <= tail_valid_q;
      done_valid_q  <= moved_valid_q;
    end
  end

  always_ff @(posedge clk) begin : payload
    if (s_en) begin
      tail_q       <= s_data ^ DATA_W'(state_q);
      free_bytes_q <= ($clog2(BYTES)+1)'(BYTES) - s_bytes;
      moved_q      <= tail_q << (free_steps * STEP * 8);
      done_q       <= done;
    end
  end

  assign m_valid = done_valid_q;
  assign m_crc   = done_q;

endmodule

`default_nettype wire
