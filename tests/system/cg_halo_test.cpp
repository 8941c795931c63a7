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

namespace {

/// Of a step, in an iteration of a rank.
std::int64_t calls_of(const char* run, const char* grid, std::int64_t ranks, const char* step) {
  const auto of_iterations = [&](const char* n) {
    const report::Rows rows = rows_of(run, {{"/scenario/grid", grid}, {"/scenario/iterations", n}});
    const report::StepAccount* account = rows.accounts->find(step);
    return account == nullptr ? 0 : account->calls;
  };
  return (of_iterations("3") - of_iterations("2")) / ranks;
}

}  // namespace

TEST_CASE("cg_halo: an iteration is as many launches, events, waits and puts as QUDA's") {
  const auto calls = [](const char* grid, std::int64_t ranks, const char* step) {
    return calls_of("cg_tca", grid, ranks, step);
  };
  // A dslash: packing, the interior, a kernel a dimension; then three on vectors.
  CHECK(calls("[2, 1, 1, 1]", 2, "launch a kernel") == 4 * 3 + 3);
  CHECK(calls("[2, 2, 1, 1]", 4, "launch a kernel") == 4 * 4 + 3);
  CHECK(calls("[1, 1, 1, 1]", 1, "launch a kernel") == 4 + 3);
  // No stream waits for another one; a halo waits for packing, the reductions for their kernels.
  CHECK(calls("[2, 2, 1, 1]", 4, "cudaStreamWaitEvent") == 0);
  CHECK(calls("[2, 2, 1, 1]", 4, "cudaEventRecord") == 4 * 2 + 2);
  CHECK(calls("[2, 2, 1, 1]", 4, "cudaEventSynchronize") == 4 + 2);
  // One start a halo, a notice a neighbour.
  CHECK(calls("[2, 2, 1, 1]", 4, "ring the doorbell") == 4);
  CHECK(calls("[2, 2, 1, 1]", 4, "poll the flag") == 4 * 2);
  CHECK(calls("[4, 1, 1, 1]", 4, "poll the flag") == 4 * 2);
  CHECK(calls("[2, 1, 1, 1]", 2, "poll the flag") == 4);
}

TEST_CASE("cg_halo: faces by way of the host are QUDA's copies and events, those of a window cudaMemcpys") {
  const auto staged = [](const char* step) { return calls_of("cg_mpi_p2p", "[2, 2, 1, 1]", 4, step); };
  // A dslash of four faces: each to the host and back, an event each and a dimension, one of packing, one before it.
  CHECK(staged("cudaMemcpyAsync") == 4 * 8);
  CHECK(staged("cudaEventRecord") == 4 * (2 + 4 + 2) + 2);
  CHECK(staged("cudaStreamWaitEvent") == 4 * (4 + 2));
  CHECK(staged("launch a kernel") == 4 * 4 + 3);
  CHECK(staged("cudaEventSynchronize") == 2);
  const auto window = [](const char* step) { return calls_of("cg_mpi_rma", "[2, 2, 1, 1]", 4, step); };
  CHECK(window("cudaMemcpy from the GPU") == 4 * 4);
  CHECK(window("cudaMemcpy to the GPU") == 4 * 4);
  CHECK(window("cudaMemcpyAsync from the GPU") == 0);
}

TEST_CASE("cg_halo: ranks that run ahead lose no notice: the paper's large grids end") {
  for (const char* grid : {"[4, 2, 1, 1]", "[4, 4, 1, 1]"}) {
    CAPTURE(grid);
    CHECK(time("cg_tca", of(grid, {large})) > 300_us);
  }
}

TEST_CASE("cg_halo: rings with small buffers, and with a bubble of one packet, do not hang") {
  // Notices of 8 B break up the room that whole packets need (posted_data is in units of 16 B).
  for (const char* grid : {"[4, 2, 1, 1]", "[4, 4, 1, 1]"})
    for (const char* data : {"48", "128", "360"}) {
      CAPTURE(grid, data);
      CHECK(time("cg_tca", of(grid, {large, {"/machine/topology/node/devices/peach2/buffers/posted_data", data}})) >
            400_us);
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

TEST_CASE("cg_halo: overlap off gains nothing on small lattices and odd grids either") {
  for (const char* run : runs)
    for (const char* grid : {"[2, 1, 1, 1]", "[1, 1, 1, 2]", "[2, 2, 2, 2]"}) {
      CAPTURE(run, grid);
      const Overrides tiny{{"/scenario/lattice", "[4, 4, 4, 4]"}, {"/scenario/overlap", "false"}};
      const Time off = time(run, of(grid, tiny));
      // Launches alone move then: what they meet differs by picoseconds.
      CHECK(off + 100_ns > time(run, of(grid, {tiny.front()})));
    }
}

TEST_CASE("cg_halo: windows that go by host memory need no way from the card to the GPU") {
  CHECK(time("cg_mpi_rma", of("[2, 1, 1, 1]", {{"/scenario/gpu", "\"gpu0\""}})) > 100_us);
  CHECK_THAT(refusal("cg_mpi_rma", {{"/scenario/gpu", "\"gpu0\""}, {"/library/gpu/window_packets", "false"}}),
             Catch::Contains("GPUDirect RDMA"));
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

TEST_CASE("cg_halo: the best mapping crosses no more cables than the natural one, and says where ranks are") {
  const auto mapped = [](const char* mapping, const char* grid) {
    return row("cg_tca", of(grid, {large, {"/scenario/mapping", mapping}}));
  };
  // Four ranks in a row of a ring: those at its ends are neighbours in x, and no order saves cables.
  CHECK(cell<Time>(mapped("best", "[4, 1, 1, 1]"), "halo") == cell<Time>(mapped("natural", "[4, 1, 1, 1]"), "halo"));
  // Of 16 over two rings some order does.
  const report::Row best = mapped("best", "[4, 4, 1, 1]");
  CHECK(cell<Bytes>(best, "bytes") == cell<Bytes>(mapped("natural", "[4, 4, 1, 1]"), "bytes"));
  CHECK(cell<Time>(best, "halo") < cell<Time>(mapped("natural", "[4, 4, 1, 1]"), "halo"));
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
  CHECK_THAT(says("cg_tca", "/scenario/lattice", "[128, 64, 128, 128]"),
             Catch::Contains("links and vectors of a rank take") && Catch::Contains("which has 6 GiB"));
  CHECK_THAT(says("cg_tca", "/scenario/lattice", "[8, 8, 8]"), Catch::Contains("four entries"));
  CHECK_THAT(says("cg_tca", "/scenario/lattice", "[4096, 1024, 512, 64]"), Catch::Contains("buffer"));
  CHECK_THAT(says("cg_mpi_rma", "/scenario/by", "\"puts\""), Catch::Contains("no prepared puts"));
  CHECK_THAT(says("cg_mpi_rma", "/scenario/staged", "true"), Catch::Contains("for faces that go by messages"));
  CHECK_THAT(refusal("cg_mpi_p2p", {{"/machine/topology/node/devices/gpu2/streams", "4"}}),
             Catch::Contains("no stream 4, but 4"));
  CHECK_THAT(says("halo_infiniband", "/scenario", R"({"kind": "cg_halo", "by": "messages"})"),
             Catch::Contains("queues no work in GPUs"));
}

}  // namespace cg_halo_test
