// What a memory holds, as one wire.
  logic [DEPTH*WIDTH-1:0] f_mem;
  always_comb for (int i = 0; i < DEPTH; i++) f_mem[i*WIDTH +: WIDTH] = mem[i];
