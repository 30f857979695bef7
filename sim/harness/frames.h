// Length-prefixed frames on the two pipes (docs/protocol.md), little-endian throughout.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

enum class FrameKind : uint8_t { ok = 0, error = 1, alive = 2 };

constexpr uint32_t max_frame_bytes = 256u << 20;

// The pipe replies go to; what the RTL prints with $display goes to stderr instead.
inline int reply_fd = 1;
// The pipe frames come from.
inline int request_fd = 0;

// Ends the run when no frame can be of this length.
void check_frame_length(uint32_t size);

// Waits for the next frame on request_fd; false when the client has closed its end.
bool read_frame(std::vector<uint8_t>& frame);
// Where frames come from; who runs the harness inside something else puts a source of its own here.
inline bool (*next_frame)(std::vector<uint8_t>& frame) = read_frame;

class FrameWriter {
 public:
  FrameWriter() { clear(); }
  void clear() { bytes_.assign(4, 0); }
  // Without the length.
  size_t size() const { return bytes_.size() - 4; }

  void u8(uint8_t v) { bytes_.push_back(v); }
  void u16(uint16_t v) { raw(&v, 2); }
  void u32(uint32_t v) { raw(&v, 4); }
  void u64(uint64_t v) { raw(&v, 8); }
  void raw(const void* data, size_t size) {
    const auto* from = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  void text(const std::string& s) {
    u32(uint32_t(s.size()));
    raw(s.data(), s.size());
  }
  void append(const FrameWriter& other) { raw(other.bytes_.data() + 4, other.bytes_.size() - 4); }
  // Room for `size` bytes, to be filled by the caller before the next call.
  uint8_t* room(size_t size) {
    bytes_.resize(bytes_.size() + size);
    return bytes_.data() + bytes_.size() - size;
  }

  // Writes the frame; exits when nobody reads any more.
  void send();

 private:
  std::vector<uint8_t> bytes_;
};

// One client frame. Reading past its end is a protocol error.
class FrameReader {
 public:
  // Waits for a frame; false when the client has closed its end.
  bool receive() {
    at_ = 0;
    return next_frame(bytes_);
  }
  bool done() const { return at_ == bytes_.size(); }

  uint8_t u8() { return take<uint8_t>(); }
  uint16_t u16() { return take<uint16_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  uint64_t u64() { return take<uint64_t>(); }
  const uint8_t* raw(size_t size);

 private:
  template <typename T>
  T take() {
    T v;
    memcpy(&v, raw(sizeof v), sizeof v);
    return v;
  }

  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
};

// The client has gone: nobody will read what a long run finds.
bool client_gone();
