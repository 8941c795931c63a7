// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "models/router/islip.hpp"
#include "models/router/output_space.hpp"
#include "models/router/wavefront.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace router_islip_test {

using namespace tsunagi;
using namespace tsunagi::router;

namespace {

using Pairs = std::set<std::pair<int, int>>;

Pairs matched(Allocator& allocator) {
  Pairs pairs;
  for (const Allocator::Match& m : allocator.match()) pairs.insert({m.input, m.output});
  return pairs;
}

Pairs match(Allocator& allocator, const Pairs& requests) {
  for (const auto& [in, out] : requests) allocator.request(in, out, {});
  return matched(allocator);
}

/// Nobody twice, nobody who did not ask, and nobody left who could be matched.
void expect_maximal(const Pairs& matched, const Pairs& requests) {
  std::set<int> inputs, outputs;
  for (const auto& [in, out] : matched) {
    CHECK(requests.count({in, out}) == 1);
    CHECK(inputs.insert(in).second);
    CHECK(outputs.insert(out).second);
  }
  for (const auto& [in, out] : requests) CHECK((inputs.count(in) == 1 || outputs.count(out) == 1));
}

/// Every input asks for every output.
Pairs all_pairs(int n) {
  Pairs all;
  for (int in = 0; in < n; ++in)
    for (int out = 0; out < n; ++out) all.insert({in, out});
  return all;
}

}  // namespace

TEST_CASE("iSLIP: an output serves inputs in turn, one beyond the last it served") {
  Islip islip(4, 4, 1);
  const Pairs three{{0, 2}, {1, 2}, {3, 2}};
  for (int round = 0; round < 3; ++round)
    for (const int in : {0, 1, 3}) CHECK(match(islip, three) == Pairs{{in, 2}});
  CHECK(match(islip, {{2, 2}}) == Pairs{{2, 2}});
  CHECK(match(islip, {{1, 2}, {2, 2}}) == Pairs{{1, 2}});  // its turn begins at 3
}

TEST_CASE("iSLIP: an input accepts outputs in turn") {
  Islip islip(3, 3, 1);
  for (int round = 0; round < 2; ++round)
    for (const int out : {0, 1, 2}) CHECK(match(islip, {{1, 0}, {1, 1}, {1, 2}}) == Pairs{{1, out}});
}

TEST_CASE("iSLIP: a pointer stays where its grant was not accepted") {
  // McKeown 1999, figure 3: both outputs grant to input 0, which accepts output 0. Output 1 must grant to 0 again.
  Islip islip(2, 2, 1);
  const Pairs requests{{0, 0}, {0, 1}, {1, 1}};
  CHECK(match(islip, requests) == Pairs{{0, 0}});
  // Output 0 begins at 1, output 1 at 0; input 0 at 1.
  CHECK(match(islip, requests) == Pairs{{0, 1}});
  // Output 1 begins at 1 now.
  CHECK(match(islip, requests) == Pairs{{0, 0}, {1, 1}});
}

TEST_CASE("iSLIP: later iterations fill up the match and move no pointer") {
  Islip islip(3, 3, 2);
  const Pairs requests{{0, 0}, {0, 1}, {1, 1}, {2, 1}};
  CHECK(match(islip, requests) == Pairs{{0, 0}, {1, 1}});
  CHECK(match(islip, {{1, 1}, {2, 1}}) == Pairs{{1, 1}});  // as if (1, 1) had not been: output 1 still begins at 0
  CHECK(match(islip, {{1, 1}, {1, 2}}) == Pairs{{1, 2}});
}

TEST_CASE("iSLIP: pointers of busy outputs slip apart until every slot has a whole match") {
  for (const int n : {2, 3, 8, 17}) {
    Islip islip(n, n, 1);
    for (int slot = 0; slot < n; ++slot) match(islip, all_pairs(n));
    std::set<std::pair<int, int>> served;
    for (int slot = 0; slot < n; ++slot) {
      const Pairs now = match(islip, all_pairs(n));
      CHECK(now.size() == static_cast<std::size_t>(n));
      served.insert(now.begin(), now.end());
    }
    CHECK(served.size() == static_cast<std::size_t>(n * n));  // each pair once in n slots
  }
}

TEST_CASE("iSLIP: as many iterations as ports leave nobody unmatched who could be matched") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const int n = 1 + static_cast<int>(random() % 9);
    Islip islip(n, n, n);
    for (int slot = 0; slot < 5; ++slot) {
      Pairs requests;
      for (unsigned i = random() % 20; i > 0; --i)
        requests.insert({static_cast<int>(random() % static_cast<unsigned>(n)),
                         static_cast<int>(random() % static_cast<unsigned>(n))});
      expect_maximal(match(islip, requests), requests);
    }
  }
}

TEST_CASE("iSLIP: the more urgent request comes first at outputs and at inputs, and turns go on behind it") {
  Islip islip(3, 3, 1);
  islip.request(0, 1, {0, 5});
  islip.request(1, 1, {0, 4});
  islip.request(2, 1, {0, 6});
  CHECK(matched(islip) == Pairs{{1, 1}});
  CHECK(match(islip, {{0, 1}, {1, 1}, {2, 1}}) == Pairs{{2, 1}});  // one beyond 1
  islip.request(0, 0, {1, 9});
  islip.request(0, 2, {2, 9});  // the higher priority
  CHECK(matched(islip) == Pairs{{0, 2}});
  islip.request(0, 1, {2, 9});
  islip.request(0, 0, {1, 9});  // its turn, behind 2
  CHECK(matched(islip) == Pairs{{0, 1}});
  islip.request(1, 0, {0, 3});
  islip.request(2, 0, {0, 0xfffffffe});  // before numbers began again
  CHECK(matched(islip) == Pairs{{2, 0}});
  islip.request(1, 0, {0, 3});
  islip.request(2, 0, {0, 9});
  islip.request(2, 0, {0, 1});  // asks twice
  CHECK(matched(islip) == Pairs{{2, 0}});
}

TEST_CASE("wavefront: the first diagonal is the next one each time") {
  Wavefront wavefront(3, 3);
  for (const int sum : {0, 1, 2, 0}) {
    Pairs diagonal;
    for (int in = 0; in < 3; ++in) diagonal.insert({in, (sum - in + 3) % 3});
    CHECK(match(wavefront, all_pairs(3)) == diagonal);
  }
  // It begins at the cells of sum 1.
  CHECK(match(wavefront, {{0, 0}, {0, 1}, {1, 1}, {2, 1}}) == Pairs{{0, 1}});
  CHECK(match(wavefront, {{0, 0}, {0, 1}, {2, 0}}) == Pairs{{0, 1}, {2, 0}});
}

TEST_CASE("wavefront: the more urgent request comes first on whatever diagonal") {
  Wavefront wavefront(3, 3);
  wavefront.request(0, 0, {0, 8});
  wavefront.request(1, 0, {0, 7});
  wavefront.request(1, 1, {1, 9});
  CHECK(matched(wavefront) == Pairs{{0, 0}, {1, 1}});
  wavefront.request(0, 1, {0, 8});  // on the first diagonal
  wavefront.request(1, 1, {0, 0xfffffffe});
  CHECK(matched(wavefront) == Pairs{{1, 1}});
}

TEST_CASE("wavefront: nobody is left unmatched who could be matched") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const unsigned inputs = 1 + random() % 9, outputs = 1 + random() % 9;
    Wavefront wavefront(static_cast<int>(inputs), static_cast<int>(outputs));
    for (int slot = 0; slot < 5; ++slot) {
      Pairs requests;
      for (unsigned i = random() % 20; i > 0; --i)
        requests.insert({static_cast<int>(random() % inputs), static_cast<int>(random() % outputs)});
      expect_maximal(match(wavefront, requests), requests);
    }
  }
}

TEST_CASE("output space: flits fit when others have left, not earlier") {
  OutputSpace space(10);
  CHECK(space.fits(10, 0_ns));
  space.take(6);
  CHECK(!space.fits(5, 1_ns));
  CHECK(space.fits(4, 1_ns));
  CHECK(space.fits_at(5) == Time::max());
  space.take(4);
  CHECK(!space.all_home());
  space.leave(6, 5_ns);
  space.leave(4, 9_ns);
  CHECK(space.all_home());
  CHECK(space.fits_at(6) == 5_ns);
  CHECK(space.fits_at(7) == 9_ns);
  CHECK(!space.fits(1, 5_ns - Time::from_fs(1)));
  CHECK(space.fits(6, 5_ns));
  CHECK(!space.fits(7, 5_ns));
  CHECK(space.fits(10, 9_ns));
}

}  // namespace router_islip_test
