// Moves the simulator for the harness, callback by callback.

#include "library.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <vpi_user.h>

#include "initial.h"
#include "pads.h"
#include "report.h"
#include "server.h"

namespace {

// A cycle is 4 ns; the simulator counts in ps.
constexpr uint32_t half_ps = 2000;
constexpr int picoseconds = -12;

struct Ended {};

std::string bench_name;
Pads pads;
Initial initial;
vpiHandle turn;
bool turn_level = false;
std::vector<uint8_t> waiting_frame;
bool closed = false, calling_back = false;
int status = 0;

void after(uint32_t ps, PLI_INT32 (*then)(p_cb_data)) {
  s_vpi_time time{vpiSimTime, 0, ps, 0};
  s_cb_data callback{};
  callback.reason = cbAfterDelay;
  callback.cb_rtn = then;
  callback.time = &time;
  vpi_register_cb(&callback);
}

bool take_frame(std::vector<uint8_t>& frame) {
  harness_fiber.step = Step::frame;
  harness_fiber.leave();
  if (closed) return false;
  frame.swap(waiting_frame);
  return true;
}

void harness() {
  serve_client();
  harness_fiber.step = Step::done;
  harness_fiber.leave();
}

// Where the harness itself cannot go on, it never comes back; where the simulator runs, our callback ends.
void end_here(int code) {
  status = code;
  const bool in_harness = harness_fiber.in();
  if (!in_harness && !calling_back) _exit(code);
  harness_fiber.step = Step::failed;
  if (!in_harness) throw Ended{};
  harness_fiber.leave();
}

bool runs() { return harness_fiber.step < Step::frame; }

PLI_INT32 moved(p_cb_data);

void move() {
  pads.put(*harness_fiber.ports);
  after(half_ps, moved);
}

// Runs `body`, which may end the run; what waits for the harness is told when it runs no more.
template <typename Body>
void guarded(Body&& body) {
  calling_back = true;
  try {
    body();
  } catch (const Ended&) {
  }
  calling_back = false;
  if (runs()) return;
  turn_level = !turn_level;
  s_vpi_value level{};
  level.format = vpiIntVal;
  level.value.integer = turn_level;
  vpi_put_value(turn, &level, nullptr, vpiNoDelay);
}

// Half a cycle has passed. At the start of a time step the outputs are those of the step before: settled.
PLI_INT32 moved(p_cb_data) {
  guarded([] {
    pads.read(*harness_fiber.ports, harness_fiber.step);
    harness_fiber.enter();
    if (runs()) move();
  });
  return 0;
}

// The first inputs after a frame: at a time when they may be put, whatever called us.
PLI_INT32 begun(p_cb_data) {
  guarded([] {
    if (harness_fiber.step == Step::settle) initial.set();
    move();
  });
  return 0;
}

// The first frame has been served so far that there is a seed.
PLI_INT32 born(p_cb_data) {
  initial.forget(bench_name + ".u_pair", harness_fiber.seed);
  after(1, begun);
  return 0;
}

int state() {
  switch (harness_fiber.step) {
    case Step::frame: return OPENHCA_WAITS;
    case Step::done: return OPENHCA_DONE;
    case Step::failed: return OPENHCA_FAILED;
    default: return OPENHCA_RUNS;
  }
}

}  // namespace

void openhca_start(const char* bench, int request, int reply) {
  signal(SIGPIPE, SIG_IGN);
  request_fd = request;
  reply_fd = reply;
  if (vpi_get(vpiTimePrecision, nullptr) != picoseconds)
    die(ErrorKind::resource, "design: expected a time precision of 10^%d s, found 10^%d s", picoseconds,
        int(vpi_get(vpiTimePrecision, nullptr)));
  bench_name = bench;
  const std::string path = bench_name + ".turn";
  turn = vpi_handle_by_name(const_cast<char*>(path.c_str()), nullptr);
  if (!turn) die(ErrorKind::resource, "design: expected the signal %s, found none", path.c_str());
  pads.find(bench_name + ".u_pair");
  next_frame = take_frame;
  end_run = end_here;
  harness_fiber.start(harness);
  harness_fiber.enter();
}

int openhca_announce(uint32_t size) {
  calling_back = true;
  try {
    check_frame_length(size);
  } catch (const Ended&) {
  }
  calling_back = false;
  return state();
}

int openhca_frame(const uint8_t* bytes, uint32_t size) {
  if (state() != OPENHCA_WAITS) return state();
  waiting_frame.assign(bytes, bytes + size);
  closed = size == 0;
  harness_fiber.enter();
  if (runs()) after(1, harness_fiber.step == Step::settle ? born : begun);
  return state();
}

int openhca_state() { return state(); }
int openhca_status() { return status; }
uint64_t openhca_cycle() { return cycle_now; }
