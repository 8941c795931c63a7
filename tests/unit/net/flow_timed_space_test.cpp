// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <vector>

#include "flow/timed_space.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace flow_timed_space_test {

using namespace tsunagi;
using flow::Cause;
using flow::TimedSpace;

TEST_CASE("a buffer that was never used is free since time 0") {
  TimedSpace space(512_B);
  CHECK(space.covers(512_B));
  CHECK_FALSE(space.covers(513_B));
  CHECK(space.free_since(512_B).when == 0_ns);
  CHECK(space.free_since(512_B).packet == 0);
  space.claim(500_B);
  CHECK(space.covers(12_B));
  CHECK_FALSE(space.covers(13_B));
}

TEST_CASE("what a claim gets is free since the last of its bytes is") {
  TimedSpace space(100_B);
  space.claim(100_B);
  space.release(64_B, {8_ns, 3});
  space.release(64_B, {5_ns, 2});
  space.release(32_B, {8_ns, 4});
  CHECK(space.first_free() == 5_ns);
  CHECK(space.free_since(64_B).packet == 2);
  CHECK(space.free_since(65_B).packet == 3);
  CHECK(space.free_since(128_B).packet == 3);
  CHECK(space.free_since(129_B).packet == 4);
  CHECK(space.claim(65_B).when == 8_ns);
  CHECK(space.first_free() == 8_ns);
  CHECK(space.free_since(63_B).packet == 3);
  CHECK(space.claim(95_B).packet == 4);
  CHECK_FALSE(space.covers(1_B));
}

// A buffer of b bytes that are away for `away` passes b bytes in `away`, and a piece a cycle at most.
TEST_CASE("a buffer limits a stream to its size a round trip") {
  constexpr Time cycle = 4_ns, away = 90_ns;
  constexpr Bytes piece = 256_B;
  for (const int pieces : {1, 3, 22, 23, 64}) {
    TimedSpace space(piece * pieces);
    Time now;
    for (int i = 0; i < 300; ++i) {
      now = std::max(i == 0 ? Time::zero() : now + cycle, space.claim(piece).when);
      CHECK(now == std::max(cycle * pieces, away) * (i / pieces) + cycle * (i % pieces));
      space.release(piece, {now + away, 1});  // known ahead
    }
  }
}

TEST_CASE("space is taken byte by byte in the order in which it gets free") {
  std::mt19937 random(1);
  constexpr std::int64_t size = 200;
  TimedSpace space{Bytes(size)};
  std::vector<Time> bytes(size);  // each free byte, sorted
  for (int step = 0; step < 3000; ++step) {
    const auto n = static_cast<std::int64_t>(random() % 40 + 1);
    REQUIRE(space.covers(Bytes(n)) == (n <= static_cast<std::int64_t>(bytes.size())));
    if (random() % 2 == 0 && space.covers(Bytes(n))) {
      const Time last = bytes[static_cast<std::size_t>(n - 1)];
      REQUIRE(space.first_free() == bytes.front());
      REQUIRE(space.free_since(Bytes(n)).when == last);
      REQUIRE(space.claim(Bytes(n)).when == last);
      bytes.erase(bytes.begin(), bytes.begin() + n);
    } else if (n + static_cast<std::int64_t>(bytes.size()) <= size) {
      const Time when = 1_ns * static_cast<std::int64_t>(random() % 16 + static_cast<unsigned>(step) / 4);
      space.release(Bytes(n), {when, 1});
      bytes.insert(std::upper_bound(bytes.begin(), bytes.end(), when), static_cast<std::size_t>(n), when);
    }
  }
}

}  // namespace flow_timed_space_test
