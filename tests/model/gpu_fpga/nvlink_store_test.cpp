// SPDX-License-Identifier: Apache-2.0
// What multiprocessors store over NVLink, against closed forms.
#include "model/gpu_fpga/nvlink_bench.hpp"

namespace nvlink_store_test {

using namespace nvlink_test;

namespace {

constexpr Time stores_begin = 1_us;
constexpr Time fencing = 300_ns;
constexpr std::uint64_t stored_at = 0x100000;
constexpr std::uint64_t flag_at = 0x80000;

/// Two links. A burst of 1 KiB passes the unit in 16 cycles of 2 ns, and leaves by lines of 128 B, two of which are a
/// link's turn.
struct NvlinkStoreBench : NvlinkBench {
  NvlinkStoreBench() : NvlinkBench(2) {
    config.stores = line_stores();
    config.stores.fence_latency = fencing;
  }
  static gpu::Stores stores(Bytes n, std::uint64_t flag = 0, Bytes in_order = {}) {
    gpu::Stores s;
    s.source = stored_at;
    s.target = other + stored_at;
    s.size = n;
    s.flag = flag;
    s.in_order = in_order;
    s.begin = stores_begin;
    return s;
  }
  void store(const gpu::Stores& s, bool release, int max_train = 1) {
    build(max_train);
    program("kernel", [this, s, release](Fiber& f) {
      f.wait_until(stores_begin);
      gpu(0).stores().store(s);
      if (release) gpu(0).stores().release(0, other + flag_at, 5);
      gpu(0).stores().wait_released(f, 0);
    });
    run();
    expect_all_home();
  }
  std::uint64_t word(std::uint64_t end) { return gpu(1).word_ending_at(end).value; }
};

}  // namespace

TEST_CASE("what multiprocessors store leaves in lines by the address's link, in trains, too") {
  NvlinkStoreBench b;
  b.store(NvlinkStoreBench::stores(1_KiB), false, 64);
  const auto seen = by_address(from(b.gpu(1).extents(), stored_at, 1_KiB));
  REQUIRE(seen.size() == 8);
  for (int i = 0; i < 8; ++i) {
    INFO("line " << i);
    // The second of a turn, and those of the link's second turn, wait for the lines before.
    const int before = i / 4 * 2 + i % 2;
    CHECK(seen[static_cast<std::size_t>(i)].when ==
          stores_begin + cycle * 16 + flit * 9 * before + across(9) + writing_gpu);
  }
  expect_copied(seen, stored_at, stored_at, 1_KiB);
}

TEST_CASE("over NVLink a fence reads back by each link that was stored by, and the flag is behind the last answer") {
  NvlinkStoreBench b;
  b.store(NvlinkStoreBench::stores(1_KiB), true);
  const Time left = stores_begin + cycle * 16 + nvlink_test::port + flit * 9 * 4;
  const Time answered = edge(left) + flushing();
  CHECK(b.word(flag_at + 8) == 5);
  CHECK(b.gpu(1).word_ending_at(flag_at + 8).since == edge(answered + fencing) + across(3) + writing_gpu);
}

TEST_CASE("a fence waits for the link that is behind, whichever the flag goes by") {
  NvlinkStoreBench b;
  // 5 turns of 256 B: three by the first link, two by the second, by which the flag goes.
  b.config.stores.burst = 2_KiB;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(stores_begin);
    b.gpu(0).stores().store(NvlinkStoreBench::stores(1280_B));
    b.gpu(0).stores().release(0, other + flag_at + 256, 7);
    b.gpu(0).stores().wait_released(f, 0);
  });
  b.run();
  const Time left = stores_begin + cycle * 20 + nvlink_test::port + flit * 9 * 6;
  CHECK(b.word(flag_at + 264) == 7);
  CHECK(b.gpu(1).word_ending_at(flag_at + 264).since ==
        edge(edge(left) + flushing() + fencing) + across(3) + writing_gpu);
  for (const host::Extent& e : from(b.gpu(1).extents(), stored_at, 1280_B))
    CHECK(e.when < b.gpu(1).word_ending_at(flag_at + 264).since);
  b.expect_all_home();
}

TEST_CASE("a fence is over behind the last of its answers, which others' stores hold up on one link") {
  NvlinkStoreBench b;
  b.config.stores.fence = gpu::StoreUnitConfig::Fence::before;
  b.build();
  b.program("kernel", [&](Fiber& f) {
    f.wait_until(stores_begin);
    b.gpu(0).stores().store(NvlinkStoreBench::stores(512_B));
    b.gpu(0).stores().release(0, other + flag_at + 256, 7);
    // Another block has six turns of the first link, no turn of the second.
    for (std::uint64_t i = 0; i < 6; ++i) {
      gpu::Stores s = NvlinkStoreBench::stores(256_B);
      s.block = 1;
      s.target += 0x100000 + i * 512;
      b.gpu(0).stores().store(s);
    }
    b.gpu(0).stores().wait_released(f, 0);
  });
  b.run();
  const Time first_link_free = stores_begin + cycle * 8 + flit * 9 * 2 * 7;  // at the port
  CHECK(b.gpu(1).word_ending_at(flag_at + 264).since ==
        edge(first_link_free + flushing() + fencing) + across(3) + writing_gpu);
  b.expect_all_home();
}

TEST_CASE("lines that carry their flag say it where each link's turn ends") {
  NvlinkStoreBench b;
  b.store(NvlinkStoreBench::stores(1_KiB, 3, 256_B), false);
  for (std::uint64_t at = 256; at <= 1024; at += 256) CHECK(b.word(stored_at + at) == 3);
}

TEST_CASE("a burst that is told no turns says its flag in its last word alone") {
  NvlinkStoreBench b;
  b.store(NvlinkStoreBench::stores(1_KiB, 3), false);
  for (std::uint64_t at = 256; at <= 1024; at += 256) CHECK(b.word(stored_at + at) == (at == 1024 ? 3U : 0U));
}

}  // namespace nvlink_store_test
