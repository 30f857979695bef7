// The link: what leaves m_link goes to the peer, to the client or back, beat by beat.
//
// LinkOut collects and checks the packets of one HCA; LinkIn plays packets into one. A packet is cut
// through: its first beat may arrive while its last has not left. While there are fault rules, or packets that
// they hold, the link stores and forwards: a FaultPipe takes whole packets and says when they go on.

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "fault_pipe.h"
#include "host.h"
#include "packet.h"

class LinkIn {
 public:
  LinkIn(Host& host, PacketPool& pool) : host_(host), pool_(pool) {}

  bool busy() const { return current_ || !queue_.empty() || !injected_.empty(); }
  bool up() const { return host_.pins.s_link_up; }
  // A link that is down takes everything and loses it.
  // One that stores whole packets has room for another one.
  bool room(bool stores) const {
    const uint64_t more = stores ? Packet::max_bytes / lanes : 0;
    return !up() || buffered_ < host_.settings.link_latency + host_.settings.link_buffer + more;
  }

  void admit(Packet* packet) { queue_.push_back(packet); }
  // A whole packet, from now on.
  void admit_whole(Packet* packet) {
    packet->first = cycle_now;
    memset(packet->arrival, 0, packet->beats * sizeof packet->arrival[0]);
    buffered_ += packet->beats;
    admit(packet);
  }
  void count_beat() { buffered_++; }

  // Injected packets go between others, first come first served among those whose time has come.
  void inject(const uint8_t* bytes, uint32_t size, uint8_t vl, uint64_t not_before, uint64_t number) {
    Packet* p = pool_.get();
    memcpy(p->bytes, bytes, size);
    p->size = size;
    p->beats = (size + lanes - 1) / lanes;
    p->complete = p->injected = true;
    p->device = host_.device ^ 1;
    p->number = number;
    p->vl = vl;
    p->not_before = not_before;
    p->first = 0;
    memset(p->arrival, 0, p->beats * sizeof p->arrival[0]);
    injected_.push_back(p);
  }

  void drive() {
    Pins& p = host_.pins;
    if (accepted_) {
      accepted_ = false;
      p.s_link_valid = 0;
      if (host_.settings.scramble) memset(p.s_link_data.data(), int(cycle_now & 0xff), lanes);
    }
    if (offered_) return;
    if (!current_ && !(current_ = next())) return;
    if (beat_ == current_->beats || !arrived(*current_, beat_)) return;
    if (!host_.willing(Die::link_offer)) return;
    offer_beat();
  }

  void sample() {
    if (!offered_) return;
    Pins& p = host_.pins;
    if (!p.s_link_ready) {
      host_.stats.link_in_stalls++;
      return;
    }
    offered_ = false;
    accepted_ = true;
    if (!current_->injected) buffered_--;
    if (host_.stats.link_in_beats++ == 0) host_.stats.link_in_first_cycle = cycle_now;
    host_.stats.link_in_last_cycle = cycle_now;
    if (beat_ == 1) delivery_first_ = cycle_now;
    if (p.s_link_last) finish_packet();
  }

 private:
  bool arrived(const Packet& p, uint32_t beat) const {
    return p.injected || p.first + p.arrival[beat] + host_.settings.link_latency <= cycle_now;
  }

  Packet* next() {
    beat_ = 0;
    for (size_t i = 0; i < injected_.size(); i++) {
      Packet* p = injected_[i];
      if (p->not_before > cycle_now) continue;
      injected_.erase(injected_.begin() + long(i));
      if (up()) return p;
      drop(p);
      return nullptr;
    }
    if (queue_.empty() || !arrived(*queue_.front(), 0)) return nullptr;
    Packet* p = queue_.front();
    if (!up() && !p->complete) return nullptr;  // dropped when the whole of it is here
    queue_.pop_front();
    if (up()) return p;
    drop(p);
    return nullptr;
  }

  void drop(Packet* p) {
    if (!p->injected) buffered_ -= p->beats;
    pool_.put(p);
  }

  void offer_beat() {
    Pins& p = host_.pins;
    const uint32_t left = current_->size - beat_ * lanes;
    // While the packet is still coming in, size counts what is there: only a complete one has a last beat.
    const bool last = current_->complete && left <= lanes;
    p.s_link_valid = 1;
    put_lanes(p.s_link_data, current_->bytes + beat_ * lanes);
    p.s_link_keep = keep_mask(0, last ? left : lanes);
    p.s_link_last = last;
    p.s_link_vl = current_->vl;
    offered_ = true;
    beat_++;
  }

  void finish_packet() {
    host_.stats.link_in_packets++;
    if (current_->injected) {
      host_.stats.link_in_injected++;
      host_.taps.packet(*current_, current_->device, delivery_first_, cycle_now, -1);
    }
    host_.taps.arrival(*current_, host_.device, delivery_first_, cycle_now);
    pool_.put(current_);
    current_ = nullptr;
  }

  Host& host_;
  PacketPool& pool_;
  std::deque<Packet*> queue_;
  std::vector<Packet*> injected_;
  Packet* current_ = nullptr;  // on the pins; beat_ of its beats offered
  uint32_t beat_ = 0;
  uint64_t buffered_ = 0;  // beats that arrived and are not delivered
  uint64_t delivery_first_ = 0;
  bool offered_ = false, accepted_ = false;
};

class LinkOut {
 public:
  LinkOut(Host& host, PacketPool& pool, std::vector<Packet*>& to_client)
      : host_(host), pool_(pool), pipe_(pool), to_client_(to_client) {}

  // Where the next packets go: an HCA's LinkIn, or the client.
  void route(LinkIn* target) { route_ = target; }
  bool busy() const { return current_ != nullptr || !pipe_.empty(); }

  void drive() {
    if (!pipe_.empty()) forward();
    const bool stores = faulty();
    host_.pins.m_link_ready = host_.willing(Die::link) && !pipe_.held() && (!route_ || route_->room(stores)) &&
                              (!target_ || target_->room(stores));
  }

  void sample() {
    Pins& p = host_.pins;
    if (!(p.m_link_valid | rule_.held())) {
      if (current_)
        violation(host_.device, "m_link", "expected no gap inside a packet, found one after beat %u", current_->beats);
      return;
    }
    rule_.check(host_, "m_link", p.m_link_valid, [&] {
      return p.m_link_keep == kept_keep_ && p.m_link_last == kept_last_ && p.m_link_vl == kept_vl_ &&
             same(p.m_link_data, kept_data_);
    });
    rule_.hold(!p.m_link_ready);
    if (!p.m_link_ready) {
      host_.stats.link_out_stalls++;
      kept_keep_ = p.m_link_keep;
      kept_last_ = p.m_link_last;
      kept_vl_ = p.m_link_vl;
      kept_data_ = p.m_link_data;
      return;
    }
    take_beat();
  }

 private:
  void take_beat() {
    Pins& p = host_.pins;
    if (!current_) start_packet();
    Packet& packet = *current_;

    const Keep keep = p.m_link_keep;
    const uint32_t count = uint32_t(__builtin_popcountll(keep));
    if (keep != keep_mask(0, count) || count == 0)
      violation(host_.device, "m_link", "expected keep contiguous from lane 0, found 0x%llx", (unsigned long long)keep);
    if (count != lanes && !p.m_link_last)
      violation(host_.device, "m_link", "expected every lane kept before the last beat, found %u of %u", count, lanes);
    if (p.m_link_vl != packet.vl)
      violation(host_.device, "m_link", "expected virtual lane %u through the packet, found %u", packet.vl, p.m_link_vl);
    if (packet.size + count > Packet::max_bytes)
      violation(host_.device, "m_link", "expected a packet of at most %u bytes, found more", Packet::max_bytes);

    memcpy(packet.bytes + packet.size, p.m_link_data.data(), count);
    packet.size += count;
    packet.arrival[packet.beats++] = uint32_t(cycle_now - packet.first);
    if (target_ && !stored_) target_->count_beat();
    if (host_.stats.link_out_beats++ == 0) host_.stats.link_out_first_cycle = cycle_now;
    host_.stats.link_out_last_cycle = cycle_now;
    if (p.m_link_last) finish_packet();
  }

  void start_packet() {
    current_ = pool_.get();
    current_->device = host_.device;
    current_->vl = host_.pins.m_link_vl;
    current_->first = cycle_now;
    dropped_ = !host_.pins.s_link_up;
    for_client_ = !route_ && !dropped_;
    target_ = dropped_ ? nullptr : route_;
    stored_ = !dropped_ && faulty();
    current_->number = packets_++;
    current_->target = target_;
    if (target_ && !stored_) target_->admit(current_);
  }

  void finish_packet() {
    Packet* p = current_;
    p->complete = true;
    p->last = cycle_now;
    host_.stats.link_out_packets++;
    host_.stats.link_out_bytes += p->size;
    const int struck = stored_ ? host_.faults.link.strike(host_.device, p->bytes, p->size) : -1;
    host_.taps.packet(*p, host_.device, p->first, p->last, struck);
    if (stored_) {
      pipe_.put(p, struck < 0 ? nullptr : &host_.faults.link.rules[size_t(struck)]);
      forward();
    } else if (for_client_) {
      to_client_.push_back(p);
    }
    if (dropped_) {
      host_.stats.link_out_dropped++;
      pool_.put(p);
    }
    current_ = nullptr;
    target_ = nullptr;
  }

  bool faulty() const { return !host_.faults.link.rules.empty() || !pipe_.empty(); }

  // What comes out of the pipe now goes on.
  void forward() {
    pipe_.drain([&](Packet* p) {
      if (p->target) {
        p->target->admit_whole(p);
        return;
      }
      p->first += cycle_now - p->last;
      p->last = cycle_now;
      to_client_.push_back(p);
    });
  }

  Host& host_;
  PacketPool& pool_;
  FaultPipe pipe_;
  std::vector<Packet*>& to_client_;
  uint64_t packets_ = 0;      // numbered from 0
  LinkIn* route_ = nullptr;   // of packets to come
  LinkIn* target_ = nullptr;  // of the packet on its way
  Packet* current_ = nullptr;
  bool for_client_ = false, dropped_ = false;
  bool stored_ = false;       // it goes through the pipe

  StreamRule rule_;
  Keep kept_keep_ = 0;
  bool kept_last_ = false;
  uint8_t kept_vl_ = 0;
  Data kept_data_;
};
