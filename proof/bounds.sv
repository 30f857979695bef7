// bounds: `region` says of an access what integers say, for all addresses, lengths, regions, offsets and page sizes.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "mem_types.svh"

module bounds (
  input wire logic clk,
  input wire logic rst
);
`include "reset.svh"

  (* anyseq *) logic [`GATE_REQ_W-1:0] any_req;
  (* anyseq *) logic [319:0]           any_entry;
  (* anyseq *) logic                   live;
  gate_req_t   req;
  mpt_t        entry;
  logic [2:0]  cause;
  logic [63:0] number, in_page;
  assign req   = any_req;
  assign entry = {192'b0, any_entry};
  region #(.MRS(64)) f_region (.req, .entry, .live, .cause, .number, .in_page);

  // 68 bits hold every sum.
  wire [67:0] first  = 68'(req.va);
  wire [67:0] past   = 68'(req.va) + 68'(req.len);                      // behind the last byte
  wire [67:0] begins = 68'(entry.start);
  wire [67:0] ends   = 68'(entry.start) + 68'(entry.length);
  wire [67:0] size   = 68'd1 << entry.page_shift;
  wire        inside = first >= begins && past > first && past <= ends && past <= (68'd1 << 64);
  wire        may    = !((req.need[0] && !entry.local_write) || (req.need[1] && !entry.remote_write) ||
                         (req.need[2] && !entry.remote_read) || (req.need[3] && !entry.remote_atomic));
  wire        paged  = entry.page_shift >= 6'd12 && entry.page_shift <= 6'd30;

  // Every byte of an access that is allowed is one of the region, which is live and of its key, its domain and its rights.
  `ASSERT(a_inside, !(cause == 3'd0 && !req.ring) || (inside && may && live && entry.key == req.key && entry.pd == req.pd))
  // All such accesses are allowed, unless the region's pages end beyond the address space.
  `ASSERT(a_all, !(inside && may && live && entry.key == req.key && entry.pd == req.pd && req.key[31:8] < 24'd64) ||
    cause == 3'd0 || (cause == `MEM_CAUSE_PAGE && 68'(entry.offset) + first - begins >= (68'd1 << 64)))
  // Its place is the one in the page that so many pages lie before: the region's offset and the bytes before it.
  `ASSERT(a_place, !(cause == 3'd0 && !req.ring && paged) ||
    ((68'(number) << entry.page_shift) + 68'(in_page) == 68'(entry.offset) + first - begins && 68'(in_page) < size))
  // In a ring pages have 4 KiB and there is no bound but theirs.
  `ASSERT(a_ring, !req.ring || (cause == 3'd0 && {number[51:0], in_page[11:0]} == req.va && number[63:52] == '0 && in_page[63:12] == '0))

  // The last byte of the address space.
  `COVER(c_last, cause == 3'd0 && !req.ring && first == 68'hffff_ffff_ffff_ffff)
  // A region of one byte.
  `COVER(c_byte, cause == 3'd0 && !req.ring && entry.length == 64'd1 && in_page > 64'h2000_0000 && paged)

endmodule

`default_nettype wire
