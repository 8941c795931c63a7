// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/mpi/collective_tables.hpp"

#include <algorithm>

#include "comm/collectives/catalog.hpp"

namespace tsunagi::libraries {

using comm::Collective;

namespace {

using By = CollectiveRow::By;

/// Why there cannot be such a row; empty: there can.
std::string refusal(Collective kind, bool v, const CollectiveRow& row) {
  if (row.by == By::total && kind < Collective::scatter) return "\"by\" is of collectives with blocks";
  if (v && row.sizes.size() > 1) return "ranks have no size in common that more than one of the \"sizes\" could go by";
  for (const CollectiveSize& s : row.sizes) {
    if (std::string why = comm::unknown(kind, s.how.algorithm); !why.empty()) return why;
    if (v) {
      comm::CollectiveCall uneven{kind, 0, {{}, 3_B, {}, {}}, {{}, 3_B, {}, {}}, {1_B, 2_B}, {1_B, 2_B}};
      if (std::string why = comm::refusal(2, uneven, s.how.algorithm, {1_GiB}); !why.empty()) return why;
    }
    if (s.how.order != comm::PartnerOrder::own && !comm::orders(kind, s.how.algorithm))
      return std::string(comm::name_of(kind)) + " by \"" + s.how.algorithm + "\" has one order of partners alone";
  }
  return {};
}

/// Rows from few ranks to many, in each sizes from small to large, of algorithms that there are.
void describe_table(const char* name, Collective kind, std::vector<CollectiveRow>& rows, config::Describer& d,
                    bool v = false) {
  d.list(name, rows, "rows of its table, from few ranks to many; none: MPICH's choice");
  const CollectiveRow* before = nullptr;
  for (const CollectiveRow& row : rows) {
    const std::string where = "in \"" + std::string(name) + "\", ";
    if (before != nullptr && before->ranks >= row.ranks)
      d.require(false, where + "a row up to " + std::to_string(row.ranks) + " ranks follows one up to " +
                           std::to_string(before->ranks));
    before = &row;
    if (const std::string why = refusal(kind, v, row); !why.empty()) d.require(false, where + why);
  }
}

}  // namespace

void describe(CollectiveSize& c, config::Describer& d) {
  using namespace config;
  d.field("above", c.above, "for more bytes than that; the first one: for all",
          within(0_B, Bytes(std::int64_t{1} << 40)));
  d.field("algorithm", c.how.algorithm, "its name; where it cannot do a call, MPICH's choice is taken", required);
  d.field("segment", c.how.segment, "pieces of pipelined algorithms", within(1_B, 1_GiB));
  d.field("radix", c.how.radix, "k of k-nomial trees", within(2, 1024));
  d.choice("order", c.how.order, comm::partner_orders(), "the order of partners, where an algorithm lets it be chosen");
}

void describe(CollectiveRow& c, config::Describer& d) {
  using namespace config;
  d.field("ranks", c.ranks, "for groups of up to so many; the last row for larger ones, too", within(1, 1'000'000),
          required);
  d.choice("by", c.by,
           {{"block", static_cast<std::int64_t>(By::block), "a block, where there are blocks"},
            {"total", static_cast<std::int64_t>(By::total), "all blocks of a rank together"}},
           "what the sizes are of");
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
  describe_table("all_to_all_v", Collective::all_to_all, c.all_to_all_v, d, true);
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
        return c.v() ? all_to_all_v : all_to_all;
      case Collective::barrier:
        break;
    }
    return none;
  };
  const std::vector<CollectiveRow>& rows = table();
  if (rows.empty() || (c.v() && c.kind != Collective::all_to_all)) return std::nullopt;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CollectiveRow& r) { return ranks <= r.ranks; });
  const CollectiveRow& row = found == rows.end() ? rows.back() : *found;
  const Bytes n = c.weight(ranks) * (row.by == By::total ? ranks : 1);
  const CollectiveSize* taken = &row.sizes.front();
  for (const CollectiveSize& s : row.sizes)
    if (s.above < n) taken = &s;
  return taken->how;
}

}  // namespace tsunagi::libraries
