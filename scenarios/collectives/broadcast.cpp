// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

namespace {

/// The bytes of one rank go to all.
struct BroadcastConfig {
  CollectiveConfig how;
};

void describe(BroadcastConfig& c, config::Describer& d) {
  describe_sizes(c.how, d, "bytes that go to every rank, a row each");
  describe_root(c.how, d);
  describe_iterations(c.how, d);
}

std::unique_ptr<Scenario> make_broadcast(const config::AnyConfig& c) {
  return std::make_unique<MeasuredCollective>(comm::Collective::broadcast, c.as<BroadcastConfig>().how);
}

}  // namespace

ScenarioKind broadcast_scenario() {
  return {config::kind<BroadcastConfig>("broadcast", "one rank's bytes to all ranks: time an algorithm and size"),
          make_broadcast};
}

}  // namespace tsunagi::scenarios
