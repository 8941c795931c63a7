// SPDX-License-Identifier: Apache-2.0
// `tsunagi trace` as a user meets it.
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/catch.hpp"
#include "support/orphans.hpp"
#include "support/perfetto.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace trace_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string pio = TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json";
const std::string cable = "node0.peach2.e > node1.peach2.w";

struct Traced {
  Ended end;
  std::string text;  // of the file

  json chrome() const { return json::parse(text); }
};

/// Traces three messages to and fro of 8 bytes.
Traced traced(const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "out";
  std::vector<std::string> arguments{
      "trace", pio, "--set", "/scenario/iterations=3", "--set", "/scenario/sizes=[\"8 B\"]", "--out", file.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Ended end = run_program(arguments);
  std::ifstream in(file);
  return {std::move(end), {std::istreambuf_iterator<char>(in), {}}};
}

/// The names of the processes: devices, wires, and "ranks".
std::set<std::string> places(const json& trace) {
  std::set<std::string> out;
  for (const json& event : trace["traceEvents"])
    if (event["name"] == "process_name") out.insert(event["args"]["name"].get<std::string>());
  return out;
}

/// Begin and end of everything in a trace that takes time, in microseconds.
std::vector<std::pair<double, double>> spans(const json& trace) {
  std::vector<std::pair<double, double>> out;
  std::map<std::string, double> open;  // of what may overlap
  for (const json& event : trace["traceEvents"]) {
    const auto phase = event["ph"].get<std::string>();
    if (phase == "M") continue;
    const auto at = event["ts"].get<double>();
    if (phase == "X") out.emplace_back(at, at + event["dur"].get<double>());
    if (phase == "C") out.emplace_back(at, at);
    if (phase == "b") open[event["id"].get<std::string>()] = at;
    if (phase == "e") out.emplace_back(open.at(event["id"].get<std::string>()), at);
  }
  return out;
}

void expect_succeeded(const Traced& trace) {
  CAPTURE(trace.end.err);
  REQUIRE(trace.end.exit_code == 0);
  CHECK(trace.end.out.empty());
}

}  // namespace

TEST_CASE("trace writes a Chrome trace with ranks, devices and a track for each wire") {
  const Traced trace = traced();
  expect_succeeded(trace);
  CHECK(trace.end.err.find("tsunagi") == std::string::npos);  // ASan warns there of stacks it does not know
  const json file = trace.chrome();
  const auto names = places(file);
  CHECK(names.count("ranks") == 1);
  CHECK(names.count("node0.peach2") == 1);
  CHECK(names.count(cable) == 1);
  // Each wire that carried anything for the last message.
  const Ended explained = run_program({"explain", pio, "--links", "1000", "--format", "json"});
  const json wires = json::parse(explained.out)["wires"];
  CHECK(wires.size() >= 5);
  for (const json& wire : wires) CHECK(names.count(wire["wire"].get<std::string>()) == 1);
  std::set<int> numbers;
  for (const json& event : file["traceEvents"])
    if (event["name"] == "process_name") CHECK(numbers.insert(event["pid"].get<int>()).second);
}

TEST_CASE("trace --match chooses devices, wires and ranks by their names") {
  CHECK(places(traced({"--match", cable}).chrome()) == std::set<std::string>{cable});
  const auto chip = places(traced({"--match", "node0.peach2, rank ?"}).chrome());
  CHECK(chip == std::set<std::string>{"node0.peach2", "ranks"});
  for (const std::string& name : places(traced({"--match", "*node1*"}).chrome()))
    CHECK_THAT(name, Catch::Contains("node1"));
}

TEST_CASE("trace says so when --match matches nothing") {
  const Traced trace = traced({"--match", "nod0.*"});
  expect_succeeded(trace);
  CHECK(trace.chrome()["traceEvents"].empty());
  CHECK_THAT(trace.end.err, Catch::Contains("tsunagi trace: --match: no device, rank or wire has such a name\n"));
}

TEST_CASE("trace --from and --to leave out what does not overlap with them") {
  const Traced window = traced({"--from", "2 us", "--to", "3500 ns"});
  expect_succeeded(window);
  const auto inside = spans(window.chrome());
  CHECK(inside.size() > 20);
  for (const auto& [begin, end] : inside) {
    CHECK(begin <= 3.5);
    CHECK(end >= 2.0);
  }
  // Nothing else is left out.
  const auto all = spans(traced().chrome());
  const auto overlap =
      std::count_if(all.begin(), all.end(), [](const auto& s) { return s.first <= 3.5 && s.second >= 2.0; });
  CHECK(static_cast<std::ptrdiff_t>(inside.size()) == overlap);
}

TEST_CASE("a trace at its limit of size is valid, and says where it ends") {
  for (const std::string limit : {"1 B", "4 KiB"}) {
    const Traced trace = traced({"--limit-size", limit});
    expect_succeeded(trace);
    CHECK(trace.text.size() < 8192);
    CHECK(trace.chrome().contains("traceEvents"));
    CHECK_THAT(trace.end.err, Catch::StartsWith("tsunagi trace: the trace reached its limit of " + limit + " at ") &&
                                  Catch::Contains("--from, --to") && Catch::EndsWith("--limit-size\n"));
  }
}

TEST_CASE("a VCD begins with a header without a date, and repeats to the byte") {
  const Traced first = traced({"--format", "vcd"});
  expect_succeeded(first);
  CHECK_THAT(first.text, Catch::StartsWith("$version tsunagi ") &&
                             Catch::Contains(" $end\n$timescale 1 fs $end\n$scope module node0 $end\n") &&
                             Catch::Contains("$enddefinitions $end\n#0\n$dumpvars\n"));
  CHECK(first.text.find("$date") == std::string::npos);
  CHECK(traced({"--format", "vcd"}).text == first.text);
  CHECK(traced({"--format", "vcd", "--set", "/scenario/iterations=4"}).text != first.text);
}

TEST_CASE("a Chrome trace repeats to the byte") { CHECK(traced().text == traced().text); }

TEST_CASE("trace does what --set says") {
  const std::string text = traced({"--set", "/scenario/methods=[\"dma\"]"}).text;
  CHECK_THAT(text, Catch::Contains("ring the doorbell"));
  CHECK_THAT(traced().text, !Catch::Contains("ring the doorbell"));
}

TEST_CASE("the trace of a run that fails is valid, in each format") {
  const Traced trace = traced({"--set", "/options/limit_simulated_time=\"2 us\""});
  CHECK(trace.end.exit_code == 1);
  CHECK_THAT(trace.end.err, Catch::Contains("limit of simulated time, 2 us\n"));
  CHECK(spans(trace.chrome()).size() > 20);
  const Traced vcd = traced({"--format", "vcd", "--set", "/options/limit_simulated_time=\"2 us\""});
  CHECK(vcd.end.exit_code == 1);
  CHECK_THAT(vcd.text, Catch::Contains("$dumpvars\n") && Catch::EndsWith("\n"));
  const Traced perfetto = traced({"--format", "perfetto", "--set", "/options/limit_simulated_time=\"2 us\""});
  CHECK(perfetto.end.exit_code == 1);
  CHECK(whole_packets(perfetto.text).value_or(0) > 40);
}

TEST_CASE("a Perfetto trace repeats to the byte, is chosen by its name, and is valid at its limit") {
  const Traced first = traced({"--format", "perfetto"});
  expect_succeeded(first);
  CHECK(traced({"--format", "perfetto"}).text == first.text);
  const TemporaryFolder folder;
  for (const char* name : {"t.pftrace", "t.perfetto-trace"}) {
    const auto file = folder.path() / name;
    CHECK(run_program({"trace", pio, "--set", "/scenario/iterations=3", "--set", "/scenario/sizes=[\"8 B\"]", "--out",
                       file.string()})
              .exit_code == 0);
    CHECK(content(file) == first.text);
  }
  const Traced limited = traced({"--format", "perfetto", "--limit-size", "4 KiB"});
  expect_succeeded(limited);
  CHECK(limited.text.size() <= 4096);
  CHECK(whole_packets(limited.text).value_or(0) > 20);
  CHECK(first.text.compare(0, limited.text.size(), limited.text) == 0);
  CHECK_THAT(limited.end.err, Catch::StartsWith("tsunagi trace: the trace reached its limit of 4 KiB at "));
}

}  // namespace trace_test
