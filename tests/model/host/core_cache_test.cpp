// SPDX-License-Identifier: Apache-2.0
// Two cores on one memory: what their stores, polls and touches find in a core's line cache.
#include <functional>
#include <string>
#include <vector>

#include "support/bench.hpp"

namespace core_cache_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time cycle = 4_ns;
constexpr Time hit = cycle * 2;
constexpr Time miss = 300_ns;
constexpr Time detect = 250_ns;
constexpr std::uint64_t at = 0x10'0000;

/// As an SR8000's processor: 128 B a line, through which the core stores and polls.
host::CoreConfig through() {
  host::CoreConfig c;
  c.clock = Frequency(250'000'000);
  c.poll_cycles = 10;
  c.poll_detect = detect;
  c.line_cache = {128_KiB, 4, 2, miss, 128_B, host::StorePolicy::through, true};
  return c;
}

class TwoCores {
 public:
  explicit TwoCores(const host::CoreConfig& c = through()) {
    host::RootComplexConfig rc;
    rc.cores = 2;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = 1_ns;
    b.device("core0", c);
    b.device("core1", c);
    b.device("rc", rc);
    b.device("memory", host::MemoryConfig());
    b.wire("core0.bus", "rc.core0", bus);
    b.wire("core1.bus", "rc.core1", bus);
    b.wire("rc.memory", "memory.bus", bus);
    b.build();
  }
  host::Core& core(int i) { return b.machine().get<host::Core>("core" + std::to_string(i)); }
  host::Memory& memory() { return b.machine().get<host::Memory>("memory"); }
  /// Of core 0, from 100 us on, 10 us apart: how long each takes.
  std::vector<Time> took(const std::vector<std::function<void(Fiber&)>>& steps) {
    std::vector<Time> out;
    b.program("program", [&](Fiber& f) {
      for (const auto& step : steps) {
        f.wait_until(100_us + 10_us * static_cast<std::int64_t>(out.size()));
        const Time begin = f.now();
        step(f);
        out.push_back(f.now() - begin);
      }
    });
    b.run();
    b.expect_all_home();
    return out;
  }
  std::function<void(Fiber&)> touch(std::uint64_t address, Bytes n = 8_B) {
    return [=](Fiber& f) { core(0).touch(f, memory(), address, n, "touch"); };
  }
  std::function<void(Fiber&)> store(std::uint64_t address, int core_number = 0) {
    return [=](Fiber& f) { core(core_number).store(f, address, flow::WordBytes(7)); };
  }
  /// Until it says something.
  std::function<void(Fiber&)> poll(std::uint64_t address) {
    return [=](Fiber& f) { core(0).poll(f, memory(), address + 8, 8_B, [](std::uint64_t said) { return said != 0; }); };
  }
  void says(std::uint64_t address) { memory().preset(address, flow::WordBytes(1)); }

  Bench b;
};

}  // namespace

TEST_CASE("a line cache's lines have the size of its config") {
  TwoCores t;
  CHECK(t.took({t.touch(at), t.touch(at + 120), t.touch(at + 128), t.touch(at, 256_B), t.touch(at + 64, 256_B)}) ==
        std::vector<Time>{miss, hit, miss, hit * 2, hit * 2 + miss});
}

TEST_CASE("a store through the cache leaves its line there, and fetches none") {
  TwoCores t;
  const auto times = t.took({t.touch(at), t.store(at), t.touch(at), t.store(at + 4096), t.touch(at + 4096)});
  CHECK(times[2] == hit);
  CHECK(times[4] == miss);
}

TEST_CASE("a store around the cache makes its line stale") {
  host::CoreConfig c = through();
  c.line_cache.stores = host::StorePolicy::around;
  TwoCores t(c);
  const auto times = t.took({t.touch(at), t.store(at), t.touch(at), t.touch(at)});
  CHECK(times[2] == miss);
  CHECK(times[3] == hit);
}

TEST_CASE("another core's store makes a line stale, through its own cache or not") {
  TwoCores t;
  const auto other = [&](Fiber& f) { t.core(1).touch(f, t.memory(), at, 8_B, "touch"); };
  const auto times = t.took({t.touch(at), t.store(at, 1), t.touch(at), other, t.store(at, 1), t.touch(at), other});
  CHECK(times[2] == miss);
  CHECK(times[3] == miss);
  CHECK(times[5] == miss);
  CHECK(times[6] == hit);
}

// 256 sets of 4 ways; lines 32 KiB apart share one.
TEST_CASE("a store counts as a use of its line, and stores push nothing out") {
  TwoCores t;
  std::vector<std::function<void(Fiber&)>> steps;
  for (std::uint64_t way = 0; way < 4; ++way) steps.push_back(t.touch(at + 32768 * way));
  steps.push_back(t.store(at));                                                             // now way 1 is the oldest
  for (std::uint64_t way = 5; way < 40; ++way) steps.push_back(t.store(at + 32768 * way));  // not there
  steps.push_back(t.touch(at + 32768 * 4));
  steps.push_back(t.touch(at));
  steps.push_back(t.touch(at + 32768));
  const auto times = t.took(steps);
  const std::size_t n = times.size();
  CHECK(times[n - 3] == miss);
  CHECK(times[n - 2] == hit);
  CHECK(times[n - 1] == miss);
}

TEST_CASE("as many lines as the cache has stay, one a set more and all of them miss, in turn") {
  TwoCores t;
  const Bytes all = 128_KiB, more = 160_KiB;
  const auto times = t.took({t.touch(at, all), t.touch(at, all), t.touch(at, more), t.touch(at, more)});
  CHECK(times == std::vector<Time>{miss * 1024, hit * 1024, hit * 1024 + miss * 256, miss * 1280});
}

TEST_CASE("a poll finds what is there in the cache, or fetches the line for who comes next") {
  TwoCores t;
  t.says(at);
  t.says(at + 8);
  CHECK(t.took({t.poll(at), t.poll(at), t.poll(at + 8), t.touch(at + 64)}) == std::vector<Time>{detect, hit, hit, hit});
}

TEST_CASE("a poll fetches the line when it was written since, and when the write comes during the poll") {
  TwoCores t;
  t.says(at);
  t.b.program("other", [&](Fiber& f) {
    f.wait_until(125_us);
    t.core(1).store(f, at + 64, flow::WordBytes(7));  // a neighbour in the line
    f.wait_until(141_us);
    t.core(1).store(f, at + 256, flow::WordBytes(7));
  });
  const auto times =
      t.took({t.poll(at), t.poll(at), t.touch(at + 256), t.poll(at), t.poll(at + 256), t.touch(at + 256)});
  CHECK(times[1] == hit);
  CHECK(times[3] == detect);
  CHECK(times[4] > 1_us + detect);
  CHECK((times[4] - detect).fs() % (cycle * 10).fs() == 0);
  CHECK(times[5] == hit);
}

// One of the writes comes exactly with a visit.
TEST_CASE("what a poll has fetched is in the cache, whenever in the loop the write came") {
  TwoCores t;
  constexpr std::uint64_t writes = 40;
  std::vector<std::function<void(Fiber&)>> steps;
  for (std::uint64_t i = 0; i < writes; ++i) steps.insert(steps.end(), {t.poll(at + 128 * i), t.touch(at + 128 * i)});
  t.b.program("other", [&](Fiber& f) {
    for (std::uint64_t i = 0; i < writes; ++i) {
      f.wait_until(101_us + (20_us + 1_ns) * static_cast<std::int64_t>(i));
      t.core(1).store(f, at + 128 * i, flow::WordBytes(7));
    }
  });
  const auto times = t.took(steps);
  for (std::size_t i = 0; i < 2 * writes; i += 2) {
    CHECK(times[i] > 1_us + detect);
    CHECK((times[i] - detect).fs() % (cycle * 10).fs() == 0);
    CHECK(times[i + 1] == hit);
  }
}

TEST_CASE("a poll of a line that is not kept costs the same each time") {
  host::CoreConfig c = through();
  c.line_cache.polls = false;
  TwoCores t(c);
  t.says(at);
  CHECK(t.took({t.touch(at), t.poll(at), t.poll(at), t.touch(at)}) == std::vector<Time>{miss, detect, detect, hit});
}

// The other core's stores meet lines in the middle of a walk, in whose sets there is room from then on.
TEST_CASE(
    "touches of many places take as long as one by one, and leave the same lines, with another program or alone") {
  constexpr std::uint64_t written = at + 0x30'0000;
  const auto walk = [](bool together, bool another, bool meets) {
    return in_child([&] {
      host::CoreConfig c = through();
      c.line_cache.size = 8_KiB;  // 16 sets of four lines
      c.line_cache.stores = host::StorePolicy::around;
      TwoCores t(c);
      std::string out;
      for (int i = 0; another && i < 2; ++i) t.core(0).add_program();
      t.b.program("walker", [&](Fiber& f) {
        std::vector<std::uint64_t> places;
        for (std::uint64_t i = 0; i < 64; ++i)  // all of them but set 0, which the walk reaches at its end
          if (i % 16 != 0) places.push_back(at + 128 * i);
        for (int round = 0; round < 20; ++round) {
          for (std::uint64_t i = 0; i < 4; ++i) t.core(0).touch(f, t.memory(), written + 2048 * i, 8_B, "read");
          if (together) {
            t.core(0).touch_each(f, t.memory(), places, 8_B, "walk");
          } else {
            for (const std::uint64_t p : places) t.core(0).touch(f, t.memory(), p, 8_B, "walk");
          }
          out += std::to_string(f.now().fs()) + " ";
          places.back() = at + 0x10'0000 + 2048 * static_cast<std::uint64_t>(round);
        }
      });
      if (meets)
        t.b.program("writer", [&](Fiber& f) {
          for (int i = 0; i < 40; ++i) {
            f.wait_for(667_ns);
            t.core(1).store(f, written + 2048 * static_cast<std::uint64_t>(i % 4), flow::WordBytes(7));
          }
        });
      if (another)
        t.b.program("other", [&](Fiber& f) {
          for (int i = 0; i < 20; ++i) {
            f.wait_for(50_ns);
            t.core(0).execute(f, "something", 3);
            out += "o" + std::to_string(f.now().fs()) + " ";
          }
        });
      t.b.run();
      return out;
    });
  };
  for (const bool another : {false, true})
    for (const bool meets : {false, true}) {
      CAPTURE(another, meets);
      CHECK(walk(true, another, meets) == walk(false, another, meets));
    }
}

}  // namespace core_cache_test
