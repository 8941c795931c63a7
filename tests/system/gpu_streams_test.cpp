// SPDX-License-Identifier: Apache-2.0
// Ranks that queue kernels and copies in streams of their GPUs, and wait for events.
#include "models/gpu/gpu.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace gpu_streams_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const comm::Stream first{"gpu0", 0};
const comm::Stream second{"gpu0", 1};

/// A kernel that takes about that long.
comm::Work kernel(const gpu::Gpu& g, Time t) {
  return {0, 1_KiB * (t * 1024 / gpu::kernel_time(g.config().compute, {0, 1_MiB}))};
}

/// On nodes of PEACH2, and by MPI that knows CUDA.
void on_both(const std::function<void(ProgramBench&, comm::Rank&, const gpu::Gpu&)>& program) {
  for (const std::string run : {"halo_tca", "mpi_gpu_ping_pong"}) {
    CAPTURE(run);
    const std::string said = in_child([&] {
      ProgramBench b(run);
      b.library().streams()->check(0, first);
      b.program(0, [&](comm::Rank& r) { program(b, r, b.machine().get<gpu::Gpu>("node0.gpu0")); });
      b.run();
      return std::string("done");
    });
    CHECK(said == "done");
  }
}

void expect(bool what, const char* text) {
  if (!what) throw std::runtime_error(text);
}

}  // namespace

TEST_CASE("a launch returns before its kernel runs, a query tells, and to synchronise is to have seen it") {
  on_both([](ProgramBench&, comm::Rank& r, const gpu::Gpu& g) {
    const Time begin = r.now();
    r.launch(first, kernel(g, 50_us));
    const Time launched = r.now();
    expect(launched - begin > 2_us && launched - begin < 5_us, "a launch takes 2 to 3 us");
    const comm::StreamEvent e = r.record(first);
    expect(!r.query(e), "it is not over");
    r.synchronise(e);
    expect(r.now() - launched > 50_us && r.now() - launched < 56_us, "it took its time");
    expect(r.query(e), "it is over");
    expect(r.query(r.record(second)), "a stream that was given nothing has nothing to wait for");
  });
}

TEST_CASE("kernels and copies of two streams overlap, behind an event they do not") {
  on_both([](ProgramBench&, comm::Rank& r, const gpu::Gpu& g) {
    const comm::DeviceCopy out{{"gpu0", 0_B}, {"", 0_B}, 256_KiB};
    const auto took = [&](bool behind) {
      const Time begin = r.now();
      r.launch(first, kernel(g, 60_us));
      if (behind) r.wait(second, r.record(first));
      r.copy(second, out);
      const comm::StreamEvent copied = r.record(second);
      r.synchronise(r.record(first));
      r.synchronise(copied);
      return r.now() - begin;
    };
    const Time apart = took(false);
    const Time behind = took(true);
    expect(apart < 75_us, "256 KiB are copied while the kernel runs");
    expect(behind > apart + 30_us, "they are copied behind it");
  });
}

TEST_CASE("a stream takes more than its ring holds, in order") {
  on_both([](ProgramBench&, comm::Rank& r, const gpu::Gpu& g) {
    for (int i = 0; i < 100; ++i) r.launch(first, kernel(g, 3_us));
    const Time begin = r.now();
    r.synchronise(r.record(first));
    expect(r.now() > 100 * 4_us, "each takes 3 us and its launch");
    expect(r.now() - begin < 200_us, "most have run by the time that the last one is launched");
  });
}

TEST_CASE("streams that are not there, and copies that they cannot do, are refused") {
  ProgramBench b("halo_tca");
  comm::Streams& s = *b.library().streams();
  const auto refusal = [&](const comm::Stream& stream, const comm::DeviceCopy* c) {
    try {
      if (c == nullptr)
        s.check(0, stream);
      else
        s.check_copy(0, stream, *c);
    } catch (const config::ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal({"gpu9", 0}, nullptr), Catch::Contains("no GPU \"gpu9\""));
  CHECK_THAT(refusal({"gpu0", 32}, nullptr), Catch::Contains("no stream 32, but 32"));
  CHECK_THAT(refusal({"gpu0", -1}, nullptr), Catch::Contains("no stream -1"));
  const auto copies = [&](const comm::DeviceCopy& c) { return refusal(first, &c); };
  CHECK(copies({{"gpu0", 0_B}, {"", 0_B}, 8_B}).empty());
  CHECK(copies({{"", 0_B}, {"gpu0", 0_B}, 8_B}).empty());
  CHECK_THAT(copies({{"gpu1", 0_B}, {"", 0_B}, 8_B}), Catch::Contains("not from \"gpu1\" to \"\""));
  CHECK_THAT(copies({{"gpu0", 0_B}, {"gpu0", 8_B}, 8_B}), Catch::Contains("copies between that and host memory"));
  CHECK_THAT(copies({{"gpu0", 0_B}, {"", 0_B}, 0_B}), Catch::Contains("a copy has 1 to"));
  CHECK_THAT(copies({{"gpu0", 1024_GiB}, {"", 0_B}, 8_B}), Catch::Contains("which has"));
  CHECK_THAT(copies({{"gpu0", 0_B}, {"", 1024_GiB}, 8_B}), Catch::Contains("of host memory"));
}

TEST_CASE("a stream waits for no other GPU's event") {
  ProgramBench b("halo_tca");
  b.program(0, [&](comm::Rank& r) {
    const comm::StreamEvent e = r.record({"gpu1", 0});
    CHECK_THROWS_WITH(r.wait(first, e), Catch::Contains("waits for an event of \"gpu1\""));
  });
  b.run();
}

}  // namespace gpu_streams_test
