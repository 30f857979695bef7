// beat_to_word: a stream of DATA_W beats as a stream of 256-bit words, for the WQE stores.
//
// Contract: bytes keep their order; every packet is a multiple of 512 bits; last and error go with its last word.
// Timing:   no word waits for a later beat but its own second half (DATA_W 128).

`default_nettype none

module beat_to_word #(
  parameter int DATA_W = 256
) (
  input  wire logic              clk,
  input  wire logic              rst,
  input  wire logic              s_valid,
  output      logic              s_ready,
  input  wire logic [DATA_W-1:0] s_data,
  input  wire logic              s_last,
  input  wire logic              s_error,
  output      logic              m_valid,
  input  wire logic              m_ready,
  output      logic [255:0]      m_data,
  output      logic              m_last,
  output      logic              m_error
);

  if (DATA_W == 256) begin : g_same
    assign s_ready = m_ready;
    assign m_valid = s_valid;
    assign m_data  = s_data;
    assign m_last  = s_last;
    assign m_error = s_error;
    wire unused = &{1'b0, clk, rst};
  end else if (DATA_W == 128) begin : g_join
    logic         half_q;                    // the lower half waits in low_q
    logic [127:0] low_q;
    assign s_ready = !half_q || m_ready;
    assign m_valid = half_q && s_valid;
    assign m_data  = {s_data, low_q};
    assign m_last  = s_last;
    assign m_error = s_error;
    always_ff @(posedge clk) begin : control
      if (rst) half_q <= 1'b0;
      else if (s_valid && s_ready) half_q <= !half_q;
      if (s_valid && s_ready && !half_q) low_q <= s_data;
    end
  end else begin : g_split
    logic high_q;                            // the upper half is next
    assign s_ready = high_q && m_ready;
    assign m_valid = s_valid;
    assign m_data  = high_q ? s_data[DATA_W-1 -: 256] : s_data[255:0];
    assign m_last  = s_last && high_q;
    assign m_error = s_error;
    always_ff @(posedge clk) begin : control
      if (rst) high_q <= 1'b0;
      else if (m_valid && m_ready) high_q <= !high_q;
    end
  end

endmodule

`default_nettype wire
