// How a run ends badly: one error frame for the client, one line for people, exit.
//
// Nothing here returns: a harness that goes on after a violation would hide it.

#pragma once

#include <cstdint>

#include <unistd.h>

enum class ErrorKind : uint8_t {
  protocol = 1,   // the client sent what it may not
  violation = 2,  // the RTL broke a rule of a port
  timeout = 3,    // the RTL did not answer
  assertion = 4,  // an assertion in the RTL fired, or $fatal
  resource = 5,   // more memory than the harness gives
};

// Cycle number now: the count of rising edges since reset began.
inline uint64_t cycle_now = 0;

[[noreturn]] void die(ErrorKind kind, const char* format, ...) __attribute__((format(printf, 2, 3)));

// "hca 0 m_rdreq, cycle 1234: " and then what was expected and found.
[[noreturn]] void violation(int device, const char* port, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Called before the process exits, to close what is open (the wave file).
inline void (*at_death)() = nullptr;

// How a run ends that cannot go on: 0 the client has gone, 2 an error, 3 nobody reads the replies. Does not
// return. Who runs the harness inside something else may end less than the process.
inline void (*end_run)(int status) = _exit;
