// SPDX-License-Identifier: Apache-2.0
#include "scenarios/collectives/barrier.hpp"

namespace tsunagi::scenarios {

void describe(BarrierConfig& c, config::Describer& d) {
  d.field("algorithms", c.how.algorithms, "by their names, a row each; none: the library's choice");
  describe_iterations(c.how, d);
}

std::unique_ptr<Scenario> make_barrier(const config::AnyConfig& c) {
  return std::make_unique<MeasuredCollective>(comm::Collective::barrier, c.as<BarrierConfig>().how);
}

}  // namespace tsunagi::scenarios
