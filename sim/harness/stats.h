// Counters of one HCA's ports. A test asserts with them that a nasty thing did happen; a bench
// computes rates from them. The order is part of the protocol.

#pragma once

#include <cstdint>

#define STATS(X) \
  X(reads) X(read_bytes) X(read_max_outstanding) X(read_splits) X(read_reordered) X(read_interleaved) X(read_errors) \
  X(writes) X(write_bytes) X(write_max_pending) X(write_reordered) X(write_errors) \
  X(irqs) X(bar_reads) X(bar_writes) \
  X(rdreq_stalls) X(rdcpl_beats) X(rdcpl_stalls) X(rdcpl_last_cycle) \
  X(wr_beats) X(wr_stalls) X(wr_last_cycle) X(irq_stalls) X(bar_stalls) \
  X(link_out_packets) X(link_out_beats) X(link_out_bytes) X(link_out_stalls) \
  X(link_out_first_cycle) X(link_out_last_cycle) X(link_out_dropped) \
  X(link_in_packets) X(link_in_beats) X(link_in_stalls) X(link_in_injected) \
  X(link_in_first_cycle) X(link_in_last_cycle)

struct Stats {
#define X(name) uint64_t name = 0;
  STATS(X)
#undef X
};
