// SPDX-License-Identifier: Apache-2.0
// Sizes, times, rates and counts as large as they can be written: refused before time 0, at their place, each alone and
// times each other; never a wrong number.
#include <algorithm>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace overflow_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// A run of `machine` that must be refused: exit 2 and one line with a place that says this.
void expect_refused(const std::string& machine, const std::string& library, const std::string& scenario,
                    const std::string& says) {
  const TemporaryFolder folder;
  const auto file = folder.write("r.json", "{\n\"machine\": {\"$use\": \"" + configs + "/machines/" + machine +
                                               "\"},\n\"library\": {\"kind\": \"" + library +
                                               "\"},\n\"scenario\": " + scenario + "}");
  const Ended end = run_program({"run", file.string()});
  CAPTURE(scenario, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  CHECK_THAT(end.err, Catch::Contains("r.json:4:") && Catch::Contains("/scenario") && Catch::Contains(says));
}

void expect_set_refused(const std::string& run, const std::string& set, const std::string& says) {
  const Ended end = run_program({"run", configs + "/runs/" + run, "--set", set});
  CAPTURE(set, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says) && Catch::Contains(set.substr(0, set.find('='))));
}

}  // namespace

TEST_CASE("sizes times counts that fit no number are refused in every scenario") {
  const std::string most = "[\"9223372036854775807 B\"]";
  for (const std::string kind : {"ping_pong", "stream", "neighbours", "put", "get", "all_to_all"})
    expect_refused("tca_pair.json", "tca", R"({"kind": ")" + kind + R"(", "sizes": )" + most + "}", "1048576 TiB");
  expect_refused("tca_pair.json", "tca", R"({"kind": "pairs", "size": "9223372036854775807 B"})", "1048576 TiB");
  expect_refused("torus_8x8.json", "datagram", R"({"kind": "stream", "sizes": ["1048576 TiB"], "messages": 1000000})",
                 "\"sizes\" times \"messages\" is too large");
  expect_refused("torus_8x8.json", "datagram", R"({"kind": "stream", "sizes": ["1024 TiB"], "messages": 5})",
                 "5120 TiB of each rank's buffer");
  expect_refused("torus_8x8.json", "datagram", R"({"kind": "neighbours", "sizes": ["64 TiB"], "messages": 1000000})",
                 "\"sizes\" times \"messages\" is too large");
  expect_refused("tca_pair.json", "tca",
                 R"({"kind": "put", "sizes": ["1 GiB"], "block": "1 B", "every": "1 TiB", "counts": [1, 65536]})",
                 "\"counts\" is too large");
  expect_refused("tca_pair.json", "tca",
                 R"({"kind": "put", "sizes": ["1048576 TiB"], "block": "1 B", "every": "1048576 TiB"})",
                 "is too large");
}

TEST_CASE("addresses, windows and credits without end are refused") {
  const std::string node = "/machine/topology/devices/node0/devices/";
  const std::string run = "tca_pio_ping_pong.json";
  for (const std::string place : {"peach2/window_base", "peach2/gpu0_base"})
    expect_set_refused(run, node + place + "=\"9223372036854775807 B\"", "1048576 TiB, not 9223372036854775807 B");
  for (const std::string place :
       {"rc/memory_base", "rc/memory_size", "rc/slots/0/window_base", "rc/slots/0/window_size"})
    expect_set_refused(run, node + place + "=\"9223372036854775807 B\"", "256 TiB, not 9223372036854775807 B");
  expect_set_refused(run, node + "memory/base=\"9223372036854775807 B\"", "64 TiB, not 9223372036854775807 B");
  expect_set_refused(run, node + "peach2/buffers/posted_data=9223372036854775807", "must be 0 to 1000000");
  expect_set_refused(run, "/options/limit_simulated_time=\"9223 s\"", "must be 1 ns to 1000 s");
}

TEST_CASE("rates and loads that no time can be told of are refused") {
  const std::string run = "torus_traffic.json";
  expect_set_refused(run, "/machine/topology/wire/bandwidth=\"1 kB/s\"", "must be at least 1 MB/s, not 1 kB/s");
  expect_set_refused(run, "/scenario/grid=[4294967296, 4294967296, 8]", "must be 1 to 67108864");
  expect_set_refused(run, "/scenario/grid=[-8, -8]", "must be 1 to 67108864, not -8");
  expect_set_refused(run, "/scenario/loads=[\"1000 TB/s\"]", "more than a thousand times the injection rate");
  const Ended end =
      run_program({"run", configs + "/runs/" + run, "--set", "/machine/topology/wire/bandwidth=\"1 MB/s\"", "--set",
                   "/scenario/size=\"1 GiB\"", "--set", "/scenario/loads=[\"0.01 %\"]"});
  CAPTURE(end.err);
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("\"0.01 %\" is less than a message every 10 s"));
}

TEST_CASE("a wire whose rate is no round number carries large messages at that rate") {
  // 10^15 fs a byte over 1,234,567,891: times a message of 10 KiB more than 64 bits
  const Ended end =
      run_program({"run", configs + "/runs/torus_traffic.json", "--format", "csv", "--set",
                   "/machine/topology/wire/bandwidth=\"1234567891 B/s\"", "--set", "/scenario/size=\"64 KiB\"", "--set",
                   "/scenario/window=\"1 us\"", "--set", "/scenario/warm_up=\"1 ns\"", "--set",
                   "/scenario/cool_down=\"1 ns\"", "--set", "/scenario/loads=[\"1234567 kB/s\"]"});
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  // Of 64 KiB 66 KiB and more cross the wire: a payload rate just below the wire's is a load just above 100 %.
  const std::string row = end.out.substr(end.out.find('\n') + 1);
  const int load = std::stoi(row);
  CHECK(load > 1'000'000);
  CHECK(load < 1'200'000);
}

}  // namespace overflow_test
