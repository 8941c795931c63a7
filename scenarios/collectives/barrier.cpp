// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

namespace {

/// No rank goes on before all are there.
struct BarrierConfig {
  CollectiveConfig how;
};

void describe(BarrierConfig& c, config::Describer& d) {
  d.field("algorithms", c.how.algorithms, "by their names, a row each; none: the library's choice");
  describe_iterations(c.how, d);
}

std::unique_ptr<Scenario> make_barrier(const config::AnyConfig& c) {
  return std::make_unique<MeasuredCollective>(comm::Collective::barrier, c.as<BarrierConfig>().how);
}

}  // namespace

ScenarioKind barrier_scenario() {
  return {config::kind<BarrierConfig>("barrier", "all ranks wait for all: time an algorithm"), make_barrier};
}

}  // namespace tsunagi::scenarios
