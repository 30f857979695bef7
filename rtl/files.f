// Written by scripts/files.sh: include folders, packages, then the modules from low to high.
+incdir+rtl/prim
+incdir+rtl/ib
rtl/ib/ib_pkg.sv
rtl/prim/prim_arb.sv
rtl/prim/prim_fifo.sv
rtl/prim/prim_ram.sv
rtl/prim/prim_skid.sv
rtl/prim/prim_stream_check.sv
rtl/hca/hca.sv
