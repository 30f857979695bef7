// Everything around one HCA: its host and its two link directions.

#pragma once

#include <cstdint>
#include <vector>

#include "bar.h"
#include "link.h"
#include "reads.h"
#include "writes.h"

struct Interrupt {
  uint8_t device;
  uint8_t vector;
  uint64_t cycle;
};

class Endpoint {
 public:
  Endpoint(uint8_t device, Pins pins, Taps& taps, Faults& faults, PacketPool& pool,
           std::vector<Packet*>& to_client, std::vector<Interrupt>& interrupts, uint64_t seed, uint32_t tags, uint32_t max_read, uint32_t max_payload)
      : host(device, pins, taps, faults, seed),
        bar(host),
        writes(host, max_payload),
        reads(host, writes, tags, max_read),
        link_in(host, pool),
        link_out(host, pool, to_client),
        interrupts_(interrupts) {
    // Quiet during reset; what a port reads as valid must not start as noise.
    Pins& p = host.pins;
    p.s_bar_valid = p.s_rdcpl_valid = p.s_wrack_valid = p.s_link_valid = 0;
    p.m_bar_ready = p.m_rdreq_ready = p.m_wr_ready = p.m_irq_ready = p.m_link_ready = 0;
    p.s_link_up = 1;
  }

  Host host;
  BarPort bar;
  WritePort writes;
  ReadPort reads;
  LinkIn link_in;
  LinkOut link_out;

  // Inputs of this cycle, from what earlier cycles showed.
  void drive() {
    host.roll();
    bar.drive();
    writes.drive();
    reads.drive();
    host.pins.m_irq_ready = host.willing(Die::irq);
    link_out.drive();
    link_in.drive();
  }

  // Handshakes of this cycle, the outputs being settled.
  void sample() {
    bar.sample();
    writes.sample();
    reads.sample();
    if (host.pins.m_irq_valid | irq_rule_.held()) sample_irq();
    link_out.sample();
    link_in.sample();
  }

  bool busy() const {
    const Pins& p = host.pins;
    return bar.busy() || writes.busy() || reads.busy() || link_in.busy() || link_out.busy() ||
           (p.m_bar_valid | p.m_wr_valid | p.m_irq_valid | p.m_link_valid);
  }

 private:
  void sample_irq() {
    Pins& p = host.pins;
    irq_rule_.check(host, "m_irq", p.m_irq_valid, [&] { return p.m_irq_vector == kept_vector_; });
    irq_rule_.hold(!p.m_irq_ready);
    kept_vector_ = p.m_irq_vector;
    if (!p.m_irq_ready) {
      host.stats.irq_stalls++;
      return;
    }
    host.stats.irqs++;
    host.taps.interrupt(host.device, p.m_irq_vector);
    interrupts_.push_back({host.device, p.m_irq_vector, cycle_now});
  }

  std::vector<Interrupt>& interrupts_;
  StreamRule irq_rule_;
  uint8_t kept_vector_ = 0;
};
