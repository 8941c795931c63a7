// SPDX-License-Identifier: Apache-2.0
#include "system/simulated.hpp"

#include <stdexcept>

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "experiment/simulation.hpp"

namespace tsunagi::test {

runner::Outcome simulated(const RunConfig& run) {
  runner::Outcome out = runner::run_one(run, experiment::simulation());
  if (out.status == runner::Status::ok) return out;
  std::string text;
  for (const std::string& m : out.messages) text += (text.empty() ? "" : "\n") + m;
  throw std::runtime_error(text);
}

RunConfig run_of(const std::string& name, const Overrides& overrides) {
  return config::read<RunConfig>(config::load(TSUNAGI_TEST_CONFIGS "/runs/" + name + ".json", overrides), all_kinds());
}

}  // namespace tsunagi::test
