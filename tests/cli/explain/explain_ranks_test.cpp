// SPDX-License-Identifier: Apache-2.0
// `tsunagi explain` of what ranks do together: its critical path through them.
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"
#include "support/explanation.hpp"
#include "support/program.hpp"

namespace explain_ranks_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string runs = TSUNAGI_TEST_CONFIGS "/runs/";

std::vector<std::string> few(const std::string& run, std::vector<std::string> more = {}) {
  std::vector<std::string> out{"explain", runs + run + ".json", "--set", "/scenario/iterations=2"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::string text_of(const std::vector<std::string>& arguments) {
  const Ended end = run_program(arguments);
  CAPTURE(arguments, end.err);
  REQUIRE(end.exit_code == 0);
  std::istringstream lines(end.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  return end.out;
}

json parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  return json::parse(text_of(arguments));
}

const std::vector<std::string> binomial{"--set", R"(/scenario/algorithms=["binomial"])"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("explain of a broadcast names the critical path through the ranks") {
  const std::string text = text_of(few("broadcast_crossbar", binomial + std::vector<std::string>{"--size", "4 KiB"}));
  CHECK_THAT(text, Catch::StartsWith("broadcast of 4 KiB among 16 ranks, root 0, by binomial: 1.148 us\n"
                                     "critical path, 4 messages: rank 0 > 8 > 12 > 14 > 15\n"));
  CHECK_THAT(text, Catch::Contains("\nrank 0 > rank 8, 4 KiB ") && Catch::Contains("\nrank 14 > rank 15, 4 KiB ") &&
                       Catch::Contains("\nThe 11 other ranks end ") &&
                       Catch::Contains(" before the last one (slack).\n"));
  CHECK_THAT(text, Catch::Contains("\nThe longest message on the path:\n4 KiB from rank ") &&
                       Catch::Contains("\nbusy ") && Catch::Contains("\npayload rate "));
  CHECK(text.find("unexplained") == std::string::npos);
}

TEST_CASE("explain of a broadcast takes the time that run measures") {
  const auto arguments = few("broadcast_torus", binomial + std::vector<std::string>{"--size", "4 KiB"});
  const json path = parsed(arguments);
  expect_whole_path(path);
  CHECK(path["name"] == "broadcast");
  CHECK(path["algorithm"] == "binomial");
  CHECK(path["size_bytes"] == 4096);
  CHECK(path["root"] == 0);
  const json rows = parsed({"run", runs + "broadcast_torus.json", "--set", "/scenario/iterations=2", "--set",
                            R"(/scenario/algorithms=["binomial"])", "--set", R"(/scenario/sizes=["4 KiB"])"})["rows"];
  CHECK(rows[0]["time_fs"] == path["duration_fs"]);
  const json& message = path["longest_message"];
  std::int64_t sum = 0;
  for (const json& s : message["segments"]) sum += s["duration_fs"].get<std::int64_t>();
  CHECK(sum == message["latency_fs"]);
}

TEST_CASE("explain of other collectives and of a halo exchange does the same") {
  const json allreduce = parsed(few("allreduce_torus", {"--size", "4 KiB"}));
  expect_whole_path(allreduce);
  CHECK(allreduce["name"] == "allreduce");
  CHECK_FALSE(allreduce.contains("root"));
  const json barrier = parsed(few("broadcast_crossbar", {"--set", R"(/scenario={"kind": "barrier"})"}));
  expect_whole_path(barrier);
  CHECK(barrier["critical_path"].size() == 4);
  const std::string exchange = R"(/scenario={"kind": "all_to_all", "by": "messages", "sizes": ["1 KiB"]})";
  CHECK_THAT(text_of({"explain", runs + "broadcast_crossbar.json", "--set", exchange}),
             Catch::StartsWith("all_to_all of 1 KiB among 16 ranks, by "));
  const json halo = parsed(few("halo_torus"));
  expect_whole_path(halo);
  CHECK(halo["name"] == "halo exchange");
}

TEST_CASE("explain --why-not-faster of a broadcast says which limit it is") {
  const Ended end = run_program(
      few("broadcast_crossbar", binomial + std::vector<std::string>{"--size", "4 KiB", "--why-not-faster"}));
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::StartsWith("time is 1148.0 ns at binomial, ranks 16, size 4 KiB") &&
                          Catch::Contains("with one limit at a time at its ideal value") &&
                          Catch::Contains("\nThe bottleneck is "));
}

// Table 1 of paper 002, in us: what a blocking send and a blocking receive of 8 B spend where, to the figures' 10 %.
TEST_CASE("explain shows the steps of a send and a receive by FMPL as the paper's table has them") {
  const json explained = parsed(few("fmpl_ping_pong", {"--size", "8 B"}));
  const std::map<std::string, double> table = {
      {"initial processing (send)", 0.5}, {"header reception", 5.0}, {"data send", 8.1},
      {"initial processing (recv)", 0.5}, {"header send", 6.1},      {"data reception", 5.6},
  };
  std::map<std::string, double> seen;
  for (const json& rank : explained["ranks"])
    for (const json& call : rank["calls"]) {
      CHECK(call["in_the_library_fs"] == 0);
      for (const json& step : call["steps"]) {
        CHECK(seen.count(step["step"]) == 0);  // each step is one row
        seen[step["step"]] = static_cast<double>(step["duration_fs"].get<std::int64_t>()) * 1e-9;
      }
    }
  REQUIRE(seen.size() == table.size());
  for (const auto& [name, paper] : table) {
    CAPTURE(name);
    CHECK(seen[name] == Approx(paper).epsilon(0.1));
  }
}

}  // namespace explain_ranks_test
