// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/line_cache.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_line_cache_test {

using namespace tsunagi;
using host::LineCache;

namespace {

std::int64_t misses(LineCache& c, std::uint64_t address, Time now = Time::zero(), Bytes n = 1_B) {
  const LineCache::Touched t = c.touch(address, n, now);
  CHECK(t.hits + t.misses == units_of(n, 64_B));
  return t.misses;
}

}  // namespace

TEST_CASE("a cache has the lines that were touched") {
  LineCache c(512_B, 2);
  CHECK(misses(c, 0x1000) == 1);
  CHECK(misses(c, 0x103f) == 0);
  CHECK(misses(c, 0x1040) == 1);
  CHECK(misses(c, 0x1000, 0_ns, 256_B) == 2);
  CHECK(c.touch(0x103f, 2_B, 0_ns).hits == 2);
  CHECK(c.touch(0x5000, 0_B, 0_ns).misses == 0);
}

TEST_CASE("a set keeps as many lines as it has ways and drops the least recently used") {
  LineCache c(512_B, 2);  // four sets: lines 256 B apart share one
  misses(c, 0);
  misses(c, 256);
  CHECK(misses(c, 0) == 0);    // now 256 is the oldest
  CHECK(misses(c, 512) == 1);  // and makes room
  CHECK(misses(c, 0) == 0);
  CHECK(misses(c, 256) == 1);
  CHECK(misses(c, 64) == 1);  // another set
  CHECK(misses(c, 256) == 0);
}

TEST_CASE("whether lines are there can be asked without touching them") {
  LineCache c(512_B, 2);
  misses(c, 0, 0_ns, 128_B);
  misses(c, 256);
  CHECK(c.has(0, 128_B, 0_ns));
  CHECK(c.has(127, 1_B, 0_ns));
  CHECK_FALSE(c.has(127, 2_B, 0_ns));
  CHECK(misses(c, 512) == 1);  // in place of line 0, which nobody has touched since
  CHECK_FALSE(c.has(0, 1_B, 0_ns));
  CHECK(c.has(256, 1_B, 0_ns));
  c.written(256, 8_B, 5_ns, 0_ns);
  CHECK(c.has(256, 1_B, 5_ns));
  CHECK_FALSE(c.has(256, 1_B, 5_ns + 1_fs));
}

TEST_CASE("sets need not be a power of two") {
  LineCache c(192_B, 1);
  for (const std::uint64_t line : {0, 1, 2}) misses(c, line * 64);
  for (const std::uint64_t line : {0, 1, 2}) CHECK(misses(c, line * 64) == 0);
  CHECK(misses(c, 3 * 64) == 1);
  CHECK(misses(c, 0) == 1);
  CHECK(misses(c, 64) == 0);
}

TEST_CASE("a write makes lines stale for touches after it could be seen") {
  LineCache c(512_B, 2);
  misses(c, 0);
  misses(c, 64);
  c.written(60, 8_B, 100_ns, 50_ns);
  CHECK(misses(c, 0, 100_ns) == 0);
  CHECK(misses(c, 0, 100_ns + 1_fs) == 1);
  CHECK(misses(c, 64, 200_ns) == 1);
  CHECK(misses(c, 64, 300_ns) == 0);
}

TEST_CASE("writes that are told ahead count one by one") {
  LineCache c(512_B, 2);
  for (const Time when : {10_ns, 17_ns, 20_ns}) c.written(0, 64_B, when, 0_ns);
  CHECK(misses(c, 0, 15_ns) == 1);
  CHECK(misses(c, 0, 16_ns) == 0);
  CHECK(misses(c, 0, 18_ns) == 1);
  CHECK(misses(c, 0, 25_ns) == 1);
  CHECK(misses(c, 0, 26_ns) == 0);
}

TEST_CASE("a dropped line leaves its place to the next one") {
  LineCache c(128_B, 2);
  misses(c, 0);
  misses(c, 64);
  c.written(64, 64_B, 10_ns, 10_ns);
  CHECK(misses(c, 128, 20_ns) == 1);
  CHECK(misses(c, 0, 20_ns) == 0);
}

}  // namespace host_line_cache_test
