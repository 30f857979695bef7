// openhca-sim: the simulator process. Its client writes to its standard input and reads from its standard output.

#include <csignal>
#include <cstdio>
#include <new>

#include <unistd.h>

#include "report.h"
#include "server.h"

int main() {
  signal(SIGPIPE, SIG_IGN);
  std::set_new_handler([] {
    std::set_new_handler(nullptr);  // to say it takes some, too
    die(ErrorKind::resource, "memory: the system gives no more");
  });
  signal(SIGINT, SIG_IGN);  // Ctrl-C goes to the whole group: the client decides, we end with it
  // Whatever the RTL prints must not get between the frames.
  reply_fd = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, 0);

  serve_client();
  return 0;
}
