// SPDX-License-Identifier: Apache-2.0
// `tsunagi explain --why-not-faster` as a user meets it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace why_not_faster_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string runs = TSUNAGI_TEST_CONFIGS "/runs/";

Ended why(const std::string& run, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"explain", runs + run, "--why-not-faster"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

const std::vector<std::string> few{"--set", "/scenario/iterations=5"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("why-not-faster ranks what limits a run and names the bottleneck") {
  const Ended end = why("tca_pio_ping_pong.json", few);
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::StartsWith("latency is ") && Catch::Contains(" at size 8 B, iterations 5;"));
  CHECK_THAT(end.out, Catch::Contains("\nlimit ") && Catch::Contains(" ideal ") && Catch::Contains(" gain\n"));
  CHECK_THAT(end.out, Catch::Contains("\nposted_latency of root_complex (4 places) "));
  CHECK_THAT(end.out, Catch::Contains("\nThe bottleneck is hard_ip_cycles of peach2 (2 places), now 28, "));
}

TEST_CASE("why-not-faster --format json is sorted by gain and says where each limit is") {
  const Ended end = why("tca_pio_ping_pong.json", few + std::vector<std::string>{"--format", "json"});
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  const json found = json::parse(end.out);
  CHECK(found["column"] == "latency");
  CHECK(found["unit"] == "fs");
  CHECK_THAT(found["sentence"].get<std::string>(), Catch::StartsWith("The bottleneck is "));
  REQUIRE(found["limits"].size() > 10);
  double last = 1e9;
  for (const json& limit : found["limits"]) {
    CAPTURE(limit.dump());
    CHECK(limit["now"] != limit["ideal"]);
    CHECK_FALSE(limit["pointers"].empty());
    if (limit.contains("problem")) {
      last = 0;  // they come last
      continue;
    }
    CHECK(limit["gain"].get<double>() <= last);
    last = limit["gain"].get<double>();
    CHECK(last == Approx(found["now"].get<double>() / limit["result"].get<double>()));
  }
}

TEST_CASE("a gain that why-not-faster tells is what run measures with that value set") {
  const json found = json::parse(why("tca_pio_ping_pong.json", few + std::vector<std::string>{"--format", "json"}).out);
  const json& best = found["limits"][0];
  std::vector<std::string> arguments =
      std::vector<std::string>{"run", runs + "tca_pio_ping_pong.json", "--format", "json"} + few +
      std::vector<std::string>{"--set", "/scenario/sizes=[\"8 B\"]"};
  for (const json& pointer : best["pointers"])
    arguments = arguments +
                std::vector<std::string>{"--set", pointer.get<std::string>() + "=" + best["ideal"].get<std::string>()};
  CHECK(json::parse(run_program(arguments).out)["rows"][0]["latency_fs"] == best["result"]);
}

TEST_CASE("why-not-faster does not depend on the number of jobs") {
  const auto text = [](const char* jobs) { return why("pcie_write_stream.json", {"-j", jobs}).out; };
  const std::string alone = text("1");
  CHECK(std::count(alone.begin(), alone.end(), '\n') > 10);
  CHECK(alone == text("4"));
}

TEST_CASE("why-not-faster of a stream compares its rate") {
  const Ended end = why("pcie_write_stream.json", {"--format", "json"});
  REQUIRE(end.exit_code == 0);
  const json found = json::parse(end.out);
  CHECK(found["unit"] == "B/s");
  CHECK(found["limits"][0]["gain"] > 1.05);
}

TEST_CASE("why-not-faster of traffic compares latencies below saturation and accepted rates beyond it, and says so") {
  const auto found = [](const char* load) {
    // Three terminals of a crossbar to one: full at a third.
    const Ended end = why("incast.json", {"--set", std::string("/scenario/loads=[\"") + load + "\"]", "--set",
                                          "/machine/topology/terminals=4", "--set", R"(/scenario/window="4 us")",
                                          "--set", R"(/scenario/warm_up="300 ns")", "--set",
                                          R"(/scenario/cool_down="100 ns")", "--format", "json"});
    REQUIRE(end.exit_code == 0);
    return json::parse(end.out);
  };
  const json calm = found("10 %");
  CHECK(calm["column"] == "mean");
  CHECK(calm["unit"] == "fs");
  CHECK_THAT(calm["why"].get<std::string>(), Catch::Contains("takes all of this load"));
  CHECK_THAT(calm["sentence"].get<std::string>(),
             Catch::Contains("flight of link") && Catch::Contains("the mean latency would be"));
  const json full = found("90 %");
  CHECK(full["column"] == "accepted_rate");
  CHECK(full["unit"] == "B/s");
  CHECK_THAT(full["why"].get<std::string>(), Catch::Contains("saturated"));
}

TEST_CASE("why-not-faster of a run in which nothing was measured is refused") {
  const Ended end =
      why("ring_traffic.json", {"--set", R"(/scenario/loads=["0.0001 %"])", "--set", R"(/scenario/window="10 ns")"});
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("--why-not-faster: row 0 has neither a latency nor a rate"));
}

TEST_CASE("why-not-faster of a run that fails tells why") {
  const Ended end = why("tca_pio_ping_pong.json", {"--set", "/options/limit_simulated_time=\"1 us\""});
  CHECK(end.exit_code == 1);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("limit of simulated time, 1 us\n"));
}

TEST_CASE("the payload of all links of a path is one limit, QPI between sockets included") {
  const Ended end = run_program({"explain", TSUNAGI_TEST_CONFIGS "/runs/pcie_bw_rd.json", "--set",
                                 "/scenario/transactions=100", "--why-not-faster", "--format", "json"});
  REQUIRE(end.exit_code == 0);
  const auto limits = nlohmann::json::parse(end.out)["limits"];
  const auto its = std::find_if(limits.begin(), limits.end(), [](const nlohmann::json& limit) {
    return limit["limit"] == "max_payload_size of pcie (2 places)";
  });
  REQUIRE(its != limits.end());
  CHECK(its->contains("result"));
  CHECK((*its)["pointers"].back() == "/machine/topology/links/3/wire/max_payload_size");
  const auto flight = std::find_if(limits.begin(), limits.end(), [](const nlohmann::json& limit) {
    return limit["limit"].get<std::string>().rfind("flight of pcie", 0) == 0;
  });
  REQUIRE(flight != limits.end());
  CHECK((*flight)["pointers"].size() == 1);  // QPI's is a limit of its own
}

}  // namespace why_not_faster_test
