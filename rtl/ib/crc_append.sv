// crc_append: puts the CRC of a packet behind it, complemented, least significant byte first (7.8).
//
// Contract: s_crc_data is what the CRC covers of s_data (with ones where it does not); s_bytes is a multiple of 4.
// Timing:   one beat a cycle, one more where the CRC opens a beat; latency 4 cycles.

`default_nettype none

module crc_append #(
  parameter int DATA_W = 256,
  parameter int CRC_W  = 32
) (
  input  wire logic                      clk,
  input  wire logic                      rst,
  input  wire logic                      s_valid,
  output      logic                      s_ready,
  input  wire logic [DATA_W-1:0]         s_data,       // zero behind the packet's end
  input  wire logic [DATA_W-1:0]         s_crc_data,
  input  wire logic [$clog2(DATA_W/8):0] s_bytes,      // in the last beat
  input  wire logic                      s_last,
  output      logic                      m_valid,
  input  wire logic                      m_ready,
  output      logic [DATA_W-1:0]         m_data,
  output      logic [$clog2(DATA_W/8):0] m_bytes,
  output      logic                      m_last
);

  localparam int BYTES = DATA_W / 8;
  localparam int BW    = $clog2(BYTES) + 1;
  localparam int CB    = CRC_W / 8;

  logic             spill_q;                 // the CRC still needs a beat of its own
  logic [CRC_W-1:0] spill_crc_q;
  logic             crc_valid;
  logic [CRC_W-1:0] crc;
  wire  [CRC_W-1:0] sent = ~crc;             // complemented at its own width
  wire              open = m_ready || !m_valid;
  wire              step = open && !spill_q;
  assign s_ready = step;

  crc_stream #(.DATA_W(DATA_W), .CRC_W(CRC_W), .STEP(4)) u_crc (
    .clk, .rst, .s_en(step), .s_valid, .s_data(s_crc_data), .s_bytes, .s_last, .m_valid(crc_valid), .m_crc(crc));

  // The packet waits as long as its CRC takes.
  localparam int LATENCY = 3;
  logic [LATENCY-1:0]        valid_q, last_q;
  logic [LATENCY*DATA_W-1:0] data_q;
  logic [LATENCY*BW-1:0]     bytes_q;

  wire                valid_end = valid_q[LATENCY-1];
  wire                last_end  = last_q[LATENCY-1];
  wire [DATA_W-1:0]   data_end  = data_q[(LATENCY-1)*DATA_W +: DATA_W];
  wire [BW-1:0]       bytes_end = bytes_q[(LATENCY-1)*BW +: BW];
  wire                full_end  = bytes_end == BW'(BYTES);

  always_ff @(posedge clk) begin : control
    if (rst) begin
      valid_q <= '0;
      m_valid <= 1'b0;
      spill_q <= 1'b0;
    end else begin
      if (step) valid_q <= {valid_q[LATENCY-2:0], s_valid};
      if (open) m_valid <= spill_q || valid_end;
      if (open) spill_q <= step && valid_end && last_end && full_end;
    end
  end

  always_ff @(posedge clk) begin : payload
    if (step) begin
      last_q  <= {last_q[LATENCY-2:0], s_last};
      data_q  <= {data_q[(LATENCY-1)*DATA_W-1:0], s_data};
      bytes_q <= {bytes_q[(LATENCY-1)*BW-1:0], s_bytes};
    end
    if (open) begin
      spill_crc_q <= sent;
      if (spill_q) begin
        m_data  <= DATA_W'(spill_crc_q);
        m_bytes <= BW'(CB);
        m_last  <= 1'b1;
      end else begin
        m_data  <= last_end && !full_end ? data_end | (DATA_W'(sent) << {bytes_end, 3'b0}) : data_end;
        m_bytes <= last_end && !full_end ? bytes_end + BW'(CB) : BW'(BYTES);
        m_last  <= last_end && !full_end;
      end
    end
  end

  wire unused = crc_valid;

endmodule

`default_nettype wire
