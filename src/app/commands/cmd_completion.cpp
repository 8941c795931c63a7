// SPDX-License-Identifier: Apache-2.0
#include "app/commands.hpp"
#include "app/shell/complete.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"

namespace tsunagi::app {
namespace {

CommandLine completion_line() {
  CommandLine line("completion bash|zsh|fish",
                   "Prints what a shell has to read to complete commands, options and names. Packages install it.",
                   "  tsunagi completion bash > ~/.local/share/bash-completion/completions/tsunagi\n"
                   "  tsunagi completion zsh > ~/.zfunc/_tsunagi\n"
                   "  tsunagi completion fish > ~/.config/fish/completions/tsunagi.fish\n");
  line.input(1);
  return line;
}

int run_completion(const boost::program_options::variables_map& values) {
  const std::vector<std::string> words = inputs(values);
  if (words.empty()) throw UsageError("for which shell? usage: tsunagi completion bash|zsh|fish");
  write_stdout(completion_script(words.front()));
  return exit_ok;
}

}  // namespace

Command completion_command() {
  return {"completion", "complete command lines in bash, zsh or fish", completion_line, run_completion};
}

}  // namespace tsunagi::app
