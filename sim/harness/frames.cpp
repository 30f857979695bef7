#include "frames.h"

#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "report.h"

void FrameWriter::send() {
  const uint32_t size = uint32_t(bytes_.size() - 4);
  memcpy(bytes_.data(), &size, 4);
  for (size_t at = 0; at < bytes_.size();) {
    const ssize_t n = write(reply_fd, bytes_.data() + at, bytes_.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) end_run(3);
    at += size_t(n);
  }
}

// Reads exactly `size` bytes; false at the end of the stream.
static bool read_all(uint8_t* to, size_t size) {
  while (size > 0) {
    const ssize_t n = read(request_fd, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= size_t(n);
  }
  return true;
}

void check_frame_length(uint32_t size) {
  if (size == 0 || size > max_frame_bytes)
    die(ErrorKind::protocol, "frame length: expected 1..%u bytes, got %u", max_frame_bytes, size);
}

bool read_frame(std::vector<uint8_t>& frame) {
  uint32_t size;
  if (!read_all(reinterpret_cast<uint8_t*>(&size), 4)) return false;
  check_frame_length(size);
  frame.resize(size);
  return read_all(frame.data(), size);
}

const uint8_t* FrameReader::raw(size_t size) {
  if (bytes_.size() - at_ < size)
    die(ErrorKind::protocol, "frame ends inside a command: expected %zu more bytes, got %zu", size,
        bytes_.size() - at_);
  const uint8_t* from = bytes_.data() + at_;
  at_ += size;
  return from;
}

bool client_gone() {
  pollfd in{request_fd, POLLIN, 0};
  if (poll(&in, 1, 0) <= 0) return false;
  if (in.revents & (POLLERR | POLLNVAL)) return true;
  if (!(in.revents & POLLIN)) return in.revents & POLLHUP;
  // Node hands its children sockets: there a closed peer reads as a message of no bytes.
  uint8_t byte;
  return recv(request_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}
