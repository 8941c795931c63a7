// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "app/program.hpp"
#include "app/shell/exit_codes.hpp"
#include "runner/interrupt_watch.hpp"

/// SystemC's library refers to it; this program has its own main and elaborates in children.
extern "C" int sc_main(int, char**) { return 0; }

namespace {

extern "C" void end_interrupted(int) { ::_exit(tsunagi::app::exit_interrupted); }

/// Where nobody watches for the signals that end programs, nothing has begun that would have to be ended well.
void end_on_signals() {
  for (const int signal : tsunagi::runner::interrupts)
    if (!tsunagi::runner::is_ignored(signal)) std::signal(signal, end_interrupted);
}

/// A standard stream that is closed stays unusable: no file that is opened later takes its place.
void keep_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  keep_closed_streams();
  std::signal(SIGPIPE, SIG_DFL);  // a reader that leaves early ends us silently
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow any more is a write that fails, and told
  end_on_signals();
  return tsunagi::app::program(std::vector<std::string>(argv + 1, argv + argc));
}
