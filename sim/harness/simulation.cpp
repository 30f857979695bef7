#include "simulation.h"

Simulation::Simulation(uint64_t seed, uint32_t reset_cycles) : top_(seed) {
  top_.ports.clk = 0;
  top_.ports.rst = 1;
  top_.settle();
  both_ = top_.ports.cfg_peer;
  // A different stream of dice for each HCA, and both from one seed.
  Prng seeds(seed);
  const auto make = [&](uint8_t number, Pins pins) {
    return std::make_unique<Endpoint>(number, pins, taps, faults, pool, to_client, interrupts, seeds.next(), tags(),
                                      max_read_bytes(), max_payload_bytes());
  };
  a_ = make(0, pins_a(top_.ports));
  b_ = make(1, pins_b(top_.ports));
  route(0, both_ ? Route::peer : Route::client);
  route(1, Route::peer);
  for (uint32_t i = 0; i < reset_cycles; i++) edges();
  top_.ports.rst = 0;
}

void Simulation::route(uint8_t from, Route to) {
  Endpoint* ends[2] = {a_.get(), b_.get()};
  LinkIn* target = nullptr;
  if (to == Route::peer) target = &ends[from ^ 1]->link_in;
  if (to == Route::self) target = &ends[from]->link_in;
  ends[from]->link_out.route(target);
}

// The falling edge settles the outputs that follow this cycle's inputs, the rising edge ends it.
void Simulation::edges() {
  top_.half(false);
  if (!top_.ports.rst) {
    a_->sample();
    if (both_) b_->sample();
  }
  top_.half(true);
  cycle_now++;
}

void Simulation::step() {
  a_->drive();
  if (both_) b_->drive();
  edges();
  if (cycle_now % Top::cycles_per_look == 0) sign_of_life();
}

void Simulation::sign_of_life() {
  if (client_gone()) {
    top_.waves.close();
    end_run(0);
  }
  if (cycle_now % Top::cycles_per_sign != 0) return;
  FrameWriter alive;
  alive.u8(uint8_t(FrameKind::alive));
  alive.u64(cycle_now);
  alive.send();
}

RunReason Simulation::run(uint64_t cycles, RunFlags until) {
  const uint64_t idle_cycles = a_->host.settings.idle_cycles;
  const uint64_t start = cycle_now;
  uint64_t quiet_since = start;
  if (until.interrupt && !interrupts.empty()) return RunReason::interrupt;
  if (until.packet && !to_client.empty()) return RunReason::packet;

  while (cycle_now - start < cycles) {
    step();
    if (until.interrupt && !interrupts.empty()) return RunReason::interrupt;
    if (until.packet && !to_client.empty()) return RunReason::packet;
    if (!until.idle) continue;
    if (a_->busy() || (both_ && b_->busy())) quiet_since = cycle_now;
    else if (cycle_now - quiet_since >= idle_cycles) return RunReason::idle;
  }
  return RunReason::cycles;
}

void Simulation::drain_bars() {
  while (a_->bar.busy() || b_->bar.busy()) step();
}
