// SPDX-License-Identifier: Apache-2.0
// Clocks and sizes of PCI-X transactions.
#include "models/pcix/timing.hpp"
#include "support/catch.hpp"

namespace pcix_timing_test {

using namespace tsunagi;
using namespace tsunagi::pcix;

namespace {

constexpr std::uint64_t high = std::uint64_t{1} << 32;

}  // namespace

TEST_CASE("a burst has address, attributes, response, a clock a word, and a turnaround") {
  const Timing wide;
  CHECK(wide.burst(0, 4_KiB) == Clocks{3, 512, 1});
  CHECK(wide.burst(0, 4_KiB).total() == 516);
  CHECK(wide.burst(high, 512_B) == Clocks{4, 64, 1});  // dual address cycle
  CHECK(wide.burst(high - 1, 1_B) == Clocks{3, 1, 1});
  CHECK(wide.request(0) == Clocks{3, 0, 1});
  CHECK(wide.request(high) == Clocks{4, 0, 1});
  // A completion says the lower address bits of what it brings, and no more.
  CHECK(wide.completion(high, 128_B) == Clocks{3, 16, 1});
}

TEST_CASE("a slow decoder and a narrow bus take longer") {
  Timing t;
  t.decode = 3;
  CHECK(t.burst(0, 128_B) == Clocks{5, 16, 1});
  t.width = 4_B;
  CHECK(t.burst(0, 128_B) == Clocks{5, 32, 1});
}

TEST_CASE("the bus moves whole words") {
  const Timing t;
  CHECK(t.data(0, 8_B) == 1);
  CHECK(t.data(0, 9_B) == 2);
  CHECK(t.data(7, 1_B) == 1);
  CHECK(t.data(7, 2_B) == 2);
  CHECK(t.data(4, 128_B) == 17);
  CHECK(t.data(3, 0_B) == 0);
}

TEST_CASE("bursts end at their byte count and at 4 KiB") {
  CHECK(next_burst(0, 10_KiB, 4_KiB) == 4_KiB);
  CHECK(next_burst(4000, 10_KiB, 4_KiB) == 96_B);
  CHECK(next_burst(100, 10_KiB, 512_B) == 512_B);
  CHECK(next_burst(100, 5_B, 512_B) == 5_B);
}

TEST_CASE("completions break off at multiples of 128 B, or with the read's last byte") {
  CHECK(next_completion(0, 4_KiB, 4_KiB, 4_KiB) == 4_KiB);
  CHECK(next_completion(0, 4_KiB, 4_KiB, 512_B) == 512_B);
  CHECK(next_completion(0, 200_B, 4_KiB, 4_KiB) == 128_B);
  CHECK(next_completion(0, 127_B, 4_KiB, 4_KiB) == 0_B);
  CHECK(next_completion(100, 28_B, 4_KiB, 4_KiB) == 28_B);
  CHECK(next_completion(100, 27_B, 4_KiB, 4_KiB) == 0_B);
  CHECK(next_completion(100, 27_B, 27_B, 4_KiB) == 27_B);
  CHECK(next_completion(64, 4_KiB, 4_KiB, 512_B) == 448_B);
}

TEST_CASE("PCI-X knows four byte counts") {
  for (const Bytes n : {512_B, 1_KiB, 2_KiB, 4_KiB}) CHECK(is_read_byte_count(n));
  for (const Bytes n : {128_B, 256_B, 513_B, 8_KiB}) CHECK_FALSE(is_read_byte_count(n));
}

}  // namespace pcix_timing_test
