// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <string>
#include <vector>

#include "app/program.hpp"

/// SystemC's library refers to it; this program has its own main and elaborates in children.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);  // a reader that leaves early ends us silently
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow any more is a write that fails, and told
  return tsunagi::app::program(std::vector<std::string>(argv + 1, argv + argc));
}
