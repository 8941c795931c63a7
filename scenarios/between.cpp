// SPDX-License-Identifier: Apache-2.0
#include "scenarios/between.hpp"

#include <set>
#include <string>

#include "config/error_at.hpp"

namespace tsunagi::scenarios {

void describe_between(config::Describer& d, std::vector<std::int64_t>& between) {
  d.field("between", between, "the two ranks that talk, who begins first", config::within(0, 1'000'000));
  d.require(between.size() == 2, "\"between\" are two ranks");
  require_different(d, between);
}

void require_different(config::Describer& d, const std::vector<std::int64_t>& between) {
  d.require(std::set<std::int64_t>(between.begin(), between.end()).size() == between.size(),
            "\"between\" has a rank twice");
}

void expect_ranks(const comm::Library& c, const std::vector<std::int64_t>& between) {
  for (const std::int64_t rank : between)
    if (rank >= c.ranks())
      throw config::error_at("/scenario/between", "there is no rank " + std::to_string(rank) + ": the library has " +
                                                      std::to_string(c.ranks()) + ", from 0 on");
}

void expect_received(const comm::Library& c, int messages) {
  if (messages > c.unreceived())
    throw config::error_at("/scenario/messages",
                           "sends " + std::to_string(messages) +
                               " messages to a rank that has received none, but the library loses all beyond " +
                               std::to_string(c.unreceived()));
}

}  // namespace tsunagi::scenarios
