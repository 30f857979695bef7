#include "pads.h"

#include <cstddef>
#include <cstring>

#include "report.h"

// Bytes of the C++ type that Verilator has for so many bits.
static uint32_t bytes_of(uint32_t bits) {
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  if (bits <= 32) return 4;
  if (bits <= 64) return 8;
  return (bits + 31) / 32 * 4;
}

void Pads::add(const std::string& path, Pad pad) {
  pad.handle = vpi_handle_by_name(const_cast<char*>(path.c_str()), nullptr);
  if (!pad.handle) die(ErrorKind::resource, "design: expected the port %s, found none", path.c_str());
  pad.bits = uint32_t(vpi_get(vpiSize, pad.handle));
  if (bytes_of(pad.bits) != pad.bytes)
    die(ErrorKind::resource, "design: expected a port of %u bytes at %s, found %u bits", pad.bytes, path.c_str(), pad.bits);
  auto& pads = pad.kind == Kind::in ? inputs_ : pad.kind == Kind::flag ? flags_ : pad.kind == Kind::word ? words_ : cfg_;
  pads.push_back(std::move(pad));
}

void Pads::find(const std::string& scope) {
  const std::string at = scope + ".";
#define PAD(kind, device, name, valid) \
  add(at + #name, {kind, device, #name, nullptr, offsetof(Ports, name), sizeof(Ports::name), offsetof(Ports, valid), 0, {}});
#define IN_A(type, name) PAD(Kind::in, 0, a_##name, clk)
#define IN_B(type, name) PAD(Kind::in, 1, b_##name, clk)
#define FLAG_A(type, name) PAD(Kind::flag, 0, a_##name, clk)
#define FLAG_B(type, name) PAD(Kind::flag, 1, b_##name, clk)
#define WORD_A(type, name, valid) PAD(Kind::word, 0, a_##name, a_##valid)
#define WORD_B(type, name, valid) PAD(Kind::word, 1, b_##name, b_##valid)
#define CFG(type, name) PAD(Kind::cfg, 0, name, clk)
  PAD(Kind::in, 0, clk, clk)
  PAD(Kind::in, 0, rst, clk)
  PAIR_PORTS(CFG)
  HCA_PORTS(IN_A, FLAG_A, WORD_A)
  HCA_PORTS(IN_B, FLAG_B, WORD_B)
}

static constexpr uint32_t max_words = DATA_W / 32;

void Pads::put(Ports& ports) {
  auto* base = reinterpret_cast<uint8_t*>(&ports);
  for (Pad& pad : inputs_) {
    const uint8_t* now = base + pad.at;
    if (!pad.last.empty() && memcmp(now, pad.last.data(), pad.bytes) == 0) continue;
    pad.last.assign(now, now + pad.bytes);
    s_vpi_vecval words[max_words] = {};
    for (uint32_t at = 0; at < pad.bytes; at += 4)
      memcpy(&words[at / 4].aval, now + at, pad.bytes - at < 4 ? pad.bytes - at : 4);
    s_vpi_value value{};
    value.format = vpiVectorVal;
    value.value.vector = words;
    vpi_put_value(pad.handle, &value, nullptr, vpiNoDelay);
  }
}

void Pads::read(Ports& ports, Step step) {
  const auto* base = reinterpret_cast<uint8_t*>(&ports);
  const bool strict = step != Step::settle && !ports.rst;
  if (step == Step::settle)
    for (Pad& pad : cfg_) get(ports, pad, true);
  for (Pad& pad : flags_)
    if (pad.device == 0 || ports.cfg_peer) get(ports, pad, strict);
  if (step != Step::low || ports.rst) return;
  for (Pad& pad : words_)
    if (base[pad.valid]) get(ports, pad, true);
}

// An X is a value only where nobody looks.
void Pads::get(Ports& ports, Pad& pad, bool strict) {
  s_vpi_value value{};
  value.format = vpiVectorVal;
  vpi_get_value(pad.handle, &value);
  auto* to = reinterpret_cast<uint8_t*>(&ports) + pad.at;
  for (uint32_t at = 0; at < pad.bytes; at += 4) {
    const s_vpi_vecval word = value.value.vector[at / 4];
    if (word.bval && strict)
      violation(pad.device, pad.name + (pad.kind == Kind::cfg ? 0 : 2), "expected 0s and 1s, found x or z in bits %u to %u",
                at * 8, at * 8 + 31 < pad.bits ? at * 8 + 31 : pad.bits - 1);
    const uint32_t known = uint32_t(word.aval) & ~uint32_t(word.bval);
    memcpy(to + at, &known, pad.bytes - at < 4 ? pad.bytes - at : 4);
  }
}
