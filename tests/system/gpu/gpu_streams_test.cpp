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
Work kernel(const gpu::Gpu& g, Time t) {
  return {0, 1_KiB * (t * 1024 / gpu::kernel_time(g.config().compute, {0, 1_MiB}))};
}

/// On nodes of PEACH2, and by MPI that knows CUDA.
void on_both(const std::function<void(ProgramBench&, comm::Rank&, const gpu::Gpu&)>& program) {
  for (const std::string run : {"halo_tca", "mpi_gpu_ping_pong"}) {
    CAPTURE(run);
    const std::string said = in_child([&] {
      ProgramBench b(run);
      b.library().facet<comm::Streams>()->check(0, first);
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

TEST_CASE(
    "cudaMemcpy is in the default stream: behind all that streams were given, and before what they are given next") {
  // Eager messages of MPI that knows CUDA are copied by it at both ends.
  ProgramBench b("mpi_gpu_ping_pong");
  const gpu::Gpu& g = b.machine().get<gpu::Gpu>("node0.gpu0");
  const comm::Buffer face{0_B, 4_KiB, "gpu0", {}, "gpu0"};
  b.program(0, [&](comm::Rank& r) {
    const auto send = [&] {
      const Time begin = r.now();
      r.world().send(1, 0, face);
      return r.now() - begin;
    };
    const Time alone = send();
    r.launch(first, kernel(g, 100_us));
    r.launch(second, kernel(g, 100_us));
    const Time behind = send();
    expect(behind > alone + 190_us && behind < alone + 215_us, "it waits for the kernels of both streams");
    expect(send() < alone + 1_us, "and for nothing that is over");
    r.launch({"gpu1", 0}, kernel(g, 100_us));
    expect(send() < alone + 1_us, "nor for another GPU's streams");
    // Into the GPU: the call is back before the bytes are there.
    r.world().recv(1, 1, face);
    const comm::StreamEvent kernel_ends = r.launch(first, kernel(g, 1_us));
    r.synchronise(r.record(first));
    expect(r.since(kernel_ends) < Time::max(), "it has run");
    r.launch(first, kernel(g, 100_us));
    const Time begin = r.now();
    r.world().recv(1, 2, face);
    const Time received = r.now() - begin;
    expect(received < 50_us, "a copy into the GPU from pageable memory returns when that has been copied aside");
    r.launch(second, kernel(g, 1_us));
    r.synchronise(r.record(second));
    expect(r.now() - begin > 100_us, "its bytes wait for the stream, and another stream's kernel for its bytes");
    r.launch(first, kernel(g, 100_us));
    const Time again = r.now();
    r.world().recv(1, 3, face);
    r.synchronise(r.record(second));
    expect(r.now() - again > 95_us, "as does an event that is recorded behind it");
  });
  b.program(1, [&](comm::Rank& r) {
    for (int i = 0; i < 4; ++i) r.world().recv(0, 0, face);
    r.world().send(0, 1, face);
    r.world().send(0, 2, face);
    r.world().send(0, 3, face);
  });
  b.run();
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
  comm::Streams& s = *b.library().facet<comm::Streams>();
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
