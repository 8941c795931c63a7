// SPDX-License-Identifier: Apache-2.0
// Who sends how much to whom: the bytes of docs/collectives.md, and the partners of exchanges.
#include <map>

#include "support/collective_bench.hpp"

namespace collectives_messages_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Collective;

namespace {

/// What ranks of the world have sent.
struct Sent final : comm::Listener {
  void call(const comm::Call& c) override {
    if (c.kind != comm::Call::Kind::send) return;
    bytes[c.rank] += c.size;
    to[c.rank].push_back(c.peer);
  }
  void step(const comm::Step&) override {}
  Bytes most() const {
    Bytes out;
    for (const auto& [rank, n] : bytes) out = std::max(out, n);
    return out;
  }
  std::map<int, Bytes> bytes;
  std::map<int, std::vector<int>> to;
};

/// Eight ranks' calls of 512 B, or blocks of that, in eighths: what the rank sends that sends most.
const std::map<std::pair<Collective, std::string>, int>& eighths() {
  using C = Collective;
  static const std::map<std::pair<Collective, std::string>, int> all = {
      {{C::barrier, "dissemination"}, 0},
      {{C::barrier, "tree"}, 0},
      {{C::broadcast, "binomial"}, 24},
      {{C::broadcast, "binomial_smallest_first"}, 24},
      {{C::broadcast, "binary_tree"}, 16},
      {{C::broadcast, "knomial"}, 32},  // of radix 3: to places 3, 6, 1 and 2
      {{C::broadcast, "chain"}, 8},
      {{C::broadcast, "linear"}, 56},
      {{C::broadcast, "scatter_allgather"}, 14},
      {{C::broadcast, "scatter_ring"}, 14},
      {{C::reduce, "binomial"}, 8},
      {{C::reduce, "chain"}, 8},
      {{C::reduce, "linear"}, 8},
      {{C::reduce, "rabenseifner"}, 7 + 4},
      {{C::allreduce, "ring"}, 14},
      {{C::allreduce, "recursive_doubling"}, 24},
      {{C::allreduce, "rabenseifner"}, 14},
      {{C::allreduce, "reduce_broadcast"}, 24},
      {{C::scatter, "binomial"}, 56},
      {{C::scatter, "linear"}, 56},
      {{C::gather, "binomial"}, 32},
      {{C::gather, "linear"}, 8},
      {{C::allgather, "ring"}, 56},
      {{C::allgather, "recursive_doubling"}, 56},
      {{C::allgather, "bruck"}, 56},
      {{C::all_to_all, "pairwise"}, 56},
      {{C::all_to_all, "bruck"}, 3 * 4 * 8},
      {{C::all_to_all, "linear"}, 56},
      {{C::all_to_all, "scattered"}, 56},
  };
  return all;
}

}  // namespace

TEST_CASE("no rank sends more than an algorithm's bytes") {
  CollectiveBench b;
  std::vector<Case> cases;
  for (const comm::Algorithm& a : comm::algorithms())
    cases.push_back({&a, 8, a.kind == Collective::barrier ? 0_B : 512_B});
  Sent sent;
  b.world().set_listener(sent);
  const auto program = [&](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); };
  b.run(
      cases, program, scratch_of,
      [&](const Case& c, Time) {
        const auto expected = eighths().find({c.algorithm->kind, c.algorithm->name});
        INFO(c.text());
        REQUIRE(expected != eighths().end());
        CHECK(sent.most() == 64_B * expected->second);
      },
      [&] { sent = Sent(); });
}

TEST_CASE("pairwise exchanges pair ranks where their number is a power of two") {
  const comm::Algorithm* pairwise = &named(Collective::all_to_all, "pairwise");
  CollectiveBench b;
  Sent sent;
  b.world().set_listener(sent);
  b.run(
      {{pairwise, 8, 64_B}, {pairwise, 6, 64_B}}, [](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); },
      scratch_of,
      [&](const Case& c, Time) {
        const std::vector<int> of_one = sent.to[1];
        if (c.ranks == 8) CHECK(of_one == std::vector<int>{0, 3, 2, 5, 4, 7, 6});
        if (c.ranks == 6) CHECK(of_one == std::vector<int>{2, 3, 4, 5, 0});
      },
      [&] { sent = Sent(); });
}

TEST_CASE("scattered exchanges begin behind the own rank and go downwards") {
  const comm::Algorithm* scattered = &named(Collective::all_to_all, "scattered");
  CollectiveBench b;
  Sent sent;
  b.world().set_listener(sent);
  b.run(
      {{scattered, 6, 64_B}}, [](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); }, scratch_of,
      [&](const Case&, Time) {
        CHECK(sent.to[1] == std::vector<int>{0, 5, 4, 3, 2});
        CHECK(sent.to[5] == std::vector<int>{4, 3, 2, 1, 0});
      },
      [&] { sent = Sent(); });
}

}  // namespace collectives_messages_test
