// SPDX-License-Identifier: Apache-2.0
// Cards' reads and writes of a memory whose last-level cache is modelled, from the pin on.
#include "model/host/llc_bench.hpp"

namespace memory_llc_test {

using namespace tsunagi;
using namespace tsunagi::test;
using namespace tsunagi::test::llc;
using host::WarmedBy;

TEST_CASE("a card reads from the cache what the host wrote and from DRAM what nobody did") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    memory(b).warm(0, 4_KiB, WarmedBy::host);
    b.probe("card").read(0, 64_B);
  });
  b.at(1_us, [&] { b.probe("card").read(0x10000, 64_B); });
  b.at(2_us, [&] { b.probe("card").read(0x10000, 256_B); });
  b.at(3_us, [&] {
    memory(b).make_cold();
    b.probe("card").read(0, 64_B);
  });
  b.run();
  b.probe("card").expect_at(0, read_time(64_B));
  b.probe("card").expect_at(1, 1_us + read_time(64_B) + dram);
  b.probe("card").expect_at(2, 2_us + read_time(256_B) + dram + burst * 3);
  b.probe("card").expect_at(3, 3_us + read_time(64_B) + dram);
  b.expect_all_home();
}

TEST_CASE("reads of a window step up by DRAM just above what is warm of it") {
  Bench b;
  build(b);
  Time at;
  std::vector<Time> expected;
  const auto pass = [&](std::uint64_t window, std::uint64_t misses) {
    for (std::uint64_t line = 0; line * 64 < window; ++line) {
      at += 1_us;
      expected.push_back(at + read_time(64_B) + (line < misses ? dram : Time::zero()));
      b.at(at, [&b, line] { b.probe("card").read(line * 64, 64_B); });
    }
    at += 1_us;
  };
  const auto warm = [&](Bytes n, WarmedBy by) {
    b.at(at, [&b, n, by] {
      memory(b).make_cold();
      memory(b).warm(0, n, by);
    });
  };
  warm(2_KiB, WarmedBy::device);
  pass(2 << 10, 0);
  warm(2_KiB + 128_B, WarmedBy::device);
  pass((2 << 10) + 128, 2);  // in two sets the third line took the first one's way
  warm(20_KiB, WarmedBy::host);
  pass(20 << 10, 0);
  warm(20_KiB + 64_B, WarmedBy::host);
  pass((20 << 10) + 64, 1);
  b.run();
  for (std::size_t i = 0; i < expected.size(); ++i) b.probe("card").expect_at(i, expected[i]);
}

TEST_CASE("a read behind a write waits for the line that the write brings in") {
  Bench b;
  build(b);
  const auto write_then_read = [&](Time at, Bytes n) {
    b.at(at, [&b, n] {
      b.probe("card").write(0, n);
      b.probe("card").read(0, n);
    });
  };
  memory(b).make_cold();
  write_then_read(1_us, 64_B);  // a dirty line must go
  write_then_read(2_us, 64_B);
  write_then_read(3_us, 8_B);
  b.at(4_us, [&] { memory(b).make_cold(); });
  write_then_read(5_us, 8_B);  // and the rest of the line must come
  b.run();
  const auto expected = [](Time at, Bytes n, Time more) {
    const Time written = on_wire(n + 20_B) + flight + posted + ring;
    const Time asked = on_wire(n + 40_B) + flight + reading + ring;
    return at + std::max(written + more, asked) + hit + ring + completing + on_wire(n + 20_B) + flight;
  };
  b.probe("card").expect_at(0, expected(1_us, 64_B, dram));
  b.probe("card").expect_at(1, expected(2_us, 64_B, 0_ns));
  b.probe("card").expect_at(2, expected(3_us, 8_B, 0_ns));
  b.probe("card").expect_at(3, expected(5_us, 8_B, dram + burst));
  CHECK(posted + dram > reading + on_wire(20_B));  // else nothing waited
  b.expect_all_home();
}

TEST_CASE("writes are seen in their order however long one takes") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    b.probe("card").write(8, 8_B);
    b.probe("card").says(3);
    b.probe("card").write(0x1000, 64_B);
  });
  b.run();
  const auto& e = memory(b).extents();
  REQUIRE(e.size() == 2);
  const Time first = on_wire(28_B) + flight + posted + ring + dram;
  CHECK(e[0].when == first);
  CHECK(e[1].when == first);
  CHECK(memory(b).word_ending_at(0x1040).since == first);
  b.expect_all_home();
}

TEST_CASE("a read that hits passes one that does not unless both are of one tag") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    memory(b).warm(0, 64_B, WarmedBy::host);
    memory(b).warm(0x1100, 256_B, WarmedBy::host);
    b.probe("card").read(0x10000, 64_B);
    flow::PacketPtr p = pcie::memory_read(b.machine().pool(), 0, 64_B);
    p->header<pcie::Tlp>().requester.tag = 1;
    net::Delivery d;
    d.packet = std::move(p);
    d.schedule = net::Schedule::at(0_ns);
    b.probe("card").ports()[0].send(0, std::move(d));
  });
  b.at(1_us, [&] { b.probe("card").read(0x1000, 512_B); });  // the first 256 B from DRAM, the others not
  b.run();
  const auto& seen = b.probe("card").arrivals();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].requester.tag == 1);
  CHECK(seen[0].head == on_wire(20_B) + read_time(64_B));
  CHECK(seen[1].head == read_time(64_B) + dram);
  CHECK(seen[2].address == 0x1000);
  CHECK(seen[2].head == 1_us + read_time(256_B) + dram + burst * 3);
  CHECK(seen[3].head == seen[2].head + on_wire(276_B));
  b.expect_all_home();
}

TEST_CASE("a card's write to the other socket's memory goes to DRAM and reads of it come from there") {
  Bench b;
  build(b, 1, true);
  const Time across = 20_ns + host::RootComplexConfig{}.remote_latency;
  b.at(0_ns, [&] {
    memory(b, 1).warm(4 * GiB, 64_B, WarmedBy::host);
    b.probe("card").read(4 * GiB, 64_B);
  });
  b.at(2_us, [&] { b.probe("card").write(4 * GiB, 64_B); });
  b.at(4_us, [&] { b.probe("card").read(4 * GiB, 64_B); });
  b.at(6_us, [&] { b.probe("card").write(0, 64_B); });
  b.at(8_us, [&] { b.probe("card").read(0, 64_B); });
  b.run();
  const Time far = read_time(64_B) + on_wire(4_B) + across * 2;  // the request has a header of 4 DW
  b.probe("card").expect_at(0, far);
  CHECK(memory(b, 1).extents().at(0).when == 2_us + on_wire(88_B) + flight + posted + across + ring + dram);
  b.probe("card").expect_at(1, 4_us + far + dram);
  b.probe("card").expect_at(2, 8_us + read_time(64_B));
  b.expect_all_home();
}

TEST_CASE("writes that wait for DRAM keep later ones on the card when only so many lines may be under way") {
  host::MemoryConfig m = memory_config();
  m.llc.dram_latency = 1_us;
  m.write_lines = 4;
  Bench b;
  build(b, 1, false, m);
  memory(b).make_cold();
  b.at(0_ns, [&] {
    for (std::uint64_t i = 0; i < 6; ++i) b.probe("card").write(i * 64, 64_B);
  });
  b.run();
  const auto& e = memory(b).extents();
  REQUIRE(e.size() == 6);
  const Time first = on_wire(84_B) + flight + posted + ring;
  for (std::size_t i = 0; i < 4; ++i) CHECK(e[i].when == first + on_wire(84_B) * static_cast<std::int64_t>(i) + 1_us);
  // The fifth leaves the root complex when it is told over the bus that the first one is where it stays.
  for (std::size_t i = 4; i < 6; ++i) CHECK(e[i].when == e[i - 4].when + ring * 2 + 1_us);
  b.expect_all_home();
}

TEST_CASE("a core's stores do not wait for the lines that cards may have under way") {
  host::MemoryConfig m = memory_config();
  m.llc.dram_latency = 1_us;
  m.write_lines = 4;
  Bench b;
  host::CoreConfig core;
  core.clock = Frequency(1'000'000'000);
  core.store_to_bus = 80_ns;
  b.device("core", core);
  b.device("memory0", m);
  b.wire("core.bus", "memory0.bus", bus(ring));
  b.build();
  memory(b).make_cold();
  b.program("stores", [&](Fiber& f) {
    for (std::uint64_t i = 0; i < 8; ++i) b.machine().get<host::Core>("core").store(f, i * 64, 8_B, 1, 0);
  });
  b.run();
  const auto& e = memory(b).extents();
  REQUIRE(e.size() == 8);
  // One every cycle; of each DRAM reads the rest of the line and takes the one that had its place, one behind the
  // other.
  const Time first = 1_ns + 80_ns + ring;
  for (std::size_t i = 0; i < 8; ++i) CHECK(e[i].when == first + burst * static_cast<std::int64_t>(2 * i + 1) + 1_us);
  b.expect_all_home();
}

}  // namespace memory_llc_test
