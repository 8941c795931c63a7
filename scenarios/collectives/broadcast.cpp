// SPDX-License-Identifier: Apache-2.0
#include "scenarios/collectives/broadcast.hpp"

namespace tsunagi::scenarios {

void describe(BroadcastConfig& c, config::Describer& d) {
  describe_sizes(c.how, d, "bytes that go to every rank, a row each");
  describe_root(c.how, d);
  describe_iterations(c.how, d);
}

std::unique_ptr<Scenario> make_broadcast(const config::AnyConfig& c) {
  return std::make_unique<MeasuredCollective>(comm::Collective::broadcast, c.as<BroadcastConfig>().how);
}

}  // namespace tsunagi::scenarios
