// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/collect/axis_columns.hpp"
#include "sweep/collect/collect.hpp"
#include "unit/sweep/sweep_fixture.hpp"

namespace sweep_collect_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;
using sweep::MemoryResults;
using sweep::Summary;

namespace {

/// A sweep of some values, all simulated but "missing".
struct Swept {
  explicit Swept(const std::vector<std::string>& values) : points(fake_points(values)) {
    std::vector<std::string> there;
    for (const std::string& value : values)
      if (value != "missing") there.push_back(value);
    run(fake_points(there), results, fake_sweep_simulate, {});
  }
  Summary collect(sweep::Collector& collector) {
    return sweep::collect(points, results, collector, [this](const std::string& line) { complaints.push_back(line); });
  }

  /// Puts a result in the place of the point's own, which stays if it is only kept.
  void replace(const sweep::Result& result) {
    MemoryResults others;
    others.keep(result);
    for (std::size_t i = 0; i < points.size; ++i)
      if (const auto known = results.find(points.at(i).id); known && known->id != result.id) others.keep(*known);
    results = std::move(others);
  }

  sweep::Points points;
  MemoryResults results;
  std::vector<std::string> complaints;
};

Summary summary_of(const std::vector<std::string>& values) {
  sweep::TableCollector table({"what"});
  return Swept(values).collect(table);
}

/// All cells of a query's answer, joined by '|' and newlines.
std::string query(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  std::string out;
  const auto row = [](void* text, int n, char** cells, char**) {
    for (int i = 0; i < n; ++i) *static_cast<std::string*>(text) += std::string(i > 0 ? "|" : "") + cells[i];
    *static_cast<std::string*>(text) += "\n";
    return 0;
  };
  CHECK(sqlite3_exec(db, sql.c_str(), row, &out, nullptr) == SQLITE_OK);
  sqlite3_close(db);
  return out;
}

}  // namespace

TEST_CASE("collected as CSV, each measured value has a line") {
  Swept swept({"a", "x,y", "throw"});
  std::string text;
  const auto csv = sweep::csv_collector(swept.points.axes, [&text](const std::string& part) { text += part; });
  swept.collect(*csv);
  const std::string a = id_of("a"), xy = id_of("x,y");
  CHECK(text == "point,what,row,measure,value,unit\n" +                   //
                    a + ",a,0,size,8,bytes\n" +                           //
                    a + ",a,0,latency,1000000,fs\n" +                     //
                    a + ",a,0,iterations,100,\n" +                        //
                    a + ",a,0,mode,a,\n" +                                //
                    a + ",a,0,bandwidth,8000000000,bytes_per_second\n" +  //
                    xy + ",\"x,y\",0,size,8,bytes\n" +                    //
                    xy + ",\"x,y\",0,latency,3000000,fs\n" +              //
                    xy + ",\"x,y\",0,iterations,100,\n" +                 //
                    xy + ",\"x,y\",0,mode,\"x,y\",\n" +                   //
                    xy + ",\"x,y\",0,bandwidth,2666666667,bytes_per_second\n");
  REQUIRE(swept.complaints.size() == 1);
  CHECK_THAT(swept.complaints[0], Catch::Contains("what=throw") && Catch::Contains("rank 0 waits"));
}

TEST_CASE("collected as JSON Lines, each row has an object and each failure an error") {
  Swept swept({"a", "throw", "missing"});
  std::string text;
  const auto lines = sweep::jsonl_collector(swept.points.axes, [&text](const std::string& part) { text += part; });
  const Summary summary = swept.collect(*lines);
  CHECK(summary.ok == 1);
  CHECK(summary.failed == 1);
  CHECK(summary.missing == 1);
  std::istringstream in(text);
  std::string line;
  REQUIRE(std::getline(in, line));
  const json a = json::parse(line);
  CHECK(a["what"] == "a");
  CHECK(a["row"] == 0);
  CHECK(a["latency_fs"] == 1000000);
  CHECK(a["bandwidth_bytes_per_second"] == 8e9);
  REQUIRE(std::getline(in, line));
  CHECK(json::parse(line)["error"] == "rank 0 waits for rank 1");
  CHECK_FALSE(std::getline(in, line));
}

TEST_CASE("collected as wide CSV, each row of a point has a line with all columns, and each failure an error") {
  Swept swept({"a", "x,y", "throw", "missing"});
  sweep::Result more = *swept.results.find(id_of("a"));
  more.rows.rows.emplace_back().bytes("size", 16_B).count("retries", 9007199254740993);
  swept.replace(more);
  std::string text;
  const auto csv = sweep::wide_csv_collector(swept.points.axes, [&text](const std::string& part) { text += part; });
  swept.collect(*csv);
  const std::string a = id_of("a");
  CHECK(text == "point,what,row,size_bytes,latency_fs,iterations,mode,retries,bandwidth_bytes_per_second,error\n" +  //
                    a + ",a,0,8,1000000,100,a,,8000000000,\n" +                                                      //
                    a + ",a,1,16,,,,9007199254740993,,\n" +                                                          //
                    id_of("x,y") + ",\"x,y\",0,8,3000000,100,\"x,y\",,2666666667,\n" +                               //
                    id_of("throw") + ",throw,,,,,,,,rank 0 waits for rank 1\n");
}

TEST_CASE("collected as wide CSV, nothing leaves a header") {
  Swept swept({"missing"});
  std::string text;
  const auto csv = sweep::wide_csv_collector(swept.points.axes, [&text](const std::string& part) { text += part; });
  CHECK(swept.collect(*csv).missing == 1);
  CHECK(text == "point,what,row,error\n");
}

TEST_CASE("an axis of quantities is a column of numbers in base units, whatever collects it") {
  sweep::Points points = fake_points({"10 ns", "1us"});
  points.axes = {report::AxisColumn("what", {R"("10 ns")", R"("1us")"})};
  MemoryResults results;
  run(points, results, fake_sweep_simulate, {});
  const auto told = [&](auto collector_of) {
    std::string text;
    sweep::collect(points, results, *collector_of(points.axes, [&text](const std::string& part) { text += part; }),
                   [](const std::string&) {});
    return text;
  };
  CHECK_THAT(told(sweep::csv_collector),
             Catch::StartsWith("point,what_fs,row,") && Catch::Contains(",10000000,0,latency,5000000,fs\n"));
  CHECK_THAT(told(sweep::wide_csv_collector),
             Catch::StartsWith("point,what_fs,row,") && Catch::Contains(",1000000000,0,8,"));
  CHECK_THAT(told(sweep::jsonl_collector), Catch::Contains(R"("what_fs":10000000,"row":0)"));

  const TemporaryFolder folder;
  const auto file = folder.path() / "r.sqlite";
  sweep::collect(points, results, *sweep::sqlite_collector(points.axes, file, "1.0"), [](const std::string&) {});
  CHECK(query(file, "SELECT what_fs, typeof(what_fs) FROM points") == "10000000|integer\n1000000000|integer\n");

  sweep::TableCollector table(points.axes);
  sweep::collect(points, results, table, [](const std::string&) {});
  CHECK(std::get<std::string>(table.rows().rows[1].cells()[0].second) == "1us");  // people read it as it was written
  CHECK(report::columns(table.rows())[0].key == "what_fs");
  CHECK(std::get<std::int64_t>(report::measured(table.rows(), table.rows().rows[1])[0].value) == 1'000'000'000);
}

TEST_CASE("collected in SQLite, measurements join points, and what failed has a table") {
  const TemporaryFolder folder;
  const auto file = folder.write("r.sqlite", "what was there");
  Swept swept({"a", "throw", "bb", "a"});
  {
    const auto sqlite = sweep::sqlite_collector(swept.points.axes, file, "1.0");
    const Summary summary = swept.collect(*sqlite);
    CHECK(query(file, "SELECT value FROM meta WHERE key = 'digest'") == summary.digest + "\n");
  }
  CHECK(query(file, "SELECT position, what, status FROM points") == "0|a|ok\n1|throw|failed\n2|bb|ok\n3|a|ok\n");
  CHECK(query(file,
              "SELECT what, value, unit FROM points JOIN measurements USING (point) WHERE measure = 'latency' "
              "AND value > 1000000") == "bb|2000000|fs\n");
  CHECK(query(file, "SELECT count(*) FROM measurements") == "10\n");
  CHECK(query(file, "SELECT message FROM failures") == "rank 0 waits for rank 1\n");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("accounts have a table in SQLite: of a run without a row") {
  const TemporaryFolder folder;
  Swept swept({"a"});
  sweep::Result result = *swept.results.find(id_of("a"));
  result.rows.accounts = report::Accounts{{{"poll", 3, 7_fs}}, 2, 64_B, {1, 32_B}, {4, 96_B}};
  result.rows.rows.front().account({{{"poll", 1, 2_fs}}, 1, 8_B, {}, {}});
  swept.replace(result);
  swept.collect(*sweep::sqlite_collector(swept.points.axes, folder.path() / "all.db", "1.0"));
  const std::string columns = "account, name, calls, ifnull(total_fs, '-'), ifnull(bytes, '-')";
  CHECK(query(folder.path() / "all.db", "select " + columns + " from accounts where row is null") ==
        "step|poll|3|7|-\nmessages|sent|2|-|64\ncopies|by cores|1|-|32\ncopies|by DMA|4|-|96\n");
  CHECK(query(folder.path() / "all.db", "select " + columns + " from accounts where row = 0") ==
        "step|poll|1|2|-\nmessages|sent|1|-|8\ncopies|by cores|0|-|0\ncopies|by DMA|0|-|0\n");
  CHECK(query(folder.path() / "all.db", "select distinct point from accounts") == id_of("a") + "\n");
}

TEST_CASE("collected in SQLite, values of an axis that are numbers compare as numbers") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "r.sqlite";
  Swept swept({"16", "4", "8 B"});
  swept.collect(*sweep::sqlite_collector(swept.points.axes, file, "1.0"));
  CHECK(query(file, "SELECT what, typeof(what) FROM points WHERE what > 5 ORDER BY position") ==
        "16|integer\n8 B|text\n");
}

TEST_CASE("an SQLite file that is given up leaves the old one") {
  const TemporaryFolder folder;
  const auto file = folder.write("r.sqlite", "what was there");
  sweep::sqlite_collector({"what"}, file, "1.0").reset();
  CHECK(std::filesystem::file_size(file) == 14);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("the digest follows ids, order, status and rows, and nothing else") {
  const std::string digest = summary_of({"a", "b", "throw"}).digest;
  CHECK(digest.size() == 32);
  CHECK(summary_of({"a", "b", "throw"}).digest == digest);
  CHECK(summary_of({"b", "a", "throw"}).digest != digest);
  CHECK(summary_of({"a", "b"}).digest != digest);
  CHECK(summary_of({"a", "missing", "throw"}).digest != digest);
}

TEST_CASE("the table has the axes in front, a name that is measured, too, is told apart") {
  Swept swept({"a", "bb"});
  swept.points.at = [at = swept.points.at](std::size_t i) {
    sweep::Point point = at(i);
    point.coordinates.push_back({"size", "8 B"});
    return point;
  };
  sweep::TableCollector table({"what", "size"});
  swept.collect(table);
  REQUIRE(table.rows().rows.size() == 2);
  const auto& cells = table.rows().rows[1].cells();
  CHECK(cells[0].first == "what");
  CHECK(std::get<std::string>(cells[0].second) == "bb");
  CHECK(cells[1].first == "size_axis");
  CHECK(cells[2].first == "size");
  CHECK(table.rows().rates.size() == 1);
  CHECK(table.cost().packet_hops == 4);
}

TEST_CASE("the columns of axes have one name in all rows of a sweep, and no two the same") {
  using Names = std::vector<std::string>;
  const auto keys = [](const std::vector<report::AxisColumn>& axes, const Names& taken) {
    Names out;
    for (const report::AxisColumn& axis : sweep::axis_columns(axes, taken)) out.push_back(axis.key());
    return out;
  };
  CHECK(keys({"point", "point_axis"}, {"point"}) == Names{"point_axis_axis", "point_axis"});
  CHECK(keys({"Seed", "seed", "lanes"}, {"latency"}) == Names{"Seed", "seed_axis", "lanes"});
  CHECK(keys({"what"}, {"WHAT", "what_axis"}) == Names{"what_axis_axis"});
  const report::AxisColumn size("size", Names{R"("8 B")", R"("4 KiB")"});
  CHECK(keys({size}, {"size_bytes"}) == Names{"size_axis_bytes"});
  CHECK(keys({size}, {"size"}) == Names{"size_axis_bytes"});
  CHECK(keys({size, "size_bytes"}, {}) == Names{"size_bytes", "size_bytes_axis"});

  // "mode" is measured by the second point only
  sweep::Points points = fake_points({"a", "b"});
  points.axes = {"mode"};
  points.at = [at = points.at](std::size_t i) {
    sweep::Point point = at(i);
    point.coordinates = {{"mode", std::to_string(i)}};
    return point;
  };
  MemoryResults results;
  for (const char* what : {"a", "b"}) {
    sweep::Result result;
    result.id = id_of(what);
    result.ok = true;
    report::Row& row = result.rows.rows.emplace_back().count("iterations", 1);
    if (*what == 'b') row.text("mode", "fast");
    results.keep(result);
  }
  std::string text;
  const auto lines = sweep::jsonl_collector(points.axes, [&text](const std::string& part) { text += part; });
  sweep::collect(points, results, *lines, [](const std::string&) {});
  CHECK_THAT(text, Catch::Contains(R"("mode_axis":0,"row":0,"iterations":1})") &&
                       Catch::Contains(R"("mode_axis":1,"row":0,"iterations":1,"mode":"fast"})"));
  sweep::TableCollector table(points.axes);
  sweep::collect(points, results, table, [](const std::string&) {});
  for (const report::Row& row : table.rows().rows) CHECK(row.cells().front().first == "mode_axis");
}

TEST_CASE("what a failed point measured is not collected") {
  Swept swept({"a"});
  sweep::Result broken = *swept.results.find(id_of("a"));
  broken.ok = false;
  broken.messages = {"too late"};
  swept.replace(broken);
  std::string text;
  const auto csv = sweep::csv_collector(swept.points.axes, [&text](const std::string& part) { text += part; });
  CHECK(swept.collect(*csv).failed == 1);
  CHECK(text == "point,what,row,measure,value,unit\n");
}

}  // namespace sweep_collect_test
