// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "flow/tags.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace flow_tags_test {

using namespace tsunagi;
using flow::Cause;
using flow::Tags;

namespace {

struct Read {
  int number = 0;
};

}  // namespace

TEST_CASE("tags that were never used are taken from the lowest on") {
  Tags<Read> tags(3);
  CHECK(tags.count() == 3);
  CHECK(tags.all_free());
  CHECK(tags.free_since(2).packet == 0);
  for (const int tag : {0, 1, 2}) CHECK(tags.claim(64_B, {10 + tag}) == tag);
  CHECK_FALSE(tags.any_free());
  CHECK(tags[1].number == 11);
}

TEST_CASE("a tag is free when the last byte of its read has come") {
  Tags<Read> tags(1);
  tags.claim(256_B, {});
  CHECK_FALSE(tags.arrived(0, 64_B, {5_ns, 7}));
  CHECK_FALSE(tags.any_free());
  CHECK(tags.arrived(0, 192_B, {9_ns, 8}));
  CHECK(tags.all_free());
  CHECK(tags.free_since(0).when == 9_ns);
  CHECK(tags.free_since(0).packet == 8);
}

TEST_CASE("nothing is expected for a free tag or one that is not there, or beyond a read's bytes") {
  Tags<Read> tags(2);
  tags.claim(64_B, {});
  CHECK(tags.expects(0, 64_B));
  CHECK_FALSE(tags.expects(0, 65_B));
  CHECK_FALSE(tags.expects(1, 1_B));
  CHECK_FALSE(tags.expects(2, 1_B));
  CHECK_FALSE(tags.expects(-1, 1_B));
  tags.arrived(0, 60_B, {});
  CHECK(tags.expects(0, 4_B));
  CHECK_FALSE(tags.expects(0, 5_B));
  const Tags<Read>& known = tags;
  CHECK_THROWS_AS(known[2], std::out_of_range);
}

TEST_CASE("the tag that gets free first is taken first, whatever was said first, and of several the lowest") {
  Tags<Read> tags(5);
  for (int i = 0; i < 5; ++i) tags.claim(8_B, {});
  const std::vector<Time> free{7_ns, 4_ns, 9_ns, 4_ns, 5_ns};
  for (const int tag : {2, 3, 4, 0, 1}) tags.arrived(tag, 8_B, {free[static_cast<std::size_t>(tag)], 1});
  for (const int tag : {1, 3, 4, 0, 2}) {
    CHECK(tags.first_free() == tag);
    CHECK(tags.claim(8_B, {}) == tag);
  }
}

// Little's law: t tags, each away for `away`, allow t reads in `away`, and one a cycle at most.
TEST_CASE("reads are as fast as tags come back") {
  constexpr Time cycle = 4_ns, away = 50_ns;
  for (const int t : {1, 2, 7, 12, 13, 40}) {
    Tags<Read> tags(t);
    Time now;
    for (int i = 0; i < 200; ++i) {
      now = std::max(i == 0 ? Time::zero() : now + cycle, tags.free_since(tags.first_free()).when);
      CHECK(now == std::max(cycle * t, away) * (i / t) + cycle * (i % t));
      const int tag = tags.claim(64_B, {i});
      tags.arrived(tag, 64_B, {now + away, 1});  // known ahead
    }
  }
}

TEST_CASE("tags are taken in the order of a sorted list") {
  std::mt19937 random(1);
  constexpr int n = 9;
  Tags<Read> tags(n);
  std::vector<Time> free(n);
  std::vector<bool> away(n, false);
  for (int step = 0; step < 5000; ++step) {
    const int tag = static_cast<int>(random() % n);
    const auto at = static_cast<std::size_t>(tag);
    if (away[at]) {
      free[at] = 1_ns * static_cast<std::int64_t>(random() % 8 + static_cast<unsigned>(step) / 8);
      REQUIRE(tags.arrived(tag, 1_B, {free[at], 1}));
      away[at] = false;
      continue;
    }
    int best = -1;
    for (int i = 0; i < n; ++i)
      if (const auto k = static_cast<std::size_t>(i);
          !away[k] && (best < 0 || free[k] < free[static_cast<std::size_t>(best)]))
        best = i;
    REQUIRE(tags.first_free() == best);
    REQUIRE(tags.claim(1_B, {step}) == best);
    away[static_cast<std::size_t>(best)] = true;
  }
}

}  // namespace flow_tags_test
