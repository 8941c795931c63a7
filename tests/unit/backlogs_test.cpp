// SPDX-License-Identifier: Apache-2.0
// Which senders, receivers and pairs have more and more messages under way.
#include "scenarios/traffic/backlogs.hpp"

#include "stats/random.hpp"
#include "support/catch.hpp"

namespace backlogs_test {

using namespace tsunagi;
using scenarios::Backlogs;

namespace {

constexpr int n = Backlogs::batches;

/// `in` messages come in each batch and `out` leave.
void flow(Backlogs& b, int from, int to, int in, int out) {
  for (int batch = 0; batch < n; ++batch) {
    for (int i = 0; i < in; ++i) b.posted(from, to, batch);
    for (int i = 0; i < out; ++i) b.delivered(from, to, batch);
  }
}

}  // namespace

TEST_CASE("a pair that gets 97 of 100 messages through grows and one that gets 98 through does not") {
  Backlogs b;
  b.open(3);
  flow(b, 0, 1, 100, 98);
  flow(b, 2, 1, 100, 100);
  CHECK(b.growing().empty());
  b.open(3);
  flow(b, 0, 1, 100, 97);
  flow(b, 2, 1, 100, 100);
  CHECK(b.growing() == "1 of 2 pairs, most 0 > 1");
}

TEST_CASE("what came in one batch and has not left yet is no growth") {
  Backlogs b;
  b.open(2);
  flow(b, 0, 1, 10, 10);
  for (int i = 0; i < 30; ++i) b.posted(0, 1, n - 1);  // 13 % of all, but in one batch
  CHECK(b.growing().empty());
}

TEST_CASE("few messages of many pairs are judged by their sender or receiver") {
  // Each of 40 ranks posts to rank 0 a message in every fourth batch, and half of these arrive; and the reverse.
  const auto growing = [](bool to_one) {
    Backlogs b;
    b.open(41);
    for (int rank = 1; rank <= 40; ++rank)
      for (int batch = rank % 4; batch < n; batch += 4) {
        to_one ? b.posted(rank, 0, batch) : b.posted(0, rank, batch);
        if (rank % 8 < 4) to_one ? b.delivered(rank, 0, batch) : b.delivered(0, rank, batch);
      }
    return b.growing();
  };
  CHECK(growing(true) == "1 of 1 receivers, most 0");
  CHECK(growing(false) == "1 of 1 senders, most 0");
}

TEST_CASE("a queue that is nine tenths full is hardly ever taken for one that grows") {
  // A server of a message a slot, of 100 slots a batch, behind Bernoulli arrivals from three sources.
  constexpr int flows = 2000, slots = 100;
  stats::RandomStream random(1, "test");
  Backlogs b;
  b.open(2 * flows);
  for (int f = 0; f < flows; ++f) {
    int queue = 0;
    for (int slot = -10 * slots; slot < n * slots; ++slot) {
      const int batch = slot < 0 ? 0 : slot / slots;
      for (int source = 0; source < 3; ++source)
        if (random.below(10) < 3) {
          ++queue;
          if (slot >= 0) b.posted(f, flows + f, batch);
        }
      if (queue > 0) {
        --queue;
        if (slot >= 0) b.delivered(f, flows + f, batch);
      }
    }
  }
  CHECK(b.growing().empty());
}

TEST_CASE("a queue that is offered a tenth more than it takes grows nearly always") {
  constexpr int flows = 200, slots = 100;
  stats::RandomStream random(1, "test");
  int told = 0;
  for (int f = 0; f < flows; ++f) {
    Backlogs b;
    b.open(2);
    for (int slot = 0; slot < n * slots; ++slot) {
      for (int source = 0; source < 11; ++source)
        if (random.below(10) < 1) b.posted(0, 1, slot / slots);
      b.delivered(0, 1, slot / slots);
    }
    told += b.growing().empty() ? 0 : 1;
  }
  CHECK(told > flows * 3 / 5);
}

}  // namespace backlogs_test
