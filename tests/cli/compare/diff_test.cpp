// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace diff_test {

using namespace tsunagi::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const std::string pio = TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json";
const std::string flight = "/machine/topology/links/0/wire/flight";

/// A small ping-pong of 8 and 64 bytes.
struct Bench {
  Bench() {
    run = write("run.json", R"({"$use": ")" + pio + R"(", "scenario": {"iterations": 2, "sizes": ["8 B", "64 B"]}})");
  }
  std::string write(const std::string& name, const std::string& text) const {
    return folder.write(name, text).string();
  }
  std::string file(const std::string& name) const { return (folder.path() / name).string(); }
  /// What `run --format json` says, with these settings.
  std::string result(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", run, "--format", "json", "--out", file(name)});
    REQUIRE(run_program(more).exit_code == 0);
    return file(name);
  }
  Ended diff(std::vector<std::string> words) const {
    words.insert(words.begin(), "diff");
    return run_program(words);
  }
  TemporaryFolder folder;
  std::string run;
};

}  // namespace

TEST_CASE("diff says what a setting does to a run: rows and stages") {
  const Bench bench;
  const Ended end = bench.diff({bench.run, "--with", flight + "=100ns"});
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  CHECK_THAT(end.out, Contains("\n" + flight + ": 10 ns -> 100 ns\n"));
  CHECK_THAT(end.out, Contains("\n2 rows, 2 moved, largest +") && Contains(" latency at size 8 B\n"));
  CHECK_THAT(end.out, Contains("Where the time went, size 8 B:\n8 B from rank 1 to rank 0:\n") &&
                          Contains("node1.peach2.w > node0.peach2.e: flight") && Contains("+90.000 ns\n"));
}

TEST_CASE("diff of a result alone says what has moved since") {
  const Bench bench;
  const std::string before = bench.result("before.json");
  const Ended same = bench.diff({before, "--exit-code"});
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Contains("The configs say the same.\n") && Contains("2 rows, 0 moved\n") &&
                           !Contains("Where the time went"));
  // What an older version measured: one row was faster.
  json old = json::parse(content(before));
  old["rows"][0]["latency_fs"] = 900'000'000;
  CHECK_FALSE(old["models"].get<std::string>().empty());
  old["tsunagi"] = "0.0.9";
  old.erase("models");
  const Ended moved = bench.diff({bench.write("old.json", old.dump()), "--exit-code"});
  CHECK(moved.exit_code == 1);
  CHECK_THAT(moved.out, Contains("2 rows, 1 moved") && Contains("(result, tsunagi 0.0.9)") &&
                            Contains("Stages: this version does not measure what ") && !Contains("64 B  latency"));
  const Ended with = bench.diff({before, "--with", flight + "=100ns"});
  CHECK_THAT(with.out, Contains("Where the time went, size "));
}

TEST_CASE("of rows that a result explains diff tells the stages, whatever version measured them") {
  const Bench bench;
  const std::string before = bench.result("before.json", {"--explain"});
  json old = json::parse(content(before));
  REQUIRE(old["explanations"].size() == 2);
  CHECK(old["explanations"][0]["size_bytes"] == 8);
  CHECK(old["explanations"][1]["size_bytes"] == 64);
  CHECK(old["digest"] == json::parse(content(bench.result("plain.json")))["digest"]);
  // An older version, whose cable was 4 ns faster: this one cannot measure that again.
  old.erase("models");
  for (int row : {0, 1})
    old["rows"][row]["latency_fs"] = old["rows"][row]["latency_fs"].get<std::int64_t>() - 4'000'000;
  for (json& segment : old["explanations"][0]["segments"])
    if (segment["stage"] == "flight" && segment["device"] == "node1.peach2.w > node0.peach2.e")
      segment["duration_fs"] = segment["duration_fs"].get<std::int64_t>() - 4'000'000;
  CHECK_THAT(bench.diff({bench.write("old.json", old.dump())}).out,
             Contains("2 rows, 2 moved") && Contains("Where the time went, size 8 B:\n8 B from rank 1 to rank 0:\n") &&
                 Contains("node1.peach2.w > node0.peach2.e: flight") && Contains("+4.000 ns"));
  // Without its config it still tells of the rows that it explains, the largest of them; of none, nothing.
  old["run"] = "some run";
  old["explanations"][0] = nullptr;
  const std::string half = bench.write("half.json", old.dump());
  CHECK_THAT(bench.diff({half, before, "--format", "json"}).out, Contains(R"("stages_of": "size 64 B")"));
  old["explanations"][1] = nullptr;
  CHECK_THAT(bench.diff({bench.write("none.json", old.dump()), before}).out, Contains("2 moved") && !Contains("Where"));
  old["explanations"][1] = json::parse(R"({"segments": [7]})");
  CHECK_THAT(bench.diff({bench.write("odd.json", old.dump()), before}).out,
             Contains("2 moved") && Contains("Stages: what explains that row is not as `run --explain` writes it"));
}

TEST_CASE("run --explain explains rows that can be measured alone, and is for json") {
  const Bench bench;
  expect_refusal(run_program({"run", bench.run, "--explain"}), "add --format json");
  expect_refusal(run_program({"run", bench.run, "--explain", "--format", "json", "--vary", flight + "=1ns"}),
                 "leave out --vary");
  const Ended pairs =
      run_program({"run", TSUNAGI_TEST_CONFIGS "/runs/tca_pairs.json", "--explain", "--format", "json"});
  REQUIRE(pairs.exit_code == 0);
  const json out = json::parse(pairs.out);
  for (const json& one : out["explanations"]) CHECK(one.is_null());
}

TEST_CASE("diff --format json has every row, and stages that sum to their whole") {
  const Bench bench;
  const std::string a = bench.result("a.json");
  const std::string b = bench.result("b.json", {"--set", flight + "=100ns"});
  const Ended end = bench.diff({a, b, "--format", "json"});
  REQUIRE(end.exit_code == 0);
  const json out = json::parse(end.out);
  CHECK(out["a"]["name"] == a);
  CHECK(out["b"]["kind"] == "result");
  CHECK(out["config"] == json::parse(R"([{"pointer": ")" + flight + R"(", "a": "10 ns", "b": "100 ns"}])"));
  CHECK(out["moved"] == true);
  REQUIRE(out["rows"].size() == 2);
  const json& row = out["rows"][0];
  CHECK(row["key"] == json::parse(R"({"size_bytes": 8})"));
  const json& latency = row["columns"]["latency_fs"];
  CHECK(latency["b"].get<std::int64_t>() - latency["a"].get<std::int64_t>() == latency["difference"]);
  CHECK(latency["a"] == json::parse(content(a))["rows"][0]["latency_fs"]);
  REQUIRE(out["stages"].size() == 1);
  std::int64_t sum = 0;
  for (const json& stage : out["stages"][0]["stages"]) sum += stage["difference_fs"].get<std::int64_t>();
  CHECK(sum == out["stages"][0]["difference_fs"]);
  CHECK(json::parse(bench.diff({a, b, "--format", "json", "--no-stages"}).out)["stages"].empty());
}

TEST_CASE("diff reads results and runs from pipes, and writes a file") {
  const Bench bench;
  const std::string a = bench.result("a.json");
  const auto from_pipe = [&](const std::string& file) {
    const std::string out = bench.file("out.txt");
    const std::string command =
        std::string("cat ") + file + " | \"$TSUNAGI_BIN\" diff " + a + " /dev/stdin --out " + out;
    CHECK(std::system(command.c_str()) == 0);
    return content(out);
  };
  CHECK_THAT(from_pipe(a), Contains("(result)") && Contains("2 rows, 0 moved"));
  CHECK_THAT(from_pipe(bench.run), Contains("2 rows, 0 moved"));
}

TEST_CASE("diff matches the points of two sweeps by the values of their axes") {
  const Bench bench;
  const auto sweep = [&](const std::string& name, const std::string& values, std::vector<std::string> more) {
    const std::string file =
        bench.write(name + ".json", R"({"run": "run.json", "axes": [{"name": "flight", "path": ")" + flight +
                                        R"(", "values": [)" + values + "]}]}");
    more.insert(more.begin(), {"sweep", "run", file, "--out", bench.file(name)});
    REQUIRE(run_program(more).exit_code == 0);
    return bench.file(name);
  };
  const std::string a = sweep("a", R"("100 ns", "10 ns")", {});
  const std::string b =
      sweep("b", R"("10 ns", "30 ns")", {"--set", "/machine/topology/devices/node0/devices/peach2/hard_ip_cycles=30"});
  const Ended end = bench.diff({a, b});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Contains("(sweep)") && Contains("\n 10 ns   8 B  latency  ") &&
                          Contains("only in A: row 3: flight 100 ns, size 8 B\n") &&
                          Contains("only in B: row 3: flight 30 ns, size 8 B\n") &&
                          Contains("2 rows, 2 moved, largest +") && Contains(", 2 only in A, 2 only in B\n"));
  const Ended csv = bench.diff({a, b, "--format", "csv"});
  CHECK_THAT(csv.out, Catch::StartsWith(
                          "flight_fs,size_bytes,column,a,b,difference,percent\n10000000,8,iterations,2,2,0,0.0\n"));
  REQUIRE(run_program({"run", bench.run, "--vary", flight + "=10ns,100ns", "--format", "json", "--out",
                       bench.file("varied.json")})
              .exit_code == 0);
  CHECK_THAT(bench.diff({a, bench.file("varied.json")}).out, Contains("4 rows, 0 moved\n"));
  CHECK(bench.diff({a, a, "--exit-code"}).exit_code == 0);
  CHECK(bench.diff({a, b, "--exit-code"}).exit_code == 1);
  expect_refusal(bench.diff({a, bench.run}), "differ in \"flight_fs\", which the other does not have");
  expect_refusal(bench.diff({a}), "name another to compare it with");
  // A result that was cut is told, and its rows are missing.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(b) / "points"))
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 10);
  const Ended cut = bench.diff({a, b});
  CHECK_THAT(cut.err, Contains("is damaged: it is cut or no JSON"));
  CHECK_THAT(cut.out, Contains("0 rows, 0 moved, 4 only in A"));
}

TEST_CASE("diff refuses what it cannot compare, with its place") {
  const Bench bench;
  const std::string a = bench.result("a.json");
  expect_refusal(bench.diff({}), "usage: tsunagi diff A [B]");
  expect_refusal(bench.diff({bench.run}), "--with POINTER=VALUE");
  expect_refusal(bench.diff({bench.run, bench.run, bench.run}), "unexpected");
  expect_refusal(bench.diff({a, bench.file("none.json")}), "none.json");
  expect_refusal(bench.diff({a, bench.write("empty.json", "")}), "empty.json");
  expect_refusal(bench.diff({a, bench.write("bad.json", R"({"run": {}, "rows": [{}, 7]})")}),
                 "bad.json: /rows/1: must be an object");
  expect_refusal(bench.diff({a, bench.write("text.json", R"({"run": {}, "rows": "x"})")}),
                 "text.json: /rows: must be an array");
  expect_refusal(bench.diff({a, bench.folder.path().string()}), "is no folder of a sweep's results");
  expect_refusal(bench.diff({a, TSUNAGI_TEST_CONFIGS "/machines/ring_16.json"}), "is no run, but of type \"machine\"");
  expect_refusal(bench.diff({a, bench.run, "--with", "/scenario/sizs=1"}), "did you mean \"sizes\"");
  expect_refusal(bench.diff({a, bench.run, "--with", "scenario"}), "scenario");
  expect_refusal(bench.diff({bench.run, a, "--with", flight + "=1ns"}), "--with changes the run B");
  expect_refusal(bench.diff({a, a, "--set", flight + "=1ns"}), "neither A nor B is one");
  expect_refusal(bench.diff({a, a, "--format", "xml"}), "known format");
  expect_refusal(bench.diff({a, a, "--out", a}), "would be written over");
  expect_refusal(bench.diff({a, a, "--out", bench.file("no/x")}), "there is no folder");
  expect_refusal(bench.diff({bench.write("runless.json", R"({"run": null, "rows": []})")}), "does not hold the run");
}

TEST_CASE("a run that fails is told, and nothing is compared") {
  const Bench bench;
  const Ended end = bench.diff({bench.run, "--with", "/options/limit_simulated_time=1ns"});
  CHECK(end.exit_code == 1);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::StartsWith("tsunagi diff: ") && Contains("limit of simulated time"));
}

}  // namespace diff_test
