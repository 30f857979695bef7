// flight_table: the messages of every queue pair that are not complete, oldest first.
//
// Contract: the requester pushes a message before its first packet leaves, the completer pops it when its
//           work request is complete; a replay walks the same entries. Counts of READs (and atomics) and the
//           highest PSN sent are kept beside it, so that each side knows the other's progress.
// Timing:   look-ups of counts are combinational; an entry shows one cycle after s_get_valid, with a pop the one behind it.

`default_nettype none
`include "prim_assert.svh"
`include "hca_types.svh"

module flight_table #(
  parameter int QPS   = 64,
  parameter int DEPTH = 32                   // messages in flight per queue pair, a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,             // the tables start at CTL_CLEAR; asserts wait for its end

  input  wire logic [$clog2(QPS)-1:0] put_qp,          // requester: push
  input  wire logic [$clog2(QPS)-1:0] look_qp,         // and look-up
  output      logic                   put_full,
  output      logic [7:0]             put_reads,       // READs of look_qp that are not complete
  output      logic                   put_placed,      // all of them have their data in memory
  output      logic [$clog2(DEPTH):0] put_head,        // entries pushed, popped
  output      logic [$clog2(DEPTH):0] put_tail,
  output      logic [23:0]            put_sent_next,
  input  wire logic                   s_again_valid,   // show entry s_again of look_qp, for a replay
  input  wire logic [$clog2(DEPTH):0] s_again,
  output      flight_t                m_again,
  input  wire logic                   s_put_valid,
  input  wire flight_t                s_put,
  input  wire logic                   s_sent_valid,    // a packet of put_qp is on its way
  input  wire logic                   s_sent_set,      // the first: s_sent_next is where PSNs begin
  input  wire logic [23:0]            s_sent_next,     // PSN after the last one it stands for

  input  wire logic [$clog2(QPS)-1:0] get_qp,          // completer: look-up and pop
  output      logic                   get_empty,
  output      logic [23:0]            get_sent_next,
  input  wire logic                   s_get_valid,     // show the oldest entry of get_qp
  output      flight_t                m_get,
  output      logic                   m_there,         // there was one when it was read
  input  wire logic                   s_pop_valid,     // it is complete
  input  wire logic                   s_pop_read,

  input  wire logic                   s_placed_valid,  // the data of a READ is in memory
  input  wire logic [$clog2(QPS)-1:0] s_placed_qp,
  input  wire logic                   s_clear_placed,  // Reset of s_placed_qp, when nothing of it is under way
  input  wire logic [$clog2(QPS)-1:0] show_qp,         // for the command unit: nothing is in flight
  output      logic                   show_empty,
  input  wire logic [$clog2(QPS)-1:0] drain_qp,        // for send queues that drain
  output      logic                   drain_empty,
  input  wire logic [$clog2(QPS)-1:0] watch_qp,        // for timers
  output      logic [23:0]            watch_sent_next,

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

  wire [DW:0] head      = head_mem[put_qp];
  assign put_head       = head_mem[look_qp];
  assign put_tail       = tail_mem[look_qp];
  wire [DW:0] get_tail  = tail_mem[get_qp];
  wire [7:0]  put_count = reads_mem[put_qp];
  wire [7:0]  get_count = done_mem[get_qp];
  wire [DW:0] put_level = put_head - put_tail;

  assign put_full      = put_level == (DW+1)'(DEPTH);
  assign put_reads     = reads_mem[look_qp] - done_mem[look_qp];
  assign put_placed    = reads_mem[look_qp] == placed_mem[look_qp];
  assign show_empty    = head_mem[show_qp] == tail_mem[show_qp];
  assign get_empty     = head_mem[get_qp] == get_tail;
  assign get_sent_next = sent_mem[get_qp];
  assign put_sent_next = sent_mem[look_qp];
  assign drain_empty     = head_mem[drain_qp] == tail_mem[drain_qp];
  assign watch_sent_next = sent_mem[watch_qp];

  // What a replay sends was sent before (9.7.5.1.1: responses are judged by the highest PSN ever sent).
  // It is taken in a cycle later.
  logic          sent_q, set_q;
  logic [$clog2(QPS)-1:0] sent_qp_q;
  logic [23:0]   sent_next_q;
  always_ff @(posedge clk) begin : told
    sent_q      <= !rst && s_sent_valid;
    set_q       <= s_sent_set;
    sent_qp_q   <= put_qp;
    sent_next_q <= s_sent_next;
  end
  wire [23:0] newer = sent_next_q - sent_mem[sent_qp_q];

  always_ff @(posedge clk) begin : requester_side
    if (s_clear_put)      head_mem[put_qp] <= '0;
    else if (s_put_valid) head_mem[put_qp] <= head + 1'b1;
    if (s_clear_put)      reads_mem[put_qp] <= '0;
    else if (s_put_valid && s_put.kind[0]) reads_mem[put_qp] <= put_count + 8'd1;
    if (sent_q && (set_q || (newer != '0 && !newer[23]))) sent_mem[sent_qp_q] <= sent_next_q;
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

  wire [DW:0] get_next = get_tail + (DW+1)'(s_pop_valid);
  prim_ram #(.WIDTH($bits(flight_t'('0))), .DEPTH(QPS * DEPTH)) u_entries (
    .clk, .wr_en(s_put_valid), .wr_addr({put_qp, head[DW-1:0]}), .wr_data(s_put),
    .rd_en(s_get_valid), .rd_addr({get_qp, get_next[DW-1:0]}), .rd_data(m_get));

  always_ff @(posedge clk) if (s_get_valid) m_there <= head_mem[get_qp] != get_next;
  prim_ram #(.WIDTH($bits(flight_t'('0))), .DEPTH(QPS * DEPTH)) u_again (
    .clk, .wr_en(s_put_valid), .wr_addr({put_qp, head[DW-1:0]}), .wr_data(s_put),
    .rd_en(s_again_valid), .rd_addr({look_qp, s_again[DW-1:0]}), .rd_data(m_again));

  `ASSERT(a_room, !s_put_valid || head - tail_mem[put_qp] != (DW+1)'(DEPTH))
  `ASSERT(a_there, !s_pop_valid || !get_empty)
  wire unused = &{1'b0, s_again[DW], get_next[DW]};

endmodule

`default_nettype wire
