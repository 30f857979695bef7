// Host memory of one HCA: a sparse 64-bit space, zero where never written.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "report.h"

class HostMemory {
 public:
  void read(uint64_t address, uint8_t* to, size_t size) {
    walk(address, size, [&](uint64_t page, size_t offset, size_t n) {
      const uint8_t* from = find(page);
      if (from) memcpy(to, from + offset, n);
      else memset(to, 0, n);
      to += n;
    });
  }

  void write(uint64_t address, const uint8_t* from, size_t size) {
    walk(address, size, [&](uint64_t page, size_t offset, size_t n) {
      memcpy(make(page) + offset, from, n);
      from += n;
    });
  }

  void fill(uint64_t address, uint64_t size, uint8_t value) {
    walk(address, size, [&](uint64_t page, size_t offset, size_t n) {
      if (value == 0 && !find(page)) return;  // it reads as zero already
      memset(make(page) + offset, value, n);
    });
  }

 private:
  static constexpr size_t page_bytes = 4096;
  static constexpr size_t max_pages = (4ull << 30) / page_bytes;
  using Page = std::array<uint8_t, page_bytes>;

  template <typename F>
  static void walk(uint64_t address, uint64_t size, F&& visit) {
    while (size > 0) {
      const size_t offset = address % page_bytes;
      const size_t n = size_t(std::min<uint64_t>(size, page_bytes - offset));
      visit(address / page_bytes, offset, n);
      address += n;
      size -= n;
    }
  }

  // A direct-mapped cache in front of the map: neighbouring accesses hit the same few pages.
  struct Slot {
    uint64_t page = ~0ull;
    uint8_t* bytes = nullptr;
  };

  uint8_t* find(uint64_t page) {
    Slot& slot = cache_[page % cache_.size()];
    if (slot.page == page) return slot.bytes;
    const auto found = pages_.find(page);
    if (found == pages_.end()) return nullptr;
    slot = {page, found->second->data()};
    return slot.bytes;
  }

  uint8_t* make(uint64_t page) {
    if (uint8_t* bytes = find(page)) return bytes;
    if (pages_.size() >= max_pages) die(ErrorKind::resource, "host memory: more than 4 GiB written");
    auto& made = pages_[page];
    made = std::make_unique<Page>();
    made->fill(0);
    return made->data();
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Slot, 256> cache_;
};
