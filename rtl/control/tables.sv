// tables: the context tables, and the one bus over which BAR2 and the command unit reach their words.
//
// Contract: one access at a time; a read answers with m_rvalid. QPC words from CFG_WORDS up, CQC and EQC words from 2 up are read as
//           zero and not kept. MPT and MTT live in the gate. GIDs and P_Keys are looked up by index at any time.
// Timing:   a write 1 cycle, a read 2 (4 through the gate).

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module tables #(
  parameter int QPS     = 64,
  parameter int CQS     = 32,
  parameter int EQS     = 4,
  parameter int READERS = 10                 // of the QPC table
) (
  input  wire logic                     clk,
  input  wire logic                     rst,

  input  wire logic                     s_valid,
  input  wire logic                     s_write,
  input  wire logic [2:0]               s_table,       // TABLE_*
  input  wire logic [23:0]              s_index,       // in range
  input  wire logic [4:0]               s_word,
  input  wire logic [63:0]              s_wdata,
  output      logic                     m_rvalid,
  output      logic [63:0]              m_rdata,

  output      logic                     m_mem_valid,   // MPT, MTT
  output      logic                     m_mem_mtt,
  input  wire logic                     s_mem_valid,
  input  wire logic [63:0]              s_mem_rdata,

  input  wire logic [READERS-1:0]       s_cfg_valid,
  input  wire logic [READERS*$clog2(QPS)-1:0] s_cfg_qp,
  output      logic [READERS-1:0]       m_cfg_valid,
  output      logic [READERS*`CFG_W-1:0] m_cfg_data,
  input  wire logic                     s_cqc_valid,
  input  wire logic [$clog2(CQS)-1:0]   s_cqc,
  output      logic                     m_cqc_valid,
  output      logic [127:0]             m_cqc,
  input  wire logic                     s_eqc_valid,
  input  wire logic [$clog2(EQS)-1:0]   s_eqc,
  output      logic                     m_eqc_valid,
  output      logic [127:0]             m_eqc,

  input  wire logic [23:0]              gid_index,     // three look-ups each
  output      logic [3*128-1:0]         gid,
  input  wire logic [47:0]              pkey_index,
  output      logic [47:0]              pkey,
  input  wire logic [127:0]             dgid,          // is one of ours?
  output      logic                     dgid_known
);

  localparam int GW = $clog2(ib_pkg::GIDS);
  localparam int PW = $clog2(ib_pkg::PKEYS);
  localparam logic [2:0] TABLE_QPC = 3'd0, TABLE_MPT = 3'd1, TABLE_MTT = 3'd2, TABLE_CQC = 3'd3, TABLE_EQC = 3'd4,
                         TABLE_GID = 3'd5, TABLE_PKEY = 3'd6;

  wire write = s_valid && s_write;
  wire read  = s_valid && !s_write;

  logic [READERS:0]        qpc_valid;
  logic [(READERS+1)*`CFG_W-1:0] qpc_data;
  ctx_table #(.ENTRIES(QPS), .WORDS(`CFG_WORDS), .READERS(READERS + 1)) u_qpc (
    .clk, .rst, .wr_en(write && s_table == TABLE_QPC && s_word < 5'(`CFG_WORDS)), .wr_index(s_index[$clog2(QPS)-1:0]),
    .wr_word(s_word[3:0]), .wr_data(s_wdata),
    .s_rd_valid({read && s_table == TABLE_QPC, s_cfg_valid}), .s_rd_index({s_index[$clog2(QPS)-1:0], s_cfg_qp}),
    .m_rd_valid(qpc_valid), .m_rd_data(qpc_data));
  assign m_cfg_valid = qpc_valid[READERS-1:0];
  assign m_cfg_data  = qpc_data[READERS*`CFG_W-1:0];

  logic [1:0]   cqc_valid, eqc_valid;
  logic [255:0] cqc_data, eqc_data;
  ctx_table #(.ENTRIES(CQS), .WORDS(2), .READERS(2)) u_cqc (
    .clk, .rst, .wr_en(write && s_table == TABLE_CQC && s_word < 5'd2), .wr_index(s_index[$clog2(CQS)-1:0]),
    .wr_word(s_word[3:0]), .wr_data(s_wdata), .s_rd_valid({read && s_table == TABLE_CQC, s_cqc_valid}),
    .s_rd_index({s_index[$clog2(CQS)-1:0], s_cqc}), .m_rd_valid(cqc_valid), .m_rd_data(cqc_data));
  ctx_table #(.ENTRIES(EQS), .WORDS(2), .READERS(2)) u_eqc (
    .clk, .rst, .wr_en(write && s_table == TABLE_EQC && s_word < 5'd2), .wr_index(s_index[$clog2(EQS)-1:0]),
    .wr_word(s_word[3:0]), .wr_data(s_wdata), .s_rd_valid({read && s_table == TABLE_EQC, s_eqc_valid}),
    .s_rd_index({s_index[$clog2(EQS)-1:0], s_eqc}), .m_rd_valid(eqc_valid), .m_rd_data(eqc_data));
  assign m_cqc_valid = cqc_valid[0];
  assign m_cqc       = cqc_data[127:0];
  assign m_eqc_valid = eqc_valid[0];
  assign m_eqc       = eqc_data[127:0];

  assign m_mem_valid = s_valid && (s_table == TABLE_MPT || s_table == TABLE_MTT);
  assign m_mem_mtt   = s_table == TABLE_MTT;

  // The port's tables are small: registers.
  logic [127:0] gid_q  [0:ib_pkg::GIDS-1];
  logic [15:0]  pkey_q [0:ib_pkg::PKEYS-1];
  always_ff @(posedge clk) begin : port_tables
    if (rst) begin
      for (int i = 0; i < ib_pkg::GIDS; i++)  gid_q[i]  <= '0;
      for (int i = 0; i < ib_pkg::PKEYS; i++) pkey_q[i] <= '0;
    end else if (write) begin
      for (int i = 0; i < ib_pkg::GIDS; i++) if (s_table == TABLE_GID && s_index == 24'(i)) begin
        if (s_word == 5'd0) gid_q[i][63:0]   <= s_wdata;
        if (s_word == 5'd1) gid_q[i][127:64] <= s_wdata;
      end
      for (int i = 0; i < ib_pkg::PKEYS; i++) if (s_table == TABLE_PKEY && s_index == 24'(i)) pkey_q[i] <= s_wdata[15:0];
    end
  end
  for (genvar i = 0; i < 3; i++) begin : g_look
    assign gid[i*128 +: 128] = gid_q[gid_index[i*8 +: GW]];
    assign pkey[i*16 +: 16]  = pkey_q[pkey_index[i*16 +: PW]];
  end
  always_comb begin : match
    dgid_known = 1'b0;
    for (int i = 0; i < ib_pkg::GIDS; i++) if (gid_q[i] == dgid && dgid != '0) dgid_known = 1'b1;
  end

  // The answer to the bus: what lies in memories one cycle later, beyond the end zero.
  logic       small_q;
  logic [63:0] small_data_q;
  logic [4:0] word_q;
  logic [2:0] table_q;
  always_ff @(posedge clk) begin : answer
    small_q      <= !rst && read && (s_table == TABLE_GID || s_table == TABLE_PKEY);
    small_data_q <= s_table == TABLE_GID ? (s_word[0] ? gid_q[s_index[GW-1:0]][127:64] : gid_q[s_index[GW-1:0]][63:0])
                                         : 64'(pkey_q[s_index[PW-1:0]]);
    if (s_valid) word_q  <= s_word;
    if (s_valid) table_q <= s_table;
  end
  wire [15:0][63:0] qpc_words = 1024'(qpc_data[READERS*`CFG_W +: `CFG_W]);
  assign m_rvalid = small_q || qpc_valid[READERS] || cqc_valid[1] || eqc_valid[1] || s_mem_valid;
  always_comb begin : choose
    case (table_q)
      TABLE_QPC:            m_rdata = word_q[4] ? '0 : qpc_words[word_q[3:0]];
      TABLE_CQC:            m_rdata = word_q > 5'd1 ? '0 : cqc_data[128 + 64*word_q[0] +: 64];
      TABLE_EQC:            m_rdata = word_q > 5'd1 ? '0 : eqc_data[128 + 64*word_q[0] +: 64];
      TABLE_MPT, TABLE_MTT: m_rdata = s_mem_rdata;
      default:              m_rdata = small_data_q;
    endcase
  end

  wire unused = &{1'b0, gid_index, pkey_index};

endmodule

`default_nettype wire
