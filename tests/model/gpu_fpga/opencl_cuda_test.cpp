// SPDX-License-Identifier: Apache-2.0
// Copies between GPU and FPGA by way of the host: which bytes get where, piece by piece.
#include "models/libraries/opencl_cuda/opencl_cuda.hpp"

#include <map>

#include "support/bench.hpp"

namespace opencl_cuda_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Bytes chunk = 16_KiB;
constexpr Bytes size = chunk * 2 + 4_KiB;

/// A node whose GPU is on one slow lane.
struct NodeBench : Bench {
  NodeBench() {
    gpu::GpuConfig gpu;
    gpu.copy_engines.count = 2;
    gpu.record = true;
    fpga::FpgaConfig fpga;
    fpga.record = true;
    host::MemoryConfig memory;
    memory.record = true;
    host::RootComplexConfig rc;
    rc.slots = {{"slot0", fpga.bar_base, Bytes(static_cast<std::int64_t>(fpga::Registers::end)) + fpga.window_size},
                {"slot1", gpu.bar_base, gpu.bar_size + gpu.register_size}};
    device("core", host::CoreConfig{});
    device("rc", rc);
    device("memory", memory);
    device("fpga", fpga);
    device("gpu", gpu);
    wire("core.bus", "rc.core0", host::OnChipConfig{});
    wire("rc.memory", "memory.bus", host::OnChipConfig{});
    wire("rc.slot0", "fpga.pcie", quiet(gen2_x8()));
    pcie::LinkConfig slow = gen2_x8();
    slow.lanes = 1;
    wire("rc.slot1", "gpu.pcie", quiet(slow));
    build();
  }
  libraries::OpenClCuda library() {
    libraries::OpenClCudaConfig c;
    c.node = "";
    c.core = "core";
    c.fpga = "fpga";
    c.gpu = "gpu";
    c.cuda.chunk = chunk;
    return {c, machine()};
  }
};

Time copy(libraries::OpenClCuda& library, Fiber& f, bool to_gpu) {
  const comm::PutSide fpga{"fpga", 1_MiB};
  const comm::PutSide gpu{"gpu", 2_MiB};
  comm::Library& c = library;
  return c.facet<comm::DeviceCopies>()->copy(
      f, 0, to_gpu ? comm::DeviceCopy{fpga, gpu, size} : comm::DeviceCopy{gpu, fpga, size});
}

/// Writes of `all` from `at` on follow each other without a gap.
void check_whole(const std::vector<host::Extent>& all, Bytes at) {
  Bytes done;
  for (const host::Extent& e : all) {
    CHECK(e.address == unsigned_of(at + done));
    done += e.length;
  }
  CHECK(done == size);
}

/// Each byte behind `from` of a card has been written to host memory twice: by that card, and when the core copied it.
void check_twice(NodeBench& b, Bytes from) {
  std::map<std::uint64_t, int> times;
  for (const host::Extent& e : b.machine().get<host::Memory>("memory").extents())
    for (Bytes i; i < e.length && e.length.count() % 256 == 0; i += 256_B) ++times[e.origin_offset + unsigned_of(i)];
  for (Bytes i; i < size; i += 256_B) CHECK(times[unsigned_of(from + i)] == 2);
}

}  // namespace

TEST_CASE("a copy by way of the host brings the GPU the card's bytes one after the other") {
  NodeBench b;
  b.program("thread", [&](Fiber& f) {
    libraries::OpenClCuda library = b.library();
    copy(library, f, true);
    f.wait_for(1_ms);
  });
  b.run();
  check_whole(b.machine().get<gpu::Gpu>("gpu").extents(), 2_MiB);
  check_twice(b, 1_MiB);
}

TEST_CASE("a copy by way of the host brings the card the GPU's bytes one after the other") {
  NodeBench b;
  b.program("thread", [&](Fiber& f) {
    libraries::OpenClCuda library = b.library();
    copy(library, f, false);
  });
  b.run();
  check_whole(b.machine().get<fpga::Fpga>("fpga").extents(), 1_MiB);
  check_twice(b, 2_MiB);
}

TEST_CASE("a copy from the GPU waits until an earlier one to it has left the pinned buffers") {
  NodeBench b;
  Time alone;
  Time behind;
  b.program("thread", [&](Fiber& f) {
    libraries::OpenClCuda library = b.library();
    alone = copy(library, f, false);
    copy(library, f, true);
    behind = copy(library, f, false);
  });
  b.run();
  // What is left in them takes the slow lane most of a piece's time and nothing else is done then.
  const Time piece = Time::from_fs(2'000'000) * chunk.count();  // of payload, 2 ns each
  CHECK((behind - alone) * 4 > piece);
}

}  // namespace opencl_cuda_test
