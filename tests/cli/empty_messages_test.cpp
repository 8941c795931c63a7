// SPDX-License-Identifier: Apache-2.0
// Messages of no bytes: what MPI programs measure as the cost of a message itself.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"

namespace empty_messages_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string runs = TSUNAGI_TEST_CONFIGS "/runs/";

/// The rows of a run whose scenario is that.
json rows(const std::string& run, const std::string& scenario) {
  const Ended end = run_program({"run", runs + run, "--set", "/scenario=" + scenario, "--format", "json"});
  CAPTURE(run, scenario, end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out)["rows"];
}

}  // namespace

TEST_CASE("a message of no bytes takes some time, no more than one of a byte, and has no bandwidth") {
  for (const char* run :
       {"mpi_latency.json", "hitachi_mpi_ping_pong.json", "fmpl_ping_pong.json", "broadcast_ring.json"}) {
    const json of = rows(run, R"({"kind": "osu", "sizes": ["0 B", "1 B"], "iterations": 3, "warm_up": 1})");
    CAPTURE(run, of.dump());
    REQUIRE(of.size() == 2);
    CHECK(of[0]["size_bytes"] == 0);
    CHECK(of[0]["latency_fs"] > 0);
    CHECK(of[0]["latency_fs"] <= of[1]["latency_fs"]);
  }
  for (const char* run : {"mpi_latency.json", "hitachi_mpi_ping_pong.json", "broadcast_ring.json"})
    for (const char* test : {"bw", "bibw"}) {
      const json of = rows(run, R"({"kind": "osu", "test": ")" + std::string(test) +
                                    R"(", "sizes": ["0 B", "1 B"], "iterations": 20, "warm_up": 5, "window": 16})");
      CAPTURE(run, test, of.dump());
      REQUIRE(of.size() == 2);
      CHECK(of[0]["bytes"] == 0);
      CHECK(of[0]["time_fs"] > 0);
      CHECK_FALSE(of[0].contains("bandwidth_bytes_per_second"));
    }
}

TEST_CASE("ping-pong of no bytes runs where messages are two-sided, as many times as small ones") {
  for (const char* run : {"mpi_latency.json", "fmpl_ping_pong.json", "hitachi_mpi_ping_pong.json"}) {
    const json of = rows(run, R"({"kind": "ping_pong", "sizes": ["0 B", "8 B"], "iterations": 4, "warm_up": 1})");
    REQUIRE(of.size() == 2);
    CHECK(of[0]["iterations"] == 4);
    CHECK(of[0]["latency_fs"] > 0);
    CHECK(of[0]["latency_fs"] <= of[1]["latency_fs"]);
  }
  for (const char* run : {"tca_pio_ping_pong.json", "ib_ping_pong.json", "cuda_peer_ping_pong.json"})
    expect_refused({"run", runs + run, "--set", "/scenario/sizes=[\"0 B\"]"},
                   "/scenario/sizes: a message that the library sends by itself has at least 1 B");
}

TEST_CASE("perftest posts transfers of no bytes, except those that are polled in memory") {
  for (const char* test : {"send_lat", "read_lat", "write_bw", "read_bw"}) {
    const bool is_latency = std::string(test).find("lat") != std::string::npos;
    const json of = rows("ib_write_lat.json", R"({"kind": "perftest", "test": ")" + std::string(test) +
                                                  R"(", "sizes": ["0 B", "1 B"], "iterations": 8, "tx_depth": 4})");
    CAPTURE(test, of.dump());
    REQUIRE(of.size() == 2);
    const char* time = is_latency ? "median_fs" : "time_fs";
    CHECK(of[0][time] > 0);
    // A send without data goes by doorbell, not by BlueFlame (linux-rdma, providers/mlx4/qp.c: "nreq == 1 && inl").
    const bool is_send = std::string(test).find("send") == 0;
    CHECK((of[0][time] <= of[1][time]) == !is_send);
  }
  expect_refused({"run", runs + "ib_write_lat.json", "--set", "/scenario/sizes=[\"0 B\"]"},
                 "\"write_lat\" needs at least 1 B");
  expect_refused({"run", runs + "osu_allreduce.json", "--set", "/scenario/sizes=[\"0 B\"]"},
                 "\"allreduce\" combines at least 1 B");
}

}  // namespace empty_messages_test
