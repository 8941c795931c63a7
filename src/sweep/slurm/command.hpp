// SPDX-License-Identifier: Apache-2.0
// Starts Slurm's commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tsunagi::sweep::slurm {

/// What a command said.
struct Answer {
  int code = 0;      ///< exit code; 127: there is no such command; 128 + the signal that ended it
  std::string text;  ///< standard output and standard error
};

/// Runs a command found on the PATH to its end. Throws std::system_error if no process can be started.
Answer ask(const std::vector<std::string>& words);

/// How a script ended.
struct Ended {
  int code = 0;  ///< as of Answer
  bool interrupted = false;
};

/// Runs a shell script, whose output is ours. On Ctrl-C, SIGTERM or SIGHUP it gets a SIGTERM and is waited for; on the
/// next one all that it runs does.
Ended run_script(const std::filesystem::path& file);

}  // namespace tsunagi::sweep::slurm
