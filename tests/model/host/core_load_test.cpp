// SPDX-License-Identifier: Apache-2.0
#include "support/bench.hpp"

namespace core_load_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time cycle = 400_ps;
constexpr Time flight = 1_ns;
constexpr Time issue = 50_ns;    // the core, before the request
constexpr Time retire = 100_ns;  // and behind the answer
constexpr Time inside = issue + retire;
constexpr Time access = 50_ns;  // the memory
constexpr Time round_trip = inside + flight + access + flight;

/// A core on a memory, and a second port of the memory's bus where writes come from.
void build(Bench& b) {
  host::CoreConfig c;
  c.clock = Frequency(2'500'000'000);
  c.poll_cycles = 10;
  c.load_to_bus = issue;
  c.uncached_load = retire;
  c.store_to_bus = 80_ns;
  host::RootComplexConfig rc;
  rc.cores = 2;
  rc.posted_latency = rc.read_latency = rc.completion_latency = 0_ns;
  host::MemoryConfig memory;
  memory.read_latency = access - 2 * flight;  // less the second wire
  net::PortSpec p = port("out");
  p.protocol = "on_chip";
  host::OnChipConfig bus;
  bus.bandwidth = Rate::infinite();
  bus.flight = flight;
  b.device("core", c);
  b.device("source", p);
  b.device("rc", rc);
  b.device("memory", memory);
  b.wire("core.bus", "rc.core0", bus);
  b.wire("source.out", "rc.core1", bus);
  b.wire("rc.memory", "memory.bus", bus);
  b.build();
  b.probe("source").says(7);
}

host::Core& core(Bench& b) { return b.machine().get<host::Core>("core"); }

/// When a poll for the value 7, from 0 on, ends; the write is visible at `when`.
Time poll(Bench& b, Time when) {
  build(b);
  b.at(when - 2 * flight, [&] { b.probe("source").write(0x100, 8_B); });
  Time seen;
  b.program("poll", [&](Fiber& f) {
    core(b).poll_uncached(f, 0x108, 7);
    seen = f.now();
  });
  b.run();
  b.expect_all_home();
  return seen;
}

constexpr Time again = round_trip + cycle * 10;
constexpr Time reads_at = issue + 2 * flight;  // after the load's issue

}  // namespace

TEST_CASE("an uncached load takes the core's time and the way there and back, and says what the word says") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("source").write(0x100, 8_B); });
  std::uint64_t first = 0;
  std::uint64_t other = 99;
  Time done;
  b.program("load", [&](Fiber& f) {
    f.wait_until(10_ns);
    first = core(b).load(f, 0x100, 8_B);
    done = f.now();
    other = core(b).load(f, 0x200, 4_B);
  });
  b.run();
  CHECK(first == 7);
  CHECK(done == 10_ns + round_trip);
  CHECK(other == 0);
  b.expect_all_home();
}

TEST_CASE("bytes that a core stores are loaded again, eight at a time") {
  Bench b;
  build(b);
  std::vector<std::uint8_t> bytes(75);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
  std::vector<std::uint8_t> loaded;
  Time stored, done;
  b.program("store and load", [&](Fiber& f) {
    core(b).store(f, 0x1033, {bytes.data(), bytes.size()});
    stored = f.now();
    loaded = core(b).load_bytes(f, 0x1035, 20_B);
    done = f.now();
  });
  b.run();
  // Lines of 13 B, 62 B: two stores of 8 B, and eight.
  CHECK(stored == cycle * 10);
  CHECK(loaded == std::vector<std::uint8_t>(bytes.begin() + 2, bytes.begin() + 22));
  CHECK(done == stored + 80_ns + (round_trip - issue) + 2 * round_trip);
  CHECK(b.machine().get<host::Memory>("memory").bytes(0x1033, 75_B) == bytes);
  b.expect_all_home();
}

TEST_CASE("an uncached load follows the lines stored before it") {
  Bench b;
  build(b);
  std::uint64_t value = 0;
  Time done;
  b.program("load", [&](Fiber& f) {
    f.wait_until(10_ns);
    core(b).store(f, 0x300, 8_B, 42, 1);
    value = core(b).load(f, 0x300, 8_B);
    done = f.now();
  });
  b.run();
  CHECK(value == 42);
  CHECK(done == 10_ns + cycle + 80_ns + (round_trip - issue));  // the flush takes longer than the load's issue
}

TEST_CASE("loads of two programs on a core are one after the other") {
  Bench b;
  build(b);
  std::vector<Time> done;
  for (const std::string name : {"first", "second"}) {
    core(b).add_program();
    b.program(name, [&](Fiber& f) {
      core(b).load(f, 0x100, 8_B);
      done.push_back(f.now());
    });
  }
  b.run();
  CHECK(done == std::vector<Time>{cycle + round_trip, cycle + 2 * round_trip});
}

TEST_CASE("a load is of one to eight bytes") {
  Bench b;
  build(b);
  b.program("load", [&](Fiber& f) { core(b).load(f, 0x100, 9_B); });
  CHECK(b.failure() == "core: a load has one to eight bytes");
}

TEST_CASE("an uncached poll ends with the load that finds the write") {
  Bench b;
  CHECK(poll(b, 2 * again + reads_at - 1_fs) == 2 * again + round_trip);
}

TEST_CASE("a write just too late for a load waits for the next one") {
  Bench b;
  CHECK(poll(b, 2 * again + reads_at + 1_fs) == 3 * again + round_trip);
}

}  // namespace core_load_test
