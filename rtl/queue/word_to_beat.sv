// word_to_beat: a stream of 256-bit words as DATA_W beats, for inline payload.
//
// Contract: bytes keep their order; a packet's last beat may be part full (DATA_W 512) or carry more than was meant (128: both
//           halves of the last word leave; whoever counts bytes takes one or both, s_half says the second is not wanted).

`default_nettype none

module word_to_beat #(
  parameter int DATA_W = 256
) (
  input  wire logic              clk,
  input  wire logic              rst,
  input  wire logic              s_valid,
  output      logic              s_ready,
  input  wire logic [255:0]      s_data,
  input  wire logic              s_last,
  input  wire logic              s_half,     // with last: only the lower 16 bytes count
  output      logic              m_valid,
  input  wire logic              m_ready,
  output      logic [DATA_W-1:0] m_data
);

  if (DATA_W == 256) begin : g_same
    assign s_ready = m_ready;
    assign m_valid = s_valid;
    assign m_data  = s_data;
    wire unused = &{1'b0, clk, rst, s_last, s_half};
  end else if (DATA_W == 128) begin : g_split
    logic high_q;                            // the upper half is next
    wire  skip = s_last && s_half;
    assign m_valid = s_valid;
    assign m_data  = high_q ? s_data[255:128] : s_data[127:0];
    assign s_ready = m_ready && (high_q || skip);
    always_ff @(posedge clk) begin : control
      if (rst) high_q <= 1'b0;
      else if (m_valid && m_ready) high_q <= !high_q && !skip;
    end
  end else begin : g_join
    logic         half_q;                    // the lower half waits in low_q
    logic [255:0] low_q;
    assign s_ready = (!half_q && !s_last) || m_ready;
    assign m_valid = s_valid && (half_q || s_last);
    assign m_data  = half_q ? {s_data, low_q} : DATA_W'(s_data);
    always_ff @(posedge clk) begin : control
      if (rst) half_q <= 1'b0;
      else if (s_valid && s_ready) half_q <= !half_q && !s_last;
      if (s_valid && s_ready && !half_q) low_q <= s_data;
    end
    wire unused = &{1'b0, s_half};
  end

endmodule

`default_nettype wire
