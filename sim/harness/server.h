// What a client can ask of a simulation: takes frames of commands, gives frames of results
// (docs/protocol.md).

#pragma once

#include <memory>

#include "frames.h"
#include "simulation.h"

enum class Op : uint8_t;

class Server {
 public:
  // Runs every command of one frame and replies. False when the client said quit.
  bool serve(FrameReader& in);

 private:
  void hello(FrameReader& in);
  void bar_access(FrameReader& in, bool write);
  void mem_access(FrameReader& in, Op op);
  void run(FrameReader& in);
  void inject(FrameReader& in);
  void take_packets();
  void link(FrameReader& in, Op op);
  void tune(FrameReader& in, Op op);
  void fail_rule(FrameReader& in);
  void take_fail_hits(FrameReader& in);
  Strikes strikes(FrameReader& in, const char* what, Prng& seeds);
  void link_faults(FrameReader& in);
  void dma_faults(FrameReader& in);
  void fault_counts();
  void stats(FrameReader& in);
  void waves(FrameReader& in);
  void reply();

  uint8_t device_number(FrameReader& in);
  Endpoint& device(FrameReader& in) { return sim_->device(device_number(in)); }

  std::unique_ptr<Simulation> sim_;
  FrameWriter results_;
};

// Serves frames until the client says quit or goes.
void serve_client();
