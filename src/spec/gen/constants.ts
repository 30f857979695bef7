// Generated from src/spec by `make gen`: edit the YAML there.

/** major version of this interface: raised by an incompatible change */
export const INTERFACE_MAJOR = 1;
/** minor version of this interface: raised by an addition */
export const INTERFACE_MINOR = 2;
/** scatter/gather entries of a WQE */
export const MAX_SGE = 16;
/** payload bytes that a send WQE can carry itself */
export const MAX_INLINE_BYTES = 256;
/** log2 of the largest message, bytes */
export const LOG_MAX_MSG = 31;
/** WQEs are made of blocks of this size */
export const WQE_BLOCK_BYTES = 64;
/** first byte of every WQE; anything else is a stale slot */
export const WQE_MARK = 90;
/** 'OHCA' in memory order */
export const MAGIC = 1094928463;
/** doorbell pages */
export const UARS = 16;
/** entries of the GID table */
export const GIDS = 8;
/** entries of the P_Key table */
export const PKEYS = 16;
/** address bits of the AXI4-Lite window of rtl/fpga/hca_axi.sv; BAR0 is at 0 */
export const AXI_WINDOW_BITS = 28;
/** where the wrapper's own registers are in that window */
export const AXI_WINDOW_OWN = 67108864;
/** where BAR2 is in that window */
export const AXI_WINDOW_BAR2 = 134217728;
/** own register: vectors that came; writing a one clears its bit */
export const AXI_IRQ_PENDING = 0;
/** own register: vectors that raise the interrupt; 0 after reset */
export const AXI_IRQ_MASK = 8;
/** own register: bits 31:0 axi_magic, 39:32 bytes of the datapath, 47:40 interrupt lines, 55:48 bytes of the window's data */
export const AXI_INFO = 16;
/** own register: writing a one resets the core; reads as one until that is done */
export const AXI_RESET = 24;
/** 'OAXI' in memory order */
export const AXI_MAGIC = 1230520655;
/** page of a ring and smallest page of a region, bytes */
export const PAGE_BYTES = 4096;
/** next header of IBA transport */
export const GRH_NXT_HDR = 27;
/** invariant CRC */
export const ICRC_BYTES = 4;
/** variant CRC */
export const VCRC_BYTES = 2;
