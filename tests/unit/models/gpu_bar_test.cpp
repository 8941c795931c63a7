// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/bar.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace gpu_bar_test {

using namespace tsunagi;
using gpu::BarMap;

TEST_CASE("BAR window: pages are shown one after the other, and found again") {
  BarMap bar(5_GiB, 256_MiB, 64_KiB);
  CHECK_FALSE(bar.memory_at(0));
  CHECK(bar.pin(1_MiB + 8_B, 8_B) == 8);
  CHECK(bar.pinned() == 64_KiB);
  CHECK(bar.memory_at(0) == (1 << 20));
  CHECK(bar.memory_at(65535) == (1 << 20) + 65535);
  CHECK_FALSE(bar.memory_at(65536));
  CHECK(bar.pin(0_B, 64_KiB + 1_B) == 65536);  // two pages
  CHECK(bar.pinned() == 192_KiB);
  CHECK(bar.memory_at(65536) == 0);
  CHECK(bar.memory_at(3 * 65536 - 1) == 2 * 65536 - 1);
}

TEST_CASE("BAR window: what is pinned stays where it is") {
  BarMap bar(1_GiB, 1_MiB, 64_KiB);
  CHECK(bar.pin(128_KiB, 256_KiB) == 0);
  CHECK(bar.pin(128_KiB, 256_KiB) == 0);
  CHECK(bar.pin(192_KiB + 5_B, 1_KiB) == 65536 + 5);
  CHECK(bar.pinned() == 256_KiB);
  // Half of it new, behind the last range: that grows.
  CHECK(bar.pin(320_KiB, 128_KiB) == 3 * 65536);
  CHECK(bar.pinned() == 320_KiB);
  CHECK(bar.memory_at(5 * 65536 - 1) == 448 * 1024 - 1);
  // Half of it new, before it: the whole range must be in one piece.
  CHECK(bar.pin(64_KiB, 128_KiB) == 5 * 65536);
  CHECK(bar.pinned() == 448_KiB);
  // The last range lies before the one that ends there: what goes on behind it is shown twice.
  CHECK(bar.pin(192_KiB, 64_KiB) == 65536);
  CHECK(bar.pin(128_KiB, 384_KiB) == 6 * 65536);
  CHECK(bar.pinned() == 768_KiB);
}

TEST_CASE("BAR window: full is full, and memory has an end") {
  BarMap bar(5_GiB, 256_MiB, 64_KiB);
  bar.pin(0_B, 256_MiB - 64_KiB);
  bar.pin(1_GiB, 64_KiB);
  CHECK(bar.pin(1_GiB, 64_KiB) == (256 << 20) - 65536);
  CHECK_THROWS_WITH(bar.pin(2_GiB, 1_B),
                    "the BAR window of 256 MiB is full: 256 MiB are pinned, 64 KiB more are asked for");
  CHECK_THROWS_WITH(bar.pin(5_GiB - 8_B, 16_B), Catch::Contains("are not in the memory of 5 GiB"));
  CHECK_THROWS(bar.pin(0_B, 0_B));
  CHECK_THROWS(bar.pin(6_GiB, 1_B));
}

}  // namespace gpu_bar_test
