// SPDX-License-Identifier: Apache-2.0
// Lattice QCD on GPUs over PEACH2 and over MPI (paper 001): every face is checked while it runs.
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "units/parse.hpp"

namespace cg_halo_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const char* const runs[] = {"cg_tca", "cg_mpi_rma", "cg_mpi_p2p"};

Overrides of(const char* grid, const Overrides& more = {}) {
  Overrides o{{"/scenario/grid", grid}, {"/scenario/iterations", "2"}, {"/scenario/warm_up", "1"}};
  o.insert(o.end(), more.begin(), more.end());
  return o;
}

const config::Override large{"/scenario/lattice", "[16, 16, 16, 16]"};

report::Row row(const char* run, const Overrides& o) { return rows_of(run, o).rows.at(0); }
Time time(const char* run, const Overrides& o) { return cell<Time>(row(run, o), "time"); }

}  // namespace

TEST_CASE("cg_halo: faces of every grid of the paper come whole in all three ways, both directions of two ranks too") {
  for (const char* run : runs)
    for (const char* grid : {"[2, 1, 1, 1]", "[1, 2, 1, 1]", "[2, 2, 1, 1]", "[4, 2, 1, 1]", "[1, 1, 2, 2]"}) {
      CAPTURE(run, grid);
      const report::Row r = row(run, of(grid));
      CHECK(cell<Time>(r, "halo") > Time::zero());
      CHECK(cell<Time>(r, "exposed") <= cell<Time>(r, "halo"));
      CHECK(cell<Time>(r, "halo") + cell<Time>(r, "reductions") < cell<Time>(r, "time"));
    }
}

TEST_CASE("cg_halo: an iteration is as many launches, events, waits and puts as QUDA's") {
  const auto calls = [](const char* grid, std::int64_t ranks, const char* step) {
    const auto of_iterations = [&](const char* n) {
      const report::Rows rows = rows_of("cg_tca", {{"/scenario/grid", grid}, {"/scenario/iterations", n}});
      const report::StepAccount* account = rows.accounts->find(step);
      return account == nullptr ? 0 : account->calls;
    };
    return (of_iterations("3") - of_iterations("2")) / ranks;
  };
  // A dslash: packing, the interior, a kernel a dimension; then three on vectors.
  CHECK(calls("[2, 1, 1, 1]", 2, "launch a kernel") == 4 * 3 + 3);
  CHECK(calls("[2, 2, 1, 1]", 4, "launch a kernel") == 4 * 4 + 3);
  CHECK(calls("[1, 1, 1, 1]", 1, "launch a kernel") == 4 + 3);
  // Packing waits for the kernels before, a halo for packing, the reductions for their kernels.
  CHECK(calls("[2, 2, 1, 1]", 4, "cudaStreamWaitEvent") == 4);
  CHECK(calls("[2, 2, 1, 1]", 4, "cudaEventRecord") == 4 * 3 + 2);
  CHECK(calls("[2, 2, 1, 1]", 4, "cudaEventSynchronize") == 4 + 2);
  // One start a halo, a notice a neighbour.
  CHECK(calls("[2, 2, 1, 1]", 4, "ring the doorbell") == 4);
  CHECK(calls("[2, 2, 1, 1]", 4, "poll the flag") == 4 * 2);
  CHECK(calls("[4, 1, 1, 1]", 4, "poll the flag") == 4 * 2);
  CHECK(calls("[2, 1, 1, 1]", 2, "poll the flag") == 4);
}

TEST_CASE("cg_halo: ranks that run ahead lose no notice: the paper's large grids end") {
  for (const char* grid : {"[4, 2, 1, 1]", "[4, 4, 1, 1]"}) {
    CAPTURE(grid);
    CHECK(time("cg_tca", of(grid, {large})) > 300_us);
  }
}

TEST_CASE("cg_halo: blocks of a GPU find their message when its number is another one's already") {
  // The number is free when the message has been cleared to send; its blocks are on their way then. Here that
  // met in the 14th iteration.
  CHECK(time("cg_mpi_rma",
             {{"/scenario/grid", "[4, 4, 1, 1]"}, large, {"/scenario/iterations", "16"}, {"/scenario/warm_up", "0"}}) >
        300_us);
}

TEST_CASE("cg_halo: one rank has no halo, and its reductions are its own") {
  const report::Row r = row("cg_tca", of("[1, 1, 1, 1]"));
  CHECK(cell<Bytes>(r, "bytes") == 0_B);
  CHECK(cell<Time>(r, "halo") == Time::zero());
  CHECK(cell<Time>(r, "commit") == Time::zero());
}

TEST_CASE("cg_halo: overlap off is never faster, and shows all of the halo") {
  for (const char* run : runs)
    for (const Overrides& size : {Overrides{}, Overrides{large}}) {
      CAPTURE(run, size.size());
      Overrides off = size;
      off.push_back({"/scenario/overlap", "false"});
      const report::Row without = row(run, of("[2, 2, 1, 1]", off));
      CHECK(cell<Time>(without, "time") >= time(run, of("[2, 2, 1, 1]", size)));
      CHECK(cell<Time>(without, "exposed") == cell<Time>(without, "halo"));
    }
}

TEST_CASE("cg_halo: doubles are twice the bytes, and where ranks lie decides nothing but time") {
  const report::Row single = row("cg_tca", of("[4, 2, 1, 1]"));
  const report::Row twice = row("cg_tca", of("[4, 2, 1, 1]", {{"/scenario/precision", "\"double\""}}));
  CHECK(cell<Bytes>(twice, "bytes") == cell<Bytes>(single, "bytes") * 2);
  CHECK(cell<Time>(twice, "time") > cell<Time>(single, "time"));
  // Neighbours in x far apart on the rings.
  const report::Row scattered = row("cg_tca", of("[4, 2, 1, 1]", {{"/scenario/ranks_at", "[0, 4, 1, 5, 2, 6, 3, 7]"}}));
  CHECK(cell<Bytes>(scattered, "bytes") == cell<Bytes>(single, "bytes"));
  CHECK(cell<Time>(scattered, "halo") != cell<Time>(single, "halo"));
}

TEST_CASE("cg_halo: trains change nothing") {
  for (const char* run : runs) {
    CAPTURE(run);
    const auto digest = [&](const char* max_train) {
      return report::digest(rows_of(run, of("[2, 2, 1, 1]", {{"/options/max_train", max_train}})));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("cg_halo: what cannot be is refused before time 0") {
  const auto says = [](const char* run, const char* path, const char* value) { return refusal(run, {{path, value}}); };
  CHECK_THAT(says("cg_tca", "/scenario/grid", "[3, 1, 1, 1]"), Catch::Contains("8 sites in x over 3 ranks"));
  CHECK_THAT(says("cg_tca", "/scenario/grid", "[4, 2, 4, 1]"), Catch::Contains("ranks"));
  CHECK_THAT(says("cg_tca", "/scenario/gpu", "\"gpu2\""), Catch::Contains("crosses QPI"));
  CHECK_THAT(says("cg_tca", "/scenario/gpu", "\"gpu9\""), Catch::Contains("gpu9"));
  CHECK_THAT(says("cg_tca", "/scenario/method", "\"chains\""), Catch::Contains("\"chains\""));
  CHECK_THAT(says("cg_tca", "/scenario/ranks_at", "[0, 1, 2, 3, 4, 5, 6, 6]"), Catch::Contains("once"));
  CHECK_THAT(says("cg_tca", "/scenario/lattice", "[8, 8, 8]"), Catch::Contains("four entries"));
  CHECK_THAT(says("cg_tca", "/scenario/lattice", "[4096, 1024, 512, 64]"), Catch::Contains("buffer"));
  CHECK_THAT(says("cg_mpi_rma", "/scenario/by", "\"puts\""), Catch::Contains("no prepared puts"));
  CHECK_THAT(says("halo_infiniband", "/scenario", R"({"kind": "cg_halo", "by": "messages"})"),
             Catch::Contains("queues no work in GPUs"));
}

}  // namespace cg_halo_test
