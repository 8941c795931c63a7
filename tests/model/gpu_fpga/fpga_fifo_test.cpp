// SPDX-License-Identifier: Apache-2.0
// The FIFOs of descriptors: their depth, when a data mover takes the next one, and the clocks on both sides.
#include "model/gpu_fpga/fpga_bench.hpp"
#include "support/child.hpp"

namespace fpga_test {

namespace {

pcie::LinkConfig wide() {
  pcie::LinkConfig c = gen3_x8();
  c.lanes = 16;
  return c;
}

/// When a kernel that writes `count` equal descriptors has got rid of each.
std::vector<Time> taken(FpgaBench& b, Direction way, const Descriptor& d, int count) {
  std::vector<Time> times;
  b.program("kernel", [&, way, d, count](Fiber& f) {
    for (int i = 0; i < count; ++i) {
      b.card().write_descriptor(f, way, encode(d, Writer::kernel));
      times.push_back(f.now());
    }
    for (int i = 0; i < count; ++i) b.card().read_status(f, way);
  });
  b.run();
  b.expect_all_home();
  return times;
}

}  // namespace

TEST_CASE("a FIFO of descriptors holds as many as it says, and the mover one ahead") {
  const std::string end = in_child([] {  // with which goes what a program that hangs still holds
    FpgaBench b;
    b.config.controller.kernel_fifo = 3;
    b.config.read_mover.tags = 1;
    b.build_with_probe();
    int written = 0;
    b.program("kernel", [&](Fiber& f) {
      for (int i = 0; i < 10; ++i, ++written)  // the probe answers no reads
        b.card().write_descriptor(f, Direction::read, encode({far, 0, 1_KiB, 128}, Writer::kernel));
    });
    b.sim().run(1_s);
    return std::to_string(written) + " written, " + std::to_string(b.sim().unfinished().size()) + " program waits";
  });
  CHECK(end == "5 written, 1 program waits");
}

TEST_CASE("a descriptor that is never done is told at the end") {
  FpgaBench b;
  b.build_with_probe();
  b.program("kernel", [&](Fiber& f) {
    b.card().write_descriptor(f, Direction::read, encode({far, 0, 4_B, 128}, Writer::kernel));
  });
  b.run();
  const std::vector<std::string> left = b.machine().leftovers();
  CHECK(std::any_of(left.begin(), left.end(), [](const std::string& s) {
    return s.find("a descriptor has not been done") != std::string::npos;
  }));
}

TEST_CASE("a read mover takes a descriptor when the one before has been loaded and the one before that requested") {
  FpgaBench b;
  b.config.controller.kernel_fifo = 1;
  b.config.read_mover.request_cycles = 100;
  b.config.read_mover.max_read_request = 256_B;
  b.config.read_mover.tags = 256;
  b.build_with_host();
  const std::vector<Time> times = taken(b, Direction::read, {host_buffer, 0, 1_KiB, 128}, 5);
  // Cross, hand over, load; then four requests each.
  constexpr int loaded = 3 + 4 + 4;
  CHECK(times == std::vector<Time>{0_ns, cycle * 3, cycle * loaded, cycle * (loaded + 400), cycle * (loaded + 800)});
}

TEST_CASE("a write mover takes a descriptor when the one before has been loaded and the one before that read") {
  FpgaBench b;
  b.config.controller.kernel_fifo = 1;
  b.config.write_mover.burst_gap = 0;
  b.build_with_probe(1, wide());
  const std::vector<Time> times = taken(b, Direction::write, {0, far, 4_KiB, 128}, 5);
  // Cross, hand over, load; the memory's latency, then 128 words each.
  constexpr int loaded = 3 + 4 + 10;
  constexpr int reads = loaded + 40;
  CHECK(times == std::vector<Time>{0_ns, cycle * 3, cycle * loaded, cycle * (reads + 128), cycle * (reads + 2 * 128)});
}

TEST_CASE("a write mover whose buffer is full takes one descriptor ahead") {
  FpgaBench b;
  b.config.controller.kernel_fifo = 1;
  b.config.write_mover.buffer = 4_KiB;
  b.build_with_probe(1, wide());
  const std::vector<Time> times = taken(b, Direction::write, {0, far, 64_KiB, 128}, 4);
  constexpr int loaded = 3 + 4 + 10;
  CHECK(times[2] == cycle * loaded);
  CHECK(times[3] > cycle * (loaded + 40 + 64 * 1024 / 32));  // words of the first one
}

TEST_CASE("a piece of an FPGA's buffer is free again when its write has left") {
  FpgaBench b;
  constexpr int latency = 1000;
  b.config.memory_read_cycles = latency;
  b.config.write_mover.burst_gap = 0;
  b.config.write_mover.buffer = 4_KiB;
  b.build_with_probe(1, wide());
  const Completion done = b.run_one(Direction::write, {0, far, 64_KiB, 128});
  // Sixteen writes go round fifteen times more: the memory's latency, eight words, nine beats.
  constexpr int write = 8 + 9;
  CHECK(done.elapsed == cycle * (10 + latency + write + 15 * 9 + 15 * (latency + write) + 2));
}

TEST_CASE("descriptors and completions cross between the clocks of kernel and controller") {
  FpgaBench b;
  b.config.kernel_clock = Frequency(100'000'000);
  b.config.controller.crossing_cycles = 5;
  b.build_with_probe();
  b.program("kernel", [&](Fiber& f) {
    f.wait_for(3_ns);
    b.card().write_descriptor(f, Direction::write, encode({0, far, 4_B, 128}, Writer::kernel));
    CHECK(f.now() == 10_ns);  // its next edge
    const Completion done = b.card().read_status(f, Direction::write);
    // From the next edge of 4 ns on five cycles of that; then it is handed over.
    CHECK(done.signal.when == 12_ns + cycle * (5 + 4) + done.elapsed);
    // And back five of 10 ns.
    CHECK(f.now() == Clock(Frequency(100'000'000)).after(done.signal.when, 5));
  });
  b.run();
}

TEST_CASE("with the kernel's first a host waits for as long as kernels have descriptors") {
  FpgaBench b;
  b.config.controller.first = fpga::First::kernel;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) {
    run_table(b, f, Direction::write, {{0, host_buffer, 4_KiB, 0}, {0, host_buffer, 4_KiB, 1}});
    await_status(b, f, Direction::write, 1);
  });
  b.program("kernel", [&](Fiber& f) {
    for (int i = 0; i < 64; ++i)
      b.card().write_descriptor(f, Direction::write,
                                encode({0, host_buffer + 0x10'0000, 4_KiB, 128 + i}, Writer::kernel));
    for (int i = 0; i < 64; ++i) CHECK(b.card().read_status(f, Direction::write).id == 128 + i);
  });
  b.run();
  std::vector<bool> hosts;
  for (const host::Extent& e : b.memory().extents())
    if (e.length == 256_B) hosts.push_back(e.address < host_buffer + 0x10'0000);
  REQUIRE(hosts.size() == 66 * 16);
  CHECK(std::is_sorted(hosts.begin(), hosts.end()));
}

}  // namespace fpga_test
