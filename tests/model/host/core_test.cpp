// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace core_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time cycle = 400_ps;
constexpr Time to_bus = 80_ns;
constexpr Time flight = 1_ns;

host::CoreConfig core() {
  host::CoreConfig c;
  c.clock = Frequency(2'500'000'000);
  c.write_combining_buffers = 10;
  c.store_cycles = 1;
  c.store_to_bus = to_bus;
  c.poll_cycles = 10;
  c.poll_detect = 60_ns;
  return c;
}

host::OnChipConfig bus() {
  host::OnChipConfig c;
  c.bandwidth = Rate::infinite();
  c.flight = flight;
  return c;
}

net::PortSpec bus_port(const std::string& name) {
  net::PortSpec p = port(name);
  p.protocol = "on_chip";
  return p;
}

/// A core that stores to a probe; returns when the store instruction retired.
Time store(Bench& b, host::CoreConfig c, std::uint64_t address, Bytes n, std::uint64_t value = 0) {
  b.device("core", c);
  b.device("sink", bus_port("in"));
  b.wire("core.bus", "sink.in", bus());
  b.build();
  Time retired;
  b.program("store", [&](Fiber& f) {
    b.machine().get<host::Core>("core").store(f, address, n, value, 1);
    retired = f.now();
  });
  b.run();
  b.expect_all_home();
  return retired;
}

/// A core that polls a memory from `start` on for a write that becomes visible at `when`.
Time poll(Bench& b, Time start, Time when) {
  b.device("core", core());
  b.device("sink", bus_port("in"));
  b.device("source", bus_port("out"));
  b.device("memory", host::MemoryConfig{});
  b.wire("core.bus", "sink.in", bus());
  b.wire("source.out", "memory.bus", bus());
  b.build();
  b.probe("source").says(1);
  b.at(when - flight, [&] { b.probe("source").write(0x100, 8_B); });
  Time seen;
  b.program("poll", [&](Fiber& f) {
    f.wait_until(start);
    b.machine().get<host::Core>("core").poll(f, b.machine().get<host::Memory>("memory"), 0x108, 1);
    seen = f.now();
  });
  b.run();
  return seen;
}

constexpr Time iteration = 4_ns;
constexpr Time detect = 60_ns;

}  // namespace

TEST_CASE("a store of a word leaves after one instruction") {
  Bench b;
  CHECK(store(b, core(), 0x1000, 8_B, 42) == cycle);
  b.probe("sink").expect_first_at(cycle + to_bus + flight);
  CHECK(b.probe("sink").arrivals()[0].value == 42);
}

TEST_CASE("a line leaves when its eighth word has been stored") {
  Bench b;
  CHECK(store(b, core(), 0x1000, 128_B, 42) == cycle * 16);
  b.probe("sink").expect_at(0, cycle * 8 + to_bus + flight);
  b.probe("sink").expect_at(1, cycle * 16 + to_bus + flight);
  CHECK(b.probe("sink").arrivals()[0].payload == 64_B);
  CHECK(b.probe("sink").arrivals()[0].value == 0);
  CHECK(b.probe("sink").arrivals()[1].value == 42);  // only the last word says the number
}

TEST_CASE("a store across a line is two writes") {
  Bench b;
  store(b, core(), 0x1000 + 60, 12_B);
  const auto& seen = b.probe("sink").arrivals();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].address == 0x103c);
  CHECK(seen[0].payload == 4_B);
  CHECK(seen[1].address == 0x1040);
  CHECK(seen[1].payload == 8_B);
}

TEST_CASE("without a free buffer the core waits until the first line has left") {
  Bench b;
  host::CoreConfig c = core();
  c.write_combining_buffers = 2;
  const Time line = cycle * 8;
  // Lines 0 and 1 fill the buffers; a line leaves `to_bus` after it is complete, and so on in pairs.
  const Time third = line + to_bus + line;
  CHECK(store(b, c, 0, 256_B) == third + line);
  b.probe("sink").expect_at(1, line * 2 + to_bus + flight);
  b.probe("sink").expect_at(2, third + to_bus + flight);
  b.probe("sink").expect_at(3, third + line + to_bus + flight);
}

TEST_CASE("a poll sees a write at the next iteration of its loop") {
  Bench b;
  CHECK(poll(b, 0_ns, 1000_ns + 1_fs) == 1004_ns + detect);
}

TEST_CASE("a poll sees a write that comes exactly with an iteration") {
  Bench b;
  CHECK(poll(b, 0_ns, 1000_ns) == 1000_ns + detect);
}

TEST_CASE("iterations of a poll count from its own start") {
  Bench b;
  CHECK(poll(b, 3_ns, 1000_ns) == 3_ns + iteration * 250 + detect);  // 1003 ns
}

TEST_CASE("a poll that starts after the write sees it with its first load") {
  Bench b;
  CHECK(poll(b, 2000_ns, 1000_ns) == 2000_ns + detect);
}

namespace {

/// Everything that two programs on one core do to a bus of 2 GB/s: when lines arrive, when stores and a load return.
std::string stores(int max_train, int buffers, const std::vector<std::pair<std::uint64_t, Bytes>>& all) {
  return in_child([&] {
    Bench b;
    host::CoreConfig c = core();
    c.write_combining_buffers = buffers;
    host::OnChipConfig slow = bus();
    slow.bandwidth = Rate::bytes_per_second(2'000'000'000);
    b.device("core", c);
    b.device("sink", bus_port("in"));
    b.wire("core.bus", "sink.in", slow);
    b.build(max_train);
    host::Core& on = b.machine().get<host::Core>("core");
    std::string text;
    b.program("first", [&](Fiber& f) {
      for (const auto& [address, n] : all) {
        on.store(f, address, n, address + 1, 1);
        text += std::to_string(f.now().fs()) + " ";
      }
    });
    b.program("second", [&](Fiber& f) {
      f.wait_until(50_ns);
      on.store(f, 0x80'0000, 200_B, 9, 2);
      text += "second " + std::to_string(f.now().fs()) + " ";
    });
    b.run();
    b.expect_all_home();
    for (const Arrival& a : b.probe("sink").arrivals())
      text += fmt::format("\n{:#x} {} {} {} {}", a.address, a.payload.count(), a.value, a.head.fs(), a.tail.fs());
    return text;
  });
}

}  // namespace

TEST_CASE("lines that are stored as a train leave as if each were alone") {
  const std::vector<std::vector<std::pair<std::uint64_t, Bytes>>> programs = {
      {{0x1000, 4096_B}},
      {{0x1004, 700_B}, {0x2000, 8_B}, {0x3000, 64_B}},
      {{0x1038, 72_B}, {0x1080, 130_B}, {0x1fc0, 1_B}, {0x2000, 1000_B}},
  };
  for (const auto& all : programs)
    for (const int buffers : {1, 3, 10, 64}) {
      const std::string alone = stores(1, buffers, all);
      CHECK(alone.find("second") != std::string::npos);
      for (const int max_train : {2, 7, 64}) {
        CAPTURE(buffers, max_train);
        CHECK(stores(max_train, buffers, all) == alone);
      }
    }
}

TEST_CASE("one store at a time: who comes meanwhile waits, also to load") {
  Bench b;
  b.device("core", core());
  b.device("sink", bus_port("in"));
  b.wire("core.bus", "sink.in", bus());
  b.build();
  host::Core& on = b.machine().get<host::Core>("core");
  Time first, second;
  b.program("first", [&](Fiber& f) {
    on.store(f, 0x1000, 576_B, 1, 1);
    first = f.now();
  });
  b.program("second", [&](Fiber& f) {
    f.wait_until(10_ns);
    on.store(f, 0x2000, 8_B, 1, 1);
    second = f.now();
  });
  b.program("third", [&](Fiber& f) {
    f.wait_until(20_ns);
    on.load(f, 0x3000, 8_B);
  });
  b.at(200_ns, [&] { b.probe("sink").answer(b.probe("sink").arrivals().back(), 8_B); });
  b.run();
  CHECK(first == 72 * cycle);
  CHECK(second == 73 * cycle);
  const auto& seen = b.probe("sink").arrivals();
  REQUIRE(seen.size() == 11);
  const Time last_line = 72 * cycle + to_bus + flight;
  for (const Arrival& a : seen) {
    if (a.address == 0x1200) CHECK(a.head == last_line);
    if (a.address == 0x2000) CHECK(a.head == last_line + cycle);
    if (a.address == 0x3000) CHECK(a.head >= last_line);
  }
}

}  // namespace core_test
