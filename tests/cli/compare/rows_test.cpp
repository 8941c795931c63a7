// SPDX-License-Identifier: Apache-2.0
// Rows as other programs read them: one set of columns in all formats, numbers that are numbers.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace rows_test {

using namespace tsunagi::test;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const std::string both_methods = TSUNAGI_TEST_CONFIGS "/runs/tca_ping_pong.json";
const std::string flight = "/machine/topology/links/0/wire/flight";

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words small_run(const Words& more) {
  return with({"run", both_methods, "--set", "/scenario/iterations=3", "--set", "/scenario/sizes=[\"8 B\",\"4 KiB\"]"},
              more);
}

/// Fields of RFC 4180 text, a list a record.
std::vector<Words> records_of(const std::string& csv) {
  std::vector<Words> out{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (c == '"' && quoted && i + 1 < csv.size() && csv[i + 1] == '"') {
      out.back().back() += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      out.push_back({""});
    } else {
      out.back().back() += c;
    }
  }
  out.pop_back();
  return out;
}

/// A value as CSV has it.
std::string as_field(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void expect_same(const std::string& csv, const json& rows) {
  const std::vector<Words> records = records_of(csv);
  REQUIRE(records.size() == rows.size() + 1);
  std::size_t keys = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < records[0].size(); ++c) {
      const std::string& name = records[0][c];
      INFO(name << " of row " << r);
      CHECK(records[r + 1][c] == (rows[r].contains(name) ? as_field(rows[r][name]) : ""));
      keys += rows[r].contains(name) ? 1 : 0;
    }
  for (const json& row : rows) keys -= row.size();
  CHECK(keys == 0);  // of both no more than the other has
}

}  // namespace

TEST_CASE("json has the columns of csv, of a run, of many, and of counters") {
  for (const Words& more : std::vector<Words>{{}, {"--vary", flight + "=10ns,1us"}, {"--vary", "/options/seed=1,2"}}) {
    const Ended csv = run_program(small_run(with(more, {"--format", "csv"})));
    const Ended out = run_program(small_run(with(more, {"--format", "json"})));
    REQUIRE(csv.exit_code == 0);
    expect_same(csv.out, json::parse(out.out)["rows"]);
    CHECK_THAT(csv.out, Catch::Contains("method,size_bytes,iterations,latency_fs,bandwidth_bytes_per_second\n"));
  }
  const Ended counters = run_program(small_run({"--counters", "--format", "csv"}));
  expect_same(counters.out, json::parse(run_program(small_run({"--counters", "--format", "json"})).out)["counters"]);
}

TEST_CASE("axes are numbers in a base unit that the column names, and stand in tables as they were written") {
  const std::string vary = flight + "=10ns,1us";
  const json rows = json::parse(run_program(small_run({"--vary", vary, "--format", "json"})).out)["rows"];
  CHECK(rows.at(0)["flight_fs"] == 10'000'000);
  CHECK(rows.at(4)["flight_fs"] == 1'000'000'000);
  CHECK_THAT(run_program(small_run({"--vary", vary})).out,
             Catch::Contains("\n  10ns  pio") && Catch::Contains("\n   1us  pio"));
  const Ended sizes =
      run_program({"run", both_methods, "--set", "/scenario/iterations=3", "--set", "/scenario/sizes=[\"8 B\"]",
                   "--vary", "/scenario/sizes/0=8B,4KiB", "--format", "csv"});
  CHECK_THAT(sizes.out, Catch::StartsWith("sizes/0_bytes,method,size_bytes,") && Catch::Contains("\n4096,dma,4096,3,"));
}

TEST_CASE("wide csv of a sweep is a line a row of each point, and holds what jsonl does") {
  const TemporaryFolder folder;
  const std::string sweep = folder
                                .write("s.json", R"({"run": {"$use": ")" + both_methods +
                                                     R"(", "scenario": {"iterations": 2, "sizes": ["8 B"]}},
      "axes": [{"name": "title", "path": "/title", "values": ["plain", "a, \"b\""]},
               {"name": "limit", "path": "/options/limit_simulated_time", "values": ["1 us", "10 ms"]}]})")
                                .string();
  const Words out{"--out", (folder.path() / "r").string()};
  const Ended wide = run_program(with({"sweep", sweep, "--wide"}, out));
  CHECK(wide.exit_code == 1);
  const Ended lines = run_program(with({"sweep", "collect", sweep, "--format", "jsonl"}, out));
  const std::regex newline("\n *");
  json rows = json::array();
  std::istringstream in(lines.out);
  for (std::string line; std::getline(in, line);) rows.push_back(json::parse(line));
  REQUIRE(rows.size() == 2 * (1 + 2));  // a point fails, one has a row for each method
  for (json& row : rows)
    if (row.contains("error")) row["error"] = std::regex_replace(row["error"].get<std::string>(), newline, "; ");
  CHECK(std::count(wide.out.begin(), wide.out.end(), '\n') == 1 + 6);
  expect_same(wide.out, rows);
  CHECK_THAT(wide.out, Catch::StartsWith("point,title,limit_fs,row,method,size_bytes,iterations,latency_fs,"
                                         "bandwidth_bytes_per_second,error\n") &&
                           Catch::Contains(",\"a, \"\"b\"\"\",10000000000000,1,dma,8,2,"));
  const Ended empty = run_program({"sweep", "collect", sweep, "--wide", "--out", (folder.path() / "r").string(),
                                   "--set", "/scenario/iterations=1"});
  CHECK(empty.exit_code == 2);  // another sweep's folder
}

}  // namespace rows_test
