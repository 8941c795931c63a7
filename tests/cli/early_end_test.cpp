// SPDX-License-Identifier: Apache-2.0
// Runs that end while packets, alarms and programs are under way: the machine is taken down in the middle of
// everything. What is told is the run's own message; under AddressSanitizer nothing that is gone is touched.
#include "support/catch.hpp"
#include "support/program.hpp"

namespace early_end_test {

using namespace tsunagi::test;

namespace {

Ended run(const std::string& name, const std::vector<std::string>& values) {
  std::vector<std::string> words{"run", TSUNAGI_TEST_CONFIGS "/runs/" + name + ".json"};
  for (const std::string& v : values) {
    words.emplace_back("--set");
    words.push_back(v);
  }
  return run_program(words);
}

/// A run of that name ends at its limit of simulated time, with that message alone.
void expect_cut_short(const std::string& name) {
  for (const std::string limit : {"1 us", "4.7 us", "23 us"}) {
    const Ended end = run(name, {"/options/limit_simulated_time=" + limit});
    CAPTURE(name, limit, end.err);
    CHECK(end.exit_code == 1);
    CHECK_THAT(end.err, Catch::Contains("the run is not over at its limit of simulated time, " + limit));
  }
}

}  // namespace

TEST_CASE("runs on an SR8000 end early and cleanly") {
  for (const char* name : {"fmpl_ping_pong", "fmpl_broadcast", "hitachi_mpi_broadcast", "hitachi_mpi_ping_pong",
                           "tcw_ping_pong", "blacs_fmpl_ping_pong"})
    expect_cut_short(name);
}

TEST_CASE("runs over InfiniBand end early and cleanly") {
  for (const char* name : {"ib_ping_pong", "ib_write_bw", "ib_traffic", "mpi_bw", "mpi_gpu_ping_pong", "broadcast_mpi"})
    expect_cut_short(name);
}

TEST_CASE("runs over PEACH2 end early and cleanly") {
  for (const char* name : {"tca_pio_ping_pong", "tca_dma_ping_pong", "tca_gpu_dma_ping_pong", "tca_all_to_all",
                           "halo_beside_tca", "tca_remote_read"})
    expect_cut_short(name);
}

TEST_CASE("runs of GPUs, FPGAs, exercisers and routers end early and cleanly") {
  for (const char* name : {"cuda_switch_ping_pong", "fpga_dma_write", "opencl_cuda_to_gpu", "pcie_bw_rdwr",
                           "pcie_write_stream", "torus_traffic", "broadcast_crossbars", "head_of_line"})
    expect_cut_short(name);
}

TEST_CASE("a run whose connection fails ends cleanly, with timers armed and packets under way") {
  const Ended end = run("ib_write_bw", {"[kind=hca]/loss_ppm=600000", "/library/retry_count=0",
                                        "/library/timeout_code=1", "/scenario/sizes=[\"64 KiB\"]"});
  CAPTURE(end.err);
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::Contains("retr"));
}

}  // namespace early_end_test
