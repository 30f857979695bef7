// What a program in the simulator's process, such as cocotb's Python, asks of the harness.

#pragma once

#include <cstdint>

// What the harness does after a call.
enum : int {
  OPENHCA_WAITS = 0,   // for the next frame
  OPENHCA_RUNS = 1,    // `turn` of the bench toggles when it does so no more
  OPENHCA_DONE = 2,    // the client has said quit, or has closed its end
  OPENHCA_FAILED = 3,  // the client has been told why
};

extern "C" {
// Finds the bench of that name. Replies go to reply_fd; request_fd is only looked at, whether the client is still there.
void openhca_start(const char* bench, int request_fd, int reply_fd);
// The length of a frame to come; ends the run when no frame can have it.
int openhca_announce(uint32_t size);
// A frame of the client; call only when the harness waits for one. No bytes: the client has closed its end.
int openhca_frame(const uint8_t* bytes, uint32_t size);
int openhca_state();
// Of a run that has failed: what the process is to end with.
int openhca_status();
uint64_t openhca_cycle();
}
