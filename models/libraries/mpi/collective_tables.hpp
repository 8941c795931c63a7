// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/collectives/call.hpp"
#include "config/describe.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// An algorithm, and from which size on it is taken.
struct CollectiveSize {
  Bytes above;
  comm::Choice how;
};
void describe(CollectiveSize& c, config::Describer& d);

/// What groups of up to so many ranks take, from the smallest size to the largest.
struct CollectiveRow {
  /// What sizes are of: a block, or all blocks that one rank sends or gets.
  enum class By : std::uint8_t { block, total };
  int ranks = 1;
  By by = By::block;
  std::vector<CollectiveSize> sizes;
};
void describe(CollectiveRow& c, config::Describer& d);

/// Which algorithms a version of a library takes for collective calls, as its tuning tables have it: a row a number of
/// ranks, of which the last one holds for larger groups, too. Of collectives without a table MPICH's choice holds.
struct CollectiveTables {
  std::vector<CollectiveRow> broadcast;
  std::vector<CollectiveRow> reduce;
  std::vector<CollectiveRow> allreduce;
  std::vector<CollectiveRow> scatter;
  std::vector<CollectiveRow> gather;
  std::vector<CollectiveRow> allgather;
  std::vector<CollectiveRow> all_to_all;
  std::vector<CollectiveRow> all_to_all_v;

  /// None: there is no table, or blocks of different sizes, for which no table but that of all-to-alls says anything.
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const;
};
void describe(CollectiveTables& c, config::Describer& d);

}  // namespace tsunagi::libraries
