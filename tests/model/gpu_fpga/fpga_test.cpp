// SPDX-License-Identifier: Apache-2.0
#include "model/gpu_fpga/fpga_bench.hpp"

namespace fpga_test {

TEST_CASE("a write of four bytes has been done when the hard IP has it") {
  FpgaBench b;
  b.build_with_probe();
  const Completion done = b.run_one(Direction::write, {0x1000, far, 4_B, 128});
  CHECK(done.id == 128);
  constexpr int word = 1;
  constexpr int beat = 1;  // 16 B of header, 4 B of data
  CHECK(done.elapsed == cycle * (write_start + word + beat + 2));
  b.probe("bus").expect_first_at(cycle * (until_written + write_start + word) + transmit + on_wire(28_B) + flight);
  b.expect_all_home();
}

TEST_CASE("a long write takes nine cycles for 256 bytes on a fast link") {
  FpgaBench b;
  pcie::LinkConfig fast = gen3_x8();
  fast.lanes = 16;
  b.build_with_probe(64, fast);
  const Completion done = b.run_one(Direction::write, {0, far, Descriptor::longest, 255});
  CHECK(done.elapsed == cycle * (write_start + 8 + 9 * 4096 + 2));
  b.expect_all_home();
}

TEST_CASE("a read asks, waits, and is done when its bytes are in the card's memory") {
  FpgaBench b;
  b.build_with_host();
  const Completion done = b.run_one(Direction::read, {host_buffer, 0x2000, 4_B, 200});
  const Time asked = cycle * (until_written + 4) + transmit + on_wire(24_B) + flight;
  const Time answered = asked + reading + flight + memory_latency + flight + completing;
  const Time came = answered + on_wire(24_B) + flight + receive;
  const Time there = edge(came) + cycle * (1 + 10);  // one word taken in, ten cycles to the memory
  CHECK(done.elapsed == there + cycle * 2 - cycle * until_written);
  REQUIRE(b.card().extents().size() == 1);
  CHECK(b.card().extents()[0].address == 0x2000);
  CHECK(b.card().extents()[0].length == 4_B);
  b.expect_all_home();
}

TEST_CASE("reads are as fast as the tags allow over the loop") {
  FpgaBench b;
  b.config.read_mover.tags = 4;
  b.config.read_mover.max_read_request = 256_B;
  b.build_with_host();
  const Bytes n = 512_KiB;
  const Completion done = b.run_one(Direction::read, {host_buffer, 0, n, 130});
  // Request, way there, memory, way back, one completion of 256 B, taken in nine cycles.
  const Time loop = cycle + transmit + on_wire(24_B) + flight + reading + 2 * flight + memory_latency + completing +
                    on_wire(276_B) + flight + receive + 9 * cycle;
  const Time rounds = loop * (n / (256_B * 4));
  CHECK(done.elapsed * 100 > rounds * 97);
  CHECK(done.elapsed * 100 < rounds * 103);
  b.expect_all_home();
}

TEST_CASE("each completion counts for the tags that it frees and for its place in the memory") {
  FpgaBench b;
  b.config.read_mover.tags = 2;
  b.build_with_host(64);
  b.program("kernel", [&](Fiber& f) {
    std::uint64_t at = 0x100;
    for (const Bytes n : {4_B, 252_B, 260_B, 4_KiB, 5000_B, 64_KiB + 4_B}) {
      b.card().write_descriptor(f, Direction::read, encode({host_buffer + at, at, n, 128}, Writer::kernel));
      b.card().read_status(f, Direction::read);
      at += unsigned_of(n);
    }
    // And back: what was read is written one after the other.
    b.card().write_descriptor(f, Direction::write,
                              encode({0x104, host_buffer + 0x10'0000, 70_KiB, 129}, Writer::kernel));
    b.card().read_status(f, Direction::write);
  });
  b.run();
  Bytes next(0x100);
  for (const host::Extent& e : b.card().extents()) {
    CHECK(e.address == unsigned_of(next));
    next += e.length;
  }
  CHECK(next == Bytes(0x100) + 4_B + 252_B + 260_B + 4_KiB + 5000_B + 64_KiB + 4_B);
  next = {};
  for (const host::Extent& e : b.memory().extents()) {
    CHECK(e.address == host_buffer + 0x10'0000 + unsigned_of(next));
    CHECK(e.origin_offset == 0x104 + unsigned_of(next));
    next += e.length;
  }
  CHECK(next == 70_KiB);
  b.expect_all_home();
}

TEST_CASE("a kernel's descriptor that cannot run is refused") {
  FpgaBench b;
  b.build_with_probe();
  std::string why;
  b.program("kernel", [&](Fiber& f) {
    try {
      b.card().write_descriptor(f, Direction::write, {0, 0, 0x1000, 1, 5u << 18 | 1u, 0, 0, 0});
    } catch (const std::invalid_argument& e) {
      why = e.what();
    }
  });
  b.run();
  CHECK(why == "a descriptor with id 5, but those of a kernel are 128 to 255");
}

}  // namespace fpga_test
