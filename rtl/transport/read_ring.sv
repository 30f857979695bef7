// read_ring: the READ and atomic requests of each queue pair: those to be answered, those that were, and which of these are asked again.
//
// Contract: s_read is taken with the pulse that tells what became of it: m_opened, an answer more is owed; m_drop, a duplicate of
//           nothing that is known; none of them, a request whose answer is still to come was asked again and is answered from there
//           on. A duplicate is known among the newest `depth` requests: a READ by its key and by the address and the length that
//           belong to its PSN, to the end of that READ; an atomic by its PSN. A new request takes the place of the one DEPTH before
//           it; if that one was being answered again, m_given_up tells that its answer is given up, and whether it had begun.
//           Answers owed again come before new ones, the oldest first; but one that is begun goes on, unless it was asked since: the
//           responses of a READ are never parted by others. What a duplicate tells all answers tell that are owed by then:
//           MSNs do not go back (9.7.7.1). A turn reads with s_look and ends with s_done or without it; the
//           queue pair's requests wait meanwhile. Apart from the answers, new requests run: what may start shows one by one, in order.
// Timing:   a new request 2 cycles, a duplicate DEPTH + 5 at most, and the length of a turn: nothing here waits for transmit.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "answers.svh"

module read_ring #(
  parameter int QPS   = 64,
  parameter int DEPTH = 16                   // requests kept of a queue pair, a power of two
) (
  input  wire logic                     clk,
  input  wire logic                     rst,

  input  wire logic                     s_read_valid,
  output      logic                     s_read_ready,
  input  wire logic [$clog2(QPS)-1:0]   s_read_qp,
  input  wire read_req_t                s_read,
  input  wire logic                     s_go_valid,    // the next new request of the queue pair may start
  input  wire logic [$clog2(QPS)-1:0]   s_go_qp,
  input  wire logic [$clog2(QPS)-1:0]   look_qp,
  output      logic [7:0]               closed,        // new requests of look_qp that were answered, modulo 256

  output      logic                     m_opened_valid,
  output      logic                     m_opened_again, // by a duplicate
  output      logic                     m_given_up_valid,
  output      logic                     m_given_up_begun,
  output      logic                     m_drop,
  output      logic                     m_wake_valid,  // the queue pair has something to answer
  input  wire logic                     m_wake_ready,
  output      logic [$clog2(QPS)-1:0]   m_wake_qp,

  // What runs next of run_qp; its content a cycle after s_run_look, which no s_look may meet.
  input  wire logic [$clog2(QPS)-1:0]   run_qp,
  output      logic                     m_run,         // it may start
  output      logic [$clog2(DEPTH)-1:0] m_run_slot,
  input  wire logic                     s_run_look,
  input  wire logic                     s_ran,         // and the next one
  output      logic [7:0]               ran,           // new requests of look_qp that have run, modulo 256

  // A turn of turn_qp: what is next; its content a cycle after s_look, which holds until the next.
  input  wire logic [$clog2(QPS)-1:0]   turn_qp,
  input  wire logic                     s_turn,        // under way, from the look on
  output      logic                     m_again,       // one that was answered is owed again: m_slot
  output      logic                     m_fresh,       // a new one may start
  output      logic                     m_ran,         // and has run
  output      logic [$clog2(DEPTH)-1:0] m_slot,
  input  wire logic                     s_look,
  input  wire logic [$clog2(DEPTH)-1:0] s_slot,        // m_slot at s_look, afterwards
  output      kept_t                    m_kept,
  output      asked_t                   m_asked,
  output      logic [23:0]              m_sent,        // packets of its answer that were made
  output      logic                     m_restart,     // of none: it was asked since
  output      logic                     m_begun,       // a packet was made since its answer was opened
  input  wire logic                     s_done,        // one more packet is made
  input  wire logic                     s_done_again,
  input  wire logic                     s_done_last,
  input  wire logic [23:0]              s_done_sent,

  input  wire logic                     s_clear,       // only when idle
  input  wire logic [$clog2(QPS)-1:0]   s_clear_qp,
  output      logic                     idle
);

  localparam int DW = $clog2(DEPTH);

  // Requests taken, allowed to start, answered, run; modulo 256, each with one writer.
  (* ram_style = "distributed" *) logic [7:0] put_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] go_mem   [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] get_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] run_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [DW:0] kept_mem [0:QPS-1];      // how many are known
  // Of each place in the ring: owed again, begun, to start anew. Written when a turn ends and when a request is taken, never both.
  // And whether the next new one was taken before the newest duplicate.
  (* ram_style = "distributed" *) logic [3*DEPTH:0] marks_mem [0:QPS-1];
  (* ram_style = "distributed" *) logic [$bits(told_t'('0))-1:0] told_mem [0:QPS-1];   // what the newest duplicate told
  (* ram_style = "distributed" *) logic [7:0] until_mem [0:QPS-1];      // new ones taken before it
  initial for (int i = 0; i < QPS; i++) begin
    put_mem[i]   = '0;
    go_mem[i]    = '0;
    get_mem[i]   = '0;
    run_mem[i]   = '0;
    kept_mem[i]  = '0;
    marks_mem[i] = '0;
  end

  typedef enum logic [1:0] {ST_IDLE, ST_SEARCH, ST_APPLY, ST_WAKE} state_e;
  state_e     state_q;
  wire [7:0]  put   = put_mem[s_read_qp];
  wire [7:0]  get   = get_mem[s_read_qp];
  wire [DW:0] known = kept_mem[s_read_qp];

  // ---------------------------------------------------------------------------------------------
  // Search: the newest first, one a cycle; compared in two steps.

  typedef struct packed {
    logic [7:0]  opcode;
    logic [23:0] psn;
    logic [63:0] va;
    logic [31:0] rkey;
    logic [31:0] len;
  } key_t;
  key_t        key_in, key;
  logic        ask_q, ask2_q, found_q;
  logic [DW:0] at_q, at1_q, at2_q;           // so many before the newest
  logic [7:0]  place_q;                      // found: so many requests came before it
  logic [DW-1:0] slot_q;
  wire  [DW:0] limit    = s_read.depth < 8'(known) ? s_read.depth[DW:0] : known;
  wire         ask      = state_q == ST_SEARCH && at_q != limit;
  wire [DW-1:0] ask_slot = put[DW-1:0] - DW'(1) - at_q[DW-1:0];
  wire [DW-1:0] put_slot = put[DW-1:0];

  wire  is_read = s_read.opcode == ib_pkg::OP_RC_READ_REQUEST;
  logic apply, enter;
  assign key_in = {s_read.opcode, s_read.psn, s_read.va, s_read.rkey, s_read.len};
  prim_ram #(.WIDTH($bits(key_t'('0))), .DEPTH(QPS * DEPTH)) u_keys (
    .clk, .wr_en(enter), .wr_addr({s_read_qp, put_slot}), .wr_data(key_in),
    .rd_en(ask), .rd_addr({s_read_qp, ask_slot}), .rd_data(key));

  logic        same_q;                       // opcode, and key
  logic [23:0] ahead_q;                      // PSNs, bytes behind its beginning
  logic [63:0] va_q;
  logic [32:0] len_q;
  wire  [36:0] bytes   = {13'b0, ahead_q} << (4'd7 + s_read.path_mtu);
  wire  [63:0] bytes64 = {27'b0, bytes};
  wire         fits    = is_read ? !len_q[32] && va_q == bytes64 && {4'b0, len_q} == bytes && (ahead_q == '0 || s_read.len != '0)
                                 : ahead_q == '0;
  wire         hit     = ask2_q && same_q && fits;
  wire         over    = limit == '0 || (ask2_q && at2_q + (DW+1)'(1) == limit);

  always_ff @(posedge clk) begin : search
    if (state_q != ST_SEARCH) at_q <= '0;
    else if (ask) at_q <= at_q + (DW+1)'(1);
    ask_q   <= ask && !rst;
    at1_q   <= at_q;
    ask2_q  <= ask_q && state_q == ST_SEARCH && !rst;
    at2_q   <= at1_q;
    same_q  <= key.opcode == s_read.opcode && (key.rkey == s_read.rkey || !is_read);
    ahead_q <= s_read.psn - key.psn;
    va_q    <= s_read.va - key.va;
    len_q   <= {1'b0, key.len} - {1'b0, s_read.len};
    if (state_q == ST_SEARCH) begin
      found_q <= hit;
      slot_q  <= put_slot - DW'(1) - at2_q[DW-1:0];
      place_q <= put - 8'd1 - 8'(at2_q);
    end else if (state_q == ST_IDLE) begin
      slot_q  <= put_slot;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What becomes of it: decided while no turn of its queue pair is under way.

  wire          held   = s_done || (s_turn && turn_qp == s_read_qp);
  assign        apply  = state_q == ST_APPLY && !held && !rst;
  assign        enter  = apply && !s_read.again;
  wire [7:0]    answered = get - place_q;                               // it, and later ones; negative: none
  wire          owed    = answered == '0 || answered[7];                // its answer is still to come
  logic [DEPTH-1:0] again, begun, restart;
  logic             behind;
  assign {behind, again, begun, restart} = marks_mem[s_read_qp];
  wire [DEPTH-1:0] here = DEPTH'(1) << slot_q;
  wire          repeats = apply && s_read.again && found_q;
  wire          reopens = repeats && !owed && (again & here) == '0;
  wire          starts  = enter || reopens;
  wire [3*DEPTH:0] marks_d = {repeats ? put != get : behind, reopens ? again | here : starts ? again & ~here : again, starts ? begun & ~here : begun, restart | here};

  assign s_read_ready     = apply;
  assign m_opened_valid   = starts;
  assign m_opened_again   = s_read.again;
  assign m_given_up_valid = enter && (again & here) != '0;
  assign m_given_up_begun = (begun & here) != '0;
  assign m_drop           = apply && s_read.again && !found_q;
  // A new one wakes its queue pair if it may start already.
  wire   wakes            = reopens || (enter && go_mem[s_read_qp] != put);
  assign m_wake_valid     = state_q == ST_WAKE;
  assign idle             = state_q == ST_IDLE;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE:   if (s_read_valid && !s_clear) state_q <= s_read.again ? ST_SEARCH : ST_APPLY;
        ST_SEARCH: if (hit || over) state_q <= ST_APPLY;
        ST_APPLY:  if (apply) state_q <= wakes ? ST_WAKE : ST_IDLE;
        ST_WAKE:   if (m_wake_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (apply) m_wake_qp <= s_read_qp;
  end

  // ---------------------------------------------------------------------------------------------
  // A turn: the answer that is begun, else the oldest that is owed again, else the next new one.

  function automatic logic [DW-1:0] lowest(input logic [DEPTH-1:0] mask);
    lowest = '0;
    for (int i = DEPTH - 1; i >= 0; i--) if (mask[i]) lowest = DW'(i);
  endfunction

  logic [DEPTH-1:0] turn_again, turn_begun, turn_restart;
  logic             turn_behind;
  assign {turn_behind, turn_again, turn_begun, turn_restart} = marks_mem[turn_qp];
  wire [7:0]       turn_put  = put_mem[turn_qp];
  wire [7:0]       turn_get  = get_mem[turn_qp];
  wire [DEPTH-1:0] older     = turn_again & ({DEPTH{1'b1}} << turn_put[DW-1:0]);   // the ring's oldest place is the next to be filled
  wire [DEPTH-1:0] turn_here = DEPTH'(1) << s_slot;
  wire [DEPTH-1:0] under_way   = turn_begun & ~turn_restart;            // to go on with, if it is owed
  wire [DEPTH-1:0] begun_again = turn_again & under_way;
  assign m_again    = turn_again != '0 && !(m_fresh && under_way[turn_get[DW-1:0]]);
  assign m_fresh    = turn_put != turn_get && go_mem[turn_qp] != turn_get;
  assign m_slot     = !m_again ? turn_get[DW-1:0] : begun_again != '0 ? lowest(begun_again) : older != '0 ? lowest(older) : lowest(turn_again);
  assign m_restart  = (turn_restart & turn_here) != '0;
  assign m_begun    = (turn_begun & turn_here) != '0;
  wire             still    = turn_behind && (!s_done_last || s_done_again || turn_get + 8'd1 != until_mem[turn_qp]);
  wire [3*DEPTH:0] done_marks = {still, s_done_last ? turn_again & ~turn_here : turn_again, turn_begun | turn_here, turn_restart & ~turn_here};

  wire [7:0] run      = run_mem[run_qp];
  wire [7:0] turn_run = run_mem[turn_qp] - turn_get;
  assign m_run      = run != put_mem[run_qp] && run != go_mem[run_qp];
  assign m_run_slot = run[DW-1:0];
  assign m_ran      = turn_run != '0 && !turn_run[7];

  kept_t  kept_in;
  assign kept_in  = {s_read.opcode, s_read.psn, s_read.va, s_read.rkey, is_read ? 64'(s_read.len) : s_read.swap_add, s_read.compare, s_read.pd};
  told_t  told_in, own;
  logic [23:0] from;
  assign told_in  = {s_read.msn, s_read.syndrome};
  prim_ram #(.WIDTH($bits(kept_t'('0))), .DEPTH(QPS * DEPTH)) u_kept (
    .clk, .wr_en(enter), .wr_addr({s_read_qp, put_slot}), .wr_data(kept_in),
    .rd_en(s_look || s_run_look), .rd_addr(s_look ? {turn_qp, m_slot} : {run_qp, m_run_slot}), .rd_data(m_kept));
  prim_ram #(.WIDTH($bits(told_t'('0))), .DEPTH(QPS * DEPTH)) u_told (
    .clk, .wr_en(enter), .wr_addr({s_read_qp, put_slot}), .wr_data(told_in),
    .rd_en(s_look), .rd_addr({turn_qp, m_slot}), .rd_data(own));
  prim_ram #(.WIDTH(24), .DEPTH(QPS * DEPTH)) u_from (
    .clk, .wr_en(enter || repeats), .wr_addr({s_read_qp, slot_q}), .wr_data(s_read.psn),
    .rd_en(s_look), .rd_addr({turn_qp, m_slot}), .rd_data(from));
  told_t newest_q;
  logic  newer_q;
  always_ff @(posedge clk) if (s_look) begin : newest
    newest_q <= told_mem[turn_qp];
    newer_q  <= m_again || turn_behind;
  end
  assign m_asked = {from, newer_q ? newest_q : own};
  prim_ram #(.WIDTH(24), .DEPTH(QPS * DEPTH)) u_sent (
    .clk, .wr_en(s_done), .wr_addr({turn_qp, s_slot}), .wr_data(s_done_sent),
    .rd_en(s_look), .rd_addr({turn_qp, m_slot}), .rd_data(m_sent));

  always_ff @(posedge clk) begin : write
    if (s_clear)        put_mem[s_clear_qp]  <= '0;
    else if (enter)     put_mem[s_read_qp]   <= put + 8'd1;
    if (s_clear)        kept_mem[s_clear_qp] <= '0;
    else if (enter && known != (DW+1)'(DEPTH)) kept_mem[s_read_qp] <= known + (DW+1)'(1);
    if (s_clear)        go_mem[s_clear_qp]   <= '0;
    else if (s_go_valid && !rst) go_mem[s_go_qp] <= go_mem[s_go_qp] + 8'd1;
    if (s_clear)        get_mem[s_clear_qp]  <= '0;
    else if (s_done && s_done_last && !s_done_again) get_mem[turn_qp] <= turn_get + 8'd1;
    if (s_clear)        run_mem[s_clear_qp]  <= '0;
    else if (s_ran && !rst) run_mem[run_qp]  <= run + 8'd1;
    if (s_clear)        marks_mem[s_clear_qp] <= '0;
    else if (s_done)    marks_mem[turn_qp]    <= done_marks;
    else if (enter || repeats) marks_mem[s_read_qp] <= marks_d;
    if (repeats) told_mem[s_read_qp]  <= told_in;
    if (repeats) until_mem[s_read_qp] <= put;
  end
  assign closed = get_mem[look_qp];
  assign ran    = run_mem[look_qp];

  `ASSERT(a_room, !enter || put - get < 8'(DEPTH))
  `ASSERT(a_clear, !s_clear || (idle && !s_turn && !s_go_valid))
  `ASSERT(a_done, !s_done || s_turn)
  `ASSERT(a_look, !s_look || !s_run_look)
  wire unused = &{1'b0, s_read.depth, turn_put};

endmodule

`default_nettype wire
