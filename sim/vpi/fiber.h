// The harness is a loop that waits for the simulator, a simulator one that calls back: each has a stack of its own.

#pragma once

#include <cstdint>
#include <memory>

#include <ucontext.h>

struct Ports;

// What the harness waits for.
enum class Step : uint8_t { settle, low, high, frame, done, failed };

class Fiber {
 public:
  void start(void (*body)()) {
    stack_ = std::make_unique<uint8_t[]>(stack_bytes);
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.get();
    inside_.uc_stack.ss_size = stack_bytes;
    inside_.uc_link = nullptr;  // the body does not return
    makecontext(&inside_, body, 0);
  }

  // From the simulator: runs the harness until it waits for something.
  void enter() {
    in_ = true;
    swapcontext(&outside_, &inside_);
    in_ = false;
  }

  // From the harness: back to the simulator until what it waits for is there.
  void leave() { swapcontext(&inside_, &outside_); }

  // The harness is running, not waiting.
  bool in() const { return in_; }

  Step step = Step::frame;
  Ports* ports = nullptr;
  uint64_t seed = 0;

 private:
  static constexpr size_t stack_bytes = 1 << 20;
  std::unique_ptr<uint8_t[]> stack_;
  ucontext_t inside_, outside_;
  bool in_ = false;
};

inline Fiber harness_fiber;
