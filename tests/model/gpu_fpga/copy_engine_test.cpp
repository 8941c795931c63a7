// SPDX-License-Identifier: Apache-2.0
// What single commands do, and when: fetched, copied, told to be done.
#include "model/gpu_fpga/copy_engine_bench.hpp"
#include "support/child.hpp"

namespace copy_engine_test {

TEST_CASE("a copy engine fetches a command, copies to host memory, and releases the semaphore") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0x5000, Aperture::host, buffer, 64_B)});
  b.run();
  const Time data = begins() + cycle * 2 + reading_gpu;  // 32 B a cycle
  const auto seen = from(b.memory().extents(), buffer, 1_MiB);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].when == data + to_memory(64_B));
  expect_copied(seen, buffer, 0x5000, 64_B);
  CHECK(b.said(semaphore + 4, 7) == released(data));
  b.expect_all_home();
}

namespace {

/// What a buffer says goes to one GPU, from there to the other, and back to host memory.
void check_round(int max_train) {
  CopyBench b;
  b.build(max_train);
  constexpr Bytes n = 40'001_B;
  std::vector<std::uint8_t> said(static_cast<std::size_t>(n.count()));
  b.program("buffer", [&](Fiber& f) {
    for (std::size_t i = 7; i < said.size(); i += 5000 + i / 3) {
      std::vector<std::uint8_t> piece(std::min<std::size_t>(1 + i % 4500, said.size() - i));
      for (std::size_t k = 0; k < piece.size(); ++k) said[i + k] = piece[k] = static_cast<std::uint8_t>(i + k * 7);
      b.core().store(f, buffer + i, {piece.data(), piece.size()});
    }
  });
  const std::uint64_t window = b.gpu(1).pin(0_B, 1_MiB);
  CopyCommand there = copy(Aperture::host, buffer, Aperture::local, 0x7003, n);
  there.semaphore += 8;
  CopyCommand across = copy(Aperture::local, 0x7003, Aperture::peer, window + 0x1001, n);
  across.semaphore += 16;
  across.flush = true;
  b.run_commands(0, 0, {there, across});
  b.program("back", [&](Fiber& f) {
    const auto is_there = [](std::uint64_t seven) { return seven == 7; };
    b.core().poll(f, b.memory(), semaphore + 20, 4_B, is_there);
    b.core().store(f, b.gpu(1).register_address(Registers::put), 8_B, 1, 0);
  });
  b.prepare_commands(1, 0, {copy(Aperture::local, 0x1001, Aperture::host, buffer + 0x10'0005, n)});
  b.run();
  CHECK(b.gpu(0).bytes(0x7003, n) == said);
  CHECK(b.gpu(1).bytes(0x1001, n) == said);
  CHECK(b.memory().bytes(buffer + 0x10'0005, n) == said);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("copies carry what bytes say") { check_round(1); }
TEST_CASE("copies carry what bytes say, in trains") { check_round(64); }

TEST_CASE("a copy engine reads host memory, and releases the semaphore when the data can be seen") {
  CopyBench b;
  b.build();
  b.run_commands(0, 1, {copy(Aperture::host, buffer, Aperture::local, 0x7000, 256_B)});
  b.run();
  const Time seen = begins() + round_trip(256_B) + writing_gpu;
  REQUIRE(b.gpu(0).extents().size() == 1);
  CHECK(b.gpu(0).extents()[0].when == seen);
  expect_copied(b.gpu(0).extents(), 0x7000, buffer, 256_B);
  CHECK(b.said(semaphore + 4, 7) == released(seen));
  b.expect_all_home();
}

TEST_CASE("a copy to a peer is written to its window, a flush holds the semaphore until it is there") {
  CopyBench b;
  b.build();
  CopyCommand c = copy(Aperture::local, 0x5000, Aperture::peer, b.gpu(1).pin(Bytes(0x9000), 64_B), 64_B);
  c.flush = true;
  b.run_commands(0, 0, {c});
  b.run();
  const Time data = begins() + cycle * 2 + reading_gpu;
  REQUIRE(b.gpu(1).extents().size() == 1);
  CHECK(b.gpu(1).extents()[0].when == data + port_latency + on_wire(88_B) + flight + posted + on_wire(88_B) + flight +
                                          port_latency + translation + writing_gpu);
  expect_copied(b.gpu(1).extents(), 0x9000, 0x5000, 64_B);
  const Time flushed = edge(data) + cycle * release_cycles + port_latency + on_wire(24_B) + flight + peer +
                       on_wire(24_B) + flight + port_latency + translation + reading_gpu + port_latency +
                       on_wire(24_B) + flight + peer + on_wire(24_B) + flight + port_latency;
  CHECK(b.said(semaphore + 4, 7) == released(flushed));
  CHECK(b.said(semaphore + 4, 7) > b.gpu(1).extents()[0].when);
  b.expect_all_home();
}

TEST_CASE("without a flush the semaphore does not wait for a peer") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0x5000, Aperture::peer, b.gpu(1).pin(Bytes(0x9000), 64_B), 64_B)});
  b.run();
  CHECK(b.said(semaphore + 4, 7) == released(begins() + cycle * 2 + reading_gpu));
  CHECK(b.said(semaphore + 4, 7) < b.gpu(1).extents().at(0).when);
}

TEST_CASE("a command may come in two completions, wherever they part") {
  for (const std::uint64_t shift : {192 + 4, 192 + 32, 192 + 44, 192 + 60}) {
    CAPTURE(shift);
    CHECK(in_child([&] {
            CopyBench b;
            b.shift = shift;
            b.build();
            b.run_commands(0, 0, {copy(Aperture::local, 0x12345, Aperture::host, buffer + 0x678, 100_B)});
            b.run();
            const auto& e = b.memory().extents();
            const auto data =
                std::find_if(e.begin(), e.end(), [](const host::Extent& x) { return x.address >= buffer; });
            return data == e.end()
                       ? std::string("nothing")
                       : std::to_string(data->address - buffer) + " " + std::to_string(data->length.count()) + " " +
                             std::to_string(data->origin_offset) + " " +
                             std::to_string(b.memory().word_ending_at(semaphore + 4, 4_B).value);
          }) == std::to_string(0x678) + " 100 " + std::to_string(0x12345) + " 7");
  }
}

}  // namespace copy_engine_test
