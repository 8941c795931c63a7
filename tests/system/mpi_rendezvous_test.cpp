// SPDX-License-Identifier: Apache-2.0
// Long messages of library mpi, step by step; one machine a test.
#include <vector>

#include "comm/rank.hpp"
#include "system/program_bench.hpp"

namespace mpi_rendezvous_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

constexpr const char* run = "mpi_latency";

Buffer bytes(Bytes n, Bytes from = {}) { return {from, n, {}, {}}; }

}  // namespace

TEST_CASE("mpi: a sender registers its memory before it says that it is ready to send") {
  // The last message is like the one before, but that its memory is known. Who receives has still something to do when
  // the sender is ready: its receive takes longer by its own registration alone, 40 us and 220 ns a page.
  ProgramBench bench(run);
  const std::vector<Bytes> places = {0_B, 2_MiB, 2_MiB};
  std::vector<Time> took;
  bench.program(0, [&](comm::Rank& r) {
    for (const Bytes place : places) r.world().send(1, 7, bytes(1_MiB, place));
  });
  bench.program(1, [&](comm::Rank& r) {
    for (const Bytes place : places) {
      r.compute(2_ms);
      const Time begin = r.now();
      r.world().recv(0, 7, bytes(1_MiB, place));
      took.push_back(r.now() - begin);
    }
  });
  bench.run();
  const Time registration = 40_us + 220_ns * 256;
  CAPTURE(took);
  CHECK(took[1] - took[2] > registration - 100_ns);
  CHECK(took[1] - took[2] < registration + 100_ns);
}

}  // namespace mpi_rendezvous_test
