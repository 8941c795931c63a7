// SPDX-License-Identifier: Apache-2.0
// A core's copies between host memory and a GPU's window: their bytes and times.
#include "models/libraries/gdrcopy/gdrcopy.hpp"

#include "support/bench.hpp"

namespace gdrcopy_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time posted = 100_ns;
constexpr std::int64_t call_cycles = 25;
constexpr Time call = 10_ns;

struct NodeBench : Bench {
  NodeBench() {
    gpu::GpuConfig gpu;
    gpu.record = true;
    host::MemoryConfig memory;
    memory.record = true;
    host::CoreConfig core;
    core.clock = Frequency(2'500'000'000);
    host::RootComplexConfig rc;
    rc.posted_latency = posted;
    rc.slots = {{"slot0", gpu.bar_base, gpu.bar_size + gpu.register_size}};
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = 1_ns;
    device("core", core);
    device("rc", rc);
    device("memory", memory);
    device("gpu", gpu);
    wire("core.bus", "rc.core0", bus);
    wire("rc.memory", "memory.bus", bus);
    wire("rc.slot0", "gpu.pcie", quiet(gen2_x8()));
    build();
  }
  libraries::GdrCopy library() {
    libraries::GdrCopyConfig c;
    c.node = "";
    c.core = "core";
    c.gpu = "gpu";
    c.call_cycles = call_cycles;
    return {c, machine()};
  }
  host::Core& core() { return machine().get<host::Core>("core"); }
  gpu::Gpu& gpu() { return machine().get<gpu::Gpu>("gpu"); }
  host::Memory& memory() { return machine().get<host::Memory>("memory"); }
};

comm::DeviceCopy copy_of(bool to_gpu, Bytes size, Bytes in_gpu = 2_MiB) {
  const comm::PutSide host{"memory", 1_MiB};
  const comm::PutSide gpu{"gpu", in_gpu};
  return to_gpu ? comm::DeviceCopy{host, gpu, size} : comm::DeviceCopy{gpu, host, size};
}

comm::DeviceCopies& copies(comm::Library& c) { return *c.facet<comm::DeviceCopies>(); }

std::vector<std::uint8_t> pattern(std::size_t n) {
  std::vector<std::uint8_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(i * 11 + 3);
  return out;
}

}  // namespace

TEST_CASE("gdrcopy to a GPU ends with the fence, and brings what the buffer says") {
  NodeBench b;
  libraries::GdrCopy library = b.library();
  const std::vector<std::uint8_t> bytes = pattern(100);
  const std::uint64_t buffer = unsigned_of(host::buffers_from(b.memory().config().size) + 1_MiB);
  b.memory().preset(buffer, {bytes.data(), bytes.size()});
  copies(library).check_copy(0, copy_of(true, 100_B));
  Time took;
  b.program("copy", [&](Fiber& f) { took = copies(library).copy(f, 0, copy_of(true, 100_B)); });
  b.run();
  CHECK(took == call + 400_ps * 13 + host::CoreConfig{}.store_to_bus);  // 13 stores of eight bytes
  CHECK(b.gpu().bytes(2 << 20, 100_B) == bytes);
  REQUIRE(b.gpu().extents().size() == 2);  // lines
  CHECK(b.gpu().extents()[0].length == 64_B);
  CHECK(b.gpu().extents()[1].length == 36_B);
  b.expect_all_home();
}

TEST_CASE("gdrcopy from a GPU takes a round trip a load of a line, and brings what the GPU's memory says") {
  NodeBench b;
  libraries::GdrCopy library = b.library();
  const std::vector<std::uint8_t> bytes = pattern(96);
  copies(library).check_copy(0, copy_of(false, 96_B));
  Time took, one;
  b.program("copies", [&](Fiber& f) {
    b.core().store(f, b.gpu().pin(2_MiB, 96_B), {bytes.data(), bytes.size()});
    f.wait_for(10_us);
    one = copies(library).copy(f, 0, copy_of(false, 16_B)) - call;
    took = copies(library).copy(f, 0, copy_of(false, 96_B)) - call;
  });
  b.run();
  // The first line's four, and two of the second one beside them; those wait for a link that is busy for 24 B at most.
  CHECK(took >= one * 4);
  CHECK(took <= one * 4 + 250_ps * 24 * 4);
  CHECK(b.memory().bytes(unsigned_of(host::buffers_from(b.memory().config().size) + 1_MiB), 96_B) == bytes);
  b.expect_all_home();
}

TEST_CASE("gdrcopy refuses what it cannot copy") {
  NodeBench b;
  libraries::GdrCopy library = b.library();
  const auto why = [&](const comm::DeviceCopy& c) {
    try {
      copies(library).check_copy(0, c);
    } catch (const config::ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(why({{"gpu", {}}, {"gpu", {}}, 16_B}), R"(copies between "memory" and "gpu", not from "gpu" to "gpu")");
  has(why(copy_of(false, 16_B, 2_MiB + 8_B)), "a copy begins at a multiple of 16 B");
  has(why(copy_of(true, 512_MiB)), "the BAR window of 256 MiB is full");
  has(why(copy_of(true, 1024_GiB)), "has room for");
  CHECK(why(copy_of(true, 1_B)).empty());
}

}  // namespace gdrcopy_test
