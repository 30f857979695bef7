// What the run has covered of the RTL, in binaries built to count it: a file in the folder that COVERAGE in the environment names.

#pragma once

#if VM_COVERAGE
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "verilated_cov.h"

inline void leave_coverage(VerilatedContext& context) {
  const char* folder = getenv("COVERAGE");
  if (!folder || !*folder) return;
  // A number of a process comes again.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string path = folder + ("/rtl-" + std::to_string(getpid())) + "-" + std::to_string(now) + ".dat";
  const std::string part = path + ".part";
  context.coveragep()->write(part.c_str());
  // Whoever looks sees the whole or nothing.
  if (rename(part.c_str(), path.c_str()) != 0) perror(path.c_str());
}
#else
inline void leave_coverage(VerilatedContext&) {}
#endif
