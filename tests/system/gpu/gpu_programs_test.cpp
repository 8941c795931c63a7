// SPDX-License-Identifier: Apache-2.0
// Halo exchanges and collectives whose buffers lie in GPUs: every byte is checked while they run.
#include "models/gpu/compute.hpp"
#include "support/catch.hpp"
#include "system/simulated.hpp"
#include "units/parse.hpp"

namespace gpu_programs_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

// Machines whose nodes have GPUs, and libraries that know them: PEACH2's DMA, MPI by blocks of host memory.
const std::string both[] = {"tca_gpu_dma_ping_pong", "mpi_gpu_ping_pong"};

report::Rows rows(const std::string& run, const std::string& scenario) {
  return rows_of(run, {{"/scenario", scenario}});
}

std::string halo(const std::string& more) {
  return R"({"kind": "halo_exchange", "grid": [2], "faces": ["8 B"], "scales": [1, 300, 9000], "iterations": 2)" +
         more + "}";
}

Time time_of(const report::Rows& r, std::size_t row) { return cell<Time>(r.rows.at(row), "time"); }

}  // namespace

TEST_CASE("halo exchanges between GPUs bring every byte, packed or not") {
  for (const std::string& run : both)
    for (const char* packing : {"false", "true"}) {
      CAPTURE(run, packing);
      const std::string how = R"(, "packing": )" + std::string(packing);
      const report::Rows gpu = rows(run, halo(how + R"(, "memory": "gpu0")"));
      const report::Rows host = rows(run, halo(how));
      REQUIRE(gpu.rows.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) CHECK(time_of(gpu, i) > time_of(host, i));
    }
}

TEST_CASE("faces that a rank packs in a GPU are read and written by its kernels") {
  // Alone in its dimension a rank copies both its faces; what a launch costs is in the time of any size.
  const auto alone = [](const char* face) {
    return time_of(rows("tca_gpu_dma_ping_pong", R"({"kind": "halo_exchange", "grid": [1], "ranks": 1, "iterations": 1,
      "warm_up": 0, "memory": "gpu0", "packing": false, "faces": [")" +
                                                     std::string(face) + R"("]})"),
                   0);
  };
  const Time more = alone("2 MiB") - alone("1 MiB");
  gpu::ComputeConfig k20;
  k20.memory_rate = Rate::bytes_per_second(150'000'000'000);  // what kernels reach with ECC
  const Time expected = 2 * gpu::kernel_time(k20, {0, 2_MiB});
  CHECK((more > expected ? more - expected : expected - more) < 10_ns);  // two semaphores that a polling core sees
}

TEST_CASE("collectives between GPUs bring every byte, by every algorithm") {
  for (const std::string& run : both)
    for (const char* scenario :
         {R"("broadcast", "algorithms": ["binomial", "scatter_allgather", "chain", "linear"])",
          R"("all_to_all", "by": "messages", "algorithms": ["pairwise", "bruck", "linear"])",
          R"("reduction", "algorithms": ["recursive_doubling", "ring", "rabenseifner", "reduce_broadcast"])",
          R"("reduction", "result": "reduce", "algorithms": ["binomial", "chain", "linear"], "rotate": true)"}) {
      CAPTURE(run, scenario);
      const std::string call = R"({"kind": )" + std::string(scenario) + R"(, "sizes": ["8 B", "4 KiB", "72000 B"])";
      const report::Rows gpu = rows(run, call + R"(, "memory": "gpu0"})");
      const report::Rows host = rows(run, call + "}");
      REQUIRE(gpu.rows.size() == host.rows.size());
      for (std::size_t i = 0; i < gpu.rows.size(); ++i) CHECK(time_of(gpu, i) > time_of(host, i));
    }
}

TEST_CASE("memory of a node that it does not have, or has too little of, is refused before time 0") {
  for (const std::string& run : both)
    for (const char* kind : {"halo_exchange", "broadcast"}) {
      CAPTURE(run, kind);
      const std::string scenario = R"({"kind": ")" + std::string(kind) + R"(", "memory": )";
      CHECK_THAT(refusal(run, {{"/scenario", scenario + R"("gpu7"})"}}), Catch::Contains("gpu7"));
    }
  CHECK_THAT(refusal("tca_gpu_dma_ping_pong",
                     {{"/scenario", R"({"kind": "broadcast", "memory": "gpu0", "sizes": ["300 MiB"]})"}}),
             Catch::Contains("window"));
}

}  // namespace gpu_programs_test
