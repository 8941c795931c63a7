// SPDX-License-Identifier: Apache-2.0
#include "app/simulation.hpp"

#include "app/simulate.hpp"

namespace tsunagi::app {

runner::Simulate simulation() {
  return [](const RunConfig& run, report::Recorder& recorder) {
    const SimulationCost cost = simulate(run, recorder);
    return runner::Counts{cost.wakeups, cost.packet_hops, cost.simulated};
  };
}

}  // namespace tsunagi::app
