#include "server.h"

#include <string>

#ifndef SIM_VARIANT
#define SIM_VARIANT ""
#endif

static constexpr uint32_t magic = 0x4143484f;  // "OHCA"
// On the wire the major version is the low byte.
static constexpr uint8_t protocol_major = 2;
static constexpr uint8_t protocol_minor = 0;
static constexpr uint32_t max_transfer_bytes = 64u << 20;
// The head of a reply needs the rest of its frame.
static constexpr size_t max_result_bytes = max_frame_bytes - (64u << 10);

enum class Op : uint8_t {
  hello = 1,
  bar_write = 2,
  bar_read = 3,
  mem_write = 4,
  mem_read = 5,
  mem_fill = 6,
  run = 7,
  set_taps = 8,
  take_taps = 9,
  inject = 10,
  link_up = 11,
  route = 12,
  take_packets = 13,
  profile = 14,
  setting = 15,
  fail_rule = 16,
  take_fail_hits = 17,
  stats = 18,
  waves = 19,
  quit = 20,
  link_faults = 21,
  dma_faults = 22,
  fault_counts = 23,
};

uint8_t Server::device_number(FrameReader& in) {
  const uint8_t number = in.u8();
  if (number >= sim_->devices())
    die(ErrorKind::protocol, "device: expected 0..%u, got %u", sim_->devices() - 1, number);
  return number;
}

bool Server::serve(FrameReader& in) {
  results_.clear();
  bool more = true;
  while (more && !in.done()) {
    const Op op = Op(in.u8());
    if (!sim_ && op != Op::hello) die(ErrorKind::protocol, "first command: expected hello, got %u", unsigned(op));
    switch (op) {
      case Op::hello: hello(in); break;
      case Op::bar_write: bar_access(in, true); break;
      case Op::bar_read: bar_access(in, false); break;
      case Op::mem_write:
      case Op::mem_read:
      case Op::mem_fill: mem_access(in, op); break;
      case Op::run: run(in); break;
      case Op::set_taps: {
        const uint8_t on = in.u8();
        sim_->taps.packets = on & 1;
        sim_->taps.dma = on & 2;
        sim_->taps.interrupts = on & 4;
        sim_->taps.dma_bytes = on & 8;
        sim_->taps.arrivals = on & 16;
        break;
      }
      case Op::take_taps: sim_->drain_bars(); sim_->taps.take(results_); break;
      case Op::inject: inject(in); break;
      case Op::link_up:
      case Op::route: link(in, op); break;
      case Op::take_packets: take_packets(); break;
      case Op::profile:
      case Op::setting: tune(in, op); break;
      case Op::fail_rule: fail_rule(in); break;
      case Op::take_fail_hits: take_fail_hits(in); break;
      case Op::stats: stats(in); break;
      case Op::waves: waves(in); break;
      case Op::quit: more = false; break;
      case Op::link_faults: link_faults(in); break;
      case Op::dma_faults: dma_faults(in); break;
      case Op::fault_counts: sim_->drain_bars(); fault_counts(); break;
      default: die(ErrorKind::protocol, "command: expected 1..23, got %u", unsigned(op));
    }
    if (results_.size() > max_result_bytes)
      die(ErrorKind::protocol, "frame: expected commands with at most %zu bytes of results, got more", max_result_bytes);
  }
  if (!sim_) die(ErrorKind::protocol, "first frame: expected hello, got nothing");
  sim_->drain_bars();
  reply();
  return more;
}

// The head is known only after the commands ran: they move the cycle and raise interrupts.
void Server::reply() {
  FrameWriter frame;
  frame.u8(uint8_t(FrameKind::ok));
  frame.u64(cycle_now);
  frame.u32(uint32_t(sim_->interrupts.size()));
  for (const Interrupt& i : sim_->interrupts) {
    frame.u8(i.device);
    frame.u8(i.vector);
    frame.u64(i.cycle);
  }
  sim_->interrupts.clear();
  frame.append(results_);
  frame.send();
}

void Server::hello(FrameReader& in) {
  if (sim_) die(ErrorKind::protocol, "hello: expected once, got twice");
  const uint32_t got_magic = in.u32();
  const uint8_t got_major = in.u8();
  const uint8_t got_minor = in.u8();
  if (got_magic != magic) die(ErrorKind::protocol, "hello: expected magic 0x%08x, got 0x%08x", magic, got_magic);
  if (got_major != protocol_major || got_minor > protocol_minor)
    die(ErrorKind::protocol, "hello: expected protocol version %u.%u, got %u.%u", protocol_major, protocol_minor, got_major, got_minor);
  const uint64_t seed = in.u64();
  const uint32_t reset_cycles = in.u32();
  if (reset_cycles < 1 || reset_cycles > 100000)
    die(ErrorKind::protocol, "hello: expected 1..100000 reset cycles, got %u", reset_cycles);
  sim_ = std::make_unique<Simulation>(seed, reset_cycles);

  results_.u8(protocol_major);
  results_.u8(protocol_minor);
  results_.u16(uint16_t(lanes * 8));
  results_.u8(uint8_t(sim_->devices()));
  results_.u8(Waves::available);
  results_.u16(uint16_t(sim_->tags()));
  results_.u16(uint16_t(sim_->max_read_bytes()));
  results_.u16(uint16_t(sim_->max_payload_bytes()));
  results_.text(SIM_VARIANT);
  std::string names;
#define X(name) names += #name ",";
  SETTINGS(X)
#undef X
  results_.text(names);
  names.clear();
#define X(name) names += #name ",";
  STATS(X)
#undef X
  results_.text(names);
}

// The port is 64 bits wide: a 4-byte access takes the half its offset names.
void Server::bar_access(FrameReader& in, bool write) {
  BarPort& port = device(in).bar;
  const uint8_t bar = in.u8(), size = in.u8();
  const uint32_t offset = in.u32();
  const uint64_t value = write ? in.u64() : 0;
  if (bar != 0 && bar != 2) die(ErrorKind::protocol, "BAR: expected 0 or 2, got %u", bar);
  if ((size != 4 && size != 8) || offset % size != 0)
    die(ErrorKind::protocol, "BAR access: expected 4 or 8 aligned bytes, got %u at 0x%x", size, offset);
  const uint32_t shift = offset % 8 * 8;
  const uint8_t strobes = uint8_t(size == 8 ? 0xff : 0x0f << (offset % 8));
  port.post({write, bar, strobes, offset - offset % 8, value << shift});
  if (write) return;
  sim_->drain_bars();
  const uint64_t word = port.answer() >> shift;
  results_.u64(size == 8 ? word : word & 0xffffffffu);
}

void Server::mem_access(FrameReader& in, Op op) {
  HostMemory& memory = device(in).host.memory;
  const uint64_t address = in.u64();
  const uint64_t size = op == Op::mem_fill ? in.u64() : in.u32();
  if (size > 0 && address + (size - 1) < address)
    die(ErrorKind::protocol, "host memory: expected an end below 2^64, got address 0x%llx, length 0x%llx",
        (unsigned long long)address, (unsigned long long)size);
  if (size > max_transfer_bytes)
    die(ErrorKind::protocol, "host memory: expected at most %u bytes, got %llu", max_transfer_bytes,
        (unsigned long long)size);
  if (op == Op::mem_fill) {
    memory.fill(address, size, in.u8());
  } else if (op == Op::mem_write) {
    memory.write(address, in.raw(size), size);
  } else {
    sim_->drain_bars();
    memory.read(address, results_.room(size), size);
  }
}

void Server::run(FrameReader& in) {
  const uint64_t cycles = in.u64();
  const uint8_t flags = in.u8();
  results_.u8(uint8_t(sim_->run(cycles, {bool(flags & 1), bool(flags & 2), bool(flags & 4)})));
  results_.u64(cycle_now);
}

void Server::inject(FrameReader& in) {
  LinkIn& link = device(in).link_in;
  const uint8_t vl = in.u8();
  const uint64_t not_before = in.u64(), number = in.u64();
  const uint32_t size = in.u32();
  if (size == 0 || size > Packet::max_bytes)
    die(ErrorKind::protocol, "inject: expected 1..%u bytes, got %u", Packet::max_bytes, size);
  link.inject(in.raw(size), size, vl & 15, not_before, number);
}

void Server::take_packets() {
  results_.u32(uint32_t(sim_->to_client.size()));
  for (Packet* p : sim_->to_client) {
    results_.u8(p->device);
    results_.u8(p->vl);
    results_.u64(p->number);
    results_.u64(p->first);
    results_.u64(p->last);
    results_.u32(p->size);
    results_.raw(p->bytes, p->size);
    sim_->pool.put(p);
  }
  sim_->to_client.clear();
}

void Server::link(FrameReader& in, Op op) {
  const uint8_t number = device_number(in);
  const uint8_t value = in.u8();
  if (op == Op::link_up) {
    sim_->device(number).host.pins.s_link_up = value != 0;
    return;
  }
  if (value > uint8_t(Route::self)) die(ErrorKind::protocol, "route: expected 0..2, got %u", value);
  if (Route(value) == Route::peer && sim_->devices() == 1)
    die(ErrorKind::protocol, "route: expected client or self, there being one HCA, got peer");
  sim_->route(number, Route(value));
}

// Cycles, or what is counted beside them: sums of some stay far from where 64 bits end.
static constexpr uint64_t max_setting = 0xffffffffu;

void Server::tune(FrameReader& in, Op op) {
  Host& host = device(in).host;
  const uint8_t number = in.u8();
  if (op == Op::profile) {
    if (number > uint8_t(Profile::hostile)) die(ErrorKind::protocol, "profile: expected 0..2, got %u", number);
    host.set(profile_settings(Profile(number)));
    return;
  }
  const uint64_t value = in.u64();
  Settings settings = host.settings;
  uint64_t* field = settings.by_number(number);
  if (!field) die(ErrorKind::protocol, "setting: expected 0..%u, got %u", unsigned(Setting::count) - 1, number);
  if (value > max_setting)
    die(ErrorKind::protocol, "setting: expected a value of at most %llu, got %llu", (unsigned long long)max_setting,
        (unsigned long long)value);
  *field = value;
  host.set(settings);
}

static constexpr uint32_t max_fault_rules = 1024;

void Server::fail_rule(FrameReader& in) {
  Host& host = device(in).host;
  FailRule rule;
  rule.write = in.u8() != 0;
  rule.address = in.u64();
  rule.size = in.u64();
  rule.count = in.u32();
  rule.cycles = in.u32();
  rule.after_bytes = in.u32();
  if (host.fail_rules.size() == max_fault_rules)
    die(ErrorKind::protocol, "fail rule: expected at most %u of them, got more", max_fault_rules);
  host.fail_rules.push_back(rule);
}

// The rules end with it: hits in the order the rules were made.
void Server::take_fail_hits(FrameReader& in) {
  Host& host = device(in).host;
  results_.u32(uint32_t(host.fail_rules.size()));
  for (const FailRule& rule : host.fail_rules) results_.u32(rule.hits);
  host.fail_rules.clear();
}

static uint32_t rule_count(FrameReader& in, const char* what) {
  const uint32_t count = in.u32();
  if (count > max_fault_rules)
    die(ErrorKind::protocol, "%s: expected at most %u rules, got %u", what, max_fault_rules, count);
  return count;
}

// A choice of the client: 0..most.
static uint8_t choice(uint8_t value, uint8_t most, const char* what, const char* field) {
  if (value > most) die(ErrorKind::protocol, "%s: expected %s 0..%u, got %u", what, field, most, value);
  return value;
}

Strikes Server::strikes(FrameReader& in, const char* what, Prng& seeds) {
  Strikes s;
  s.random = choice(in.u8(), 1, what, "random") != 0;
  s.nth = in.u32();
  s.count = in.u32();
  s.chance = in.u64();
  s.prng = Prng(seeds.next());
  return s;
}

// The rules replace those before. A packet that is under way is struck by none of them.
void Server::link_faults(FrameReader& in) {
  Prng seeds(in.u64());
  std::vector<LinkRule> rules(rule_count(in, "link faults"));
  for (LinkRule& r : rules) {
    r.from = in.u8();
    if (r.from != LinkRule::either) choice(r.from, 1, "link fault", "from 255 or");
    const uint8_t asks = choice(in.u8(), 7, "link fault", "asks");
    r.asks_qpn = asks & 1;
    r.asks_opcode = asks & 2;
    r.asks_psn = asks & 4;
    r.qpn = in.u32();
    r.opcode = in.u8();
    r.psn = in.u32();
    r.strikes = strikes(in, "link fault", seeds);
    r.what = LinkFault(choice(in.u8(), uint8_t(LinkFault::hold), "link fault", "what"));
    r.bit = in.u32();
    r.cycles = in.u32();
    if (r.bit >= 8 * Packet::max_bytes)
      die(ErrorKind::protocol, "link fault: expected bit 0..%u, got %u", 8 * Packet::max_bytes - 1, r.bit);
    const bool waits = r.what == LinkFault::delay || r.what == LinkFault::reorder || r.what == LinkFault::hold;
    if (waits && r.cycles == 0) die(ErrorKind::protocol, "link fault: expected at least 1 cycle, got 0");
  }
  sim_->drain_bars();
  sim_->faults.link.rules = std::move(rules);
}

void Server::dma_faults(FrameReader& in) {
  Prng seeds(in.u64());
  std::vector<DmaRule> rules(rule_count(in, "DMA faults"));
  for (DmaRule& r : rules) {
    r.host = device_number(in);
    r.write = choice(in.u8(), 1, "DMA fault", "write") != 0;
    r.first = in.u64();
    r.last = in.u64();
    r.strikes = strikes(in, "DMA fault", seeds);
    r.what = DmaFault(choice(in.u8(), uint8_t(DmaFault::fail), "DMA fault", "what"));
    if (r.last < r.first)
      die(ErrorKind::protocol, "DMA fault: expected a last address from 0x%llx on, got 0x%llx",
          (unsigned long long)r.first, (unsigned long long)r.last);
    if ((r.what == DmaFault::fail) != r.write)
      die(ErrorKind::protocol, "DMA fault: expected what 0..2 of a read, 3 of a write, got %u", unsigned(r.what));
  }
  sim_->drain_bars();
  sim_->faults.dma.rules = std::move(rules);
}

void Server::fault_counts() {
  const auto tell = [&](const auto& rules) {
    results_.u32(uint32_t(rules.size()));
    for (const auto& r : rules) {
      results_.u64(r.strikes.matches);
      results_.u64(r.strikes.strikes);
    }
  };
  tell(sim_->faults.link.rules);
  tell(sim_->faults.dma.rules);
}

void Server::stats(FrameReader& in) {
  const Stats& s = device(in).host.stats;
#define X(name) results_.u64(s.name);
  STATS(X)
#undef X
}

void Server::waves(FrameReader& in) {
  const uint64_t start = in.u64(), stop = in.u64();
  const uint32_t size = in.u32();
  const auto* path = reinterpret_cast<const char*>(in.raw(size));
  sim_->waves().window(start, stop, std::string(path, size));
}

void serve_client() {
  Server server;
  FrameReader frame;
  while (frame.receive() && server.serve(frame)) {
  }
}
