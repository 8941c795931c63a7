// SPDX-License-Identifier: Apache-2.0
// `tsunagi explain` as a user meets it: what it tells of a message.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"
#include "support/explanation.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace explain_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string runs = TSUNAGI_TEST_CONFIGS "/runs/";
const std::string pio = runs + "tca_pio_ping_pong.json";
const std::string dma = runs + "tca_dma_ping_pong.json";

/// Few iterations: the last message is explained.
std::vector<std::string> few(const std::string& run, std::vector<std::string> more = {}) {
  std::vector<std::string> out{"explain", run, "--set", "/scenario/iterations=3"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// Terminals that post messages and wait for none, for a short time.
std::vector<std::string> traffic(std::vector<std::string> more = {}) {
  std::vector<std::string> out{"explain", runs + "ring_traffic.json"};
  for (const char* set : {R"(/scenario/loads=["20 %"])", R"(/scenario/window="2 us")", R"(/scenario/warm_up="0 us")"})
    out.insert(out.end(), {"--set", set});
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

Ended succeeded(const std::vector<std::string>& arguments) {
  Ended end = run_program(arguments);
  CAPTURE(arguments, end.err);
  REQUIRE(end.exit_code == 0);
  return end;
}

json parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  return json::parse(succeeded(arguments).out);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

}  // namespace

TEST_CASE("explain tells a message's way, what the ranks did, and what the wires carried") {
  const Ended end = succeeded(few(pio));
  CHECK_THAT(first_line(end.out), Catch::StartsWith("8 B from rank 1 to rank 0: ") && Catch::EndsWith(" ns"));
  CHECK_THAT(end.out, Catch::Contains("\nnode1.peach2.w > node0.peach2.e ") && Catch::Contains("\n  serialise ") &&
                          Catch::Contains("###"));
  CHECK_THAT(end.out, Catch::Contains("rank 1                      |") && Catch::Contains("store the message") &&
                          Catch::Contains("\nrank 0: receive 8 B from rank 1: "));
  CHECK_THAT(end.out, Catch::Contains("\nbusy ") && Catch::Contains("\n  payload ") && Catch::Contains("\nidle ") &&
                          Catch::Contains("\npayload rate ") && Catch::Contains("\nits ceiling "));
  CHECK(end.out.find("unexplained") == std::string::npos);
  CHECK(end.out.find('\x1b') == std::string::npos);
  CHECK(widest_line(end.out) <= 100);
}

TEST_CASE("explain --format json accounts for every femtosecond") {
  const json message = parsed(few(pio));
  expect_whole_message(message);
  CHECK(message["size_bytes"] == 8);
  CHECK(message["from"] == 1);
  CHECK(message["to"] == 0);
  CHECK(message["wires"].size() == 4);
}

TEST_CASE("the message that explain tells of takes as long as run measures") {
  const auto explained = parsed({"explain", pio})["latency_fs"].get<double>();
  const json rows = parsed({"run", pio, "--set", "/scenario/sizes=[\"8 B\"]"})["rows"];
  CHECK(explained == Approx(rows[0]["latency_fs"].get<double>()).margin(16e6));  // two clocks of 4 ns and the poll
}

TEST_CASE("explain --size chooses the message, also one that the run has not") {
  const json message = parsed(few(dma, {"--size", "100 B"}));
  CHECK(message["size_bytes"] == 100);
  expect_whole_message(message);
  const Ended text = succeeded(few(dma, {"--size", "64 KiB"}));
  CHECK_THAT(text.out, Catch::StartsWith("64 KiB from rank 1 to rank 0 by dma: ") && Catch::Contains("in sum over "));
  CHECK(widest_line(text.out) <= 100);
}

TEST_CASE("explain --method chooses how it is moved") {
  const json message = parsed(few(pio, {"--method", "dma", "--size", "4 KiB"}));
  CHECK(message["method"] == "dma");
  expect_whole_message(message);
  CHECK(parsed(few(runs + "tca_ping_pong.json"))["method"] == "pio");  // the scenario's first
}

TEST_CASE("explain of an exchange tells of a message from one rank to another, not of a rank's own") {
  const json message = parsed({"explain", runs + "tca_all_to_all.json", "--set", "/scenario/iterations=1", "--set",
                               "/machine/topology/nodes=4", "--size", "256 B"});
  CHECK(message["from"] != message["to"]);
  expect_whole_message(message);
}

TEST_CASE("explain --links says how many wires to account for") {
  CHECK(parsed(few(pio, {"--links", "1"}))["wires"].size() == 1);
  CHECK(parsed(few(pio, {"--links", "0"}))["wires"].empty());
  CHECK_THAT(succeeded(few(pio, {"--links", "0"})).out, Catch::EndsWith(" in the library\n"));
  const json all = parsed(few(pio, {"--links", "1000"}));
  expect_whole_message(all);
  CHECK(all["wires"].size() > 4);
}

TEST_CASE("explain of ranks that wait for no message tells of the wires only") {
  const Ended end = succeeded(traffic());
  CHECK_THAT(first_line(end.out), Catch::Contains("never wait for one; what the wires did from 0 ns to "));
  CHECK_THAT(end.out, Catch::Contains("\nbusy ") && Catch::Contains("\npayload rate "));
  const json run = parsed(traffic({"--links", "7"}));
  CHECK_FALSE(run.contains("segments"));
  CHECK(run["wires"].size() == 7);
  expect_whole_wires(run);
}

TEST_CASE("explain --size is the size of the messages where a scenario has only one") {
  const auto header_share = [](const json& run) {
    const json& busy = run["wires"][0]["busy"];
    return busy["header"].get<double>() / busy["payload"].get<double>();
  };
  CHECK(header_share(parsed(traffic({"--size", "8 B"}))) > 4 * header_share(parsed(traffic({"--size", "64 B"}))));
}

TEST_CASE("explain --out writes the file and no output") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "why.json";
  const Ended end = succeeded(few(pio, {"--format", "json", "--out", file.string()}));
  CHECK(end.out.empty());
  std::ifstream in(file);
  expect_whole_message(json::parse(in));
}

TEST_CASE("explain repeats to the byte") { CHECK(succeeded(few(dma)).out == succeeded(few(dma)).out); }

TEST_CASE("explain ends silently when nobody reads, and prints no progress without a terminal") {
  Surroundings closed;
  closed.closed_output = true;
  for (const auto& arguments : {few(pio), {"explain", runs + "pcie_write_stream.json", "--why-not-faster"}}) {
    const Ended end = run_program(arguments, closed);
    CHECK(end.exit_code == 128 + 13);
    CHECK(end.err.find("tsunagi") == std::string::npos);  // ASan warns there of stacks it does not know
    CHECK(succeeded(arguments).err.find("runs") == std::string::npos);
  }
}

}  // namespace explain_test
