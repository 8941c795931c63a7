// SPDX-License-Identifier: Apache-2.0
// What a user gets wrong in scenarios of two-sided messages: named at its place before anything runs, exit 2.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace two_sided_refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// `run` and `validate` refuse this scenario, in line 3 of its file, on that machine.
void expect_refused(const std::string& scenario, const std::string& says, const std::string& machine = "crossbar_16",
                    const std::string& library = "datagram") {
  const TemporaryFolder folder;
  const std::string file = folder
                               .write("r.json", "{\"machine\": {\"$use\": \"" + configs + "/machines/" + machine +
                                                    ".json\"}, \"library\": {\"kind\": \"" + library +
                                                    "\"}, \"scenario\":\n\n" + scenario + "}")
                               .string();
  for (const char* command : {"run", "validate"}) {
    const Ended end = run_program({command, file});
    CAPTURE(command, scenario, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains("r.json:3:") && Catch::Contains("/scenario") && Catch::Contains(says));
  }
}

}  // namespace

TEST_CASE("more ranks than there are") {
  for (const char* kind : {"broadcast", "barrier", "halo_exchange", "random_pairs"})
    expect_refused(R"({"kind": ")" + std::string(kind) + R"(", "ranks": 17})",
                   "/scenario/ranks: needs 17 ranks, the library has 16");
  expect_refused(R"({"kind": "broadcast", "ranks": [2, 17, 4]})",
                 "/scenario/ranks: needs 17 ranks, the library has 16");
  expect_refused(R"({"kind": "broadcast", "ranks": []})", "\"ranks\" is empty");
  expect_refused(R"({"kind": "random_pairs", "ranks": 1})", "one rank alone has no partner");
}

TEST_CASE("a grid that does not multiply to the ranks") {
  expect_refused(R"({"kind": "halo_exchange", "grid": [4, 2]})",
                 "/scenario/grid: grid [4, 2] has 8 places for 16 ranks");
  expect_refused(R"({"kind": "halo_exchange", "grid": [1048576, 1048576, 1048576, 1048576]})",
                 "has too many places for 16 ranks");
  expect_refused(R"({"kind": "halo_exchange", "grid": [2, 2], "ranks": 3})", "grid [2, 2] has 4 places for 3 ranks");
  expect_refused(R"({"kind": "halo_exchange", "grid": [2, 2, 2, 2, 1]})", "\"grid\" has more than four dimensions");
  expect_refused(R"({"kind": "halo_exchange", "grid": [4, 4], "faces": ["1 B", "2 B", "3 B"]})",
                 "\"faces\" has 3 entries for 2 dimensions");
  expect_refused(R"({"kind": "halo_exchange", "grid": [4, 4], "open": [2]})", "no dimension 2 to be open");
  expect_refused(R"({"kind": "halo_exchange", "open": [2]})", "no dimension 2 to be open");
  expect_refused(R"({"kind": "halo_exchange", "faces": []})", "\"faces\" has 0 entries for up to 4 dimensions");
  expect_refused(R"({"kind": "halo_exchange", "faces": ["1 B", "1 B", "1 B", "1 B", "1 B"]})",
                 "\"faces\" has 5 entries for up to 4 dimensions");
}

TEST_CASE("an algorithm that there is not and those that there are") {
  expect_refused(R"({"kind": "broadcast", "algorithms": ["binomial", "magic"]})", "/scenario/algorithms/1: ");
  expect_refused(R"({"kind": "broadcast", "algorithms": ["magic"]})", "binomial");
  expect_refused(R"({"kind": "barrier", "algorithms": ["magic"]})", "dissemination");
  expect_refused(R"({"kind": "broadcast", "algorithms": ["hardware"]})", "the library has no such");
}

TEST_CASE("a place beside host memory for what is combined") {
  for (const char* place : {"source", "target"})
    expect_refused(R"({"kind": "osu", "test": "allreduce", ")" + std::string(place) + R"(": "gpu0"})",
                   "\"allreduce\" combines in host memory: it has no \"source\" and no \"target\"");
}

TEST_CASE("a root out of range") {
  expect_refused(R"({"kind": "broadcast", "root": 16})", "/scenario/root: \"root\" is rank 16 of 16");
  expect_refused(R"({"kind": "broadcast", "root": 4, "ranks": 4})", "\"root\" is rank 4 of 4");
  expect_refused(R"({"kind": "broadcast", "root": 4, "ranks": [8, 4]})", "\"root\" is rank 4 of 4");
  expect_refused(R"({"kind": "reduction", "root": 1})", "\"root\" and \"rotate\" are of \"reduce\" alone");
}

TEST_CASE("sizes beyond the window or any number") {
  expect_refused(R"({"kind": "broadcast", "sizes": ["2 TiB"]})",
                 "uses 2 TiB of each rank's buffer, but the window holds 1 TiB");
  expect_refused(R"({"kind": "all_to_all", "by": "messages", "sizes": ["64 GiB"]})",
                 "uses 2 TiB of each rank's buffer, but the window holds 1 TiB");
  expect_refused(
      R"({"kind": "reduction", "sizes": ["500 GiB"], "algorithms": ["recursive_doubling"]})",
      "uses 1000 GiB of each rank's buffer and 500 GiB behind it for its collectives, but the window holds 1 TiB");
  for (const char* sizes :
       {R"("broadcast", "sizes")", R"("all_to_all", "by": "messages", "sizes")",
        R"("random_pairs", "messages": 1000000, "sizes")", R"("halo_exchange", "scales": [1048576], "faces")"}) {
    expect_refused(R"({"kind": )" + std::string(sizes) + R"(: ["1048576 TiB"]})", "");
    expect_refused(R"({"kind": )" + std::string(sizes) + R"(: ["9223372036854775807 B"]})", "1048576 TiB");
  }
}

TEST_CASE("a library without messages") {
  for (const char* kind : {"broadcast", "reduction", "barrier", "halo_exchange"})
    expect_refused(R"({"kind": ")" + std::string(kind) + "\"}",
                   "needs two-sided messages, which the library does not have", "pcie_link", "exerciser");
  expect_refused(R"({"kind": "all_to_all"})", "the library has no prepared puts");
  expect_refused(R"({"kind": "all_to_all", "by": "messages", "method": "chain"})", "are of puts alone");
  expect_refused(R"({"kind": "all_to_all", "algorithms": ["pairwise"]})", "are of messages alone");
}

TEST_CASE("messages that the library does not take so") {
  const auto refused = [](const std::string& run, const std::string& scenario, const std::string& says) {
    const Ended end = run_program({"run", configs + "/runs/" + run + ".json", "--set", "/scenario=" + scenario});
    CAPTURE(run, scenario, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains(says));
  };
  // One flag a sender; one message a tag.
  refused("tcw_ping_pong", R"({"kind": "stream"})", "but the library loses all beyond 1");
  refused("tcw_ping_pong", R"({"kind": "neighbours"})", "/scenario/messages: sends 16 messages to a rank that has");
  refused("tcw_ping_pong", R"({"kind": "neighbours", "messages": 1, "between": [3, 4]})", "sends 2 messages");
  refused("fmpl_ping_pong", R"({"kind": "osu", "test": "bw"})",
          "has 64 messages of a rank to another one under way by one");
  refused("fmpl_ping_pong", R"({"kind": "posted_receives", "outstanding": 32000})", "uses 32000 tags, of which");
  // Sends that wait for their receives: all of BLACS over FMPL, over MPI those beyond the eager limit of 4 KiB.
  for (const char* exchange :
       {R"({"kind": "halo_exchange", "faces": ["8 B"]})", R"({"kind": "neighbours"})",
        R"({"kind": "random_pairs", "sizes": ["8 B"]})", R"({"kind": "osu", "test": "bibw", "sizes": ["8 B"]})"})
    refused("blacs_fmpl_ping_pong", exchange, "waits until it is received: they would for ever");
  refused("blacs_mpi_ping_pong", R"({"kind": "halo_exchange", "faces": ["4097 B"]})", "a send of 4097 B waits");
  for (const char* run : {"fmpl_ping_pong", "blacs_mpi_ping_pong"})
    refused(run, R"({"kind": "halo_exchange", "by": "window", "faces": ["8 B"]})", "windows need a library that shows");
}

TEST_CASE("ranks that talk which there are not") {
  for (const char* kind : {"ping_pong", "stream", "neighbours"})
    expect_refused(R"({"kind": ")" + std::string(kind) + R"(", "between": [0, 16]})",
                   "/scenario/between: there is no rank 16: the library has 16, from 0 on");
  expect_refused(R"({"kind": "ping_pong", "between": [3, 3]})", "\"between\" has a rank twice");
  expect_refused(R"({"kind": "ping_pong", "between": [3]})", "\"between\" are two ranks");
  expect_refused(R"({"kind": "neighbours", "between": [3]})", "\"between\" is one rank alone");
}

TEST_CASE("memory that ranks do not have") {
  for (const char* kind : {"halo_exchange", "broadcast", "reduction"})
    expect_refused(R"({"kind": ")" + std::string(kind) + R"(", "memory": "gpu0"})",
                   "terminal0 has one memory and no \"gpu0\"");
  expect_refused(R"({"kind": "halo_exchange", "memory": "gpu0", "by": "window"})", "\"memory\" is of messages alone");
  expect_refused(R"({"kind": "all_to_all", "memory": "gpu0"})", "\"memory\" is of messages alone");
  expect_refused(R"({"kind": "halo_exchange", "layout": "network", "grid": [4, 4]})", "\"layout\" is of ranks without");
}

TEST_CASE("a library's memory that is none names the field and what there is") {
  const Ended end = run_program({"run", configs + "/runs/mpi_latency.json", "--set", "/library/memory=gpu"});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("/library/memory: \"gpu\" is no such device of node0; \"memory\" names one of: "
                                      "memory"));
}

}  // namespace two_sided_refused_test
