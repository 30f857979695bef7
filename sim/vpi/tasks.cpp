// In a simulator that goes on after $error and loads this library first: both tasks end the run, with their place.

#include <string>

#include <vpi_user.h>

#include "report.h"

static PLI_INT32 fired(PLI_BYTE8* task) {
  const vpiHandle call = vpi_handle(vpiSysTfCall, nullptr);
  const std::string file = vpi_get_str(vpiFile, call);
  const std::string scope = vpi_get_str(vpiFullName, vpi_handle(vpiScope, call));
  die(ErrorKind::assertion, "%s at %s:%d in %s, cycle %llu", task, file.c_str(), int(vpi_get(vpiLineNo, call)), scope.c_str(),
      (unsigned long long)cycle_now);
}

static void add_task(const char* name, const char* says) {
  s_vpi_systf_data task{};
  task.type = vpiSysTask;
  task.tfname = const_cast<char*>(name);
  task.calltf = fired;
  task.user_data = const_cast<char*>(says);
  vpi_register_systf(&task);
}

static void add_tasks() {
  add_task("$error", "assertion failed");
  add_task("$fatal", "$fatal");
}

extern "C" {
void (*vlog_startup_routines[])() = {add_tasks, nullptr};
}
