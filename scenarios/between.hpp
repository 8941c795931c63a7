// SPDX-License-Identifier: Apache-2.0
// Which ranks take part in programs of a few that talk to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/library.hpp"
#include "config/describe.hpp"

namespace tsunagi::scenarios {

/// The two ranks of a program between two: who begins, and the other one.
struct Between {
  int first = 0;
  int second = 1;
  explicit Between(const std::vector<std::int64_t>& ranks)
      : first(static_cast<int>(ranks[0])), second(static_cast<int>(ranks[1])) {}
  bool has(int rank) const { return rank == first || rank == second; }
  int peer(int rank) const { return rank == first ? second : first; }
};

/// The field "between" of such a program.
void describe_between(config::Describer& d, std::vector<std::int64_t>& between);
/// Requires of the same field of other programs that no rank stands there twice.
void require_different(config::Describer& d, const std::vector<std::int64_t>& between);
/// Before time 0: throws config::ConfigError if the library does not have all these ranks.
void expect_ranks(const comm::Library& c, const std::vector<std::int64_t>& between);
/// The same if a rank sends `messages` to another one that it may lose, because that has not received those before.
void expect_received(const comm::Library& c, int messages);

}  // namespace tsunagi::scenarios
