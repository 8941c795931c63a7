// SPDX-License-Identifier: Apache-2.0
// What an OpenCL driver does for a transfer: which bytes go by DMA and which through the window, and what its code
// costs.
#include "models/libraries/opencl_cuda/opencl_driver.hpp"

#include "model/gpu_fpga/fpga_bench.hpp"

namespace opencl_driver_test {

using namespace fpga_test;
using libraries::OpenClDriver;
using libraries::OpenClDriverConfig;

namespace {

OpenClDriverConfig free_of_charge() {
  OpenClDriverConfig c;
  for (std::int64_t* cost :
       {&c.enqueue_cycles, &c.finish_cycles, &c.pin_cycles, &c.descriptor_cycles, &c.table_cycles, &c.interrupt_cycles})
    *cost = 0;
  return c;
}

struct DriverBench : FpgaBench {
  DriverBench() { build_with_host(64); }
  host::Core& core() { return machine().get<host::Core>("core"); }
  OpenClDriver driver(const OpenClDriverConfig& c) {
    return {c, core(), memory(), {"OpenCL driver", host_table, OpenClDriver::area_size}, card()};
  }
  /// Lengths of what was written to the card's memory in `n` bytes from `at` on.
  std::vector<Bytes> lengths(std::uint64_t at, Bytes n) {
    std::vector<Bytes> out;
    for (const host::Extent& e : card().extents())
      if (e.address >= at && e.address < at + unsigned_of(n)) out.push_back(e.length);
    return out;
  }
};

std::vector<Bytes> words(int whole, int single) {
  std::vector<Bytes> out(static_cast<std::size_t>(whole), 8_B);
  out.insert(out.end(), static_cast<std::size_t>(single), 1_B);
  return out;
}

std::int64_t sum(const std::vector<Bytes>& all) {
  Bytes out;
  for (const Bytes b : all) out += b;
  return out.count();
}

}  // namespace

TEST_CASE("what is short, or lies at no multiple of 64 B, goes through the card's window") {
  DriverBench b;
  constexpr std::uint64_t apart = 1 << 16;
  b.program("thread", [&](Fiber& f) {
    OpenClDriver d = b.driver(free_of_charge());
    d.write(f, 0, host_buffer, 1020_B);
    d.write(f, apart, host_buffer, 1_KiB);
    d.write(f, 2 * apart, host_buffer, 1_KiB + 64_B + 12_B);
    d.write(f, 3 * apart + 32, host_buffer, 2_KiB);
    d.write(f, 4 * apart, host_buffer + 32, 2_KiB);
    // Bytes behind a store: when the last one is there.
    b.core().load(f, b.card().register_address(Registers::window), 8_B);
  });
  b.run();
  CHECK(b.lengths(0, 1020_B) == words(127, 4));
  CHECK(b.lengths(apart, 1_KiB) == std::vector<Bytes>(4, 256_B));
  std::vector<Bytes> tail = b.lengths(2 * apart + 1088, 64_B);
  CHECK(tail == words(1, 4));
  CHECK(sum(b.lengths(2 * apart, 1088_B)) == 1088);
  CHECK(b.lengths(2 * apart, 1088_B).front() == 256_B);
  CHECK(b.lengths(3 * apart, 4_KiB) == words(256, 0));
  CHECK(b.lengths(4 * apart, 4_KiB) == words(256, 0));
}

TEST_CASE("each part of an OpenCL call's code costs as often as it runs") {
  DriverBench b;
  b.program("thread", [&](Fiber& f) {
    // A megabyte and half a page that begin in the middle of a page: 257 pages, two whole tables and one more.
    constexpr Bytes n = 1_MiB + 2_KiB;
    const auto took = [&](const OpenClDriverConfig& c) {
      OpenClDriver d = b.driver(c);
      const Time begin = f.now();
      d.read(f, 0, host_buffer + 2048, n);
      return f.now() - begin;
    };
    const Time least = took(free_of_charge());
    struct Part {
      std::int64_t OpenClDriverConfig::*cycles;
      int times;
    };
    for (const Part& p : {Part{&OpenClDriverConfig::enqueue_cycles, 1}, Part{&OpenClDriverConfig::finish_cycles, 1},
                          Part{&OpenClDriverConfig::pin_cycles, 257}, Part{&OpenClDriverConfig::descriptor_cycles, 257},
                          Part{&OpenClDriverConfig::table_cycles, 3}, Part{&OpenClDriverConfig::interrupt_cycles, 3}}) {
      OpenClDriverConfig c = free_of_charge();
      c.*p.cycles = 1'000'000;
      const Time more = took(c) - least;
      const Time expected = Clock(host::CoreConfig{}.clock).cycles(p.times * c.*p.cycles);
      CHECK(more > expected - 2_us);
      CHECK(more < expected + 2_us);
    }
  });
  b.run();
}

TEST_CASE("the card's window is moved where it does not show a byte, between two reads of its register") {
  DriverBench b;
  b.program("thread", [&](Fiber& f) {
    OpenClDriver d = b.driver(free_of_charge());
    const auto took = [&](std::uint64_t in_card) {
      const Time begin = f.now();
      d.write(f, in_card, host_buffer, 8_B);
      return f.now() - begin;
    };
    const Time begin = f.now();
    b.core().load(f, b.card().register_address(Registers::window), 8_B);
    const Time load = f.now() - begin;
    const std::uint64_t window = unsigned_of(b.card().config().window_size);
    CHECK(took(0) >= load * 2);
    CHECK(took(8) < load);
    CHECK(took(window - 8) < load);
    CHECK(took(window) >= load * 2);
    CHECK(took(0) >= load * 2);
  });
  b.run();
}

}  // namespace opencl_driver_test
