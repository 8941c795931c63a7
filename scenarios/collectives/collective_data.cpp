// SPDX-License-Identifier: Apache-2.0
#include "scenarios/collectives/collective_data.hpp"

#include <stdexcept>
#include <string>

namespace tsunagi::scenarios {

namespace {

using comm::Collective;

constexpr const char* stale = "what was there before";

/// Every element is all ranks' elements combined, in whatever order.
void expect_sum(const comm::Ledger& l, int rank, int ranks, const comm::Buffer& out, const std::string& who) {
  Bytes at;
  for (const comm::Ledger::Piece& p : l.read(rank, out)) {
    if (p.offset != at || !l.everybody_once(p, ranks))
      throw std::runtime_error(who + ": rank " + std::to_string(rank) + " should have the sum of " +
                               std::to_string(ranks) + " ranks from byte " + std::to_string(at.count()) +
                               " on, but has " + l.text({p}));
    at += p.size;
  }
}

}  // namespace

void fill(comm::Ledger& l, int rank, const comm::CollectiveCall& c) {
  const std::string mine = std::to_string(rank);
  switch (c.kind) {
    case Collective::barrier:
      return;
    case Collective::broadcast:
      return l.fill(rank, c.out, rank == c.root ? mine : stale);
    case Collective::scatter:
      l.fill(rank, c.out, stale);
      if (rank == c.root) l.fill(rank, c.in, mine);
      return;
    default:
      l.fill(rank, c.out, stale);
      l.fill(rank, c.in, mine);
  }
}

void expect_done(const comm::Ledger& l, int rank, int ranks, const comm::CollectiveCall& c) {
  const std::string who = comm::name_of(c.kind);
  switch (c.kind) {
    case Collective::barrier:
      return;
    case Collective::broadcast:
      return l.expect(rank, c.out, std::to_string(c.root), {}, who);
    case Collective::reduce:
      if (rank == c.root) expect_sum(l, rank, ranks, c.out, who);
      return;
    case Collective::allreduce:
      return expect_sum(l, rank, ranks, c.out, who);
    case Collective::scatter:
      return l.expect(rank, c.out, std::to_string(c.root), c.out.size * rank, who);
    case Collective::gather:
    case Collective::allgather:
      if (c.kind == Collective::gather && rank != c.root) return;
      for (int i = 0; i < ranks; ++i)
        l.expect(rank, comm::part(c.out, c.in.size * i, c.in.size), std::to_string(i), {}, who);
      return;
    case Collective::all_to_all: {
      const Bytes block(c.in.size.count() / ranks);
      for (int i = 0; i < ranks; ++i)
        l.expect(rank, comm::part(c.out, block * i, block), std::to_string(i), block * rank, who);
    }
  }
}

}  // namespace tsunagi::scenarios
