// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "support/bench.hpp"

namespace memory_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// A probe that writes into a recording memory over a bus of 64 B a nanosecond.
void build(Bench& b, Time write_latency, int max_train = 1) {
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
  b.build(max_train);
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

TEST_CASE("a read brings what was said of its bytes, of any size, and 0 between") {
  Bench b;
  build(b, 30_ns);
  b.at(0_ns, [&] {
    b.probe("source").write_bytes(0x105, {1, 2, 3});
    b.probe("source").write_bytes(0x10c, {4});
    b.probe("source").read(0x100, 512_B);  // they cannot be seen yet, but it follows them
    b.probe("source").read(0x109, 3_B);
    b.probe("source").read(0x107, 1_B);
  });
  b.run();
  const auto& seen = b.probe("source").arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].bytes == std::vector<std::uint8_t>{1, 2, 3, 0, 0, 0, 0, 4});
  CHECK(seen[1].bytes.empty());
  CHECK(seen[2].bytes == std::vector<std::uint8_t>{3});
  CHECK(memory(b).bytes(0x104, 4_B) == std::vector<std::uint8_t>{0, 1, 2, 3});
  b.expect_all_home();
}

TEST_CASE("a write of bulk data leaves what was said, and a zero is something said") {
  Bench b;
  build(b, 0_ns);
  b.at(0_ns, [&] {
    b.probe("source").write_bytes(0x100, std::vector<std::uint8_t>(16, 9));
    b.probe("source").write(0x100, 64_B);
    b.probe("source").says(0);
    b.probe("source").write(0x108, 8_B);
  });
  b.run();
  CHECK(memory(b).word_ending_at(0x108).value == 0x0909090909090909);
  CHECK(memory(b).word_ending_at(0x110).value == 0);
}

TEST_CASE("any write of its bytes wakes who watches a word") {
  Bench b;
  build(b, 30_ns);
  std::vector<std::pair<Time, std::uint64_t>> seen;
  b.program("watch", [&](Fiber& f) {
    host::Word& w = memory(b).word_ending_at(0x142);  // across two lines
    for (int i = 0; i < 3; ++i) {
      f.wait(w.changed, "a write");
      seen.emplace_back(w.since, w.value);
    }
  });
  b.at(1_us, [&] { b.probe("source").write_bytes(0x138, std::vector<std::uint8_t>(3, 1)); });
  b.at(2_us, [&] { b.probe("source").write_bytes(0x141, {2}); });
  b.at(3_us, [&] { b.probe("source").write_bytes(0x142, {3}); });
  b.at(4_us, [&] { b.probe("source").write_bytes(0x100, std::vector<std::uint8_t>(256, 4)); });
  b.run();
  const auto visible = [](Time t, Bytes n) { return t + 15625_fs * n.count() + 1_ns + 30_ns; };
  REQUIRE(seen.size() == 3);
  CHECK(seen[0] == std::make_pair(visible(1_us, 3_B), std::uint64_t{1}));
  CHECK(seen[1] == std::make_pair(visible(2_us, 1_B), std::uint64_t{0x0200000000000001}));
  CHECK(seen[2] == std::make_pair(visible(4_us, 256_B), std::uint64_t{0x0404040404040404}));
}

TEST_CASE("a train of reads longer than a block of contents is answered by several") {
  Bench b;
  build(b, 0_ns, 64);
  b.at(0_ns, [&] {
    for (std::uint64_t i = 0; i < 5; ++i)
      b.probe("source").write_bytes(0x10'0000 + 4000 * i, std::vector<std::uint8_t>(100, static_cast<std::uint8_t>(i)));
    b.probe("source").read_train(0x10'0000, 64, 256_B);
  });
  b.run();
  const auto& seen = b.probe("source").arrivals();
  REQUIRE(seen.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    std::vector<std::uint8_t> all(256);
    bool any = false;
    for (std::size_t k = 0; k < 256; ++k)
      if (const std::size_t at = 256 * i + k; at % 4000 < 100) {
        all[k] = static_cast<std::uint8_t>(at / 4000);
        any = true;
      }
    const auto first = std::find_if(seen[i].bytes.begin(), seen[i].bytes.end(), [](std::uint8_t v) { return v != 0; });
    CAPTURE(i);
    if (!any) CHECK(first == seen[i].bytes.end());
    std::vector<std::uint8_t> said, expected;
    for (const std::uint8_t v : seen[i].bytes)
      if (v != 0) said.push_back(v);
    for (const std::uint8_t v : all)
      if (v != 0) expected.push_back(v);
    CHECK(said == expected);
    if (i > 0) CHECK(seen[i].head >= seen[i - 1].head);
  }
  b.expect_all_home();
}

TEST_CASE("a write beyond the end of memory is told") {
  Bench b;
  build(b, 0_ns);
  b.at(0_ns,
       [&] { b.probe("source").write(static_cast<std::uint64_t>(host::MemoryConfig{}.size.count()) - 32, 64_B); });
  CHECK(b.failure() == "memory: access beyond its end");
}

TEST_CASE("a read beyond the end of memory is told") {
  Bench b;
  build(b, 0_ns);
  b.at(0_ns, [&] { b.probe("source").read(static_cast<std::uint64_t>(host::MemoryConfig{}.size.count()) - 4, 8_B); });
  CHECK(b.failure() == "memory: access beyond its end");
}

}  // namespace memory_test
