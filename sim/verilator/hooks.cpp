// Through these Verilator reports $fatal, $stop and assertions.

#include "report.h"

void vl_fatal(const char* file, int line, const char* scope, const char* message) {
  die(ErrorKind::assertion, "%s (%s:%d, %s, cycle %llu)", message && *message ? message : "$fatal", file, line, scope,
      (unsigned long long)cycle_now);
}

void vl_stop(const char* file, int line, const char* scope) {
  die(ErrorKind::assertion, "assertion failed at %s:%d in %s, cycle %llu", file, line, scope,
      (unsigned long long)cycle_now);
}

#ifdef VL_USER_FINISH  // where nobody ends a simulation so
void vl_finish(const char* file, int line, const char* scope) {
  die(ErrorKind::assertion, "$finish called at %s:%d in %s", file, line, scope);
}
#endif
