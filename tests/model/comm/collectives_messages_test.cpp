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
      {{C::allreduce, "direct"}, 56},
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
      {{C::all_to_all, "ring"}, 56},
      {{C::all_to_all, "recursive_doubling"}, 7 * 8 * 8},  // a block of 8, of 8 blocks each: of 1, 2, 4 ranks
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

namespace {

/// To whom rank `rank` of p sends, in that order.
std::vector<int> natural(int rank, int p) {
  std::vector<int> out;
  for (int i = 0; i < p; ++i)
    if (i != rank) out.push_back(i);
  return out;
}
std::vector<int> relative(int rank, int p) {
  std::vector<int> out;
  for (int i = 1; i < p; ++i) out.push_back((rank + i) % p);
  return out;
}
/// Of recursive doubling among 2, 3, 8 and 16 ranks.
std::vector<int> doubled(int rank, int p) {
  if (p == 3) return std::vector<std::vector<int>>{{1, 2, 1}, {0}, {0}}[static_cast<std::size_t>(rank)];
  std::vector<int> out;
  for (int distance = 1; distance < p; distance *= 2) out.push_back(rank ^ distance);
  return out;
}

using Partners = std::vector<int> (*)(int, int);

/// In all groups of 2, 3, 8 and 16; 3 is odd, so that the world counts it backwards.
void expect_partners(const comm::Algorithm& a, comm::PartnerOrder order, Partners expected) {
  CollectiveBench b;
  Sent sent;
  b.world().set_listener(sent);
  std::vector<Case> cases;
  int ranks = 0;
  for (const int p : {2, 3, 8, 16}) {
    if (p > CollectiveBench::most) continue;
    Case c{&a, p, 64_B};
    c.order = order;
    cases.push_back(c);
    ranks += p;
  }
  const auto in_world = [](int rank, int p) { return p % 2 == 0 ? rank : p - 1 - rank; };
  int checked = 0;
  b.run(
      cases, [](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); }, scratch_of,
      [&](const Case& c, Time) {
        for (int rank = 0; rank < c.ranks; ++rank) {
          std::vector<int> in_group;
          for (const int peer : sent.to[in_world(rank, c.ranks)]) in_group.push_back(in_world(peer, c.ranks));
          INFO(c.text() << ", rank " << rank);
          CHECK(in_group == expected(rank, c.ranks));
          ++checked;
        }
      },
      [&] { sent = Sent(); });
  CHECK(checked == ranks);
}

}  // namespace

TEST_CASE("posted exchanges send to 0, 1, 2, ... by themselves") {
  expect_partners(named(Collective::all_to_all, "linear"), comm::PartnerOrder::own, natural);
}

TEST_CASE("posted exchanges send to 0, 1, 2, ... when asked to") {
  expect_partners(named(Collective::all_to_all, "linear"), comm::PartnerOrder::natural, natural);
}

TEST_CASE("posted exchanges send to the next rank, then to the one behind it, and so round, when asked to") {
  expect_partners(named(Collective::all_to_all, "linear"), comm::PartnerOrder::rank_relative, relative);
}

TEST_CASE("ring exchanges send to the next rank, then to the one behind it, and so round") {
  expect_partners(named(Collective::all_to_all, "ring"), comm::PartnerOrder::own, relative);
}

TEST_CASE("direct allreduces send to the next rank, then to the one behind it, and so round") {
  expect_partners(named(Collective::allreduce, "direct"), comm::PartnerOrder::own, relative);
}

TEST_CASE("exchanges by recursive doubling pair ranks at distances 1, 2, 4 and hand on to those without partner") {
  expect_partners(named(Collective::all_to_all, "recursive_doubling"), comm::PartnerOrder::own, doubled);
}

TEST_CASE("blocks of different sizes go in the order asked for, too") {
  const comm::Algorithm& linear = named(Collective::all_to_all, "linear");
  CollectiveBench b;
  Sent sent;
  b.world().set_listener(sent);
  Case c{&linear, 8, 64_B};
  c.order = comm::PartnerOrder::rank_relative;
  b.run(
      {c},
      [](comm::Rank&, comm::Group& g, const Case& of) {
        std::vector<Bytes> to;
        for (int i = 0; i < 8; ++i) to.push_back(8_B * (i % 3));
        const std::vector<Bytes> from(8, 8_B * (g.rank() % 3));
        g.all_to_all_v(CollectiveBench::in(512_B), CollectiveBench::out(512_B), to, from, of.choice());
      },
      scratch_of,
      [&](const Case&, Time) {
        CHECK(sent.to[1] == std::vector<int>{2, 4, 5, 7});  // those behind it, but for empty blocks of 3, 6 and 0
        CHECK(sent.to[6] == std::vector<int>{7, 1, 2, 4, 5});
      },
      [&] { sent = Sent(); });
}

}  // namespace collectives_messages_test
