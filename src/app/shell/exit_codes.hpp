// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsunagi::app {

/// What the program returns; a contract with its users (README.md).
enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,        ///< a figure misses, a simulation failed
  exit_bad_input = 2,     ///< bad usage or config: all that is knowable before simulated time 0
  exit_interrupted = 130  ///< Ctrl-C, SIGTERM, SIGHUP
};

}  // namespace tsunagi::app
