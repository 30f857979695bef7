// registers: BAR decoding: registers, counters, mailbox, doorbell pages, context tables.
//
// Contract: reads are answered in order; accesses that docs/programming.md does not allow are ignored, read as zero and
//           counted. Table writes reach an entry only while its owner is the software. Timing: 3 to 7 cycles an access.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"

module registers #(
  parameter int QPS      = 64,
  parameter int MRS      = 64,
  parameter int MTTS     = 8192,
  parameter int CQS      = 32,
  parameter int EQS      = 4,
  parameter int INFLIGHT = 32,
  parameter int RD_DEPTH = 16,
  parameter int COUNTS   = 13                // counters from REG_TX_PACKETS on
) (
  input  wire logic               clk,
  input  wire logic               rst,

  input  wire logic               s_bar_valid,
  output      logic               s_bar_ready,
  input  wire logic               s_bar_write,
  input  wire logic [2:0]         s_bar_bar,
  input  wire logic [31:0]        s_bar_addr,
  input  wire logic [63:0]        s_bar_wdata,
  input  wire logic [7:0]         s_bar_wstrb,
  output      logic               m_bar_valid,
  input  wire logic               m_bar_ready,
  output      logic [63:0]        m_bar_rdata,

  output      logic               enable,        // what the registers say
  output      logic               async_valid,
  output      logic [7:0]         async_eqn,
  output      logic [15:0]        lid,
  output      logic [2:0]         lmc,
  output      logic [3:0]         mtu,
  output      logic [63:0]        sl2vl,
  output      logic               cap_fence,     // capabilities that are not masked
  output      logic               cap_inline,
  output      logic               cap_retry,
  output      logic               cap_credits,
  output      logic               cap_atomics,
  output      logic               cap_resize,
  output      logic [15:0]        tick,          // cycles of 4.096 us
  input  wire logic               link_up,

  output      logic               m_db_valid,    // doorbells
  input  wire logic               m_db_ready,
  output      logic [3:0]         m_db_page,
  output      logic [11:0]        m_db_offset,
  output      logic [63:0]        m_db_data,

  output      logic               m_tbl_valid,   // tables, shared with the command unit
  input  wire logic               m_tbl_ready,
  output      logic               m_tbl_write,
  output      logic [2:0]         m_tbl_table,
  output      logic [23:0]        m_tbl_index,
  output      logic [4:0]         m_tbl_word,
  output      logic [63:0]        m_tbl_wdata,
  input  wire logic               s_tbl_rvalid,
  input  wire logic [63:0]        s_tbl_rdata,
  input  wire logic [QPS-1:0]     qp_owned,
  input  wire logic [MRS-1:0]     mr_owned,
  input  wire logic [CQS-1:0]     cq_owned,
  input  wire logic [EQS-1:0]     eq_owned,

  output      logic               m_cmd_valid,   // a command starts
  output      logic [55:0]        m_cmd,
  output      logic [63:0]        m_cmd_param,
  input  wire logic               cmd_busy,
  input  wire logic [7:0]         cmd_status,
  output      logic               m_mb_write,    // mailbox, ours while no command runs
  output      logic [4:0]         m_mb_word,
  output      logic [63:0]        m_mb_wdata,
  input  wire logic [63:0]        s_mb_rdata,

  input  wire logic [COUNTS-1:0]  s_count_valid, // counters
  input  wire logic [COUNTS*14-1:0] s_count_add,
  input  wire logic [31:0]        s_drop_valid,  // per drop_reason; TABLE and ACCESS are counted here
  input  wire logic [63:0]        s_health,      // what others keep
  input  wire logic [63:0]        s_last_error,
  input  wire logic [63:0]        s_last_event,
  output      logic [3:0]         m_count_index, // counters of others: this one, a cycle later
  input  wire logic [63:0]        s_naks,
  input  wire logic [63:0]        s_stalls
);

  // One access at a time.
  typedef enum logic [2:0] {ST_IDLE, ST_DECODE, ST_ACT, ST_TABLE, ST_TABLE_READ, ST_DOORBELL, ST_ANSWER} state_e;
  state_e      state_q;
  logic        write_q;
  logic [2:0]  bar_q;
  logic [31:0] addr_q;
  logic [63:0] wdata_q, rdata_q;
  logic [7:0]  strb_q;

  wire whole    = strb_q == 8'hff;
  wire strb_ok  = whole || strb_q == 8'h0f || strb_q == 8'hf0 || !write_q;
  wire [63:0] strb_mask = {{8{strb_q[7]}}, {8{strb_q[6]}}, {8{strb_q[5]}}, {8{strb_q[4]}},
                           {8{strb_q[3]}}, {8{strb_q[2]}}, {8{strb_q[1]}}, {8{strb_q[0]}}};
  wire is_bar0  = bar_q == 3'd0;
  wire is_bar2  = bar_q == 3'd2;

  // BAR0: which region. What ST_DECODE finds of an address stands in a register in ST_ACT.
  logic is_reg, is_drop, is_nak, is_stall, is_mb;
  wire  at_db = is_bar0 && addr_q >= ib_pkg::BAR0_DOORBELL_PAGES && addr_q[11:5] == '0 &&   // four doorbells at the page's start
                addr_q < ib_pkg::BAR0_DOORBELL_PAGES + 32'(ib_pkg::BAR0_DOORBELL_PAGES_BYTES);
  wire  rings = at_db && write_q && whole;
  always_ff @(posedge clk) begin : find_region
    is_reg   <= is_bar0 && addr_q < ib_pkg::BAR0_DROP_COUNTERS;
    is_drop  <= is_bar0 && addr_q >= ib_pkg::BAR0_DROP_COUNTERS && addr_q < ib_pkg::BAR0_DROP_COUNTERS + 32'(ib_pkg::BAR0_DROP_COUNTERS_BYTES);
    is_nak   <= is_bar0 && addr_q >= ib_pkg::BAR0_NAK_COUNTERS && addr_q < ib_pkg::BAR0_NAK_COUNTERS + 32'(ib_pkg::BAR0_NAK_COUNTERS_BYTES);
    is_stall <= is_bar0 && addr_q >= ib_pkg::BAR0_STALL_COUNTERS && addr_q < ib_pkg::BAR0_STALL_COUNTERS + 32'(ib_pkg::BAR0_STALL_COUNTERS_BYTES);
    is_mb    <= is_bar0 && addr_q >= ib_pkg::BAR0_MAILBOX && addr_q < ib_pkg::BAR0_MAILBOX + 32'(ib_pkg::BAR0_MAILBOX_BYTES);
  end

  // BAR2: which table, entry, word.
  logic        tbl_known, tbl_mine, known_q, mine_q;
  logic [3:0]  tbl_object;                   // as in the upper half of a command's operation
  logic [2:0]  tbl_table;
  logic [23:0] tbl_index;
  logic [4:0]  tbl_word;
  wire  [23:0] in_table = addr_q[23:0];
  always_comb begin : find_table
    tbl_known = is_bar2;
    tbl_mine  = 1'b1;
    tbl_object = 4'hf;
    tbl_table = 3'd7;
    tbl_index = '0;
    tbl_word  = '0;
    case (addr_q[31:24])
      ib_pkg::BAR2_QPC_TABLE[31:24]: begin
        tbl_table = 3'd0;
        tbl_index = {8'b0, in_table[23:8]};
        tbl_word  = in_table[7:3];
        tbl_known = is_bar2 && tbl_index < 24'(QPS);
        tbl_object = ib_pkg::CMD_OP_CREATE_QP[7:4];
        tbl_mine  = !qp_owned[tbl_index[$clog2(QPS)-1:0]];
      end
      ib_pkg::BAR2_MPT_TABLE[31:24]: begin
        tbl_table = 3'd1;
        tbl_index = {6'b0, in_table[23:6]};
        tbl_word  = {2'b0, in_table[5:3]};
        tbl_known = is_bar2 && tbl_index < 24'(MRS);
        tbl_object = ib_pkg::CMD_OP_SW2HW_MPT[7:4];
        tbl_mine  = !mr_owned[tbl_index[$clog2(MRS)-1:0]];
      end
      ib_pkg::BAR2_MTT_TABLE[31:24]: begin
        tbl_table = 3'd2;
        tbl_index = {3'b0, in_table[23:3]};
        tbl_known = is_bar2 && tbl_index < 24'(MTTS);
      end
      ib_pkg::BAR2_CQC_TABLE[31:24]: begin
        tbl_table = 3'd3;
        tbl_index = {5'b0, in_table[23:5]};
        tbl_word  = {3'b0, in_table[4:3]};
        tbl_known = is_bar2 && tbl_index < 24'(CQS);
        tbl_object = ib_pkg::CMD_OP_SW2HW_CQ[7:4];
        tbl_mine  = !cq_owned[tbl_index[$clog2(CQS)-1:0]];
      end
      ib_pkg::BAR2_EQC_TABLE[31:24]: begin
        tbl_table = 3'd4;
        tbl_index = {5'b0, in_table[23:5]};
        tbl_word  = {3'b0, in_table[4:3]};
        tbl_known = is_bar2 && tbl_index < 24'(EQS);
        tbl_object = ib_pkg::CMD_OP_SW2HW_EQ[7:4];
        tbl_mine  = !eq_owned[tbl_index[$clog2(EQS)-1:0]];
      end
      ib_pkg::BAR2_GID_TABLE[31:24]: begin
        if (in_table < 24'(ib_pkg::GIDS * 16)) begin
          tbl_table = 3'd5;
          tbl_index = {4'b0, in_table[23:4]};
          tbl_word  = {4'b0, in_table[3]};
        end else if (in_table >= ib_pkg::BAR2_PKEY_TABLE[23:0] && in_table < ib_pkg::BAR2_PKEY_TABLE[23:0] + 24'(ib_pkg::PKEYS * 8)) begin
          tbl_table = 3'd6;
          tbl_index = {11'b0, in_table[15:3]};
        end else begin
          tbl_known = 1'b0;
        end
      end
      default: tbl_known = 1'b0;
    endcase
  end

  // What a command checks must not change before it is done: meanwhile its entry is the device's.
  logic [63:0] cmd_q;
  wire [7:0] cmd_op     = cmd_q[ib_pkg::REG_CMD_OP_LSB +: 8];
  wire       in_command = cmd_busy && cmd_op != ib_pkg::CMD_OP_NOP && cmd_op[7:4] == tbl_object &&
                          cmd_q[ib_pkg::REG_CMD_NUMBER_LSB +: 24] == tbl_index;

  // Registers.
  logic [63:0] control_q, cap_mask_q, port_q, sl2vl_q, guid_q, timing_q, param_q;
  logic [15:0] token_q;
  localparam logic [63:0] CAPABILITY = (64'd1 << ib_pkg::REG_CAPABILITY_RC_LSB) | (64'd1 << ib_pkg::REG_CAPABILITY_FENCE_LSB) |
                                       (64'd1 << ib_pkg::REG_CAPABILITY_INLINE_LSB) | (64'd1 << ib_pkg::REG_CAPABILITY_RETRY_LSB) |
                                       (64'd1 << ib_pkg::REG_CAPABILITY_CREDITS_LSB) | (64'd1 << ib_pkg::REG_CAPABILITY_ATOMICS_LSB) |
                                       (64'd1 << ib_pkg::REG_CAPABILITY_RESIZE_CQ_LSB) | (64'd1 << ib_pkg::REG_CAPABILITY_WR_LIST_LSB);
  wire [63:0] identity = {16'd1, 8'(ib_pkg::INTERFACE_MAJOR), 8'(ib_pkg::INTERFACE_MINOR), 32'(ib_pkg::MAGIC)};
  wire [63:0] sizes    = {8'($clog2(ib_pkg::PKEYS)), 8'($clog2(ib_pkg::GIDS)), 8'($clog2(INFLIGHT)), 8'($clog2(EQS)), 8'($clog2(CQS)),
                          8'($clog2(MTTS)), 8'($clog2(MRS)), 8'($clog2(QPS))};
  wire [63:0] limits   = {8'd20, 8'(RD_DEPTH), 8'(RD_DEPTH), 4'd15, ib_pkg::MTU_CODE_MTU_4096, 8'(ib_pkg::LOG_MAX_MSG),
                          16'(ib_pkg::MAX_INLINE_BYTES), 8'(ib_pkg::MAX_SGE)};

  logic [63:0] counters_q [0:COUNTS-1];
  // Counters stand one after the other, from a multiple of 256 bytes on.
  wire [4:0]   count_index = addr_q[7:3];
  wire         is_count = addr_q[31:8] == ib_pkg::REG_TX_PACKETS[31:8] && count_index < 5'(COUNTS);
  logic [63:0] drops;
  logic        reg_known, reg_writable, reg_known_q, reg_writable_q;
  logic [63:0] reg_data, reg_data_q;
  always_comb begin : read_register
    reg_known    = 1'b1;
    reg_writable = 1'b0;
    reg_data     = '0;
    case ({addr_q[31:3], 3'b0})
      ib_pkg::REG_IDENTITY:   reg_data = identity;
      ib_pkg::REG_CAPABILITY: reg_data = CAPABILITY & cap_mask_q;
      ib_pkg::REG_SIZES:      reg_data = sizes;
      ib_pkg::REG_LIMITS:     reg_data = limits;
      ib_pkg::REG_CONTROL:    begin reg_data = control_q;  reg_writable = 1'b1; end
      ib_pkg::REG_CAP_MASK:   begin reg_data = cap_mask_q; reg_writable = !control_q[0]; end
      ib_pkg::REG_PORT:       begin reg_data = port_q;     reg_writable = 1'b1; end
      ib_pkg::REG_PORT_STATE: reg_data = link_up ? 64'd4 : 64'd1;
      ib_pkg::REG_SL2VL:      begin reg_data = sl2vl_q;    reg_writable = 1'b1; end
      ib_pkg::REG_NODE_GUID:  begin reg_data = guid_q;     reg_writable = 1'b1; end
      ib_pkg::REG_TIMING:     begin reg_data = timing_q;   reg_writable = 1'b1; end
      ib_pkg::REG_HEALTH:     reg_data = s_health;
      ib_pkg::REG_LAST_ERROR: reg_data = s_last_error;
      ib_pkg::REG_LAST_EVENT: reg_data = s_last_event;
      ib_pkg::REG_CMD_PARAM:  begin reg_data = param_q;    reg_writable = 1'b1; end
      ib_pkg::REG_CMD:        begin reg_data = cmd_q;      reg_writable = whole; end
      ib_pkg::REG_CMD_STATUS: reg_data = {32'b0, token_q, cmd_status, 7'b0, cmd_busy};
      default: begin
        reg_known = is_count;
        for (int i = 0; i < COUNTS; i++) if (count_index == 5'(i)) reg_data = is_count ? counters_q[i] : '0;
      end
    endcase
  end

  logic is_cmd;                              // the command and its mailbox stand still while one runs
  always_ff @(posedge clk) begin : found_register
    reg_known_q    <= reg_known;
    reg_writable_q <= reg_writable;
    reg_data_q     <= reg_data;
    is_cmd         <= {addr_q[31:3], 3'b0} == ib_pkg::REG_CMD;
  end

  wire [63:0] merged = (reg_data_q & ~strb_mask) | (wdata_q & strb_mask);
  wire act        = state_q == ST_ACT;
  wire reg_ok     = is_reg && reg_known_q && (!write_q || (reg_writable_q && strb_ok && !(is_cmd && cmd_busy)));
  wire mb_ok      = is_mb && (!write_q || (strb_ok && !cmd_busy));
  wire reg_write  = act && write_q && reg_ok;
  wire mb_write   = act && write_q && mb_ok;
  wire bad_access = act && !reg_ok && !mb_ok && (write_q ? !(is_bar2 && whole) : !is_drop && !is_nak && !is_stall && !is_bar2);
  wire bad_table  = act && is_bar2 && !bad_access && (!known_q || (write_q && !mine_q));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (s_bar_valid) state_q <= ST_DECODE;
        ST_DECODE: state_q <= rings ? ST_DOORBELL : ST_ACT;
        ST_ACT: begin
          if (is_bar2 && !bad_table && !bad_access) state_q <= ST_TABLE;
          else state_q <= write_q ? ST_IDLE : ST_ANSWER;
        end
        ST_TABLE: if (m_tbl_ready) state_q <= write_q ? ST_IDLE : ST_TABLE_READ;
        ST_TABLE_READ: if (s_tbl_rvalid) state_q <= ST_ANSWER;
        ST_DOORBELL: if (m_db_ready) state_q <= ST_IDLE;
        ST_ANSWER: if (m_bar_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) begin
      write_q <= s_bar_write;
      bar_q   <= s_bar_bar;
      addr_q  <= s_bar_addr;
      wdata_q <= s_bar_wdata;
      strb_q  <= s_bar_wstrb;
    end
    if (act) rdata_q <= is_reg && reg_known_q ? reg_data_q : is_drop ? drops : is_nak ? s_naks : is_stall ? s_stalls : is_mb ? s_mb_rdata : '0;
    if (state_q == ST_TABLE_READ) rdata_q <= s_tbl_rdata;
  end
  assign s_bar_ready = state_q == ST_IDLE;
  assign m_bar_valid = state_q == ST_ANSWER;
  assign m_bar_rdata = rdata_q;

  always_ff @(posedge clk) begin : written
    if (rst) begin
      control_q  <= ib_pkg::REG_CONTROL_RESET;
      cap_mask_q <= ib_pkg::REG_CAP_MASK_RESET;
      port_q     <= ib_pkg::REG_PORT_RESET;
      sl2vl_q    <= ib_pkg::REG_SL2VL_RESET;
      guid_q     <= ib_pkg::REG_NODE_GUID_RESET;
      timing_q   <= ib_pkg::REG_TIMING_RESET;
      param_q    <= ib_pkg::REG_CMD_PARAM_RESET;
      cmd_q      <= ib_pkg::REG_CMD_RESET;
      token_q    <= '0;
      m_cmd_valid <= 1'b0;
    end else begin
      m_cmd_valid <= 1'b0;
      if (reg_write) begin
        case ({addr_q[31:3], 3'b0})
          ib_pkg::REG_CONTROL:   control_q  <= merged;
          ib_pkg::REG_CAP_MASK:  cap_mask_q <= merged;
          ib_pkg::REG_PORT:      port_q     <= merged;
          ib_pkg::REG_SL2VL:     sl2vl_q    <= merged;
          ib_pkg::REG_NODE_GUID: guid_q     <= merged;
          ib_pkg::REG_TIMING:    timing_q   <= merged;
          ib_pkg::REG_CMD_PARAM: param_q    <= merged;
          ib_pkg::REG_CMD: begin
            cmd_q       <= merged;
            token_q     <= merged[ib_pkg::REG_CMD_TOKEN_LSB +: 16];
            m_cmd_valid <= 1'b1;
          end
          default: ;
        endcase
      end
    end
  end
  assign m_cmd       = cmd_q[55:0];
  assign m_cmd_param = param_q;
  assign enable      = control_q[ib_pkg::REG_CONTROL_ENABLE_LSB];
  assign async_eqn   = control_q[ib_pkg::REG_CONTROL_ASYNC_EQN_LSB +: 8];
  assign async_valid = control_q[ib_pkg::REG_CONTROL_ASYNC_VALID_LSB];
  assign cap_fence   = cap_mask_q[ib_pkg::REG_CAPABILITY_FENCE_LSB];
  assign cap_inline  = cap_mask_q[ib_pkg::REG_CAPABILITY_INLINE_LSB];
  assign cap_retry   = cap_mask_q[ib_pkg::REG_CAPABILITY_RETRY_LSB];
  assign cap_credits = cap_mask_q[ib_pkg::REG_CAPABILITY_CREDITS_LSB];
  assign cap_atomics = cap_mask_q[ib_pkg::REG_CAPABILITY_ATOMICS_LSB];
  assign cap_resize  = cap_mask_q[ib_pkg::REG_CAPABILITY_RESIZE_CQ_LSB];
  assign tick        = timing_q[ib_pkg::REG_TIMING_TICK_LSB +: 16];
  assign lid         = port_q[ib_pkg::REG_PORT_LID_LSB +: 16];
  assign lmc         = port_q[ib_pkg::REG_PORT_LMC_LSB +: 3];
  assign mtu         = port_q[ib_pkg::REG_PORT_MTU_LSB +: 4];
  assign sl2vl       = sl2vl_q;

  assign m_mb_write = mb_write;
  assign m_mb_word  = addr_q[7:3];
  assign m_mb_wdata = (s_mb_rdata & ~strb_mask) | (wdata_q & strb_mask);

  assign m_db_valid  = state_q == ST_DOORBELL;
  assign m_db_page   = addr_q[15:12];
  assign m_db_offset = addr_q[11:0];
  assign m_db_data   = wdata_q;

  assign m_tbl_valid = state_q == ST_TABLE;
  assign m_tbl_write = write_q;
  always_ff @(posedge clk) begin : decoded
    m_tbl_table <= tbl_table;
    m_tbl_index <= tbl_index;
    m_tbl_word  <= tbl_word;
    known_q     <= tbl_known;
    mine_q      <= tbl_mine && !in_command;
  end
  assign m_tbl_wdata = wdata_q;

  // Counters.
  assign m_count_index = addr_q[6:3];
  logic [31:0] drop_pulse;
  always_comb begin : drop_here
    drop_pulse = s_drop_valid;
    if (bad_table)  drop_pulse[ib_pkg::DROP_REASON_TABLE]  = 1'b1;
    if (bad_access) drop_pulse[ib_pkg::DROP_REASON_ACCESS] = 1'b1;
  end
  prim_counters #(.N(32)) u_drops (.clk, .rst, .s_pulse(drop_pulse), .s_index(addr_q[7:3]), .m_count(drops));

  always_ff @(posedge clk) begin : count
    for (int i = 0; i < COUNTS; i++) begin
      if (rst) counters_q[i] <= '0;
      else if (s_count_valid[i]) counters_q[i] <= counters_q[i] + 64'(s_count_add[i*14 +: 14]);
    end
  end

  wire unused = &{1'b0, port_q, timing_q, control_q, cmd_q, addr_q};

endmodule

`default_nettype wire
