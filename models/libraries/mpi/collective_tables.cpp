// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/mpi/collective_tables.hpp"

#include <algorithm>

#include "comm/collectives/catalog.hpp"

namespace tsunagi::libraries {

using comm::Collective;

namespace {

/// Rows from few ranks to many, in each sizes from small to large, of algorithms that there are.
void describe_table(const char* name, Collective kind, std::vector<CollectiveRow>& rows, config::Describer& d) {
  d.list(name, rows, "rows of its table, from few ranks to many; none: MPICH's choice");
  const CollectiveRow* before = nullptr;
  for (const CollectiveRow& row : rows) {
    const std::string where = "in \"" + std::string(name) + "\", ";
    if (before != nullptr && before->ranks >= row.ranks)
      d.require(false, where + "a row up to " + std::to_string(row.ranks) + " ranks follows one up to " +
                           std::to_string(before->ranks));
    before = &row;
    for (const CollectiveSize& s : row.sizes)
      if (const std::string why = comm::unknown(kind, s.how.algorithm); !why.empty()) d.require(false, where + why);
  }
}

}  // namespace

void describe(CollectiveSize& c, config::Describer& d) {
  using namespace config;
  d.field("above", c.above, "for more bytes than that (of a block, where there are blocks); the first one: for all",
          within(0_B, Bytes(std::int64_t{1} << 40)));
  d.field("algorithm", c.how.algorithm, "its name; where it cannot do a call, MPICH's choice is taken", required);
  d.field("segment", c.how.segment, "pieces of pipelined algorithms", within(1_B, 1_GiB));
  d.field("radix", c.how.radix, "k of k-nomial trees", within(2, 1024));
}

void describe(CollectiveRow& c, config::Describer& d) {
  using namespace config;
  d.field("ranks", c.ranks, "for groups of up to so many; the last row for larger ones, too", within(1, 1'000'000),
          required);
  d.list("sizes", c.sizes, "what is taken, from the smallest size to the largest", required);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  const auto falls = [](const CollectiveSize& a, const CollectiveSize& b) { return a.above >= b.above; };
  d.require(std::adjacent_find(c.sizes.begin(), c.sizes.end(), falls) == c.sizes.end(),
            "\"above\" must grow from one of the \"sizes\" to the next");
  d.require(c.sizes.empty() || c.sizes.front().above == Bytes::zero(),
            "the first of the \"sizes\" holds for all that the others do not, and has no \"above\"");
}

void describe(CollectiveTables& c, config::Describer& d) {
  describe_table("broadcast", Collective::broadcast, c.broadcast, d);
  describe_table("reduce", Collective::reduce, c.reduce, d);
  describe_table("allreduce", Collective::allreduce, c.allreduce, d);
  describe_table("scatter", Collective::scatter, c.scatter, d);
  describe_table("gather", Collective::gather, c.gather, d);
  describe_table("allgather", Collective::allgather, c.allgather, d);
  describe_table("all_to_all", Collective::all_to_all, c.all_to_all, d);
}

std::optional<comm::Choice> CollectiveTables::choice(int ranks, const comm::CollectiveCall& c) const {
  static const std::vector<CollectiveRow> none;
  const auto table = [&]() -> const std::vector<CollectiveRow>& {
    switch (c.kind) {
      case Collective::broadcast:
        return broadcast;
      case Collective::reduce:
        return reduce;
      case Collective::allreduce:
        return allreduce;
      case Collective::scatter:
        return scatter;
      case Collective::gather:
        return gather;
      case Collective::allgather:
        return allgather;
      case Collective::all_to_all:
        return all_to_all;
      case Collective::barrier:
        break;
    }
    return none;
  };
  const std::vector<CollectiveRow>& rows = table();
  if (rows.empty() || c.v()) return std::nullopt;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CollectiveRow& r) { return ranks <= r.ranks; });
  const std::vector<CollectiveSize>& sizes = (row == rows.end() ? rows.back() : *row).sizes;
  const Bytes n = c.weight(ranks);
  const CollectiveSize* taken = &sizes.front();
  for (const CollectiveSize& s : sizes)
    if (s.above < n) taken = &s;
  return taken->how;
}

}  // namespace tsunagi::libraries
