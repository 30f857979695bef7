// region: what the gate has to say of an access, from the request and the region's entry alone. Sums have room for their carry:
// nothing wraps. `bounds` shows the same of integers.

`default_nettype none
`include "ib_types.svh"
`include "mem_types.svh"

module region #(
  parameter int MRS = 4
) (
  input  wire gate_req_t    req,
  input  wire mpt_t         entry,           // of the region that the key's index names
  input  wire logic         live,
  output      logic [2:0]   cause,           // of the first check that fails; what the page table holds is not looked at
  output      logic [63:0]  number,          // of the page, counted from the region's first
  output      logic [63:0]  in_page          // bytes of it before the access
);

  wire [64:0] begins = {1'b0, req.va} - {1'b0, entry.start};            // from the region's begin; negative: before it
  wire [64:0] ends   = {1'b0, begins[63:0]} + 65'(req.len);
  wire [64:0] top    = {1'b0, req.va} + 65'(req.len);                   // 2^64 is the end of all
  wire        whole  = !begins[64] && req.len != '0 && ends <= {1'b0, entry.length} && !(top[64] && top[63:0] != '0);
  wire [64:0] place  = {1'b0, begins[63:0]} + {1'b0, entry.offset};     // from the begin of the region's first page

  wire [3:0]  rights = {entry.remote_atomic, entry.remote_read, entry.remote_write, entry.local_write};
  wire [5:0]  shift  = req.ring ? 6'd12 : entry.page_shift;
  wire [63:0] at     = req.ring ? req.va : place[63:0];
  assign number  = at >> shift;
  assign in_page = at & ~({64{1'b1}} << shift);

  always_comb begin
    cause = 3'd0;
    if (!req.ring) begin
      if (req.key[31:8] >= 24'(MRS) || !live || entry.key != req.key) cause = `MEM_CAUSE_KEY;
      else if (entry.pd != req.pd)                                  cause = `MEM_CAUSE_PD;
      else if (!whole)                                              cause = `MEM_CAUSE_BOUNDS;
      else if ((req.need & ~rights) != '0)                          cause = `MEM_CAUSE_RIGHTS;
      else if (place[64])                                           cause = `MEM_CAUSE_PAGE;
    end
  end

endmodule

`default_nettype wire
