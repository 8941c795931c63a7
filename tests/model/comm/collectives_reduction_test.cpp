// SPDX-License-Identifier: Apache-2.0
// Every reduction of the catalog, for 1 .. 33 ranks: each rank's bytes exactly once, in the order that the algorithm
// states, no element cut.
#include <numeric>
#include <set>

#include "support/collective_bench.hpp"

namespace collectives_reduction_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Blocks;
using comm::Collective;

namespace {

constexpr auto in = CollectiveBench::in;
constexpr auto out = CollectiveBench::out;
using Operands = std::vector<std::string>;

std::string combined(const std::string& left, const std::string& right) { return "(" + left + "+" + right + ")"; }

/// Ranks from `root` on, round.
Operands from(int root, int p) {
  Operands all;
  for (int i = 0; i < p; ++i) all.push_back(std::to_string((root + i) % p));
  return all;
}

/// 0 + (1 + (2 + ...)).
std::string to_the_right(const Operands& all) {
  std::string sum = all.back();
  for (std::size_t i = all.size() - 1; i > 0; --i) sum = combined(all[i - 1], sum);
  return sum;
}

/// ((0 + 1) + 2) + ...
std::string to_the_left(const Operands& all) {
  std::string sum = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) sum = combined(sum, all[i]);
  return sum;
}

/// ((0 + 1) + (2 + 3)) + ...
std::string in_pairs(Operands all) {
  for (std::size_t distance = 1; distance < all.size(); distance *= 2)
    for (std::size_t i = 0; i + distance < all.size(); i += 2 * distance) all[i] = combined(all[i], all[i + distance]);
  return all.front();
}

/// As many neighbours at the begin combined as it takes to leave 2^n.
Operands folded(const Operands& all) {
  std::size_t active = 1;
  while (active * 2 <= all.size()) active *= 2;
  const std::size_t rest = all.size() - active;
  Operands left;
  for (std::size_t i = 0; i < rest; ++i) left.push_back(combined(all[2 * i], all[2 * i + 1]));
  left.insert(left.end(), all.begin() + static_cast<std::ptrdiff_t>(2 * rest), all.end());
  return left;
}

/// What byte `at` of the result is.
std::string order_of(const Case& c, Bytes at) {
  const std::string name = c.algorithm->name;
  const int p = c.ranks;
  if (name == "linear") return to_the_right(from(0, p));
  if (name == "direct") return to_the_left(from(0, p));
  if (name == "chain") return to_the_right(from(c.root, p));
  if (name == "binomial" || name == "reduce_broadcast") return in_pairs(from(c.root, p));
  if (name == "rabenseifner" || name == "recursive_doubling") return in_pairs(folded(from(c.root, p)));
  if (name == "ring") {
    const Blocks blocks = Blocks::split(p, c.n, 8_B);
    int block = 0;
    while (blocks.begin(block + 1) <= at) ++block;
    return to_the_left(from(block, p));
  }
  throw std::runtime_error("which order does " + name + " combine in? say so here");
}

/// Whoever contributes to an expression, in order.
std::vector<int> contributors(const std::string& expression) {
  std::vector<int> out_ranks;
  std::string digits;
  for (const char ch : expression + " ") {
    if (ch >= '0' && ch <= '9') {
      digits += ch;
    } else if (!digits.empty()) {
      out_ranks.push_back(std::stoi(digits));
      digits.clear();
    }
  }
  return out_ranks;
}

/// Whatever the algorithm: every piece of whole elements is of all ranks, of each once.
void expect_everybody_once(CollectiveBench& bench, int rank, const Case& c) {
  Bytes at;
  for (const comm::Ledger::Piece& piece : bench.read(rank, out(c.n))) {
    const comm::Buffer b = comm::part(out(c.n), at, piece.size);
    std::vector<int> who = contributors(bench.value(rank, b, at));
    std::sort(who.begin(), who.end());
    std::vector<int> all(static_cast<std::size_t>(c.ranks));
    std::iota(all.begin(), all.end(), 0);
    if (who != all) throw std::runtime_error(c.text() + ": not everybody once in " + bench.ledger().text({piece}));
    if (at.count() % 8 != 0)
      throw std::runtime_error(c.text() + ": an element is cut in " + bench.ledger().text({piece}));
    at += piece.size;
  }
}

void expect_order(CollectiveBench& bench, int rank, const Case& c) {
  for (Bytes at; at < c.n; at += std::min(8_B, c.n - at)) {
    const comm::Buffer element = comm::part(out(c.n), at, std::min(8_B, c.n - at));
    bench.expect(rank, element, order_of(c, at), at, c.text());
  }
}

/// 203 B: 26 elements, the last cut short; 4 segments. 800 B: more elements than ranks, 13 segments.
std::vector<Case> cases_of(Collective kind, const std::vector<Bytes>& sizes) {
  std::vector<Case> cases;
  for (const comm::Algorithm& a : comm::algorithms())
    for (int p = 1; a.kind == kind && p <= CollectiveBench::most; ++p)
      for (const Bytes n : sizes)
        for (const int root : kind == Collective::reduce ? std::set<int>{0, p / 2, p - 1} : std::set<int>{0}) {
          const Case c{&a, p, n, root};
          if (a.refusal(p, call_of(c)).empty()) cases.push_back(c);
        }
  REQUIRE(cases.size() > 30);
  return cases;
}

/// `in_place`: `in` is `out`.
void check(const std::vector<Case>& cases, bool in_place) {
  CollectiveBench b;
  b.world().check_data();
  const auto program = [&](comm::Rank&, comm::Group& g, const Case& c) {
    const int rank = g.rank();
    const bool gets = c.algorithm->kind == Collective::allreduce || rank == c.root;
    b.prepare(rank, c.n, gets ? c.n : 0_B, std::to_string(rank));
    const bool same = in_place && gets;
    if (same) b.fill(rank, out(c.n), std::to_string(rank));
    const comm::Buffer mine = same ? out(c.n) : in(c.n);
    if (c.algorithm->kind == Collective::reduce)
      g.reduce(c.root, mine, out(gets ? c.n : 0_B), c.choice());
    else
      g.allreduce(mine, out(c.n), c.choice());
    b.expect_untouched(rank, c.n, gets ? c.n : 0_B, std::to_string(rank), c.text());
    if (!gets || c.n == 0_B) return;
    expect_everybody_once(b, rank, c);
    expect_order(b, rank, c);
  };
  b.run(cases, program, scratch_of);
}

}  // namespace

TEST_CASE("every reduce combines each rank's bytes once in the stated order") {
  check(cases_of(Collective::reduce, {0_B, 1_B, 8_B, 203_B, 800_B}), false);
}

TEST_CASE("every allreduce combines each rank's bytes once in the stated order") {
  check(cases_of(Collective::allreduce, {0_B, 1_B, 8_B, 203_B, 800_B}), false);
}

TEST_CASE("reductions in place combine what was there") {
  std::vector<Case> cases = cases_of(Collective::reduce, {203_B});
  for (const Case& c : cases_of(Collective::allreduce, {203_B})) cases.push_back(c);
  check(cases, true);
}

TEST_CASE("reductions that say so keep the order of the ranks") {
  // What docs/collectives.md promises to operations that do not commute, of the orders that the tests above check.
  for (const comm::Algorithm& a : comm::algorithms()) {
    if (a.kind != Collective::reduce && a.kind != Collective::allreduce) continue;
    const std::string name = a.name;
    for (int p = 1; p <= CollectiveBench::most; ++p)
      for (int root = 0; root < (a.kind == Collective::reduce ? p : 1); ++root) {
        const std::vector<int> who = contributors(order_of({&a, p, 8_B, root}, {}));
        const bool stated = name == "linear" || root == 0;  // of the ring only its first block
        INFO(name << ", " << p << " ranks, root " << root);
        if (stated) CHECK(std::is_sorted(who.begin(), who.end()));
      }
  }
}

}  // namespace collectives_reduction_test
