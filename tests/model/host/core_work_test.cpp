// SPDX-License-Identifier: Apache-2.0
// Copies, touched lines and computations against their formulas.
#include "model/host/core_bench.hpp"

namespace core_work_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t from = 0x10'0000;
constexpr std::uint64_t to = 0x20'0000;

/// When a step that a single program begins at 1 us is over, after it.
Time took(CoreBench& b, const std::function<void(Fiber&)>& step) {
  Time end;
  b.programs = 0;
  b.program("program", [&](Fiber& f) {
    f.wait_until(1_us);
    step(f);
    end = f.now() - 1_us;
  });
  b.run();
  b.b.expect_all_home();
  return end;
}

void with_levels(CoreBench& b) {
  b.config.copy.levels = {{32_KiB, Rate::bytes_per_second(40'000'000'000)},
                          {256_KiB, Rate::bytes_per_second(16'000'000'000)}};
  b.config.copy.memory_rate = Rate::bytes_per_second(5'000'000'000);
}

Time copy_of(Bytes n) {
  CoreBench b;
  with_levels(b);
  return took(b, [&](Fiber& f) { b.core().copy(f, b.memory(), to, from, n); });
}

}  // namespace

TEST_CASE("a copy runs at the rate of the smallest level that holds source and destination") {
  const auto ps = [](Bytes n) { return in_child([n] { return std::to_string(copy_of(n).fs() / 1000); }); };
  CHECK(ps(64_B) == "1600");
  CHECK(ps(16_KiB) == std::to_string(16384 * 25));
  CHECK(ps(16_KiB + 16_B) == std::to_string(16400 * 125 / 2));
  CHECK(ps(128_KiB) == std::to_string(131072 * 125 / 2));
  CHECK(ps(128_KiB + 1_B) == std::to_string(131073 * 200));
  CHECK(ps(0_B) == "0");
}

TEST_CASE("what bytes say is said where they are copied to and nothing earlier") {
  CoreBench b;
  with_levels(b);
  b.b.at(0_ns, [] {});
  std::vector<std::uint8_t> bytes(75);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
  std::vector<std::uint8_t> before, at, beside;
  b.program("bytes", [&](Fiber& f) {
    f.wait_until(10_ns);
    b.b.probe("source").write_bytes(from + 4090, bytes);
    f.wait_until(1_us + 204'799_ps);  // a copy of 8 KiB takes 204.8 ns
    before = b.memory().bytes(to + 4090, 75_B);
  });
  took(b, [&](Fiber& f) {
    b.core().copy(f, b.memory(), to, from, 8_KiB);
    at = b.memory().bytes(to + 4090, 75_B);
    beside = b.memory().bytes(to + 4080, 10_B);
  });
  CHECK(before == std::vector<std::uint8_t>(75));
  CHECK(at == bytes);
  CHECK(beside == std::vector<std::uint8_t>(10));
}

TEST_CASE("a copy of many areas is one step at the rate of all of them, and brings each") {
  CoreBench b;
  with_levels(b);
  b.b.at(0_ns, [] {});
  b.program("bytes", [&](Fiber& f) {
    f.wait_until(10_ns);
    b.b.probe("source").write_bytes(from, {1, 2, 3, 4, 5, 6, 7, 8});
  });
  std::vector<std::uint8_t> first, second;
  const Time time = took(b, [&](Fiber& f) {
    b.core().copy(f, b.memory(), {{to, from, 2_B}, {to + 100, from + 4, 14_B}});
    first = b.memory().bytes(to, 4_B);
    second = b.memory().bytes(to + 100, 4_B);
    b.core().copy(f, b.memory(), std::vector<host::Core::Copied>{});
  });
  CHECK(time == 400_ps);  // 16 B at 40 GB/s
  CHECK(first == std::vector<std::uint8_t>{1, 2, 0, 0});
  CHECK(second == std::vector<std::uint8_t>{5, 6, 7, 8});
}

TEST_CASE("a copy of blocks shorter than a line costs lines, or what lies between two blocks") {
  CoreBench b;
  with_levels(b);
  b.config.copy.line = 64_B;
  std::vector<Time> all;
  took(b, [&](Fiber& f) {
    for (const std::uint64_t step : {4, 16, 64, 520}) {
      std::vector<host::Core::Copied> blocks;
      for (std::uint64_t i = 0; i < 10; ++i) blocks.push_back({to + 4 * i, from + step * i, 4_B});
      const Time begin = f.now();
      b.core().copy(f, b.memory(), blocks);
      all.push_back(f.now() - begin);
    }
  });
  // Nine blocks that others follow, and the last one's 4 B, at 40 GB/s.
  CHECK(all == std::vector<Time>{25_ps * 40, 25_ps * (9 * 16 + 4), 25_ps * (9 * 64 + 4), 25_ps * (9 * 64 + 4)});
}

TEST_CASE("a copy onto itself moves bytes as they were") {
  CoreBench b;
  std::vector<std::uint8_t> moved;
  b.program("bytes", [&](Fiber& f) {
    f.wait_until(10_ns);
    b.b.probe("source").write_bytes(from, {1, 2, 3, 4, 5, 6, 7, 8});
  });
  took(b, [&](Fiber& f) {
    b.core().copy(f, b.memory(), from + 4, from, 8_B);
    moved = b.memory().bytes(from, 12_B);
  });
  CHECK(moved == std::vector<std::uint8_t>{1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("who polls a word sees what a copy brings there") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 0;
          with_levels(b);
          b.writes(from, 10_ns);
          b.program("copy", [&b](Fiber& f) {
            f.wait_until(20_ns);
            b.core().copy(f, b.memory(), to, from, 64_B);  // 1.6 ns
            f.wait_until(30_ns);
            b.core().poll(f, b.memory(), to + 8, 1);
            b.done("poll", f);
          });
          b.program("wait", [&b](Fiber& f) {
            host::Word& w = b.memory().word_ending_at(to + 8);
            while (w.value == 0) f.wait(w.changed, "the copy");
            b.done("wait", f);
          });
        }) == "poll 90000, wait 21600");
}

TEST_CASE("a recording memory has the extents of a copy with their origins") {
  CoreBench b;
  with_levels(b);
  b.writes(from + 8, 10_ns);
  took(b, [&](Fiber& f) { b.core().copy(f, b.memory(), to, from, 64_B); });
  std::string text;
  for (const host::Extent& e : b.memory().extents())
    text += fmt::format("{:#x}+{} {} @{}; ", e.address, e.length.count(), e.value, e.when.fs() / 1000);
  CHECK(text == "0x100008+8 1 @10000; 0x200000+8 0 @1001600; 0x200008+8 1 @1001600; 0x200010+48 0 @1001600; ");
}

TEST_CASE("a copy beyond the end of the memory is refused") {
  CoreBench b;
  b.program("copy",
            [&b](Fiber& f) { b.core().copy(f, b.memory(), unsigned_of(b.memory().config().size) - 8, from, 16_B); });
  CHECK(b.failure() == "memory: a copy beyond its end");
}

TEST_CASE("what cards wrote past the caches is fetched from memory by the first core that reads it") {
  const auto times = [](host::DeviceWrites go) {
    CoreBench b;
    with_levels(b);
    b.memory_config.device_writes = go;
    b.config.copy.unread_rate = Rate::bytes_per_second(10'000'000'000);
    b.b.at(0_ns, [] {});
    b.program("bytes", [&b](Fiber& f) {
      f.wait_until(10_ns);
      b.b.probe("source").write_bytes(from, std::vector<std::uint8_t>(1024, 1));
    });
    std::string text;
    took(b, [&](Fiber& f) {
      const auto time = [&](const std::function<void()>& step) {
        const Time begin = f.now();
        step();
        text += std::to_string((f.now() - begin).fs() / 1000) + " ";
      };
      time([&] { b.core().read(f, b.memory(), from + 1016, 8_B, "fetch the header"); });  // the last of its lines
      time([&] { b.core().read(f, b.memory(), from + 1008, 8_B, "fetch the header"); });  // is there now
      time([&] { b.core().copy(f, b.memory(), to, from, 128_B); });                       // two lines take a miss
      time([&] { b.core().copy(f, b.memory(), to, from, 1_KiB); });  // 13 lines 83.2 ns, 192 B at 40 GB/s 4.8
      time([&] { b.core().copy(f, b.memory(), to, from, 1_KiB); });  // all of it is there
      time([&] { b.core().copy(f, b.memory(), from, to, 64_B); });   // what a core wrote is in its cache
    });
    return text;
  };
  CHECK(in_child([&] { return times(host::DeviceWrites::memory); }) == "60000 0 60000 88000 25600 1600 ");
  CHECK(in_child([&] { return times(host::DeviceWrites::cache); }) == "0 0 3200 25600 25600 1600 ");
}

TEST_CASE("a polled line need not be fetched again") {
  CoreBench b;
  with_levels(b);
  b.memory_config.device_writes = host::DeviceWrites::memory;
  b.writes(from, 10_ns);
  const Time all = took(b, [&](Fiber& f) {
    b.core().poll(f, b.memory(), from + 8, 1);
    b.core().copy(f, b.memory(), to, from, 64_B);
  });
  CHECK(all == CoreBench::detect + 1'600_ps);
}

TEST_CASE("touching costs a miss for each new line and a hit for each other one") {
  CoreBench b;
  b.config.line_cache = {32_KiB, 8, 5, 70_ns};
  std::vector<Time> ends;
  const Time all = took(b, [&](Fiber& f) {
    const auto touch = [&](std::uint64_t address, Bytes n) {
      const Time begin = f.now();
      b.core().touch(f, b.memory(), address, n, "read the header");
      ends.push_back(f.now() - begin);
    };
    touch(from, 64_B);
    touch(from + 8, 8_B);
    touch(from + 60, 8_B);
    touch(from, 256_B);
  });
  const Time hit = 5 * CoreBench::cycle;
  const Time miss = 70_ns;
  CHECK(ends == std::vector<Time>{miss, hit, hit + miss, 2 * hit + 2 * miss});
  CHECK(all == 4 * miss + 4 * hit);
}

TEST_CASE("a write by a packet makes a line stale for who touches it later") {
  CHECK(in_any_order([](CoreBench& b) {
          b.programs = 1;
          b.config.line_cache = {32_KiB, 8, 5, 70_ns};
          b.writes(from + 8, 500_ns);
          b.program("touch", [&b](Fiber& f) {
            for (const Time t : {100_ns, 400_ns, 500_ns, 501_ns, 600_ns}) {
              f.wait_until(t);
              b.core().touch(f, b.memory(), from, 64_B, "read the header");
              b.done("touch", f);
            }
          });
        }) == "touch 170000, touch 402000, touch 502000, touch 572000, touch 602000");
}

TEST_CASE("a computation takes the longer of its operations and its bytes") {
  CoreBench b;
  b.config.compute = {8, Rate::bytes_per_second(10'000'000'000)};
  std::vector<Time> ends;
  took(b, [&](Fiber& f) {
    for (const Work& w : {Work{8000, 0_B}, Work{8001, 1_B}, Work{8, 1000_B}, Work{}}) {
      const Time begin = f.now();
      b.core().compute(f, w);
      ends.push_back(f.now() - begin);
    }
  });
  CHECK(ends == std::vector<Time>{400_ns, 400_ns + CoreBench::cycle, 100_ns, 0_ns});
}

}  // namespace core_work_test
