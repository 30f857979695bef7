// ib_parser: reads the headers of a received packet and says whether port and transport can take it.
//
// Combinational. `window` is the packet's first 88 bytes, first byte in the top bits; checks in the order of
// drop_reason (7.7, 8.3, 9.2, 9.6.1). What the opcode does not carry is garbage in m_desc.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module ib_parser (
  input  wire logic [703:0] window,
  input  wire logic [13:0]  bytes,           // of the packet, VCRC included
  input  wire logic         vcrc_ok,
  input  wire logic         icrc_ok,
  input  wire logic [15:0]  lid,             // port attributes
  input  wire logic [2:0]   lmc,
  input  wire logic [3:0]   mtu,
  input  wire logic         dgid_known,      // the DGID is in the GID table
  output      logic [127:0] dgid,
  output      logic         m_ok,
  output      logic [4:0]   m_reason,        // when not
  output      rx_desc_t     m_desc           // slot not set
);

  lrh_t  lrh;
  grh_t  grh;
  bth_t  bth;
  reth_t reth;
  aeth_t aeth;
  atomiceth_t atomic;
  logic [223:0] ext;                         // behind the BTH

  assign lrh = window[703 -: 64];
  assign grh = window[639 -: 320];
  wire   has_grh = lrh.lnh == ib_pkg::LNH_IBA_GLOBAL;
  wire   is_iba  = has_grh || lrh.lnh == ib_pkg::LNH_IBA_LOCAL;
  assign bth  = has_grh ? window[319 -: 96] : window[639 -: 96];
  assign ext  = has_grh ? window[223 -: 224] : window[543 -: 224];
  assign reth = ext[223 -: 128];
  assign aeth = ext[223 -: 32];
  assign atomic = ext;
  assign dgid = grh.dgid;

  wire        listed    = ib_pkg::op_known(bth.opcode);                  // else its headers end with the BTH
  wire [6:0]  hdr_bytes = (listed ? ib_pkg::op_header_bytes(bth.opcode) : 7'd20) + (has_grh ? 7'd40 : 7'd0);
  wire [13:0] min_bytes = has_grh ? 14'd66 : 14'd26;                    // LRH, GRH, BTH, ICRC, VCRC
  wire [12:0] told      = {lrh.pkt_len, 2'b0};                          // LRH to ICRC
  wire [12:0] max_bytes = (13'd128 << mtu) + 13'd124;
  wire        known     = listed || bth.opcode[7:5] == 3'(ib_pkg::SERVICE_RC);   // reserved ones are NAKed
  wire [12:0] covered   = told - 13'd4 - {6'b0, hdr_bytes};             // payload and pad
  wire        runt      = told < 13'd4 + {6'b0, hdr_bytes};
  wire [15:0] lid_mask  = 16'hffff << lmc;
  wire        grh_bad   = grh.ip_ver != 4'd6 || grh.nxt_hdr != 8'(ib_pkg::GRH_NXT_HDR) || !dgid_known ||
                          grh.pay_len != 16'(told) - 16'd48;

  always_comb begin : judge
    m_ok     = 1'b0;
    m_reason = ib_pkg::DROP_REASON_VCRC;
    if (!vcrc_ok)                                                m_reason = ib_pkg::DROP_REASON_VCRC;
    else if (is_iba && !icrc_ok)                                 m_reason = ib_pkg::DROP_REASON_ICRC;
    else if (bytes != {1'b0, told} + 14'd2 || (is_iba && bytes < min_bytes) || told > max_bytes ||
             (is_iba && known && runt))                          m_reason = ib_pkg::DROP_REASON_LENGTH;
    else if (lrh.lver != '0)                                     m_reason = ib_pkg::DROP_REASON_LVER;
    else if (lrh.vl == 4'd15)                                    m_reason = ib_pkg::DROP_REASON_VL;
    else if ((lrh.dlid & lid_mask) != (lid & lid_mask))          m_reason = ib_pkg::DROP_REASON_DLID;
    else if (!is_iba)                                            m_reason = ib_pkg::DROP_REASON_LNH;
    else if (has_grh && grh_bad)                                 m_reason = ib_pkg::DROP_REASON_GRH;
    else if (bth.tver != '0)                                     m_reason = ib_pkg::DROP_REASON_TVER;
    else if (!known)                                             m_reason = ib_pkg::DROP_REASON_OPCODE;
    else                                                         m_ok     = 1'b1;
  end

  always_comb begin : describe
    m_desc           = '0;
    m_desc.opcode    = bth.opcode;
    m_desc.solicited = bth.solicited;
    m_desc.ack_req   = bth.ack_req;
    m_desc.pkey      = bth.pkey;
    m_desc.qpn       = bth.dest_qpn;
    m_desc.psn       = bth.psn;
    m_desc.slid      = lrh.slid;
    m_desc.path_bits = lrh.dlid[6:0];
    m_desc.sl        = lrh.sl;
    m_desc.grh       = has_grh;
    m_desc.sgid      = grh.sgid;
    m_desc.dgid      = grh.dgid;
    m_desc.va        = reth.va;
    m_desc.rkey      = reth.rkey;
    m_desc.dma_len   = reth.dma_len;
    m_desc.imm       = ib_pkg::op_has_reth(bth.opcode) ? ext[95 -: 32] : ext[223 -: 32];
    m_desc.swap_add  = atomic.swap_add;
    m_desc.compare   = atomic.compare;
    m_desc.syndrome  = aeth.syndrome;
    m_desc.msn       = aeth.msn;
    m_desc.pad_bad   = covered < {11'b0, bth.pad_count};
    m_desc.payload   = covered - {11'b0, bth.pad_count};
    m_desc.first     = ib_pkg::op_has_atomicacketh(bth.opcode) ? hdr_bytes - 7'd8 : hdr_bytes;
  end

  wire unused = &{1'b0, lrh, grh, bth, aeth, atomic};

endmodule

`default_nettype wire
