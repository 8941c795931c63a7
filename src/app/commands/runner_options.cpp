// SPDX-License-Identifier: Apache-2.0
#include "app/commands/runner_options.hpp"

#include <algorithm>
#include <thread>

namespace po = boost::program_options;

namespace tsunagi::app {

void add_jobs_option(CommandLine& line) {
  line.option("jobs,j", po::value<int>()->value_name("N"), "simulations at a time (default: one a core)");
}

runner::Options runner_options(const po::variables_map& values) {
  runner::Options options;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (values.count("jobs") != 0) options.jobs = values["jobs"].as<int>();
  if (options.jobs < 1) throw UsageError("--jobs needs at least 1");
  return options;
}

}  // namespace tsunagi::app
