// SPDX-License-Identifier: Apache-2.0
// A core's copies to and from write-combining memory: the loads that follow each other, those at once, and the fence.
#include <algorithm>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace core_streams_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time cycle = 400_ps;
constexpr Time issue = 50_ns;    // the core, before the request
constexpr Time retire = 100_ns;  // and behind the answer
constexpr Time to_bus = 80_ns;   // a line
constexpr Time access = 50_ns;   // buses and memory
constexpr Time trip = issue + access + retire;
constexpr std::uint64_t device = 0x10000;

struct Streams : Bench {
  explicit Streams(int load_buffer = 64, host::CoreConfig c = {}) {
    c.clock = Frequency(2'500'000'000);
    c.load_to_bus = issue;
    c.uncached_load = retire;
    c.store_to_bus = to_bus;
    c.load_buffer = load_buffer;
    c.write_combining_buffers = 4;
    host::MemoryConfig memory;
    memory.read_latency = access - 2_ns;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = 1_ns;
    Bench::device("core", c);
    Bench::device("memory", memory);
    wire("core.bus", "memory.bus", bus);
    build();
  }
  host::Core& core() { return machine().get<host::Core>("core"); }
  host::Memory& memory() { return machine().get<host::Memory>("memory"); }
};

/// A core whose loads of a line share a read.
host::CoreConfig lines(int n) {
  host::CoreConfig c;
  c.streaming_lines = n;
  return c;
}

/// Round trips that a copy of `n` bytes from `from` on takes.
double trips(Bytes n, int load_buffer = 64, std::uint64_t from = device, const host::CoreConfig& c = {}) {
  const std::string took = in_child([&] {
    Streams b(load_buffer, c);
    Time end;
    b.program("copy", [&](Fiber& f) {
      f.wait_until(1_us);
      b.core().copy_from_device(f, b.memory(), 0, from, n);
      end = f.now();
    });
    b.run();
    b.expect_all_home();
    return std::to_string((end - 1_us).fs());
  });
  return std::stod(took) / static_cast<double>(trip.fs());
}

/// What is left wrong of copies of many sizes, all of whose bytes are known.
std::string wrong_bytes(int load_buffer, const host::CoreConfig& c = {}) {
  return in_child([&] {
    Streams b(load_buffer, c);
    std::vector<std::uint8_t> all(300);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 7 + 1);
    std::vector<std::int64_t> sizes;
    for (std::int64_t n = 1; n <= 300; n += n < 70 ? 1 : 23) sizes.push_back(n);
    const auto place = [](std::int64_t n) { return unsigned_of(Bytes(1024 * n)); };
    b.program("copies", [&](Fiber& f) {
      b.core().store(f, device - 0x8000, {all.data(), all.size()});
      for (const std::int64_t n : sizes)
        b.core().copy_from_device(f, b.memory(), place(n + 100), device - 0x8000, Bytes(n));
    });
    b.run();
    b.expect_all_home();
    std::string wrong;
    for (const std::int64_t n : sizes) {
      const std::vector<std::uint8_t> got = b.memory().bytes(place(n + 100), Bytes(n + 1));
      if (got.back() != 0 || !std::equal(all.begin(), all.begin() + n, got.begin())) wrong += std::to_string(n) + " ";
    }
    return wrong;
  });
}

}  // namespace

TEST_CASE("loads of one line of a device follow each other, sixteen bytes each") {
  CHECK(trips(16_B) == 1);
  CHECK(trips(32_B) == 2);
  CHECK(trips(64_B) == 4);
  CHECK(trips(32_B, 64, device + 48) == 1);  // of two lines
  CHECK(trips(64_B, 64, device + 16) == 3);
}

TEST_CASE("what is left of fewer than sixteen bytes takes two loads that overlap, one of a single byte") {
  CHECK(trips(1_B) == 1);
  for (const Bytes n : {2_B, 3_B, 7_B, 8_B, 15_B}) CHECK(trips(n) == 2);
  CHECK(trips(17_B) == 2);
  CHECK(trips(63_B) == 5);
  CHECK(trips(65_B) == 4);  // it is of another line
}

TEST_CASE("loads of different lines are under way at once, as many as the load buffer has entries") {
  CHECK(trips(128_B) == 4);
  CHECK(trips(1_KiB) == 4);
  CHECK(trips(1_KiB, 1024) == 4);
  CHECK(trips(2_KiB) == 8);
  CHECK(trips(2_KiB, 128) == 4);
  CHECK(trips(256_B, 8) == 8);
  CHECK(trips(256_B, 1) == 16);
  // Entries in order: with one for the second line it keeps up with the first, without it is a load behind.
  CHECK(trips(128_B, 5) == 4);
  CHECK(trips(128_B, 4) == 5);
}

TEST_CASE("a copy from a device brings each byte, whatever its size") {
  CHECK(wrong_bytes(1).empty());
  CHECK(wrong_bytes(3).empty());
  CHECK(wrong_bytes(64).empty());
  for (const int n : {1, 2, 3, 16}) CHECK(wrong_bytes(64, lines(n)).empty());
}

TEST_CASE("with streaming lines the loads of a line share a read, and as many lines are under way") {
  const auto of = [](Bytes n, int under_way, std::uint64_t from = device) {
    return trips(n, 64, from, lines(under_way));
  };
  CHECK(of(16_B, 4) == 1);
  CHECK(of(64_B, 4) == 1);
  CHECK(of(64_B, 1) == 1);
  CHECK(of(256_B, 4) == 1);
  CHECK(of(320_B, 4) == 2);
  CHECK(of(1_KiB, 4) == 4);
  CHECK(of(1_KiB, 16) == 1);
  CHECK(of(64_B, 1, device + 48) == 2);  // of two lines
  CHECK(of(64_B, 2, device + 48) == 1);
  CHECK(trips(1_KiB, 1, device, lines(16)) == 1);  // the load buffer counts no more
  // What is left of fewer than 16 B has loads of its own, behind its line's.
  CHECK(of(63_B, 4) == 3);
  CHECK(of(65_B, 4) == 1);
  CHECK(of(8_B, 4) == 2);
}

TEST_CASE("a copy from a device follows the lines stored before it") {
  Streams b;
  Time done;
  b.program("copy", [&](Fiber& f) {
    b.core().store(f, device, 8_B, 42, 1);
    b.core().copy_from_device(f, b.memory(), 0x100, device, 16_B);
    done = f.now();
  });
  b.run();
  CHECK(done == cycle + to_bus + trip - issue);
  CHECK(b.memory().bytes(0x100, 8_B)[0] == 42);
}

TEST_CASE("streaming loads are aligned") {
  Streams b;
  b.program("copy", [&](Fiber& f) { b.core().copy_from_device(f, b.memory(), 0, device + 8, 16_B); });
  CHECK(b.failure() == "core: streaming loads are aligned");
}

TEST_CASE("a fence ends when the last stored line has left its buffer") {
  Streams b;
  Time stored, fenced, again;
  b.program("stores", [&](Fiber& f) {
    b.core().store(f, device, 200_B, 1, 1);  // four lines, 25 stores of eight bytes
    stored = f.now();
    b.core().store_fence(f);
    fenced = f.now();
    b.core().store_fence(f);
    again = f.now();
  });
  b.run();
  CHECK(stored == cycle * 25);
  CHECK(fenced == stored + to_bus);
  CHECK(again == fenced);
}

TEST_CASE("a fence waits for the acknowledgement of the line that left last, if that has not come") {
  host::CoreConfig c;
  c.store_acknowledged = 40_ns;
  Streams b(64, c);
  Time stored, fenced, again, late, empty;
  b.program("stores", [&](Fiber& f) {
    b.core().store_fence(f);
    empty = f.now();
    b.core().store(f, device, 200_B, 1, 1);
    stored = f.now();
    b.core().store_fence(f);
    fenced = f.now();
    b.core().store_fence(f);
    again = f.now();
    b.core().store(f, device, 8_B, 1, 1);
    late = f.now() + to_bus + 50_ns;
    f.wait_until(late);
    b.core().store_fence(f);
    late = f.now() - late;
  });
  b.run();
  CHECK(empty == Time());
  CHECK(fenced == stored + to_bus + 40_ns);
  CHECK(again == fenced);
  CHECK(late == Time());
}

TEST_CASE("a store instruction stores as many bytes as it is wide") {
  for (const std::int64_t width : {8, 16, 32, 64}) {
    CAPTURE(width);
    CHECK(in_child([&] {
            host::CoreConfig c;
            c.store_width = Bytes(width);
            Streams b(64, c);
            Time stored;
            b.program("stores", [&](Fiber& f) {
              b.core().store(f, device, 192_B, 1, 1);
              b.core().store(f, device + 192, 8_B, 1, 1);
              stored = f.now();
            });
            b.run();
            return std::to_string(stored / cycle);
          }) == std::to_string(192 / width + 1));
  }
}

}  // namespace core_streams_test
