// SPDX-License-Identifier: Apache-2.0
// Collective calls of groups of 1 .. 33 ranks on a crossbar, one after the other, each on an idle network. Groups of an
// odd number have their ranks in the opposite order of the world's, so that nobody takes one for the other. What is
// done to memories here is done by rank of the group.
//
//   CollectiveBench b;
//   b.run(cases, [&](comm::Rank& r, comm::Group& g, const Case& c) { g.broadcast(c.root, ...); }, scratch_of);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/collectives/blocks.hpp"
#include "support/grid_bench.hpp"
#include "support/sanitized.hpp"

namespace tsunagi::test {

/// A call of `ranks` ranks by an algorithm, of `n` bytes (of a block, where there are blocks) or of blocks of `sizes`.
struct Case {
  const comm::Algorithm* algorithm = nullptr;
  int ranks = 1;
  Bytes n;
  int root = 0;
  std::vector<Bytes> sizes = {};
  int radix = 3;
  comm::PartnerOrder order = comm::PartnerOrder::own;
  std::string text() const {
    return std::string(comm::name_of(algorithm->kind)) + " by " + algorithm->name + ", " + std::to_string(ranks) +
           " ranks, " + std::to_string(n.count()) + " B, root " + std::to_string(root) + (sizes.empty() ? "" : ", v");
  }
  comm::Choice choice() const { return {algorithm->name, segment, radix, order}; }
  /// Pieces of pipelined algorithms in these tests.
  static constexpr Bytes segment{64};
};

inline const comm::Algorithm& named(comm::Collective kind, const std::string& name) {
  return *std::find_if(comm::algorithms().begin(), comm::algorithms().end(),
                       [&](const comm::Algorithm& a) { return a.kind == kind && a.name == name; });
}

class CollectiveBench {
 public:
  static constexpr int most = sanitized ? 12 : 33;  // sanitizers take several times as long
  // Where things lie in each rank's memory; around `out` there are `guard` bytes that nobody may touch.
  static constexpr Bytes in_begin{65536};
  static constexpr Bytes out_begin{131072};
  static constexpr Bytes scratch_begin{1048576};
  static constexpr Bytes scratch_size{1048576};
  static constexpr Bytes guard{64};
  static comm::Buffer in(Bytes n) { return {in_begin, n, {}, {}}; }
  static comm::Buffer out(Bytes n) { return {out_begin, n, {}, {}}; }

  explicit CollectiveBench(const Network& n = crossbar(most)) : grid_(n, 1, {}, false) {
    grid_.world().set_scratch(scratch_begin, scratch_size);
  }
  GridBench& grid() { return grid_; }
  comm::World& world() { return grid_.world(); }
  comm::Ledger& ledger() { return *grid_.world().ledger(); }

  using Program = std::function<void(comm::Rank& r, comm::Group& g, const Case& c)>;
  /// `before`: when none has begun. `after`: when all have returned, how long the last one took. Each call has no more
  /// memory beside its buffers than `scratch` says, and some rank uses all of it.
  void run(
      const std::vector<Case>& cases, const Program& program, const std::function<Bytes(const Case&)>& scratch,
      const std::function<void(const Case&, Time)>& after = [](const Case&, Time) {},
      const std::function<void()>& before = [] {}) {
    std::vector<Time> ends(most);
    comm::StartLine line;
    Time begin;
    const auto between = [&](std::size_t next) {
      if (next > 0) {
        const Case& c = cases[next - 1];
        INFO(c.text());
        CHECK(world().scratch().used == scratch(c));
        after(c, *std::max_element(ends.begin(), ends.begin() + c.ranks) - begin);
      }
      if (next == cases.size()) return;
      ranks_ = cases[next].ranks;
      world().set_scratch(scratch_begin, scratch(cases[next]));
      before();
    };
    for (int rank = 0; rank < most; ++rank)
      grid_.program(rank, [&, rank](comm::Rank& r) {
        std::vector<comm::Group> groups;
        for (int p = 1; p <= most; ++p) groups.push_back(r.world().split(rank < p ? 0 : 1, p % 2 == 0 ? rank : -rank));
        for (std::size_t i = 0; i <= cases.size(); ++i) {
          r.meet(line, [&] { between(i); });
          r.wait_until(r.now() + 1_us);  // credits are home
          if (i == cases.size()) return;
          if (rank >= cases[i].ranks) continue;
          begin = r.now();
          program(r, groups[static_cast<std::size_t>(cases[i].ranks) - 1], cases[i]);
          ends[static_cast<std::size_t>(rank)] = r.now();
        }
      });
    grid_.run(1000_s);
  }

  void fill(int rank, const comm::Buffer& b, const std::string& value) { ledger().fill(in_world(rank), b, value); }
  void expect(int rank, const comm::Buffer& b, const std::string& value, Bytes offset, const std::string& who) {
    ledger().expect(in_world(rank), b, value, offset, who);
  }
  comm::Ledger::Pieces read(int rank, const comm::Buffer& b) { return ledger().read(in_world(rank), b); }
  std::string value(int rank, const comm::Buffer& b, Bytes offset) { return ledger().value(in_world(rank), b, offset); }

  /// What the ranks have before a call: nothing right in `out` or beside the buffers.
  void prepare(int rank, Bytes in_size, Bytes out_size, const std::string& value) {
    fill(rank, {scratch_begin, scratch_size, {}, {}}, "stale scratch");
    fill(rank, {out_begin - guard, out_size + guard * 2, {}, {}}, "stale");
    fill(rank, in(in_size), value);
  }
  /// And behind it: bytes beside `out` are as they were, and so is `in`.
  void expect_untouched(int rank, Bytes in_size, Bytes out_size, const std::string& value, const std::string& who) {
    expect(rank, {out_begin - guard, guard, {}, {}}, "stale", {}, who);
    expect(rank, {out_begin + out_size, guard, {}, {}}, "stale", guard + out_size, who);
    expect(rank, in(in_size), value, {}, who);
  }

 private:
  /// The world rank of a rank of the group of the call under way.
  int in_world(int rank) const { return ranks_ % 2 == 0 ? rank : ranks_ - 1 - rank; }

  int ranks_ = 0;  // of the call under way
  GridBench grid_;
};

/// The call as `Group` hands it to the algorithm of a case at the root.
inline comm::CollectiveCall call_of(const Case& c) {
  using C = comm::Collective;
  const C kind = c.algorithm->kind;
  const Bytes all = c.n * c.ranks;
  const Bytes in = kind == C::scatter || kind == C::all_to_all ? all : c.n;
  const Bytes out = kind == C::gather || kind == C::allgather || kind == C::all_to_all ? all : c.n;
  comm::CollectiveCall call{kind, c.root, CollectiveBench::in(in), CollectiveBench::out(out), c.sizes};
  call.segment = Case::segment;
  call.radix = c.radix;
  call.order = c.order;
  return call;
}

/// What `Group::collective` asks for: nothing where there is nothing to move.
inline Bytes scratch_of(const Case& c) {
  return c.n == Bytes::zero() && c.sizes.empty() ? Bytes::zero() : c.algorithm->scratch(c.ranks, call_of(c));
}

/// A rank's part of a case of equal blocks.
inline void collective(comm::Group& g, const Case& c) {
  constexpr auto in = CollectiveBench::in;
  constexpr auto out = CollectiveBench::out;
  const Bytes all = c.n * c.ranks;
  switch (c.algorithm->kind) {
    case comm::Collective::barrier:
      return g.barrier(c.choice());
    case comm::Collective::broadcast:
      return g.broadcast(c.root, out(c.n), c.choice());
    case comm::Collective::reduce:
      return g.reduce(c.root, in(c.n), out(c.n), c.choice());
    case comm::Collective::allreduce:
      return g.allreduce(in(c.n), out(c.n), c.choice());
    case comm::Collective::scatter:
      return g.scatter(c.root, in(all), out(c.n), c.choice());
    case comm::Collective::gather:
      return g.gather(c.root, in(c.n), out(all), c.choice());
    case comm::Collective::allgather:
      return g.allgather(in(c.n), out(all), c.choice());
    case comm::Collective::all_to_all:
      return g.all_to_all(in(all), out(all), c.choice());
  }
}

}  // namespace tsunagi::test
