// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/cached_dram.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_cached_dram_test {

using namespace tsunagi;
using host::Agent;
using host::CachedDram;
using host::WarmedBy;

namespace {

constexpr Time dram = 55_ns;
constexpr Time burst = 2_ns;  // of a line

/// 16 sets of 20 ways, two of them for devices: 2 KiB.
host::LastLevelCacheConfig config() {
  host::LastLevelCacheConfig c;
  c.size = 20_KiB;
  c.dram_latency = dram;
  c.dram_rate = Rate::bytes_per_second(32'000'000'000);
  return c;
}

/// What the last of two passes of single lines over a window takes beside a hit, in lines that it waits for.
std::int64_t waits(CachedDram& c, std::uint64_t window, bool write, Bytes n, Agent by = Agent::card) {
  static Time now = 1_ms;  // of all caches of a test: it only grows
  std::int64_t found = 0;
  for (int pass = 0; pass < 2; ++pass) {
    found = 0;
    for (std::uint64_t at = 0; at < window; at += 64) {
      now += 1_us;
      const Time done = write ? c.write(at, n, now, by) : c.read(at, n, now);
      if (done != now) CHECK(done == now + dram + (write && n < 64_B ? burst : Time::zero()));
      found += done != now ? 1 : 0;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a read of lines that are cached takes no time, others come one after the other") {
  CachedDram c(config());
  CHECK(c.read(0, 64_B, 1_us) == 1_us + dram);
  CHECK(c.read(0, 64_B, 2_us) == 2_us + dram);  // it brought nothing in
  c.warm(0, 128_B, WarmedBy::host);
  CHECK(c.read(0, 128_B, 3_us) == 3_us);
  CHECK(c.read(64, 256_B, 4_us) == 4_us + dram + burst * 2);
  CHECK(c.read(60, 8_B, 5_us) == 5_us);
  CHECK(c.read(124, 8_B, 6_us) == 6_us + dram);
  CHECK(c.read(512, 64_B, 7_us) == 7_us + dram);
  CHECK(c.read(512, 64_B, 7_us + 500_ps) == 7_us + burst + dram);
  CHECK(c.read(512, 64_B, 7_us + 500_ps) == 7_us + burst * 2 + dram);
}

TEST_CASE("DRAM carries lines at its rate to the femtosecond") {
  host::LastLevelCacheConfig config_of_rate = config();
  config_of_rate.dram_rate = Rate::bytes_in(64 * 3, 10);  // 10 fs for three lines
  CachedDram c(config_of_rate);
  CHECK(c.read(0, 64_B * 31, 1_us) == 1_us + dram + 100_fs);
  CHECK(c.read(0, 64_B, 2_us) == 2_us + dram);
  CHECK(c.read(0, 64_B * 3, 3_us) == 3_us + dram + 6_fs);  // it owes nothing after a rest
}

TEST_CASE("a whole line that a card writes is there at once where no dirty one must go") {
  CachedDram c(config());
  CHECK(c.write(0, 64_B, 1_us, Agent::card) == 1_us);
  CHECK(c.read(0, 64_B, 1_us) == 1_us);
  c.make_cold();
  CHECK(c.write(0, 64_B, 2_us, Agent::card) == 2_us + dram);
  CHECK(c.read(0, 64_B, 2_us + 1_ns) == 2_us + dram);  // waits for the line
  CHECK(c.write(0, 64_B, 2_us + 1_ns, Agent::card) == 2_us + dram);
  CHECK(c.write(0, 8_B, 3_us, Agent::card) == 3_us);
  CHECK(c.write(64, 8_B, 4_us, Agent::card) == 4_us + burst + dram);
  c.warm(64, 64_B, WarmedBy::device);  // long ago
  CHECK(c.read(64, 64_B, 4_us) == 4_us);
}

TEST_CASE("a part of a line brings the rest from DRAM") {
  CachedDram c(config());
  CHECK(c.write(8, 8_B, 1_us, Agent::card) == 1_us + dram);
  CHECK(c.read(0, 64_B, 1_us + 1_ns) == 1_us + dram);
  CHECK(c.write(8, 8_B, 2_us, Agent::card) == 2_us);
  CHECK(c.write(0x1020, 128_B, 3_us, Agent::card) == 3_us + burst + dram);  // half, whole, half
  c.make_cold();
  CHECK(c.write(8, 8_B, 4_us, Agent::card) == 4_us + burst + dram);  // and another one's way out
}

TEST_CASE("a core's write may take any way, a card's at another socket none") {
  CachedDram c(config());
  CHECK(waits(c, 20 << 10, true, 64_B, Agent::core) == 0);
  CHECK(waits(c, 20 << 10, false, 64_B) == 0);
  CHECK(c.write(0, 64_B, 2_s, Agent::far_card) == 2_s + dram);
  CHECK(c.read(0, 64_B, 3_s) == 3_s + dram);
  CHECK(c.read(64, 64_B, 3_s) == 3_s);
  CHECK(c.write(64, 8_B, 4_s, Agent::far_card) == 4_s + burst + dram);
  CHECK(c.write(20 << 10, 64_B, 5_s, Agent::core) == 5_s);                // into the place of a line that is gone
  CHECK(c.write(40 << 10, 8_B, 6_s, Agent::core) == 6_s + burst + dram);  // into that of a dirty one
}

TEST_CASE("reads step up at the share that devices warmed and at the whole that the host warmed") {
  CachedDram c(config());
  for (const auto& [by, fits] : {std::pair(WarmedBy::device, 2), std::pair(WarmedBy::host, 20)}) {
    const std::uint64_t window = static_cast<std::uint64_t>(fits) << 10;
    c.make_cold();
    CHECK(waits(c, window, false, 64_B) == fits * 16);
    c.warm(0, Bytes(static_cast<std::int64_t>(window)), by);
    CHECK(waits(c, window, false, 64_B) == 0);
    c.warm(0, Bytes(static_cast<std::int64_t>(window)) + 64_B, by);  // a 17th part of a set: one line goes
    CHECK(waits(c, window + 64, false, 64_B) == 1);
  }
}

TEST_CASE("writes step up where they no longer find their lines in the devices' share") {
  CachedDram c(config());
  c.make_cold();
  CHECK(waits(c, 2 << 10, true, 64_B) == 0);
  CHECK(waits(c, (2 << 10) + 64, true, 64_B) == 3);  // of the set that three lines take turns in
  CHECK(waits(c, 3 << 10, true, 64_B) == 48);
  c.make_cold();
  CHECK(waits(c, 2 << 10, true, 8_B) == 0);
  CHECK(waits(c, 3 << 10, true, 8_B) == 48);
}

}  // namespace host_cached_dram_test
