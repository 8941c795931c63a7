// SPDX-License-Identifier: Apache-2.0
// Many requests and commands: how fast copies get, what bounds them, and what no engine does.
#include "model/gpu_fpga/copy_engine_bench.hpp"

namespace copy_engine_test {

TEST_CASE("copies to host memory fill the link") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::host, buffer, 256_KiB)});
  b.run();
  const auto seen = from(b.memory().extents(), buffer, 1_MiB);
  REQUIRE(seen.size() == 1024);
  CHECK(seen.back().when - seen.front().when == on_wire(280_B) * 1023);
  expect_copied(seen, buffer, 0, 256_KiB);
  b.expect_all_home();
}

TEST_CASE("copies from host memory fill the link") {
  CopyBench b;
  b.build();
  b.run_commands(0, 1, {copy(Aperture::host, buffer, Aperture::local, 0, 256_KiB)});
  b.run();
  const auto& seen = b.gpu(0).extents();
  REQUIRE(seen.size() == 1024);
  // Eight requests of 4 KiB under way are more than a round trip needs.
  CHECK(seen.back().when - seen.front().when == on_wire(276_B) * 1023);
  expect_copied(seen, 0, buffer, 256_KiB);
  b.expect_all_home();
}

TEST_CASE("with one tag a copy from host memory takes a round trip a request") {
  CopyBench b;
  b.config.copy_engines.tags = 1;
  b.config.copy_engines.max_read_request = 256_B;
  b.build();
  b.run_commands(0, 1, {copy(Aperture::host, buffer, Aperture::local, 0, 1_KiB)});
  b.run();
  const auto& seen = b.gpu(0).extents();
  REQUIRE(seen.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) CHECK(seen[i].when - seen[i - 1].when == edge(round_trip(256_B)));
  b.expect_all_home();
}

TEST_CASE("what an engine has read and not sent is bounded by its buffer") {
  CopyBench b;
  b.config.copy_engines.buffer = 4_KiB;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::host, buffer, 8_KiB)});
  b.run();
  const auto seen = from(b.memory().extents(), buffer, 1_MiB);
  REQUIRE(seen.size() == 32);
  // The first 16 writes leave one after the other. The 17th is read when the first is out: on an edge behind.
  const Time first = begins() + cycle * 8 + reading_gpu;
  CHECK(seen[15].when == first + to_memory(256_B) + on_wire(280_B) * 15);
  const Time out = first + port_latency + on_wire(280_B);
  const Time again = edge(out) + cycle * 8 + reading_gpu + to_memory(256_B);
  CHECK(seen[16].when == std::max(again, seen[15].when + on_wire(280_B)));
  b.expect_all_home();
}

TEST_CASE("commands run one after the other, the next is fetched meanwhile") {
  CopyBench b;
  b.build();
  std::vector<gpu::Command> all;
  for (std::uint32_t i = 0; i < 5; ++i) {
    CopyCommand one = copy(Aperture::local, 0x10000 * i, Aperture::host, buffer + 0x10000 * i, 16_KiB);
    one.semaphore = semaphore + 8 * i;
    all.push_back(one);
  }
  b.run_commands(0, 0, all);
  b.run();
  Time before;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto seen = from(b.memory().extents(), buffer + 0x10000 * i, 64_KiB);
    expect_copied(seen, buffer + 0x10000 * i, 0x10000 * i, 16_KiB);
    const Time done = b.said(semaphore + 8 * i + 4, 7);
    CHECK(done > seen.back().when);
    // Neither fetch nor decoding shows: a copy and what is between two of them.
    if (i == 1) CHECK(done - before < on_wire(280_B) * 64 + reading_gpu + 100_ns);
    before = done;
  }
  b.expect_all_home();
}

TEST_CASE("engines of two GPUs at the same time, in trains") {
  CopyBench b;
  b.build(64);
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::host, buffer, 64_KiB)});
  CopyCommand in = copy(Aperture::host, buffer + 0x100000, Aperture::local, 0x200000, 64_KiB);
  in.semaphore = semaphore + 8;
  b.run_commands(1, 1, {in});
  b.run();
  expect_copied(from(b.memory().extents(), buffer, 1_MiB), buffer, 0, 64_KiB);
  expect_copied(b.gpu(1).extents(), 0x200000, buffer + 0x100000, 64_KiB);
  // They share nothing but the core that rings and host memory, which has no bandwidth here.
  const Time data = begins() + cycle * 8 * 256 + reading_gpu;
  CHECK(b.said(semaphore + 4, 7) >= released(data));
  CHECK(b.said(semaphore + 12, 7) > b.gpu(1).extents().back().when);
  b.expect_all_home();
}

TEST_CASE("an engine without a ring") {
  CopyBench b;
  b.build();
  b.program("driver", [&](Fiber& f) {
    b.core().store(f, b.gpu(0).register_address(Registers::of_channel(1) + Registers::put), 8_B, 1, 0);
  });
  CHECK(b.failure() == "gpu0: channel 1: entry 1 of a ring of 0 is rung");
}

TEST_CASE("a register of no engine") {
  CopyBench b;
  b.build();
  b.program("driver", [&](Fiber& f) { b.core().store(f, b.gpu(0).register_address(0x22000), 8_B, 1, 0); });
  CHECK(b.failure() == "gpu0: no register at offset 0x22000");  // behind two copy engines and 32 streams
}

TEST_CASE("a copy beyond the end of the GPU's memory") {
  CopyBench b;
  b.build();
  const auto last = static_cast<std::uint64_t>(b.config.memory_size.count()) - 64;
  b.run_commands(0, 0,
                 {copy(Aperture::local, last, Aperture::host, buffer, 64_B),
                  copy(Aperture::local, last, Aperture::host, buffer, 65_B)});
  CHECK(b.failure() == "gpu0: a copy of 65 B at 0x3fffffc0 of a memory of 1 GiB");
}

TEST_CASE("a push buffer with no command in it") {
  CopyBench b;
  b.build();
  b.program("driver", [&](Fiber& f) {
    const auto set = [&](std::uint64_t reg, std::uint64_t value) {
      b.core().store(f, b.gpu(0).register_address(reg), 8_B, value, 0);
    };
    b.core().store(f, ring, 8_B, encode(gpu::RingEntry{commands, 64_B}), 0);
    set(Registers::ring, ring);
    set(Registers::entries, 16);
    set(Registers::put, 1);
  });
  CHECK(b.failure() == "gpu0: channel 0: a copy has 1 to 2^32 - 1 bytes");
}

}  // namespace copy_engine_test
