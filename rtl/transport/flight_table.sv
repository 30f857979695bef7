// flight_table: the messages of every queue pair that are not complete, oldest first.
//
// Contract: the requester pushes a message before its first packet leaves, the completer pops it when its
//           work request is complete; a retry will walk the same entries. Counts of READs and the highest
//           PSN sent are kept beside it, so that each side knows the other's progress.
// Timing:   look-ups of counts are combinational; an entry shows one cycle after s_get_valid.

`default_nettype none
`include "prim_assert.svh"
`include "hca_types.svh"

module flight_table #(
  parameter int QPS   = 64,
  parameter int DEPTH = 32                   // messages in flight per queue pair, a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,             // the tables start at CTL_CLEAR; asserts wait for its end

  input  wire logic [$clog2(QPS)-1:0] put_qp,          // requester: look-up and push
  output      logic                   put_full,
  output      logic [7:0]             put_reads,       // READs of put_qp that are not complete
  output      logic                   put_placed,      // all of them have their data in memory
  input  wire logic                   s_put_valid,
  input  wire flight_t                s_put,
  input  wire logic                   s_sent_valid,    // a packet of put_qp is on its way
  input  wire logic [23:0]            s_sent_next,     // PSN after the last one it stands for

  input  wire logic [$clog2(QPS)-1:0] get_qp,          // completer: look-up and pop
  output      logic                   get_empty,
  output      logic [23:0]            get_sent_next,
  input  wire logic                   s_get_valid,     // show the oldest entry of get_qp
  output      flight_t                m_get,
  input  wire logic                   s_pop_valid,     // it is complete
  input  wire logic                   s_pop_read,

  input  wire logic                   s_placed_valid,  // the data of a READ is in memory
  input  wire logic [$clog2(QPS)-1:0] s_placed_qp,
  input  wire logic                   s_clear_placed,  // Reset of s_placed_qp, when nothing of it is under way
  input  wire logic [$clog2(QPS)-1:0] show_qp,         // for the command unit: nothing is in flight
  output      logic                   show_empty,

  input  wire logic                   s_clear_put,     // Reset of put_qp, of get_qp
  input  wire logic                   s_clear_get
);

  localparam int DW = $clog2(DEPTH);

  (* ram_style = "distributed" *) logic [DW:0] head_mem  [0:QPS-1];   // pushed
  (* ram_style = "distributed" *) logic [DW:0] tail_mem  [0:QPS-1];   // popped
  (* ram_style = "distributed" *) logic [7:0]  reads_mem [0:QPS-1];   // READs pushed
  (* ram_style = "distributed" *) logic [7:0]  done_mem  [0:QPS-1];   // READs popped
  (* ram_style = "distributed" *) logic [7:0]  placed_mem [0:QPS-1];  // READs whose data is in memory
  (* ram_style = "distributed" *) logic [23:0] sent_mem  [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    head_mem[i]  = '0;
    tail_mem[i]  = '0;
    reads_mem[i] = '0;
    done_mem[i]  = '0;
    placed_mem[i] = '0;
    sent_mem[i]  = '0;
  end

  wire [DW:0] put_head  = head_mem[put_qp];
  wire [DW:0] get_tail  = tail_mem[get_qp];
  wire [7:0]  put_count = reads_mem[put_qp];
  wire [7:0]  get_count = done_mem[get_qp];
  wire [DW:0] put_level = put_head - tail_mem[put_qp];

  assign put_full      = put_level == (DW+1)'(DEPTH);
  assign put_reads     = put_count - done_mem[put_qp];
  assign put_placed    = put_count == placed_mem[put_qp];
  assign show_empty    = head_mem[show_qp] == tail_mem[show_qp];
  assign get_empty     = head_mem[get_qp] == get_tail;
  assign get_sent_next = sent_mem[get_qp];

  always_ff @(posedge clk) begin : requester_side
    if (s_clear_put)      head_mem[put_qp] <= '0;
    else if (s_put_valid) head_mem[put_qp] <= put_head + 1'b1;
    if (s_clear_put)      reads_mem[put_qp] <= '0;
    else if (s_put_valid && s_put.kind == `FLIGHT_READ) reads_mem[put_qp] <= put_count + 8'd1;
    if (s_sent_valid)     sent_mem[put_qp] <= s_sent_next;
  end

  wire [7:0] placed = placed_mem[s_placed_qp];
  always_ff @(posedge clk) begin : memory_side
    if (s_clear_placed)      placed_mem[s_placed_qp] <= '0;
    else if (s_placed_valid) placed_mem[s_placed_qp] <= placed + 8'd1;
  end

  always_ff @(posedge clk) begin : completer_side
    if (s_clear_get)      tail_mem[get_qp] <= '0;
    else if (s_pop_valid) tail_mem[get_qp] <= get_tail + 1'b1;
    if (s_clear_get)      done_mem[get_qp] <= '0;
    else if (s_pop_valid && s_pop_read) done_mem[get_qp] <= get_count + 8'd1;
  end

  prim_ram #(.WIDTH($bits(flight_t'('0))), .DEPTH(QPS * DEPTH)) u_entries (
    .clk, .wr_en(s_put_valid), .wr_addr({put_qp, put_head[DW-1:0]}), .wr_data(s_put),
    .rd_en(s_get_valid), .rd_addr({get_qp, get_tail[DW-1:0]}), .rd_data(m_get));

  `ASSERT(a_room, !s_put_valid || !put_full)
  `ASSERT(a_there, !s_pop_valid || !get_empty)

endmodule

`default_nettype wire
