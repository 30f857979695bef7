// ib_builder: the headers of a packet to be sent, from its description, the connection and the port (verbs: table 67).
//
// Combinational. Headers stand in the top bytes of m_header, first byte on top, zero behind.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module ib_builder (
  input  wire tx_desc_t        s_desc,
  input  wire logic [`CFG_W-1:0] s_cfg,
  input  wire logic [127:0]    sgid,
  input  wire logic [15:0]     pkey,
  input  wire logic [15:0]     lid,
  input  wire logic [2:0]      lmc,
  input  wire logic [63:0]     sl2vl,
  output      logic [703:0]    m_header,
  output      logic [6:0]      m_hdr_bytes,
  output      logic [12:0]     m_bytes,      // headers, payload and pad
  output      logic [3:0]      m_vl
);

  qpc_t  cfg;
  lrh_t  lrh;
  grh_t  grh;
  bth_t  bth;
  reth_t reth;
  aeth_t aeth;
  logic [223:0] ext;
  assign cfg = ib_pkg::QPC_W'(s_cfg);

  wire [1:0]  pad       = 2'd0 - s_desc.payload[1:0];
  wire [6:0]  hdr_bytes = ib_pkg::op_header_bytes(s_desc.opcode) + (cfg.grh ? 7'd40 : 7'd0);
  wire [12:0] bytes     = {6'b0, hdr_bytes} + s_desc.payload + {11'b0, pad};
  wire [15:0] path_mask = 16'hffff << lmc;

  always_comb begin : headers
    lrh         = '0;
    lrh.vl      = sl2vl[{cfg.sl, 2'b0} +: 4];
    lrh.sl      = cfg.sl;
    lrh.lnh     = cfg.grh ? ib_pkg::LNH_IBA_GLOBAL : ib_pkg::LNH_IBA_LOCAL;
    lrh.dlid    = cfg.dlid;
    lrh.pkt_len = bytes[12:2] + 11'd1;       // and the ICRC
    lrh.slid    = (lid & path_mask) | ({9'b0, cfg.path_bits} & ~path_mask);

    grh            = '0;
    grh.ip_ver     = 4'd6;
    grh.tclass     = cfg.tclass;
    grh.flow_label = cfg.flow_label;
    grh.pay_len    = 16'(bytes) - 16'd44;    // BTH to ICRC
    grh.nxt_hdr    = 8'(ib_pkg::GRH_NXT_HDR);
    grh.hop_limit  = cfg.hop_limit;
    grh.sgid       = sgid;
    grh.dgid       = cfg.dgid;

    bth           = '0;
    bth.opcode    = s_desc.opcode;
    bth.solicited = s_desc.solicited;
    bth.mig_req   = cfg.mig_state == ib_pkg::MIG_STATE_MIGRATED;
    bth.pad_count = pad;
    bth.pkey      = pkey;
    bth.dest_qpn  = cfg.dest_qpn;
    bth.ack_req   = s_desc.ack_req;
    bth.psn       = s_desc.psn;

    reth.va       = s_desc.va;
    reth.rkey     = s_desc.rkey;
    reth.dma_len  = s_desc.dma_len;
    aeth.syndrome = s_desc.syndrome;
    aeth.msn      = s_desc.msn;

    ext = '0;
    if (ib_pkg::op_has_reth(s_desc.opcode)) begin
      ext[223 -: 128] = reth;
      if (ib_pkg::op_has_immdt(s_desc.opcode)) ext[95 -: 32] = s_desc.imm;
    end else if (ib_pkg::op_has_atomiceth(s_desc.opcode)) begin
      ext = {s_desc.va, s_desc.rkey, s_desc.swap_add, s_desc.compare};
    end else if (ib_pkg::op_has_aeth(s_desc.opcode)) begin
      ext[223 -: 32] = aeth;
      if (ib_pkg::op_has_atomicacketh(s_desc.opcode)) ext[191 -: 64] = s_desc.swap_add;
    end else if (ib_pkg::op_has_immdt(s_desc.opcode)) begin
      ext[223 -: 32] = s_desc.imm;
    end
  end

  assign m_header    = cfg.grh ? {lrh, grh, bth, ext} : {lrh, bth, ext, 320'b0};
  assign m_hdr_bytes = hdr_bytes;
  assign m_bytes     = bytes;
  assign m_vl        = lrh.vl;

  wire unused = &{1'b0, cfg, s_desc.va};

endmodule

`default_nettype wire
