// SPDX-License-Identifier: Apache-2.0
// What kernels store to a peer's window, against closed forms: two GPUs at one root complex.
#include <cstdint>
#include <string>
#include <vector>

#include "model/gpu_fpga/copy_engine_bench.hpp"

namespace store_unit_test {

using namespace copy_engine_test;
using gpu::Stores;

namespace {

constexpr Time begins_at = 1_us;
constexpr Time loading = 400_ns;
constexpr Time fencing = 300_ns;
constexpr std::uint64_t data = 0x100000;
constexpr std::uint64_t flag = 0x80000;

/// GPU 0 stores to GPU 1. A burst of 1 KiB passes the unit in 16 cycles of 2 ns.
struct StoreBench : CopyBench {
  StoreBench() {
    config.stores = line_stores();
    config.stores.load_latency = loading;
    config.stores.fence_latency = fencing;
  }
  void build(int max_train = 1) {
    CopyBench::build(max_train);
    window = gpu(1).pin(Bytes::zero(), 16_MiB);
  }
  gpu::StoreUnit& unit() { return gpu(0).stores(); }
  std::uint64_t window = 0;

  Stores stores(int block, std::uint64_t at, Bytes n, std::uint64_t says = 0) const {
    Stores s;
    s.block = block;
    s.source = at;
    s.target = window + at;
    s.size = n;
    s.flag = says;
    s.begin = begins_at;
    s.since = {begins_at, 0};
    return s;
  }
  std::vector<host::Extent> written(std::uint64_t at, Bytes n) { return from(gpu(1).extents(), at, n); }
  Time flagged(std::uint64_t end, std::uint64_t value) {
    CHECK(gpu(1).word_ending_at(end).value == value);
    return gpu(1).word_ending_at(end).since;
  }
};

/// From a write that is ready at the unit until it is in the peer's memory.
Time to_peer(Bytes n) {
  return port_latency + on_wire(n + 24_B) + flight + posted + on_wire(n + 24_B) + flight + port_latency + translation +
         writing_gpu;
}

}  // namespace

TEST_CASE("a line is stored when it has passed the unit, and crosses the root complex to the peer's memory") {
  StoreBench b;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, 128_B));
  });
  b.run();
  expect_copied(b.written(data, 128_B), data, data, 128_B);
  CHECK(b.written(data, 128_B).front().when == begins_at + cycle * 2 + to_peer(128_B));
  b.expect_all_home();
}

TEST_CASE("a release is behind the fence, which is behind the last line's leaving") {
  StoreBench b;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, 4_KiB));
    b.unit().release(0, b.window + flag, 5);
    b.unit().wait_released(f, 0);
  });
  b.run();
  expect_copied(b.written(data, 4_KiB), data, data, 4_KiB);
  // 32 lines one behind the other; the last one has left the port when it has passed the wire.
  const Time left = begins_at + cycle * 16 + port_latency + on_wire(152_B) * 32;
  CHECK(b.flagged(flag + 8, 5) == edge(left + fencing) + to_peer(8_B));
  for (const host::Extent& e : b.written(data, 4_KiB)) CHECK(e.when < b.flagged(flag + 8, 5));
  b.expect_all_home();
}

TEST_CASE("a fence that waits until the block is quiet waits for what is stored behind it, too") {
  StoreBench b;
  b.config.stores.fence = gpu::StoreUnitConfig::Fence::quiet;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, 4_KiB));
    b.unit().release(0, b.window + flag, 5);
    b.unit().store(b.stores(0, 2 * data, 4_KiB));
    b.unit().store(b.stores(1, 3 * data, 4_KiB));  // another block's, which take every second turn
    b.unit().wait_released(f, 0);
  });
  b.run();
  // Of both blocks' twelve bursts of eight lines the block's last is the last.
  const Time left = begins_at + cycle * 16 + port_latency + on_wire(152_B) * 12 * 8;
  CHECK(b.flagged(flag + 8, 5) == edge(left + fencing) + to_peer(8_B));
  b.expect_all_home();
}

TEST_CASE("a release without stores is a fence and a word") {
  StoreBench b;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().release(3, b.window + flag, 1);
    b.unit().release(3, b.window + flag, 2);
    b.unit().wait_released(f, 3);
    CHECK(f.now() == begins_at + fencing * 2);
  });
  b.run();
  CHECK(b.flagged(flag + 8, 2) == begins_at + fencing * 2 + to_peer(8_B));
  b.expect_all_home();
}

TEST_CASE("stores fill the link") {
  StoreBench b;
  b.build(64);
  constexpr Bytes n = 1_MiB;
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, n));
    b.unit().wait_stored(f, 0);
    // What has been stored last is in the queue.
    CHECK(f.now() > begins_at + on_wire(152_B) * ((n - 8_KiB) / 128_B));
  });
  b.run();
  expect_copied(b.written(data, n), data, data, n);
  Time last;
  for (const host::Extent& e : b.written(data, n)) last = std::max(last, e.when);
  CHECK(last == begins_at + cycle * 16 + to_peer(128_B) + on_wire(152_B) * (n / 128_B - 1));
  b.expect_all_home();
}

TEST_CASE("a block's loop bounds what it stores") {
  StoreBench b;
  b.config.stores.block_rate = Rate::bytes_per_second(1'000'000'000);
  b.build(64);
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, 64_KiB));
    b.unit().wait_stored(f, 0);
    CHECK(f.now() == begins_at + 1024_ns * 63);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("the width of the unit bounds what blocks store") {
  StoreBench b;
  b.config.stores.width = 1_B;
  b.build(64);
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, 32_KiB));
    b.unit().store(b.stores(1, 2 * data, 32_KiB));
    b.unit().wait_stored(f, 1);
    CHECK(f.now() == begins_at + cycle * 1024 * 63);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("blocks take turns, burst by burst") {
  StoreBench b;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().store(b.stores(0, data, 4_KiB));
    b.unit().store(b.stores(1, 2 * data, 4_KiB));
  });
  b.run();
  std::vector<std::uint64_t> order;
  for (const host::Extent& e : b.gpu(1).extents())
    if (e.address % 1024 == 0) order.push_back(e.address);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t at = 0; at < 4096; at += 1024)
    for (const std::uint64_t of : {data, 2 * data}) expected.push_back(of + at);
  CHECK(order == expected);
  b.expect_all_home();
}

TEST_CASE("lines that carry their flag say it in the last word of each burst") {
  StoreBench b;
  b.build(64);
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    Stores s = b.stores(0, data, 2_KiB, 9);
    s.burst = 512_B;
    b.unit().store(s);
  });
  b.run();
  for (std::uint64_t end = 8; end <= 2048; end += 8)
    CHECK(b.gpu(1).word_ending_at(data + end).value == (end % 512 == 0 ? 9 : 0));
  b.expect_all_home();
}

TEST_CASE("a loop that polls sees a word by the first load that reads it") {
  StoreBench b;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(begins_at);
    b.unit().signal(b.window + flag, 3, {});
  });
  const Time there = begins_at + to_peer(8_B);
  b.program("peer", [&](Fiber& f) {
    // A load that begins half a latency before reads it.
    const auto seen = b.gpu(1).stores().seen(f, flag + 8, 3, there - loading * 2 - Time::from_fs(loading.fs() / 2));
    CHECK(seen.when == there + Time::from_fs(loading.fs() / 2));
    CHECK(b.gpu(1).stores().seen(f, flag + 8, 3, there - loading - Time::from_fs(loading.fs() / 2) + 1_fs).when ==
          there + Time::from_fs(loading.fs() / 2) + 1_fs);
    CHECK(b.gpu(1).stores().seen(f, flag + 8, 3, there + 1_us).when == there + 1_us + loading);
  });
  b.run();
  b.expect_all_home();
}

}  // namespace store_unit_test
