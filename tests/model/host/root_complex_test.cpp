// SPDX-License-Identifier: Apache-2.0
#include "support/bench.hpp"

namespace root_complex_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

net::PortSpec bus_port(const std::string& name) {
  net::PortSpec p = port(name);
  p.protocol = "on_chip";
  return p;
}

/// A probe at every port but slot2's.
void build(Bench& b) {
  host::RootComplexConfig rc;
  rc.cores = 1;
  rc.memory_size = 4_GiB;
  rc.posted_latency = 150_ns;
  rc.slots = {{"slot0", 8_GiB, 4_KiB}, {"slot1", 16_GiB, 1_GiB}, {"slot2", 32_GiB, 1_GiB}};
  b.device("rc", rc);
  b.device("core", bus_port("bus"));
  b.device("memory", bus_port("bus"));
  b.device("card0", port("link"));
  b.device("card1", port("link"));
  host::OnChipConfig bus;
  bus.bandwidth = Rate::infinite();
  bus.flight = 1_ns;
  b.wire("core.bus", "rc.core0", bus);
  b.wire("memory.bus", "rc.memory", bus);
  b.wire("card0.link", "rc.slot0", quiet(gen2_x8()));
  b.wire("card1.link", "rc.slot1", quiet(gen2_x8()));
  b.build();
}

}  // namespace

TEST_CASE("a core's write reaches the slot whose window holds its address") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    b.probe("core").write(8 * GiB, 8_B);
    b.probe("core").write(17 * GiB - 8, 8_B);
  });
  b.run();
  // 1 ns of bus, the root complex, 32 B at 4 GB/s, 1 ns of trace.
  const Time there = 1_ns + 150_ns + 8_ns + 1_ns;
  b.probe("card0").expect_first_at(there);
  b.probe("card1").expect_first_at(there);
  CHECK(b.probe("card0").arrivals()[0].address == 8 * GiB);
  b.expect_all_home();
}

TEST_CASE("a card's write reaches memory, and another card") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    b.probe("card0").write(0x1000, 256_B);
    b.probe("card0").write(16 * GiB, 256_B);
  });
  b.run();
  // To memory below 4 GiB with a header of 3 DW, to the card above it with one of 4.
  b.probe("memory").expect_first_at(69_ns + 1_ns + 150_ns + 1_ns);
  b.probe("card1").expect_first_at(69_ns + 70_ns + 1_ns + 150_ns + 70_ns + 1_ns);
  b.expect_all_home();
}

TEST_CASE("an address that nobody has is told") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("core").write(5 * GiB, 8_B); });
  CHECK(b.failure() == "rc: no device answers at address 0x140000000");
}

TEST_CASE("the first address behind a window is outside") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("core").write(17 * GiB, 8_B); });
  CHECK(b.failure() == "rc: no device answers at address 0x440000000");
}

TEST_CASE("an empty slot is told") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("core").write(32 * GiB, 8_B); });
  CHECK(b.failure() == "rc: nothing is connected to slot2 for address 0x800000000");
}

namespace {

/// A card behind a link with that MPS reads 512 B from 0x1040 on; the host combines completions up to 256 B.
void read_memory(Bench& b, Bytes max_payload) {
  host::RootComplexConfig rc;
  rc.read_latency = 200_ns;
  rc.completion_latency = 100_ns;
  rc.completion_size = 256_B;
  rc.slots = {{"slot0", 512_GiB, 4_KiB}};
  b.device("rc", rc);
  host::MemoryConfig memory;
  memory.read_latency = 50_ns;
  b.device("memory", memory);
  b.device("card", port("link"));
  host::OnChipConfig bus;
  bus.bandwidth = Rate::infinite();
  bus.flight = 1_ns;
  b.wire("memory.bus", "rc.memory", bus);
  pcie::LinkConfig link = quiet(gen2_x8());
  link.max_payload_size = max_payload;
  b.wire("card.link", "rc.slot0", link);
  b.build();
  b.at(0_ns, [&] { b.probe("card").read(0x1040, 512_B); });
  b.run();
}

/// These completions came, one behind the other.
void expect_completions(Bench& b, const std::vector<Bytes>& expected) {
  const auto& seen = b.probe("card").arrivals();
  REQUIRE(seen.size() == expected.size());
  // Request 20 B at 4 GB/s; there and back through root complex and memory; completions of 20 B overhead.
  Time at = 5_ns + 1_ns + 200_ns + 1_ns + 50_ns + 1_ns + 100_ns + 1_ns;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(seen[i].payload == expected[i]);
    at += Time::from_fs(250'000) * (expected[i] + 20_B).count();
    CHECK(seen[i].head == at);
  }
  b.expect_all_home();
}

}  // namespace

TEST_CASE("a read comes back in completions that end at multiples of their size") {
  Bench b;
  read_memory(b, 256_B);
  expect_completions(b, {192_B, 256_B, 64_B});  // 0x1040 - 0x1100 - 0x1200 - 0x1240
}

TEST_CASE("no completion exceeds the link's max payload, however many bytes the host combines") {
  Bench b;
  read_memory(b, 128_B);
  expect_completions(b, {64_B, 128_B, 128_B, 128_B, 64_B});
}

}  // namespace root_complex_test
