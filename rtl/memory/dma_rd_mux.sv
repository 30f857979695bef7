// dma_rd_mux: joins the reads of N clients on the host's port and shows every client the completions.
//
// Contract: clients own disjoint tags, by which each picks its completions; those are always taken.
// Timing:   requests one per cycle, latency 1; completions latency 1.

`default_nettype none

module dma_rd_mux #(
  parameter int N      = 3,
  parameter int DATA_W = 256,
  parameter int TAG_W  = 6
) (
  input  wire logic               clk,
  input  wire logic               rst,

  input  wire logic [N-1:0]       s_req_valid,
  output      logic [N-1:0]       s_req_ready,
  input  wire logic [N*64-1:0]    s_req_addr,
  input  wire logic [N*13-1:0]    s_req_len,
  input  wire logic [N*TAG_W-1:0] s_req_tag,

  output      logic               m_rdreq_valid,
  input  wire logic               m_rdreq_ready,
  output      logic [63:0]        m_rdreq_addr,
  output      logic [12:0]        m_rdreq_len,
  output      logic [TAG_W-1:0]   m_rdreq_tag,

  input  wire logic               s_rdcpl_valid,
  output      logic               s_rdcpl_ready,
  input  wire logic [TAG_W-1:0]   s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]  s_rdcpl_data,
  input  wire logic               s_rdcpl_last,
  input  wire logic               s_rdcpl_error,

  output      logic               m_cpl_valid,
  output      logic [TAG_W-1:0]   m_cpl_tag,
  output      logic [DATA_W-1:0]  m_cpl_data,
  output      logic               m_cpl_last,
  output      logic               m_cpl_error
);

  localparam int W = 64 + 13 + TAG_W;

  logic [N*W-1:0] words;
  logic           pick_valid, pick_ready, pick_last;
  logic [W-1:0]   pick;
  logic [(N > 1 ? $clog2(N) : 1)-1:0] pick_index;

  always_comb begin : gather_words
    for (int i = 0; i < N; i++)
      words[i*W +: W] = {s_req_addr[i*64 +: 64], s_req_len[i*13 +: 13], s_req_tag[i*TAG_W +: TAG_W]};
  end

  prim_arb #(.N(N), .WIDTH(W)) u_arb (
    .clk, .rst, .s_valid(s_req_valid), .s_ready(s_req_ready), .s_data(words), .s_last({N{1'b1}}),
    .m_valid(pick_valid), .m_ready(pick_ready), .m_data(pick), .m_last(pick_last), .m_index(pick_index));

  prim_skid #(.DATA_W(W)) u_out (
    .clk, .rst, .s_valid(pick_valid), .s_ready(pick_ready), .s_data(pick),
    .m_valid(m_rdreq_valid), .m_ready(m_rdreq_ready), .m_data({m_rdreq_addr, m_rdreq_len, m_rdreq_tag}));

  assign s_rdcpl_ready = 1'b1;               // every tag has its buffer

  always_ff @(posedge clk) begin : completions
    m_cpl_valid <= s_rdcpl_valid && !rst;
    m_cpl_tag   <= s_rdcpl_tag;
    m_cpl_data  <= s_rdcpl_data;
    m_cpl_last  <= s_rdcpl_last;
    m_cpl_error <= s_rdcpl_error;
  end

  wire unused = &{1'b0, pick_last, pick_index};

endmodule

`default_nettype wire
