// SPDX-License-Identifier: Apache-2.0
// What an FPGA card's memory is asked for: within its bounds, in which pieces, and what the bytes say.
#include "model/gpu_fpga/fpga_bench.hpp"

namespace fpga_test {

namespace {

/// Why a run fails in which a driver does this.
std::string failure_of(const std::function<void(FpgaBench&, Fiber&)>& driver) {
  FpgaBench b;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) { driver(b, f); });
  return b.failure();
}

void store(FpgaBench& b, Fiber& f, std::uint64_t address, std::uint64_t value, Bytes n = 8_B) {
  b.machine().get<host::Core>("core").store(f, address, n, value, 0);
}

/// Writes of `n` bytes to `to`, as the bus sees them.
std::vector<Bytes> writes_to(std::uint64_t to, Bytes n, int max_train) {
  FpgaBench b;
  b.build_with_probe(max_train);
  b.run_one(Direction::write, {0, to, n, 128});
  std::vector<Bytes> pieces;
  for (const Arrival& a : b.probe("bus").arrivals()) {
    CHECK(a.address == to);
    to += unsigned_of(a.payload);
    pieces.push_back(a.payload);
  }
  return pieces;
}

}  // namespace

TEST_CASE("a kernel's descriptor reaches to the last byte of the card's memory") {
  FpgaBench b;
  b.build_with_probe();
  CHECK(b.run_one(Direction::write, {unsigned_of(64_MiB - 8_KiB), far, 8_KiB, 128}).id == 128);
}

TEST_CASE("a kernel's descriptor behind the card's memory ends the run with its reason") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) {
          b.card().write_descriptor(f, Direction::write,
                                    encode({unsigned_of(64_MiB - 4_KiB), host_buffer, 8_KiB, 128}, Writer::kernel));
        }) == "fpga: 8 KiB at 0x3fff000 of a memory of 64 MiB");
}

TEST_CASE("a descriptor of a host's table behind the card's memory ends the run with its reason") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) {
          run_table(b, f, Direction::read, {{host_buffer, unsigned_of(64_MiB), 4_B, 0}});
        }) == "fpga: 4 B at 0x4000000 of a memory of 64 MiB");
}

TEST_CASE("a window that shows what is behind the card's memory takes no writes") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) {
          store(b, f, b.card().register_address(Registers::window), unsigned_of(64_MiB));
          store(b, f, b.card().window_address(0), 1);
        }) == "fpga: 8 B at 0x4000000 of a memory of 64 MiB");
}

TEST_CASE("a window that shows what is behind the card's memory is not read") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) {
          store(b, f, b.card().register_address(Registers::window), unsigned_of(64_MiB));
          b.machine().get<host::Core>("core").load(f, b.card().window_address(0), 8_B);
        }) == "fpga: 8 B at 0x4000000 of a memory of 64 MiB");
}

TEST_CASE("a table of descriptors lies at a multiple of 64 B") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) {
          store(b, f, b.card().register_address(Registers::table), host_table + 32);
        }).find("no multiple of 64 B") != std::string::npos);
}

TEST_CASE("a table of descriptors has 128") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) { store(b, f, b.card().register_address(Registers::last), 128); }) ==
        "fpga: descriptor 128 of a table of 128");
}

TEST_CASE("registers of an FPGA are written whole") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) { store(b, f, b.card().register_address(Registers::window), 0, 4_B); }) ==
        "fpga: a write of 4 B to a register");
}

TEST_CASE("of an FPGA's registers only the window's is read") {
  CHECK(failure_of([](FpgaBench& b, Fiber& f) {
          b.machine().get<host::Core>("core").load(f, b.card().register_address(Registers::table), 8_B);
        }) == "fpga: only the window and its register answer reads, of at most 64 B");
}

TEST_CASE("the window answers reads of up to 64 B, to its last byte") {
  FpgaBench b;
  b.build_with_probe();
  b.at(0_ns, [&] {
    b.probe("bus").read(b.card().window_address(0), 64_B);
    b.probe("bus").read(b.card().window_address(unsigned_of(b.config.window_size - 64_B)), 64_B);
  });
  b.run();
  std::vector<Bytes> answers;
  for (const Arrival& a : b.probe("bus").arrivals()) answers.push_back(a.payload);
  CHECK(answers == std::vector<Bytes>{64_B, 64_B});
}

TEST_CASE("an FPGA's writes end at 4 KiB and are whole ones between") {
  std::vector<Bytes> expected{100_B};
  expected.insert(expected.end(), 16 + 15, 256_B);
  expected.push_back(156_B);
  CHECK(writes_to(far + 4096 - 100, 8_KiB, 1) == expected);
}

TEST_CASE("in trains an FPGA's writes end at 4 KiB, too") {
  std::vector<Bytes> expected{256_B, 256_B, 256_B, 132_B};
  expected.insert(expected.end(), 16, 256_B);
  expected.push_back(124_B);
  CHECK(writes_to(far + 4096 - 900, 900_B + 4_KiB + 124_B, 64) == expected);
}

TEST_CASE("a word of the card's memory comes to the host though nothing before it says anything") {
  FpgaBench b;
  b.build_with_host(64);
  b.program("driver", [&](Fiber& f) {
    auto& core = b.machine().get<host::Core>("core");
    store(b, f, b.card().window_address(0x700), 0x1234);
    core.load(f, b.card().window_address(0x700), 8_B);
    b.card().write_descriptor(f, Direction::write, encode({0, host_buffer, 2_KiB, 128}, Writer::kernel));
    b.card().read_status(f, Direction::write);
    f.wait_for(10_us);
    CHECK(core.load(f, host_buffer + 0x700, 8_B) == 0x1234);
  });
  b.run();
}

TEST_CASE("a read of the window takes the memory's latency, behind a write until that is there") {
  FpgaBench b;
  b.config.memory_read_cycles = 300;
  b.config.memory_write_cycles = 900;
  b.build_with_host();
  b.program("driver", [&](Fiber& f) {
    auto& core = b.machine().get<host::Core>("core");
    const auto timed = [&](std::uint64_t address) {
      const Time begin = f.now();
      core.load(f, address, 8_B);
      return f.now() - begin;
    };
    const Time of_register = timed(b.card().register_address(Registers::window));
    const Time of_window = timed(b.card().window_address(0));
    store(b, f, b.card().window_address(0), 1);
    const Time behind = timed(b.card().window_address(0));
    const Time difference = of_window - of_register;
    CHECK(difference >= cycle * (300 - 1 - 1));
    CHECK(difference <= cycle * (300 - 1 + 1));
    // The write and the read come one behind the other.
    CHECK(behind - of_register > cycle * (900 - 50));
    CHECK(behind - of_register < cycle * (900 + 50));
  });
  b.run();
}

TEST_CASE("completions that come in another order have their places") {
  FpgaBench b;
  b.config.read_mover.tags = 64;
  b.iommu = slow_walks();
  b.build_with_host();
  const std::uint64_t begin = host_buffer + 2048;
  b.program("kernel", [&](Fiber& f) {
    // The second page is known, the first one is not.
    b.card().write_descriptor(f, Direction::read, encode({host_buffer + 4096, 0x10'0000, 4_B, 128}, Writer::kernel));
    b.card().read_status(f, Direction::read);
    b.card().write_descriptor(f, Direction::read, encode({begin, 0x1000, 4_KiB, 128}, Writer::kernel));
    b.card().read_status(f, Direction::read);
  });
  b.run();
  std::vector<std::uint64_t> places;
  for (const host::Extent& e : b.card().extents())
    if (e.address < 0x10'0000) {
      CHECK(e.origin_offset - begin == e.address - 0x1000);
      places.push_back(e.address);
    }
  CHECK(places.size() > 1);
  CHECK(places.front() == 0x1000 + 2048);
}

}  // namespace fpga_test
