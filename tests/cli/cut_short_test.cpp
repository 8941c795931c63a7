// SPDX-License-Identifier: Apache-2.0
// What is left of long work that was interrupted, that failed or whose process was killed; and what is shown meanwhile.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "support/catch.hpp"
#include "support/orphans.hpp"
#include "support/perfetto.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace cut_short_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string pio = configs + "/runs/tca_pio_ping_pong.json";

/// A command on a run that takes minutes and has a row every few milliseconds.
std::vector<std::string> long_work(const std::string& command, const std::vector<std::string>& more = {}) {
  std::string sizes = "\"8 B\"";
  for (int i = 1; i < 20000; ++i) sizes += ",\"8 B\"";
  std::vector<std::string> out{
      command, pio, "--set", "/scenario/iterations=500", "--set", "/scenario/sizes=[" + sizes + "]"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

Surroundings interrupted(int after_ms = 1000) {
  Surroundings out;
  out.interrupt_after_ms = after_ms;
  return out;
}

/// A trace without the lines in its middle, an event each: hundreds of megabytes take a minute to parse.
std::string without_middle(const std::string& text) {
  constexpr int kept = 1000;  // lines at either end
  std::size_t front = 0, back = text.size();
  for (int i = 0; i < kept; ++i) front = text.find('\n', front) + 1;
  for (int i = 0; i < kept; ++i) back = text.rfind('\n', back - 1);
  return front < back ? text.substr(0, front) + text.substr(back + 1) : text;
}

}  // namespace

TEST_CASE("Ctrl-C, a batch system and a terminal that closes leave a run's finished rows, marked") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Surroundings impatient = interrupted();
    impatient.interrupt = signal;
    const Orphans orphans;
    const Ended end = run_program(long_work("run", {"--format", "json"}), impatient);
    CHECK(end.exit_code == 130);
    const json out = json::parse(end.out);
    CHECK(out["incomplete"] == true);
    CHECK_FALSE(out.contains("digest"));
    REQUIRE_FALSE(out["rows"].empty());
    const json whole = json::parse(run_program({"run", pio, "--set", "/scenario/iterations=500", "--set",
                                                "/scenario/sizes=[\"8 B\"]", "--format", "json"})
                                       .out);
    CHECK(out["rows"][0] == whole["rows"][0]);
    CHECK_FALSE(whole.contains("incomplete"));
    const std::size_t rows = out["rows"].size();
    CHECK_THAT(end.err,
               Catch::StartsWith("tsunagi run: " + pio + ": interrupted at ") &&
                   Catch::EndsWith("; incomplete: " + std::to_string(rows) + (rows == 1 ? " row\n" : " rows\n")));
    CHECK(orphans.none());
  }
}

TEST_CASE("the finished rows of an interrupted run are a table or CSV, too, and go where --out says") {
  const Ended table = run_program(long_work("run"), interrupted());
  CHECK(table.exit_code == 130);
  CHECK_THAT(table.out, Catch::Contains("\n 8 B         500  "));
  CHECK_THAT(table.err, Catch::Contains("; incomplete: "));
  const TemporaryFolder folder;
  const auto file = folder.path() / "rows.csv";
  const Ended csv = run_program(long_work("run", {"--format", "csv", "--out", file.string()}), interrupted());
  CHECK(csv.exit_code == 130);
  CHECK(csv.out.empty());
  CHECK_THAT(content(file), Catch::StartsWith("size_bytes,iterations,latency_fs") && Catch::Contains("\n8,500,"));
}

TEST_CASE("a run that is interrupted before its first row says so and prints nothing") {
  const Ended end =
      run_program({"run", pio, "--set", "/scenario/iterations=1000000", "--format", "json"}, interrupted(400));
  CHECK(end.exit_code == 130);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(": interrupted at ") && Catch::EndsWith(", before its first row\n"));
}

TEST_CASE("a run that fails in the middle keeps its finished rows, marked") {
  const TemporaryFolder folder;
  const Ended end = run_program({"run", configs + "/runs/tca_dma_ping_pong.json", "--format", "json", "--set",
                                 "/scenario/sizes=[\"8 B\",\"1 MiB\"]", "--set", "/scenario/iterations=2", "--set",
                                 "/options/limit_simulated_time=\"200 us\""});
  CHECK(end.exit_code == 1);
  const json out = json::parse(end.out);
  CHECK(out["incomplete"] == true);
  CHECK_FALSE(out.contains("digest"));
  REQUIRE(out["rows"].size() == 1);
  CHECK(out["rows"][0]["size_bytes"] == 8);
  CHECK_THAT(end.err, Catch::Contains("limit of simulated time, 200 us\n") &&
                          Catch::EndsWith(": ended at 200 us; incomplete: 1 row\n"));
}

TEST_CASE("Ctrl-C leaves the figures that check has judged, the others as if they had no run") {
  const TemporaryFolder folder;
  const auto figure = [](const std::string& id, const std::string& iterations, const std::string& sizes) {
    return R"({"id": ")" + id + R"(", "measure": "m", "compare": "at_least", "value": 0.001, "unit": "us",
      "section": "1", "basis": "unseen", "first_run": "2026-11-20", "runs": [{"name": "r", "file": ")" +
           pio + R"(", "set": ["/scenario/iterations=)" + iterations + R"(", "/scenario/sizes=[)" + sizes +
           R"(]"]}], "expression": "min(r.latency)/us"})";
  };
  const std::string size = R"(\"8 B\")";
  std::string sizes = size;
  for (int i = 1; i < 100; ++i) sizes += "," + size;
  folder.write("figures/s.json", R"({"system": "s", "paper": "p", "figures": [)" + figure("fast", "2", size) + "," +
                                     figure("slow", "1000000", sizes) + "]}");
  const auto checked = [&](const std::string& format) {
    return run_program({"check", "--configs", folder.path().string(), "--jobs", "1", "--format", format},
                       interrupted(2000));
  };
  const Ended end = checked("json");
  CHECK(end.exit_code == 130);
  CHECK(end.err == "tsunagi check: interrupted: 1 of 2 figures were judged\n");
  const json out = json::parse(end.out);
  CHECK(out["incomplete"] == true);
  CHECK(out["figures"][0]["pass"] == true);
  CHECK(out["figures"][1]["status"] == "no_run");
  CHECK(out["figures"][1]["pass"].is_null());
  CHECK_THAT(checked("table").out, Catch::Contains("2 figures: 1 pass, 0 miss, 0 known to miss, 1 without a run"));
}

TEST_CASE("Ctrl-C ends trace with 130, a valid file, a word, and no process left") {
  const Orphans orphans;
  const TemporaryFolder folder;
  for (const std::string format : {"chrome", "perfetto", "vcd"}) {
    const auto file = folder.path() / format;
    const Ended end = run_program(
        long_work("trace", {"--limit-size", "20 MiB", "--format", format, "--out", file.string()}), interrupted());
    CHECK(end.exit_code == 130);
    CHECK_THAT(end.err, Catch::Contains(file.string() + " is cut short at "));
    CHECK(end.err.find("not valid") == std::string::npos);
    const std::string text = content(file);
    CHECK(text.size() > 1000);
    if (format == "chrome")
      CHECK(json::parse(text)["traceEvents"].size() > 100);
    else if (format == "perfetto")
      CHECK(whole_packets(text).value_or(0) > 100);
    else
      CHECK(text.back() == '\n');
    CHECK(orphans.none());
  }
}

TEST_CASE("a trace to a pipe that is interrupted is valid, too") {
  const Ended end = run_program(long_work("trace", {"--limit-size", "5 MiB", "--out", "-"}), interrupted());
  CHECK(end.exit_code == 130);
  CHECK(json::parse(end.out)["traceEvents"].size() > 100);
}

TEST_CASE("a trace whose process is killed is made valid") {
  const TemporaryFolder folder;
  for (const std::string format : {"chrome", "perfetto", "vcd"}) {
    const auto file = folder.path() / format;
    Surroundings cruel = interrupted();
    cruel.interrupt = SIGKILL;
    cruel.interrupt_child = true;
    const Ended end = run_program(long_work("trace", {"--format", format, "--out", file.string()}), cruel);
    CHECK(end.exit_code == 1);
    CHECK_THAT(end.err, Catch::Contains("signal 9") && Catch::Contains(" is cut short at "));
    const std::string text = content(file);
    CHECK(text.size() > 1000);
    if (format == "chrome") CHECK(json::parse(without_middle(text))["traceEvents"].size() > 100);
    if (format == "perfetto")
      CHECK(whole_packets(text).value_or(0) > 100);
    else
      CHECK(text.back() == '\n');
  }
}

TEST_CASE("a long run on a terminal says how far it is, and its line is gone in the end") {
  Surroundings terminal = interrupted(2000);
  terminal.terminal = true;
  terminal.environment = {{"NO_COLOR", "1"}};
  const Ended end = run_program(long_work("run"), terminal);
  CHECK_THAT(end.err, Catch::Contains(" rows, simulated ") && Catch::Contains("s, 0:01"));
  CHECK(end.err.find('\x1b') == std::string::npos);
  const auto last_words = end.err.rfind("\rtsunagi run: ");
  REQUIRE(last_words != std::string::npos);
  const std::string before = end.err.substr(0, last_words);
  CHECK_THAT(before, Catch::EndsWith("          "));  // drawn over
  CHECK_THAT(run_program(long_work("trace", {"--limit-size", "1 KiB", "--out", "/dev/null"}), terminal).err,
             Catch::Contains(" rows, simulated "));
}

TEST_CASE("there is no progress of short work, for --quiet, or where no terminal is") {
  Surroundings terminal;
  terminal.terminal = true;
  const std::vector<std::string> few{"run", pio, "--set", "/scenario/iterations=3"};
  CHECK(run_program(few, terminal).err.find('\r') == std::string::npos);
  terminal.interrupt_after_ms = 2000;
  const auto has_progress = [](const Ended& end) { return end.err.find("simulated ") != std::string::npos; };
  CHECK_FALSE(has_progress(run_program(long_work("run", {"-q"}), terminal)));
  terminal.terminal = false;
  CHECK_FALSE(has_progress(run_program(long_work("run"), terminal)));
}

TEST_CASE("what explain and check run for long is shown as one of many") {
  Surroundings terminal = interrupted();
  terminal.terminal = true;
  terminal.interrupt_once = [](const std::string& err) { return err.find(" runs, 0:0") != std::string::npos; };
  const Ended why =
      run_program({"explain", pio, "--why-not-faster", "--set", "/scenario/iterations=1000000"}, terminal);
  CHECK(why.exit_code == 130);
  CHECK_THAT(why.err, Catch::Contains(" of ") && Catch::Contains(" runs, 0:0"));  // at 1 s, or when it has begun
}

TEST_CASE("off a terminal explain and check say every five seconds how far their many runs are, a line each") {
  const auto lines = [](const std::string& err, const std::string& command) {
    const std::regex line("(^|\n)tsunagi " + command + ": [0-9]+ of [0-9]+ runs, 0:[0-9]{2}(?=\n)");
    return std::distance(std::sregex_iterator(err.begin(), err.end(), line), std::sregex_iterator());
  };
  const std::vector<std::string> why{
      "explain", pio, "--why-not-faster", "--jobs", "1", "--set", "/scenario/iterations=1000000"};
  Surroundings patient = interrupted(5500);
  patient.interrupt_once = [&](const std::string& err) { return lines(err, "explain") >= 2; };
  const Ended end = run_program(why, patient);
  CHECK(end.exit_code == 130);
  CHECK(lines(end.err, "explain") == std::count(end.err.begin(), end.err.end(), '\n'));
  CHECK_THAT(end.err, Catch::Contains(" runs, 0:05\n") || Catch::Contains(" runs, 0:06\n"));
  CHECK(end.err.find('\r') == std::string::npos);
  std::vector<std::string> silent = why;
  silent.push_back("-q");
  CHECK(run_program(silent, interrupted(5500)).err.empty());
  patient.interrupt_once = [&](const std::string& err) { return lines(err, "check") >= 1; };
  const Ended check = run_program({"check", "--system", "sr8000", "--sensitivity", "--jobs", "1"}, patient);
  CHECK(lines(check.err, "check") == 1);
}

}  // namespace cut_short_test
