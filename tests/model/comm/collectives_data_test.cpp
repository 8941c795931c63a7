// SPDX-License-Identifier: Apache-2.0
// Every algorithm that moves data, as the catalog has them: each byte from the right rank, for 1 .. 33 ranks.
#include <set>

#include "support/collective_bench.hpp"

namespace collectives_data_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Blocks;
using comm::Buffer;
using comm::Collective;

namespace {

constexpr auto in = CollectiveBench::in;
constexpr auto out = CollectiveBench::out;

std::string value_of(int rank) { return "of rank " + std::to_string(rank); }

/// Cases of all algorithms of a collective: sizes that no element and no segment divides, fewer bytes than ranks, none;
/// the first, a middle and the last rank as root.
std::vector<Case> cases_of(Collective kind) {
  const bool rooted = kind == Collective::broadcast || kind == Collective::scatter || kind == Collective::gather;
  std::vector<Case> cases;
  for (const comm::Algorithm& a : comm::algorithms())
    for (int p = 1; a.kind == kind && p <= CollectiveBench::most; ++p)
      for (const Bytes n : {0_B, 1_B, 8_B, 203_B})
        for (const int root : std::set<int>{0, rooted ? p / 2 : 0, rooted ? p - 1 : 0}) {
          const Case c{&a, p, n, root};
          if (a.refusal(p, call_of(c)).empty()) cases.push_back(c);
        }
  return cases;
}

/// Blocks of 0, 13, 26, 39 B, and none at all.
std::vector<Case> v_cases_of(Collective kind) {
  std::vector<Case> cases;
  for (Case c : cases_of(kind)) {
    if (c.n != 0_B && c.n != 203_B) continue;
    for (int i = 0; i < c.ranks; ++i) c.sizes.push_back(c.n == 0_B ? 0_B : 13_B * (i % 4));
    if (c.algorithm->refusal(c.ranks, call_of(c)).empty()) cases.push_back(c);
  }
  return cases;
}

Blocks blocks_of(const Case& c) { return {c.ranks, c.sizes, c.n}; }

Bytes scratch_if_any(const Case& c) {
  return blocks_of(c).whole() == 0_B ? 0_B : c.algorithm->scratch(c.ranks, call_of(c));
}

void run(CollectiveBench& b, const std::vector<Case>& cases, const CollectiveBench::Program& program) {
  REQUIRE(cases.size() > 100);
  b.world().check_data();
  b.run(cases, program, scratch_if_any);
}

void check_scatter(CollectiveBench& b, int rank, comm::Group& g, const Case& c) {
  const Blocks blocks = blocks_of(c);
  const Bytes mine = blocks.size(rank);
  const Bytes sent = rank == c.root ? blocks.whole() : 0_B;
  b.prepare(rank, sent, mine, value_of(rank));
  if (c.sizes.empty())
    g.scatter(c.root, in(sent), out(mine), c.choice());
  else
    g.scatter_v(c.root, in(sent), out(mine), c.sizes, c.choice());
  b.expect(rank, out(mine), value_of(c.root), blocks.begin(rank), c.text());
  b.expect_untouched(rank, sent, mine, value_of(rank), c.text());
}

void check_gather(CollectiveBench& b, int rank, comm::Group& g, const Case& c) {
  const Blocks blocks = blocks_of(c);
  const Bytes mine = blocks.size(rank);
  const Bytes got = rank == c.root ? blocks.whole() : 0_B;
  b.prepare(rank, mine, got, value_of(rank));
  if (c.sizes.empty())
    g.gather(c.root, in(mine), out(got), c.choice());
  else
    g.gather_v(c.root, in(mine), out(got), c.sizes, c.choice());
  for (int i = 0; rank == c.root && i < c.ranks; ++i) b.expect(rank, blocks.of(out(got), i), value_of(i), {}, c.text());
  b.expect_untouched(rank, mine, got, value_of(rank), c.text());
}

void check_allgather(CollectiveBench& b, int rank, comm::Group& g, const Case& c) {
  const Blocks blocks = blocks_of(c);
  const Bytes mine = blocks.size(rank);
  b.prepare(rank, mine, blocks.whole(), value_of(rank));
  if (c.sizes.empty())
    g.allgather(in(mine), out(blocks.whole()), c.choice());
  else
    g.allgather_v(in(mine), out(blocks.whole()), c.sizes, c.choice());
  for (int i = 0; i < c.ranks; ++i) b.expect(rank, blocks.of(out(blocks.whole()), i), value_of(i), {}, c.text());
  b.expect_untouched(rank, mine, blocks.whole(), value_of(rank), c.text());
}

/// Rank j sends 7 (i + 2 j mod 5) bytes to rank i.
Blocks sent_by(int rank, const Case& c) {
  if (c.sizes.empty()) return blocks_of(c);
  std::vector<Bytes> sizes;
  for (int i = 0; i < c.ranks; ++i) sizes.push_back(c.n == 0_B ? 0_B : 7_B * ((i + 2 * rank) % 5));
  return {c.ranks, sizes, {}};
}

void check_all_to_all(CollectiveBench& b, int rank, comm::Group& g, const Case& c) {
  const Blocks to = sent_by(rank, c);
  std::vector<Bytes> sent;
  std::vector<Bytes> received;
  for (int i = 0; i < c.ranks; ++i) {
    sent.push_back(to.size(i));
    received.push_back(sent_by(i, c).size(rank));
  }
  const Blocks from(c.ranks, received, {});
  b.prepare(rank, to.whole(), from.whole(), value_of(rank));
  if (c.sizes.empty())
    g.all_to_all(in(to.whole()), out(from.whole()), c.choice());
  else
    g.all_to_all_v(in(to.whole()), out(from.whole()), sent, received, c.choice());
  for (int i = 0; i < c.ranks; ++i)
    b.expect(rank, from.of(out(from.whole()), i), value_of(i), sent_by(i, c).begin(rank), c.text());
  b.expect_untouched(rank, to.whole(), from.whole(), value_of(rank), c.text());
}

}  // namespace

TEST_CASE("every broadcast brings the root's bytes to every rank") {
  CollectiveBench b;
  run(b, cases_of(Collective::broadcast), [&](comm::Rank&, comm::Group& g, const Case& c) {
    const int rank = g.rank();
    b.prepare(rank, 0_B, c.n, "");
    const std::string root = value_of(c.root);
    if (rank == c.root) b.fill(rank, out(c.n), root);
    g.broadcast(c.root, out(c.n), c.choice());
    b.expect(rank, out(c.n), root, {}, c.text());
    b.expect_untouched(rank, 0_B, c.n, "", c.text());
  });
}

TEST_CASE("every scatter brings each rank its block of the root") {
  CollectiveBench b;
  std::vector<Case> cases = cases_of(Collective::scatter);
  for (const Case& c : v_cases_of(Collective::scatter)) cases.push_back(c);
  run(b, cases, [&](comm::Rank&, comm::Group& g, const Case& c) { check_scatter(b, g.rank(), g, c); });
}

TEST_CASE("every gather brings the root each rank's block") {
  CollectiveBench b;
  std::vector<Case> cases = cases_of(Collective::gather);
  for (const Case& c : v_cases_of(Collective::gather)) cases.push_back(c);
  run(b, cases, [&](comm::Rank&, comm::Group& g, const Case& c) { check_gather(b, g.rank(), g, c); });
}

TEST_CASE("every allgather brings each rank all blocks") {
  CollectiveBench b;
  std::vector<Case> cases = cases_of(Collective::allgather);
  for (const Case& c : v_cases_of(Collective::allgather)) cases.push_back(c);
  run(b, cases, [&](comm::Rank&, comm::Group& g, const Case& c) { check_allgather(b, g.rank(), g, c); });
}

TEST_CASE("every all-to-all brings block i of rank j to block j of rank i") {
  CollectiveBench b;
  std::vector<Case> cases = cases_of(Collective::all_to_all);
  for (const Case& c : v_cases_of(Collective::all_to_all)) cases.push_back(c);
  for (std::size_t i = 0, n = cases.size(); i < n; ++i) {
    Case c = cases[i];
    c.order = comm::PartnerOrder::rank_relative;
    if (c.algorithm->orders) cases.push_back(c);
  }
  run(b, cases, [&](comm::Rank&, comm::Group& g, const Case& c) { check_all_to_all(b, g.rank(), g, c); });
}

TEST_CASE("gathers and scatters in place move nothing of the root's own") {
  CollectiveBench b;
  b.world().check_data();
  std::vector<Case> cases;
  for (const Collective kind : {Collective::scatter, Collective::gather, Collective::allgather})
    for (const Case& c : cases_of(kind))
      if (c.n == 8_B) cases.push_back(c);
  const auto program = [&](comm::Rank&, comm::Group& g, const Case& c) {
    const int rank = g.rank();
    const Blocks blocks = blocks_of(c);
    const Buffer own = blocks.of(out(blocks.whole()), rank);
    b.prepare(rank, 8_B, blocks.whole(), value_of(rank));
    if (c.algorithm->kind == Collective::scatter) {
      if (rank == c.root) b.fill(rank, out(blocks.whole()), "root");
      g.scatter(c.root, out(blocks.whole()), own, c.choice());
      b.expect(rank, own, "root", blocks.begin(rank), c.text());
      return;
    }
    b.fill(rank, own, value_of(rank));
    const bool gathers = c.algorithm->kind == Collective::gather;
    if (gathers)
      g.gather(c.root, own, out(blocks.whole()), c.choice());
    else
      g.allgather(own, out(blocks.whole()), c.choice());
    for (int i = 0; i < c.ranks && (!gathers || rank == c.root); ++i)
      b.expect(rank, blocks.of(out(blocks.whole()), i), value_of(i), {}, c.text());
  };
  b.run(cases, program, scratch_if_any);
}

TEST_CASE("every barrier holds each rank until all have come") {
  CollectiveBench b;
  std::vector<Case> cases;
  for (const comm::Algorithm& a : comm::algorithms())
    for (int p = 1; a.kind == Collective::barrier && p <= CollectiveBench::most; ++p)
      for (const int late : std::set<int>{0, p / 2, p - 1}) cases.push_back({&a, p, {}, late});
  const auto program = [](comm::Rank& r, comm::Group& g, const Case& c) {
    const Time late = r.now() + 10_us;
    if (g.rank() == c.root) r.wait_until(late);
    g.barrier(c.choice());
    INFO(c.text());
    CHECK(r.now() >= late);
  };
  b.run(cases, program, [](const Case&) { return 0_B; });
}

}  // namespace collectives_data_test
