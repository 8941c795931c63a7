// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulation.hpp"

#include "experiment/simulate.hpp"

namespace tsunagi::experiment {

runner::Simulate elaboration() {
  return [](const RunConfig& run, const std::string&, report::Recorder&) {
    elaborate(run);
    return runner::Counts{};
  };
}

runner::Simulate simulation(bool counters) {
  return [counters](const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
    return simulate(run, findings, recorder, nullptr, counters);
  };
}

}  // namespace tsunagi::experiment
