// Written by scripts/files.sh: what stands around the core in an FPGA, to be read behind rtl/files.f.
rtl/fpga/axi_read.sv
rtl/fpga/axi_write.sv
rtl/fpga/axil_bar.sv
rtl/fpga/core_reset.sv
rtl/fpga/example.v
rtl/fpga/hca_axi.sv
rtl/fpga/irq_level.sv
rtl/fpga/open_board.v
rtl/fpga/packet_gate.sv
