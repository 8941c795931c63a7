// SPDX-License-Identifier: Apache-2.0
// Work that ranks on PEACH2 nodes compute, on cores and on GPUs.
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "system/program_bench.hpp"
#include "system/tca/tca_bytes.hpp"

namespace tca_compute_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("work takes a core what its roofline says, and a GPU that and a call of the driver") {
  ProgramBench b("halo_tca");
  const Work flops{1'000'000, 8_B};
  const Work bytes{1, 1_MiB};
  b.program(0, [&](comm::Rank& r) {
    const auto& core = b.machine().get<host::Core>("node0.core0");
    const auto& gpu = b.machine().get<gpu::Gpu>("node0.gpu0");
    const auto took = [&r](auto f) {
      const Time begin = r.now();
      f();
      return r.now() - begin;
    };
    const Clock clock(core.config().clock);
    for (const Work& w : {flops, bytes}) {
      CHECK(took([&] { r.compute(w); }) ==
            roofline(w, clock, core.config().compute.flops_per_cycle, core.config().compute.memory_rate));
      const Time call = took([&] { r.compute({}, "gpu0"); });
      CHECK(call > 1_us);
      const Time kernel = took([&] { r.compute(w, "gpu0"); }) - call;
      const Time expected = gpu::kernel_time(gpu.config().compute, w) - gpu::kernel_time(gpu.config().compute, {});
      CHECK((kernel > expected ? kernel - expected : expected - kernel) < 10_ns);  // a polling core sees its semaphore
    }
    CHECK_THROWS_WITH(r.compute(flops, "gpu9"), "rank 0 computes on \"gpu9\", but its node has no such GPU");
  });
  b.run();
}

TEST_CASE("bytes that a rank copies to its GPU and back are its host memory's") {
  ProgramBench b("tca_gpu_dma_ping_pong");
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < 2048; ++i) bytes.push_back(byte_of(0, i));
  b.machine()
      .get<host::Memory>("node0.memory")
      .preset(b.library().address(0, 0, {{}, 2_KiB, {}, {}}), {bytes.data(), bytes.size()});
  const Bytes n = 1000_B;
  b.program(0, [&](comm::Rank& r) {
    r.copy({64_B, n, "gpu0", {}, {}}, {100_B, n, {}, {}, {}});
    r.copy({2_KiB, n, {}, {}, {}}, {64_B, n, "gpu0", {}, {}});
    CHECK_THROWS_WITH(r.copy({{}, 8_B, {}, {}, {}}, {{}, 8_B, "gpu9", {}, {}}),
                      "rank 0 copies out of \"gpu9\", but its node has no such GPU");
    CHECK_THROWS_WITH(r.copy({{}, 8_B, "gpu1", {}, {}}, {{}, 8_B, "gpu0", {}, {}}),
                      "rank 0: nobody copies from \"gpu0\" to \"gpu1\"");
  });
  b.program(1, [](comm::Rank&) {});
  b.run();
  CHECK(differs(b, 0, 2_KiB, 0, 100_B, n) == "");
  const std::vector<std::uint8_t> on_gpu = b.machine().get<gpu::Gpu>("node0.gpu0").bytes(64, n);
  for (std::size_t i = 0; i < on_gpu.size(); ++i) REQUIRE(on_gpu[i] == byte_of(0, 100 + static_cast<std::int64_t>(i)));
}

TEST_CASE("a library without processors refuses work but not time") {
  ProgramBench b("halo_torus");
  b.program(0, [](comm::Rank& r) {
    r.compute(3_us);
    CHECK(r.now() == 3_us);
    CHECK_THROWS_WITH(r.compute({1, 8_B}), Catch::Contains("knows no processor's speed"));
  });
  b.run();
}

}  // namespace tca_compute_test
