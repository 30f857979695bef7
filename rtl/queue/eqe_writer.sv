// eqe_writer: writes events into their rings and raises the interrupt behind each (11.6.3).
//
// Contract: an interrupt is raised only after its EQE's write was called ordered. An event that finds its ring full is lost and
//           marks the EQ; an asynchronous one while no asynchronous EQ is named is discarded (11.5.2). An EQE that was refused is
//           a local catastrophic error (11.6.3): it marks the EQ, raises the interrupt all the same, and the first stops the
//           device until reset, which the asynchronous EQ is told if it is another one. Timing: 4 cycles an event.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"

module eqe_writer #(
  parameter int EQS     = 4,
  parameter int SOURCES = 3
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   async_valid,
  input  wire logic [7:0]             async_eqn,

  input  wire logic                   s_fire_valid,    // completion events name their EQ
  output      logic                   s_fire_ready,
  input  wire logic [7:0]             s_fire_eqn,
  input  wire logic [23:0]            s_fire_cqn,
  input  wire logic [SOURCES-1:0]     s_event_valid,   // asynchronous events: {event, number}
  output      logic [SOURCES-1:0]     s_event_ready,
  input  wire logic [SOURCES*32-1:0]  s_event_data,

  input  wire logic                   s_db_valid,
  output      logic                   s_db_ready,
  input  wire logic [$clog2(EQS)-1:0] s_db_eq,
  input  wire logic [3:0]             s_db_page,
  input  wire logic [23:0]            s_db_index,
  output      logic                   m_db_refused,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(EQS)-1:0] m_cfg_eq,
  input  wire logic                   s_cfg_valid,
  input  wire logic [127:0]           s_cfg_data,

  output      logic                   m_wr_valid,
  input  wire logic                   m_wr_ready,
  output      logic [23:0]            m_wr_mtt,
  output      logic [31:0]            m_wr_offset,
  output      logic [255:0]           m_wr_data,
  input  wire logic                   s_wr_done,
  input  wire logic                   s_wr_error,      // with done: it was refused

  output      logic                   m_irq_valid,
  input  wire logic                   m_irq_ready,
  output      logic [7:0]             m_irq_vector,
  output      logic                   m_count_valid,   // an event was written
  output      logic                   m_fatal,         // the device has stopped
  output      logic [63:0]            m_health,        // registers
  output      logic [63:0]            m_last_event,

  input  wire logic                   s_clear_valid,
  input  wire logic                   s_query_valid,
  output      logic                   s_ctl_ready,
  input  wire logic [$clog2(EQS)-1:0] s_ctl_eq,
  output      logic [63:0]            m_ctl_data
);

  localparam int EW = $clog2(EQS);

  (* ram_style = "distributed" *) logic [23:0] producer_mem [0:EQS-1];
  (* ram_style = "distributed" *) logic [23:0] consumer_mem [0:EQS-1];
  initial for (int i = 0; i < EQS; i++) begin
    producer_mem[i] = '0;
    consumer_mem[i] = '0;
  end
  logic [EQS-1:0] error_q;

  // Completion events and asynchronous ones by turns; first that the device has stopped.
  localparam int OFFERS = SOURCES + 1;
  logic        event_valid, event_ready, unused_last, offer_valid, slice_ready;
  logic [39:0] offer_data;
  logic [39:0] event_data;                   // {EQN, event, number}
  logic [OFFERS*40-1:0] offers;
  logic [$clog2(OFFERS)-1:0] unused_index;
  logic          tell_q, fatal_q;
  logic [EW-1:0] fatal_eq_q;
  always_comb begin : offer
    offers[39:0] = {s_fire_eqn, ib_pkg::EVENT_TYPE_COMPLETION, s_fire_cqn};
    for (int i = 0; i < SOURCES; i++) offers[(i+1)*40 +: 40] = {async_eqn, s_event_data[i*32 +: 32]};
  end
  prim_arb #(.N(OFFERS), .WIDTH(40)) u_arb (
    .clk, .rst, .s_valid({s_event_valid, s_fire_valid}), .s_ready({s_event_ready, s_fire_ready}), .s_data(offers), .s_last('1),
    .m_valid(offer_valid), .m_ready(slice_ready && !tell_q), .m_data(offer_data), .m_last(unused_last), .m_index(unused_index));
  prim_skid #(.DATA_W(40)) u_slice (
    .clk, .rst, .s_valid(offer_valid || tell_q), .s_ready(slice_ready),
    .s_data(tell_q ? {async_eqn, ib_pkg::EVENT_TYPE_DEVICE_FATAL, 24'(fatal_eq_q)} : offer_data),
    .m_valid(event_valid), .m_ready(event_ready), .m_data(event_data));
  wire is_async = event_data[31:24] != ib_pkg::EVENT_TYPE_COMPLETION;
  wire discard  = is_async && (!async_valid || (fatal_q && event_data[31:24] != ib_pkg::EVENT_TYPE_DEVICE_FATAL));

  typedef enum logic [2:0] {ST_IDLE, ST_CFG, ST_LOOK, ST_WRITE, ST_DB, ST_CTL} state_e;
  state_e        state_q;
  logic          db_q;
  logic [31:0]   event_q;
  logic [EW-1:0] eq_q;
  logic [3:0]    page_q, uar_q;
  logic [23:0]   index_q, mtt_q, size_q, producer_q;
  logic [7:0]    vector_q;
  eqc_t          eqc;
  assign eqc = 256'(s_cfg_data);
  wire [23:0] level = producer_mem[eq_q] - consumer_mem[eq_q];
  wire        full  = level >= size_q;
  wire        db_ok = index_q - consumer_mem[eq_q] <= level && page_q == uar_q;
  wire        clear = state_q == ST_CTL && s_clear_valid;

  // Interrupts wait for their write, then for the host; room for both is kept.
  logic       vector_room, irq_room, vector_valid, done_room, done_valid, done_error;
  logic [7:0] vector;
  logic [EW-1:0] vector_eq;
  logic [4:0] vector_level, irq_level, done_level;
  wire        raise   = vector_valid && done_valid && irq_room;
  wire        refused = raise && done_error;
  prim_fifo #(.WIDTH(EW + 8), .DEPTH(16)) u_vectors (
    .clk, .rst, .s_valid(state_q == ST_WRITE && m_wr_ready), .s_ready(vector_room), .s_data({eq_q, vector_q}),
    .m_valid(vector_valid), .m_ready(raise), .m_data({vector_eq, vector}), .level(vector_level));
  prim_fifo #(.WIDTH(1), .DEPTH(16)) u_dones (
    .clk, .rst, .s_valid(s_wr_done), .s_ready(done_room), .s_data(s_wr_error),
    .m_valid(done_valid), .m_ready(raise), .m_data(done_error), .level(done_level));
  prim_fifo #(.WIDTH(8), .DEPTH(16)) u_irqs (
    .clk, .rst, .s_valid(raise), .s_ready(irq_room), .s_data(vector),
    .m_valid(m_irq_valid), .m_ready(m_irq_ready), .m_data(m_irq_vector), .level(irq_level));

  // The first refusal stops the device. The last event is kept whether or not it can be written; what is discarded is none.
  always_ff @(posedge clk) begin : health
    if (rst) begin
      fatal_q <= 1'b0;
      tell_q  <= 1'b0;
    end else begin
      if (refused) fatal_q <= 1'b1;
      if (refused && !fatal_q) tell_q <= async_valid && async_eqn != 8'(vector_eq);
      else if (slice_ready) tell_q <= 1'b0;
    end
    if (rst) fatal_eq_q <= '0;
    else if (refused && !fatal_q) fatal_eq_q <= vector_eq;
    if (rst) m_last_event <= '0;
    else if (refused && !fatal_q) m_last_event <= {32'b0, ib_pkg::EVENT_TYPE_DEVICE_FATAL, 24'(vector_eq)};
    else if (event_valid && event_ready && is_async && !discard) m_last_event <= {32'b0, event_data[31:0]};
  end
  assign m_fatal  = fatal_q;
  assign m_health = {24'b0, 24'(fatal_eq_q), 7'b0, fatal_q, 7'b0, fatal_q};              // cause 1: an event could not be written

  wire idle = state_q == ST_IDLE && !s_clear_valid && !s_query_valid;
  assign s_db_ready   = idle;
  assign event_ready  = idle && !s_db_valid && vector_level < 5'd15;
  wire   db_take      = s_db_valid && s_db_ready;
  wire   event_take   = event_valid && event_ready && !discard;
  assign m_cfg_valid  = db_take || event_take;
  assign m_cfg_eq     = db_take ? s_db_eq : event_data[32 +: EW];
  assign m_db_refused = state_q == ST_DB && !db_ok;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (s_clear_valid || s_query_valid) state_q <= ST_CTL;
                 else if (m_cfg_valid) state_q <= ST_CFG;
        ST_CFG: if (s_cfg_valid) state_q <= db_q ? ST_DB : ST_LOOK;
        ST_DB: state_q <= ST_IDLE;
        ST_LOOK: state_q <= full ? ST_IDLE : ST_WRITE;
        ST_WRITE: if (m_wr_ready) state_q <= ST_IDLE;
        ST_CTL: state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin : work
    if (state_q == ST_IDLE) begin
      db_q    <= db_take;
      event_q <= event_data[31:0];
      eq_q    <= s_clear_valid || s_query_valid ? s_ctl_eq : m_cfg_eq;
      page_q  <= s_db_page;
      index_q <= s_db_index;
    end
    if (state_q == ST_CFG) begin
      mtt_q      <= eqc.mtt;
      size_q     <= 24'd1 << eqc.log_size;
      vector_q   <= eqc.vector;
      uar_q      <= eqc.uar[3:0];
      producer_q <= producer_mem[eq_q];
    end
    if (clear) producer_mem[eq_q] <= '0;
    else if (state_q == ST_WRITE && m_wr_ready) producer_mem[eq_q] <= producer_q + 24'd1;
    if (clear) consumer_mem[eq_q] <= '0;
    else if (state_q == ST_DB && db_ok) consumer_mem[eq_q] <= index_q;
    if (rst) error_q <= '0;
    else begin
      if (clear) error_q[eq_q] <= 1'b0;
      if (state_q == ST_LOOK && full) error_q[eq_q] <= 1'b1;
      if (refused) error_q[vector_eq] <= 1'b1;
    end
  end

  eqe_t eqe;
  always_comb begin : entry
    eqe        = '0;
    eqe.event_ = event_q[31:24];
    eqe.number = event_q[23:0];
    eqe.phase  = !(|(producer_q & size_q));
  end
  wire [23:0] slot = producer_q & (size_q - 24'd1);
  assign m_wr_valid    = state_q == ST_WRITE;
  assign m_wr_mtt      = mtt_q;
  assign m_wr_offset   = {3'b0, slot, 5'b0};
  assign m_wr_data     = eqe;
  assign m_count_valid = raise && !done_error;

  assign s_ctl_ready = state_q == ST_CTL;
  assign m_ctl_data  = {13'b0, error_q[eq_q], 2'b0, consumer_mem[eq_q], producer_mem[eq_q]};

  `ASSERT(a_vector_room, !(state_q == ST_WRITE) || vector_room)
  `ASSERT(a_done, !s_wr_done || done_room)
  wire unused = &{1'b0, eqc, unused_last, unused_index, irq_level, done_level, event_data[39:32]};

endmodule

`default_nettype wire
