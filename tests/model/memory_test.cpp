// SPDX-License-Identifier: Apache-2.0
#include "support/bench.hpp"

namespace memory_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// A probe that writes into a recording memory over a bus of 64 B a nanosecond.
void build(Bench& b, Time write_latency) {
  net::PortSpec p = port("out");
  p.protocol = "on_chip";
  b.device("source", p);
  host::MemoryConfig c;
  c.write_latency = write_latency;
  c.record = true;
  b.device("memory", c);
  host::OnChipConfig bus;
  bus.bandwidth = Rate::bytes_per_second(64'000'000'000);
  bus.flight = 1_ns;
  b.wire("source.out", "memory.bus", bus);
  b.build();
}

host::Memory& memory(Bench& b) { return b.machine().get<host::Memory>("memory"); }

}  // namespace

TEST_CASE("a write is visible its latency after its last byte") {
  Bench b;
  build(b, 30_ns);
  b.probe("source").says(5);
  b.at(0_ns, [&] { b.probe("source").write(0x200, 128_B); });
  const Time visible = 2_ns + 1_ns + 30_ns;
  std::uint64_t before = 99;
  b.at(visible - 1_fs, [&] { before = memory(b).word_ending_at(0x280).value; });
  b.run();
  CHECK(before == 0);
  CHECK(memory(b).word_ending_at(0x280).value == 5);
  CHECK(memory(b).word_ending_at(0x280).since == visible);
  b.expect_all_home();
}

TEST_CASE("every extent is recorded with what it holds, in order") {
  Bench b;
  build(b, 0_ns);
  b.at(0_ns, [&] {
    b.probe("source").write(0x0, 64_B);
    b.probe("source").says(7);
    b.probe("source").write(0x40, 32_B);
  });
  b.run();
  const auto& e = memory(b).extents();
  REQUIRE(e.size() == 2);
  CHECK(e[0].address == 0);
  CHECK(e[0].length == 64_B);
  CHECK(e[0].value == 0);
  CHECK(e[0].when == 1_ns + 1_ns);
  CHECK(e[1].address == 0x40);
  CHECK(e[1].length == 32_B);
  CHECK(e[1].value == 7);
  CHECK(e[1].when == 1_ns + 500_ps + 1_ns);
}

TEST_CASE("a flag never becomes visible before the data written ahead of it") {
  Bench b;
  build(b, 30_ns);
  b.at(0_ns, [&] {
    b.probe("source").says(1);
    b.probe("source").write(0x0, 256_B);
    b.probe("source").says(2);
    b.probe("source").write(0x1000, 8_B);
  });
  b.run();
  CHECK(memory(b).word_ending_at(0x100).since < memory(b).word_ending_at(0x1008).since);
}

TEST_CASE("a read's data come back its latency after the request") {
  Bench b;
  build(b, 0_ns);
  b.at(0_ns, [&] { b.probe("source").read(0x40, 64_B); });
  b.run();
  // 1 ns there (a request has no bytes on this bus), 50 ns, 64 B and 1 ns back.
  b.probe("source").expect_first_at(1_ns + 50_ns + 1_ns + 1_ns);
  CHECK(b.probe("source").arrivals()[0].tlp_class == pcie::completion);
  CHECK(b.probe("source").arrivals()[0].payload == 64_B);
  b.expect_all_home();
}

TEST_CASE("a write beyond the end of memory is told") {
  Bench b;
  build(b, 0_ns);
  b.at(0_ns,
       [&] { b.probe("source").write(static_cast<std::uint64_t>(host::MemoryConfig{}.size.count()) - 32, 64_B); });
  CHECK(b.failure() == "memory: access beyond its end");
}

}  // namespace memory_test
