#include "initial.h"

#include <cstring>

static void put(vpiHandle object, s_vpi_vecval* bits) {
  s_vpi_value value{};
  value.format = vpiVectorVal;
  value.value.vector = bits;
  vpi_put_value(object, &value, nullptr, vpiNoDelay);
}

// The two headers differ in the sign of these.
static s_vpi_vecval vecval(uint32_t bits, uint32_t x) {
  s_vpi_vecval word;
  word.aval = decltype(word.aval)(bits);
  word.bval = decltype(word.bval)(x);
  return word;
}

template <typename Each>
static void each_of(PLI_INT32 kind, vpiHandle parent, Each&& each) {
  vpiHandle list = vpi_iterate(kind, parent);
  if (!list) return;
  while (vpiHandle object = vpi_scan(list)) each(object);
}

void Initial::take(vpiHandle object, Prng& prng) {
  s_vpi_value value{};
  value.format = vpiVectorVal;
  vpi_get_value(object, &value);
  const size_t count = (size_t(vpi_get(vpiSize, object)) + 31) / 32;
  std::vector<s_vpi_vecval> unknown(count, vecval(~0u, ~0u));
  bool known = false;
  entries_.push_back({object, words_.size(), count});
  for (size_t i = 0; i < count; i++) {
    const uint32_t bits = uint32_t(value.value.vector[i].aval), x = uint32_t(value.value.vector[i].bval);
    words_.push_back(vecval((bits & ~x) | (uint32_t(prng.next()) & x), 0));
    known |= x != ~0u;
  }
  if (known) put(object, unknown.data());
}

void Initial::walk(vpiHandle scope, Prng& prng) {
  each_of(vpiReg, scope, [&](vpiHandle object) {
    if (!vpi_get(vpiAutomatic, object)) take(object, prng);
  });
  each_of(vpiMemory, scope, [&](vpiHandle memory) {
    each_of(vpiMemoryWord, memory, [&](vpiHandle word) { take(word, prng); });
  });
  each_of(vpiInternalScope, scope, [&](vpiHandle inner) { walk(inner, prng); });
}

void Initial::forget(const std::string& scope, uint64_t seed) {
  s_vpi_vlog_info info{};
  vpi_get_vlog_info(&info);
  if (info.product && strstr(info.product, "Verilator")) return;
  Prng prng(seed);
  walk(vpi_handle_by_name(const_cast<char*>(scope.c_str()), nullptr), prng);
}

void Initial::set() {
  for (const Entry& entry : entries_) put(entry.object, &words_[entry.at]);
  entries_ = {};
  words_ = {};
}
