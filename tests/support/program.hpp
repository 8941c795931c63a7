// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tsunagi::test {

/// What a program did.
struct Ended {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out;
  std::string err;
  std::size_t peak_rss = 0;  ///< bytes, of it or of one of its own children, whichever had most
  double cpu_s = 0;          ///< of all of them
};

/// How to start it, beside its arguments.
struct Surroundings {
  std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of ours
  bool closed_output = false;                                    ///< nobody reads its standard output
  int interrupt_after_ms = 0;                                    ///< > 0: it gets `interrupt` then
  /// If there is one: not before this is true of what it has said on standard error, or half a minute is over. For
  /// what takes longer on slower machines.
  std::function<bool(const std::string& err)> interrupt_once;
  int interrupt = SIGINT;
  bool interrupt_child = false;  ///< not it, but its child process gets that
  bool terminal = false;         ///< its standard error is a terminal of 80 columns, which knows no colours
  std::string folder;            ///< where it works; empty: where we do
  std::size_t largest_file = 0;  ///< > 0: bytes behind which writing fails, as on a full disk
  std::size_t stack = 0;         ///< > 0: bytes of its stack, as `ulimit -s` bounds it
};

/// Runs the program under test ($TSUNAGI_BIN) and waits for it. Throws std::runtime_error if it cannot be started.
Ended run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

}  // namespace tsunagi::test
