// SPDX-License-Identifier: Apache-2.0
// A time that would be no result: what each format says, and that it survives the way between processes.
#include <nlohmann/json.hpp>

#include "compare/table.hpp"
#include "plot/table.hpp"
#include "report/catalog.hpp"
#include "report/digest.hpp"
#include "report/formats/cell_json.hpp"
#include "runner/message.hpp"
#include "support/catch.hpp"

namespace report_no_time_test {

using namespace tsunagi;
using nlohmann::ordered_json;

namespace {

/// Two loads, of which the first, or both, have no mean.
report::Rows rows(bool both, const std::string& why = "it grows") {
  report::Rows out;
  out.rows.emplace_back().count("load", 2).no_time("mean", why).time("p50", 5_ns).no_time("half_width", why);
  report::Row& second = out.rows.emplace_back().count("load", 1);
  if (both)
    second.no_time("mean", why);
  else
    second.time("mean", 3_ns);
  second.time("p50", 3_ns).time("half_width", 1_ns);
  return out;
}

std::string written(const std::string& format, const report::Rows& rows) {
  return report::find_writer(format)->write({"1.2.3", "", [] { return ordered_json{}; }, rows, {}, nullptr, false});
}

}  // namespace

TEST_CASE("a time that is no result keeps its column, and the table says why") {
  CHECK(written("table", rows(false)) ==
        "load      mean       p50  half_width\n"
        "   2         -  5.000 ns           -\n"
        "   1  3.000 ns  3.000 ns    1.000 ns\n"
        "- mean, half_width: it grows\n");
  CHECK(written("csv", rows(false)) == "load,mean_fs,p50_fs,half_width_fs\n2,,5000000,\n1,3000000,3000000,1000000\n");
  CHECK_THAT(written("csv", rows(true)), Catch::StartsWith("load,mean_fs,p50_fs,half_width_fs\n2,,5000000,\n1,,"));
  const auto json = ordered_json::parse(written("json", rows(false)))["rows"];
  CHECK(json[0]["mean_fs"].is_null());
  CHECK(json[0].contains("mean_fs"));
  CHECK(json[1]["mean_fs"] == 3'000'000);
}

TEST_CASE("a time that is no result is another digest than one, whatever the reason") {
  CHECK(report::digest(rows(false)) != report::digest(rows(true)));
  CHECK(report::digest(rows(false)) == report::digest(rows(false, "another reason")));
}

TEST_CASE("a time that is no result comes through a pipe with its reason") {
  runner::Outcome outcome;
  outcome.rows = rows(false);
  const runner::Outcome there = runner::unpack(runner::pack(outcome));
  CHECK(report::digest(there.rows) == report::digest(outcome.rows));
  CHECK(written("table", there.rows) == written("table", outcome.rows));
}

TEST_CASE("a time that is no result is missing in pictures and comparisons") {
  const plot::Table table = plot::table_of(rows(true));
  const plot::Column* mean = plot::find(table, "mean");
  REQUIRE(mean != nullptr);
  CHECK(mean->unit == plot::Unit::time);
  CHECK(mean->text(0).empty());
  const compare::Table compared = compare::table_of(ordered_json::parse(written("json", rows(false)))["rows"]);
  CHECK(compare::find(compared.rows[0], "mean_fs") == nullptr);
  CHECK(compare::find(compared.rows[1], "mean_fs") != nullptr);
  CHECK(rows(false).rows[0].find("mean") == nullptr);
}

}  // namespace report_no_time_test
