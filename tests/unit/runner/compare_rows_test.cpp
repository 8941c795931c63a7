// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <string>

#include "compare/report.hpp"
#include "compare/rows.hpp"
#include "support/catch.hpp"

namespace compare_rows_test {

using namespace tsunagi::compare;
using nlohmann::ordered_json;

namespace {

Table table(const char* rows, std::vector<std::string> axes = {}) {
  Table out = table_of(ordered_json::parse(rows));
  out.axes = std::move(axes);
  return out;
}

using Keys = std::vector<std::string>;

std::string summary_of(const Table& a, const Table& b) {
  const Report report{{"a", "run", "1", a}, {"b", "run", "1", b}, {}, difference(a, b), {}, "", ""};
  return text(report);
}

}  // namespace

TEST_CASE("rows are matched by the columns that tell them apart, in any order") {
  const Table a = table(R"([{"method": "pio", "size_bytes": 8, "latency_fs": 100},
                            {"method": "pio", "size_bytes": 16, "latency_fs": 200},
                            {"method": "dma", "size_bytes": 8, "latency_fs": 300}])");
  const Table b = table(R"([{"method": "dma", "size_bytes": 8, "latency_fs": 303},
                            {"method": "pio", "size_bytes": 16, "latency_fs": 200},
                            {"method": "dma", "size_bytes": 32, "latency_fs": 9}])");
  const RowsDifference d = difference(a, b);
  CHECK(d.keys == Keys{"method", "size_bytes"});
  REQUIRE(d.rows.size() == 2);
  CHECK_FALSE(d.rows[0].moved());
  CHECK(d.rows[1].a == 2);
  CHECK(d.rows[1].b == 0);
  CHECK(d.rows[1].columns.at(0).percent().value() == Approx(1));
  CHECK(d.only_a == std::vector<std::size_t>{0});
  CHECK(d.only_b == std::vector<std::size_t>{2});
  CHECK(d.moved_rows() == 1);
  CHECK(name_of(a.rows[2], d.keys) == "method dma, size 8 B");
}

TEST_CASE("an input that changed in all rows is a change as any other") {
  const RowsDifference d = difference(table(R"([{"method": "pio", "size_bytes": 8, "iterations": 100, "latency_fs": 1},
                                                {"method": "pio", "size_bytes": 16, "iterations": 100, "latency_fs": 1}])"),
                                      table(R"([{"method": "dma", "size_bytes": 8, "iterations": 50, "latency_fs": 1},
                                                {"method": "dma", "size_bytes": 16, "iterations": 50, "latency_fs": 1}])"));
  CHECK(d.keys == Keys{"size_bytes"});
  REQUIRE(d.rows.size() == 2);
  CHECK(d.rows[0].columns.size() == 3);
  CHECK(d.rows[0].columns[0].moved());
  CHECK_FALSE(d.rows[0].columns[0].percent());
  CHECK(d.rows[0].columns[1].percent().value() == Approx(-50));
  CHECK_FALSE(d.rows[0].columns[2].moved());
}

TEST_CASE("what was measured is no key where inputs tell rows apart") {
  // Counts that are measured stand behind the load.
  const Table a =
      table(R"([{"load_ppm": 1, "messages": 5, "mean_fs": 10}, {"load_ppm": 2, "messages": 6, "mean_fs": 10}])");
  const Table b =
      table(R"([{"load_ppm": 1, "messages": 6, "mean_fs": 10}, {"load_ppm": 2, "messages": 7, "mean_fs": 10}])");
  const RowsDifference d = difference(a, b);
  CHECK(d.keys == Keys{"load_ppm"});
  CHECK(d.rows.size() == 2);
}

TEST_CASE("columns may come in any order") {
  const RowsDifference d =
      difference(table(R"([{"latency_fs": 1, "size_bytes": 8}, {"latency_fs": 2, "size_bytes": 16}])"),
                 table(R"([{"latency_fs": 3, "size_bytes": 8}, {"latency_fs": 2, "size_bytes": 16}])"));
  CHECK(d.keys == Keys{"size_bytes"});
  CHECK(d.rows.size() == 2);
}

TEST_CASE("an axis that is a time comes before counts that are measured") {
  const RowsDifference d = difference(
      table(R"([{"flight_fs": 10, "load_ppm": 1, "messages": 5}, {"flight_fs": 20, "load_ppm": 1, "messages": 6}])"),
      table(R"([{"flight_fs": 10, "load_ppm": 1, "messages": 7}, {"flight_fs": 20, "load_ppm": 1, "messages": 8}])"));
  CHECK(d.keys == Keys{"flight_fs"});
  CHECK(d.rows.size() == 2);
}

TEST_CASE("an axis may be a time") {
  const Table a = table(
      R"([{"flight_fs": 10, "size_bytes": 8, "latency_fs": 1}, {"flight_fs": 20, "size_bytes": 8, "latency_fs": 2}])");
  const Table b = table(
      R"([{"flight_fs": 20, "size_bytes": 8, "latency_fs": 3}, {"flight_fs": 30, "size_bytes": 8, "latency_fs": 2}])");
  const RowsDifference d = difference(a, b);
  CHECK(d.keys == Keys{"flight_fs"});
  REQUIRE(d.rows.size() == 1);
  CHECK(d.rows[0].a == 1);
  CHECK(d.rows[0].b == 0);
}

TEST_CASE("a sweep's points are matched by all of its axes, also where fewer would do") {
  const Table a = table(R"([{"lanes": "4", "seed": "1", "time_fs": 7}])", {"lanes", "seed"});
  const Table b = table(R"([{"lanes": "8", "seed": "1", "time_fs": 7}])", {"lanes", "seed"});
  const RowsDifference d = difference(a, b);
  CHECK(d.keys == Keys{"lanes", "seed"});
  CHECK(d.rows.empty());
  CHECK(d.only_a.size() == 1);
  CHECK(d.only_b.size() == 1);
}

TEST_CASE("numbers that no counter holds are neither wrapped nor lost") {
  const Value most = std::numeric_limits<std::int64_t>::max();
  const Value least = std::numeric_limits<std::int64_t>::min();
  CHECK(difference(Value(std::int64_t{3}), Value(std::int64_t{5})) == Value(std::int64_t{2}));
  CHECK(difference(least, most) == Value(18446744073709551616.0));
  CHECK(difference(most, least) == Value(-18446744073709551616.0));
  CHECK_FALSE(difference(most, Value(std::string("x"))));
  const RowsDifference d = difference(table(R"([{"size_bytes": 8, "latency_fs": 18446744073709551615}])"),
                                      table(R"([{"size_bytes": 8, "latency_fs": 0}])"));
  CHECK(d.rows.at(0).columns.at(1).percent().value() == Approx(-100));
}

TEST_CASE("rows that cannot be told apart are matched in their order") {
  const RowsDifference d =
      difference(table(R"([{"size_bytes": 8, "latency_fs": 1}, {"size_bytes": 8, "latency_fs": 2}])"),
                 table(R"([{"size_bytes": 8, "latency_fs": 3}, {"size_bytes": 8, "latency_fs": 4}])"));
  REQUIRE(d.rows.size() == 2);
  CHECK(d.rows[0].b == 0);
  CHECK(d.rows[1].b == 1);
}

TEST_CASE("rows that differ in an input that the other lacks cannot be compared") {
  const Table varied =
      table(R"([{"lanes": 4, "size_bytes": 8, "latency_fs": 1}, {"lanes": 8, "size_bytes": 8, "latency_fs": 2}])");
  const Table one = table(R"([{"size_bytes": 8, "latency_fs": 1}])");
  CHECK_THROWS_WITH(difference(varied, one), Catch::Contains("\"lanes\""));
  CHECK_THROWS_WITH(difference(one, varied), Catch::Contains("\"lanes\""));
  const Table narrow = table(R"([{"lanes": 4, "size_bytes": 8, "latency_fs": 1}])");
  CHECK(difference(narrow, one).columns_only_a == Keys{"lanes"});
}

TEST_CASE("columns that one table lacks are named and not compared, a cell that one row lacks has moved") {
  const Table a = table(R"([{"size_bytes": 8, "p99_fs": 5, "old": 1}, {"size_bytes": 16}])");
  const Table b = table(R"([{"size_bytes": 8, "p99_fs": 5, "new": 1}, {"size_bytes": 16, "p99_fs": 6}])");
  const RowsDifference d = difference(a, b);
  CHECK(d.columns_only_a == Keys{"old"});
  CHECK(d.columns_only_b == Keys{"new"});
  CHECK_FALSE(d.rows[0].moved());
  CHECK(d.rows[1].moved());
  const RowsDifference nothing = difference(a, table(R"([{"other": 1}])"));
  CHECK(nothing.rows.empty());
  CHECK(nothing.only_a.size() == 2);
}

TEST_CASE("a number moves by its last bit, and is the same with or without a point") {
  CHECK_FALSE(difference(table(R"([{"rate": 8.0}])"), table(R"([{"rate": 8}])")).moved());
  CHECK(difference(table(R"([{"rate": 0.3}])"), table(R"([{"rate": 0.30000000000000004}])")).moved());
  CHECK(difference(table(R"([{"t_fs": 9007199254740993}])"), table(R"([{"t_fs": 9007199254740992}])")).moved());
}

TEST_CASE("empty tables are compared, too") {
  const Table none;
  CHECK_FALSE(difference(none, none).moved());
  CHECK(difference(none, table(R"([{"size_bytes": 8}])")).only_b.size() == 1);
}

TEST_CASE("an input that changed in all rows alike is told once, and times come before counts") {
  const Table a = table(
      R"([{"size_bytes": 8, "ranks": 16, "n": 1, "time_fs": 100}, {"size_bytes": 16, "ranks": 16, "n": 3, "time_fs": 100}])");
  const Table b = table(
      R"([{"size_bytes": 8, "ranks": 32, "n": 2, "time_fs": 101}, {"size_bytes": 16, "ranks": 32, "n": 5, "time_fs": 101}])");
  const auto all = changed_everywhere(difference(a, b));
  REQUIRE(all.size() == 1);
  CHECK(all[0].column == "ranks");
  const std::string said = summary_of(a, b);
  CHECK_THAT(said, Catch::Contains("\nranks in all rows: 16 -> 32\n") && !Catch::Contains("  ranks  ") &&
                       Catch::Contains("largest +1.00 % time at size 8 B\n"));
}

TEST_CASE("the largest change is that of most per cent") {
  const Table a =
      table(R"([{"size_bytes": 8, "latency_fs": 100, "n": 0}, {"size_bytes": 16, "latency_fs": 1000, "n": 1}])");
  const Table b =
      table(R"([{"size_bytes": 8, "latency_fs": 90, "n": 5}, {"size_bytes": 16, "latency_fs": 1050, "n": 1}])");
  CHECK_THAT(summary_of(a, b), Catch::Contains("2 rows, 2 moved, largest -10.00 % latency at size 8 B\n"));
  CHECK_FALSE(largest(difference(a, a)));
}

TEST_CASE("values are told in the units of their columns") {
  CHECK(human("size_bytes", Value(std::int64_t{4096})) == "4 KiB");
  CHECK(human("bytes", Value(std::int64_t{8})) == "8 B");
  CHECK(human("latency_fs", Value(std::int64_t{900711573})) == "900.711573 ns");
  CHECK(human("count", Value(std::int64_t{7})) == "7");
  CHECK(human("bandwidth_bytes_per_second", Value(3.5e9)) == "3.50 GB/s");
  const HumanChange change = human("latency_fs", Value(std::int64_t{2'000'000}), Value(std::int64_t{1'999'988}));
  CHECK(change.a == "2.000 ns");
  CHECK(change.difference == "-12 fs");
  const HumanChange large = human("t_fs", Value(std::int64_t{110'000'000'000}), Value(std::int64_t{126'000'000'000}));
  CHECK(large.a == "110.000 us");
  CHECK(large.difference == "+16.000 us");
  CHECK(human("t_fs", Value(std::int64_t{2'000'000'000}), Value(std::int64_t{90'000'000'000})).difference ==
        "+88000.000 ns");
  CHECK(human("n", Value(std::int64_t{1}), std::nullopt).b == "-");
  CHECK(percent_text(4.2) == "+4.20 %");
  CHECK(percent_text(-1e-7) == "-1e-07 %");
}

TEST_CASE("of many changes those that moved most are printed, all of them as CSV") {
  std::string rows_a = "[";
  std::string rows_b = "[";
  for (int i = 1; i <= 60; ++i) {
    rows_a += (i > 1 ? "," : "") + ("{\"n\": " + std::to_string(i)) + ", \"t_fs\": 1000}";
    rows_b += (i > 1 ? "," : "") + ("{\"n\": " + std::to_string(i)) + ", \"t_fs\": " + std::to_string(1000 + i) + "}";
  }
  const Table a = table((rows_a + "]").c_str());
  const Table b = table((rows_b + "]").c_str());
  const std::string shown = summary_of(a, b);
  CHECK_THAT(shown,
             Catch::Contains("20 more moved less") && Catch::Contains("\n60  t ") && !Catch::Contains("\n20  t "));
  const Report report{{"a", "run", "1", a}, {"b", "run", "1", b}, {}, difference(a, b), {}, "", ""};
  const std::string all = csv(report);
  CHECK(std::count(all.begin(), all.end(), '\n') == 61);
  CHECK_THAT(all, Catch::StartsWith("n,column,a,b,difference,percent\n1,t_fs,1000,1001,1,0.1\n"));
}

TEST_CASE("rows that are none are refused with their place") {
  CHECK_THROWS_WITH(table("{}"), Catch::Contains("must be an array"));
  CHECK_THROWS_WITH(table("[{}, 1]"), Catch::Contains("/1: must be an object"));
  CHECK_THROWS_WITH(table(R"([{"a": []}])"), Catch::Contains("/0/a: must be a number or a text"));
}

}  // namespace compare_rows_test
