// scatter_steps: reads the receive buffer beat by beat and says where the bytes of each beat go.
//
// Contract: pieces of a command lie behind each other in its slot. A piece that may be written gives one
//           request, then steps for mem_align; any other is passed over in a cycle. Every piece gives one m_entry
//           with its first step. Once a request is made its steps wait for m_step_ready only. A source
//           beat that reaches over a page into the next piece is read once when that piece is there.
// Timing:   one step per cycle; the step's data comes from the buffer with it. The request goes a cycle
//           before the first step, so that dma_wr is ready when the bytes come.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module scatter_steps #(
  parameter int DATA_W = 256,
  parameter int SLOT_W = 5,
  parameter int BEAT_W = 8
) (
  input  wire logic                        clk,
  input  wire logic                        rst,

  input  wire logic                        s_piece_valid,
  output      logic                        s_piece_ready,
  input  wire logic [`PIECE_W-1:0]         s_piece_data,
  input  wire logic                        s_piece_first,  // chunk of its command
  input  wire logic                        s_piece_last,
  input  wire logic                        s_cmd_valid,    // the command of the piece
  output      logic                        s_cmd_ready,
  input  wire logic [SLOT_W-1:0]           s_cmd_slot,
  input  wire logic [6:0]                  s_cmd_first,

  output      logic                        m_srd_en,
  output      logic [SLOT_W+BEAT_W-1:0]    m_srd_addr,
  output      logic                        m_req_valid,    // into a fifo with room
  input  wire logic                        s_req_room,
  output      logic [`SPAN_W-1:0]          m_req_data,
  output      logic                        m_entry_valid,
  output      logic                        m_entry_wr,
  output      logic                        m_entry_fail,
  output      logic                        m_entry_last,   // of the command

  output      logic                        m_step_valid,   // its data: s_srd_data
  input  wire logic                        m_step_ready,
  output      logic [$clog2(DATA_W/8)-1:0] m_step_src,
  output      logic [$clog2(DATA_W/8):0]   m_step_n,
  output      logic                        m_step_first,
  output      logic                        m_step_last,
  output      logic [$clog2(DATA_W/8)-1:0] m_step_dst
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);

  // The piece at work, and the one behind it.
  logic   have_q, first_c_q, last_c_q;
  piece_t piece_q, next;
  logic   fin, step;
  assign next          = s_piece_data;
  assign s_piece_ready = (!have_q || (step && fin)) && s_req_room;
  wire load = s_piece_valid && s_piece_ready;

  always_ff @(posedge clk) begin : pieces
    if (rst) have_q <= 1'b0;
    else if (load) have_q <= 1'b1;
    else if (step && fin) have_q <= 1'b0;
    if (load) begin
      piece_q   <= s_piece_data;
      first_c_q <= s_piece_first;
      last_c_q  <= s_piece_last;
    end
  end

  logic        mid_q, begun_q;               // bytes of the piece were sent; it had a step of its own
  logic [12:0] at_q, rem_q;                  // byte of the slot; bytes of the piece to come
  wire         writes = piece_q.ok && !piece_q.skip;
  wire  [12:0] at     = first_c_q && piece_q.first && !mid_q ? 13'(s_cmd_first) : at_q;
  wire  [12:0] rem    = mid_q ? rem_q : piece_q.len;
  wire  [12:0] room   = 13'(BYTES) - 13'(at[LW-1:0]);
  wire  [12:0] over   = room - rem;          // bytes behind the piece in its last source beat
  wire         joins  = writes && rem < room && s_piece_valid && !next.first && next.ok && next.len > over;
  wire  [12:0] n      = writes && (rem > room || joins) ? room : rem;
  wire         ends   = fin && piece_q.last && last_c_q;
  wire  [BEAT_W-1:0] beat = BEAT_W'(at >> LW);

  assign fin  = !writes || rem <= room;
  assign step = have_q && s_cmd_valid && (!writes || !m_step_valid || m_step_ready);

  span_t span;
  always_comb begin : request
    span.epoch = next.epoch;
    span.pa    = next.pa;
    span.len   = next.len;
  end

  assign s_cmd_ready  = step && ends;
  assign m_srd_en     = step && writes;
  assign m_srd_addr   = {s_cmd_slot, beat};
  assign m_req_valid  = load && next.ok && !next.skip;
  assign m_req_data   = span;

  assign m_entry_valid = step && !begun_q;
  assign m_entry_wr    = writes;
  assign m_entry_fail  = !piece_q.ok;
  assign m_entry_last  = piece_q.last && last_c_q;

  always_ff @(posedge clk) begin : steps
    if (rst) begin
      mid_q        <= 1'b0;
      begun_q      <= 1'b0;
      m_step_valid <= 1'b0;
    end else begin
      if (step) begin
        mid_q   <= !fin || joins;
        begun_q <= !fin;
      end
      if (m_step_ready) m_step_valid <= 1'b0;
      if (m_srd_en) m_step_valid <= 1'b1;
    end
    if (step) begin
      at_q  <= at + n;
      rem_q <= fin ? next.len - over : rem - n;
    end
    if (m_srd_en) begin
      m_step_first <= !mid_q;
      m_step_last  <= fin && !joins;
      m_step_src   <= at[LW-1:0];
      m_step_dst   <= piece_q.pa[LW-1:0];
      m_step_n     <= n[LW:0];
    end
  end

  `ASSERT(a_reads, !m_srd_en || (at >> LW) < 13'(1 << BEAT_W))
  `ASSERT(a_command, !(have_q && joins) || !ends)

  wire unused = &{1'b0, piece_q, next};

endmodule

`default_nettype wire
