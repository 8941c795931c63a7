// SPDX-License-Identifier: Apache-2.0
// The subcommands. To add one: write src/app/commands/cmd_foo.cpp, then one line here.
#include "app/commands.hpp"

namespace tsunagi::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      run_command(),   sweep_command(),  check_command(),  fit_command(),      diff_command(),       explain_command(),
      trace_command(), draw_command(),   report_command(), validate_command(), new_command(),        import_command(),
      list_command(),  lesson_command(), box_command(),    schema_command(),   completion_command(),
  };
  return all;
}

}  // namespace tsunagi::app
