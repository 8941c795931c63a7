// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_myrinet_config.hpp"

namespace tsunagi::libraries {

void describe(PmMyrinetConfig& c, config::Describer& d) {
  using namespace config;
  d.field("core", c.core, "core of each node that runs its process");
  d.field("memory", c.memory, "memory of each node");
  d.field("card", c.card, "LANai card of each node");
  d.field("post_cycles", c.post_cycles, "instructions of a request or a receive buffer, its stores apart",
          within(std::int64_t{0}, std::int64_t{100'000}), ideal(std::int64_t{0}));
  d.field("poll_cycles", c.poll_cycles, "instructions of an event that is taken",
          within(std::int64_t{0}, std::int64_t{100'000}), ideal(std::int64_t{0}));
  describe(static_cast<PmBuffersConfig&>(c), d);
}

}  // namespace tsunagi::libraries
