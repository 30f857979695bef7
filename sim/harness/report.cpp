// Errors as frames.

#include "report.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "frames.h"

static void vdie(ErrorKind kind, const std::string& prefix, const char* format, va_list args) {
  char text[1024];
  vsnprintf(text, sizeof text, format, args);
  const std::string message = prefix + text;

  fflush(stdout);
  fprintf(stderr, "openhca-sim: %s\n", message.c_str());
  if (at_death) at_death();

  FrameWriter frame;
  frame.u8(uint8_t(FrameKind::error));
  frame.u64(cycle_now);
  frame.u8(uint8_t(kind));
  frame.text(message);
  frame.send();
  end_run(2);
}

void die(ErrorKind kind, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vdie(kind, "", format, args);
  abort();
}

void violation(int device, const char* port, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char where[96];
  snprintf(where, sizeof where, "hca %d %s, cycle %llu: ", device, port, (unsigned long long)cycle_now);
  vdie(ErrorKind::violation, where, format, args);
  abort();
}
