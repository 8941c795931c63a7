// SPDX-License-Identifier: Apache-2.0
// What limits an FPGA's data movers, each limit made the tightest one.
#include "model/gpu_fpga/fpga_bench.hpp"

namespace fpga_test {

namespace {

pcie::LinkConfig fast() {
  pcie::LinkConfig c = gen3_x8();
  c.lanes = 16;
  return c;
}

}  // namespace

TEST_CASE("gaps between bursts limit an FPGA's writes where they are longer than the headers take") {
  FpgaBench b;
  b.config.write_mover.burst_gap = 4;
  b.build_with_probe(1, fast());
  const Completion done = b.run_one(Direction::write, {0, far, 64_KiB, 128});
  // 128 bursts of 16 words and a gap behind all but the last. A burst makes two writes of nine beats, of which the
  // first begins when its eight words are there: the second ends two cycles after its words and a write.
  CHECK(done.elapsed == cycle * (write_start + 16 * 128 + 4 * 127 - 8 + 2 * 9 + 2));
}

TEST_CASE("between descriptors an FPGA's data path turns round") {
  FpgaBench b;
  b.config.write_mover.turnaround_cycles = 100;
  b.build_with_probe();
  b.program("kernel", [&](Fiber& f) {
    for (const int id : {128, 129})
      b.card().write_descriptor(f, Direction::write, encode({0, far + 4096, 4_B, id}, Writer::kernel));
    for (const int id : {128, 129}) CHECK(b.card().read_status(f, Direction::write).id == id);
  });
  b.run();
  const Time on_the_way = transmit + on_wire(28_B) + flight;
  const int first = until_written + write_start + 1;
  b.probe("bus").expect_at(0, cycle * first + on_the_way);
  b.probe("bus").expect_at(1, cycle * (first + 1 + 100) + on_the_way);
}

TEST_CASE("space in an FPGA's buffer is asked for a memory's latency ahead") {
  FpgaBench b;
  b.config.memory_read_cycles = 1000;
  b.config.write_mover.buffer = 4_KiB;
  b.build_with_probe(1, fast());
  const Completion done = b.run_one(Direction::write, {0, far, 64_KiB, 128});
  // Sixteen times the buffer, each a memory's latency behind the one before; its 4 KiB leave in 16 x 9 cycles.
  CHECK(done.elapsed > cycle * (16 * 1000));
  CHECK(done.elapsed < cycle * (16 * (1000 + 16 * 9)));
}

TEST_CASE("a kernel waits while the FIFO of descriptors is full") {
  FpgaBench b;
  b.config.controller.kernel_fifo = 2;
  b.build_with_probe();
  b.program("kernel", [&](Fiber& f) {
    for (int i = 0; i < 8; ++i)
      b.card().write_descriptor(f, Direction::write, encode({0, far, 4_B, 128 + i}, Writer::kernel));
    // Two wait, one is loaded and one has been: five times hand-over and load before the eighth has a place.
    CHECK(f.now() >= cycle * (5 * (4 + 10)));
    for (int i = 0; i < 8; ++i) CHECK(b.card().read_status(f, Direction::write).id == 128 + i);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("completions of 64 bytes are taken in three cycles each") {
  FpgaBench b;
  b.completion_size = 64_B;
  b.config.read_mover.tags = 64;
  b.build_with_host(1, fast());
  const Bytes n = 512_KiB;
  const Completion done = b.run_one(Direction::read, {host_buffer, 0, n, 130});
  const Time intake = cycle * (3 * (n / 64_B));
  CHECK(done.elapsed > intake);
  CHECK(done.elapsed < intake + 2_us);
  b.expect_all_home();
}

TEST_CASE("a table that is started while one runs ends the run with its reason") {
  FpgaBench b;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) {
    auto& core = b.machine().get<host::Core>("core");
    for (int i = 0; i < 2; ++i) core.store(f, b.card().register_address(Registers::last), 8_B, 0, 0);
  });
  CHECK(b.failure() == "fpga: a table of descriptors is started while one runs");
}

TEST_CASE("an FPGA's reads end at multiples of their largest size") {
  FpgaBench b;
  b.config.read_mover.max_read_request = 128_B;
  b.build_with_host();
  b.run_one(Direction::read, {host_buffer + 64, 0, 256_B, 128});
  std::vector<Bytes> lengths;
  for (const host::Extent& e : b.card().extents()) lengths.push_back(e.length);
  CHECK(lengths == std::vector<Bytes>{64_B, 128_B, 64_B});
}

TEST_CASE("an FPGA's requests leave so many cycles apart") {
  FpgaBench b;
  b.config.read_mover.request_cycles = 200;
  b.config.read_mover.max_read_request = 128_B;
  b.build_with_host();
  const Completion few = b.run_one(Direction::read, {host_buffer, 0, 128_B * 16, 128});
  // Fifteen gaps, and the read of the last one: what it takes alone is less than one gap more than the shortest.
  CHECK(few.elapsed > cycle * (15 * 200) + reading + completing);
  CHECK(few.elapsed < cycle * (15 * 200) + 1200_ns);
}

TEST_CASE("the host reads back what the window shows") {
  FpgaBench b;
  b.build_with_host();
  std::uint64_t said = 0;
  b.program("driver", [&](Fiber& f) {
    auto& core = b.machine().get<host::Core>("core");
    core.store(f, b.card().register_address(Registers::window), 8_B, 0x20'0000, 0);
    said = core.load(f, b.card().register_address(Registers::window), 8_B);
    core.store(f, b.card().window_address(0x40), 8_B, 0x1234, 0);
    CHECK(core.load(f, b.card().window_address(0x40), 8_B) == 0x1234);
  });
  b.run();
  CHECK(said == 0x20'0000);
  REQUIRE(b.card().extents().size() == 1);
  CHECK(b.card().extents()[0].address == 0x20'0040);
}

TEST_CASE("an FPGA's data mover loads a descriptor while the one before runs") {
  FpgaBench b;
  b.build_with_probe(1, fast());
  std::vector<Time> signals;
  b.program("kernel", [&](Fiber& f) {
    for (const int id : {128, 129, 130})
      b.card().write_descriptor(f, Direction::write, encode({0, far + 4096, 4_KiB, id}, Writer::kernel));
    for (int i = 0; i < 3; ++i) signals.push_back(b.card().read_status(f, Direction::write).signal.when);
  });
  b.run();
  // Nothing but its sixteen writes and the path's turn-round between one's end and the next one's.
  CHECK(signals.at(1) - signals.at(0) == cycle * (16 * 9 + 2));
  CHECK(signals.at(2) - signals.at(1) == cycle * (16 * 9 + 2));
}

}  // namespace fpga_test
