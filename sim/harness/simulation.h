// Two HCAs, their hosts, the link between them, and time.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "endpoint.h"
#include "top.h"

enum class RunReason : uint8_t { cycles = 0, interrupt = 1, idle = 2, packet = 3 };

struct RunFlags {
  bool interrupt, idle, packet;
};

enum class Route : uint8_t { peer = 0, client = 1, self = 2 };

class Simulation {
 public:
  Simulation(uint64_t seed, uint32_t reset_cycles);

  Endpoint& device(uint8_t number) { return number ? *b_ : *a_; }
  uint32_t devices() const { return top_.ports.cfg_peer ? 2 : 1; }
  uint32_t tags() const { return top_.ports.cfg_rd_tags; }
  uint32_t max_read_bytes() const { return top_.ports.cfg_max_read_bytes; }
  uint32_t max_payload_bytes() const { return top_.ports.cfg_max_payload_bytes; }

  RunReason run(uint64_t cycles, RunFlags until);
  // Runs until every BAR access queued has been taken, and a read among them answered.
  void drain_bars();
  void route(uint8_t from, Route to);

  Taps taps;
  Faults faults;
  PacketPool pool;
  std::vector<Packet*> to_client;
  std::vector<Interrupt> interrupts;  // not yet reported
  Waves& waves() { return top_.waves; }

 private:
  void step();
  void edges();
  void sign_of_life();

  Top top_;
  std::unique_ptr<Endpoint> a_, b_;
  bool both_ = true;
};
