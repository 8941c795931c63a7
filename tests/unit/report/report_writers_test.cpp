// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/catalog.hpp"
#include "report/digest.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/formats/table.hpp"
#include "support/catch.hpp"
#include "unit/report/report_fixture.hpp"

namespace report_writers_test {

using namespace tsunagi;
using nlohmann::ordered_json;

namespace {

std::string written(const std::string& format, const report::Rows& rows, const std::string& title = "") {
  const ordered_json run = {{"name", "pair"}};
  return report::find_writer(format)->write({"1.2.3", title, [&] { return run; }, rows, {0.5, 0.25, 1024, 7, 9, 2_ms}});
}

}  // namespace

TEST_CASE("a table is aligned and speaks in human units") {
  CHECK(written("table", test::ping_pong_rows()) ==
        " size   latency  iterations  mode     bandwidth\n"
        "  8 B  0.912 us         100  pio      8.77 MB/s\n"
        "4 KiB  2.048 us         100  dma   2000.00 MB/s\n");
}

TEST_CASE("a table stands under its title and says when it is empty") {
  CHECK(written("table", report::Rows{}, "PIO") == "PIO\n\n(no rows)\n");
}

TEST_CASE("one time unit serves a whole column") {
  report::Recorder recorder;
  recorder.row().time("t", 900_ps);
  recorder.row().time("t", 50_ns);
  CHECK(written("table", recorder.rows()) == "        t\n 0.900 ns\n50.000 ns\n");
}

TEST_CASE("cells that a row lacks stay empty") {
  report::Recorder recorder;
  recorder.rate("rate", "size", "time");
  recorder.row().bytes("size", 1_B);
  recorder.row().time("time", 1_us);
  CHECK(written("csv", recorder.rows()) == "size_bytes,time_fs,rate_bytes_per_second\n1,,\n,1000000000,\n");
  CHECK(written("table", recorder.rows()).find('-') != std::string::npos);
}

TEST_CASE("csv names the units in its header and holds base units") {
  CHECK(written("csv", test::ping_pong_rows()) ==
        "size_bytes,latency_fs,iterations,mode,bandwidth_bytes_per_second\n"
        "8,912000000,100,pio,8771930\n"
        "4096,2048000000,100,dma,2000000000\n");
}

TEST_CASE("csv quotes what would break a line") {
  report::Recorder recorder;
  recorder.row().text("who, what", "a \"b\"\nc");
  CHECK(written("csv", recorder.rows()) == "\"who, what\"\n\"a \"\"b\"\"\nc\"\n");
}

TEST_CASE("json has the version of the models apart from the program's") {
  const report::Rows rows = test::ping_pong_rows();
  const std::string text =
      report::find_writer("json")->write({"1.2.3+models.ab", "", [] { return ordered_json(); }, rows, {}});
  CHECK(ordered_json::parse(text)["tsunagi"] == "1.2.3");
  CHECK(ordered_json::parse(text)["models"] == "ab");
}

TEST_CASE("json holds the run, integer rows, the cost and the digest") {
  const report::Rows rows = test::ping_pong_rows();
  const ordered_json out = ordered_json::parse(written("json", rows));
  CHECK(out["tsunagi"] == "1.2.3");
  CHECK_FALSE(out.contains("models"));
  CHECK(out["run"] == ordered_json{{"name", "pair"}});
  CHECK(out["rows"].size() == 2);
  CHECK(out["rows"][0] == ordered_json{{"size_bytes", 8},
                                       {"latency_fs", 912000000},
                                       {"iterations", 100},
                                       {"mode", "pio"},
                                       {"bandwidth_bytes_per_second", 8771930}});
  CHECK(out["cost"] == ordered_json{{"wall_s", 0.5},
                                    {"cpu_s", 0.25},
                                    {"peak_rss_bytes", 1024},
                                    {"wakeups", 7},
                                    {"packet_hops", 9},
                                    {"simulated_s", 0.002}});
  CHECK(out["digest"] == report::digest(rows));
}

TEST_CASE("a name that already says its unit is left alone") {
  report::Recorder recorder;
  recorder.row().bytes("bytes", 1_B).bytes("sent_bytes", 2_B).time("gap_fs", 3_fs).bytes("kilobytes", 4_B);
  CHECK(report::rows_to_json(recorder.rows())[0].dump() ==
        R"({"bytes":1,"sent_bytes":2,"gap_fs":3,"kilobytes_bytes":4})");
}

TEST_CASE("json has the columns and the values of csv") {
  report::Recorder recorder;
  recorder.rate("rate", "size", "time");
  recorder.row().bytes("size", 1_B).time("time", 3_us).text("beats", "a, b");
  recorder.row().bytes("size", 1_B).count("n", 9223372036854775807);
  recorder.row().bytes("size", 1_KiB).time("time", 300_ns);
  CHECK(written("csv", recorder.rows()) ==
        "size_bytes,time_fs,beats,n,rate_bytes_per_second\n"
        "1,3000000000,\"a, b\",,333333\n"
        "1,,,9223372036854775807,\n"
        "1024,300000000,,,3413333333\n");
  CHECK(ordered_json::parse(written("json", recorder.rows()))["rows"].dump() ==
        R"([{"size_bytes":1,"time_fs":3000000000,"beats":"a, b","rate_bytes_per_second":333333},)"
        R"({"size_bytes":1,"n":9223372036854775807},)"
        R"({"size_bytes":1024,"time_fs":300000000,"rate_bytes_per_second":3413333333}])");
}

TEST_CASE("an axis is text in tables, a number in the base unit elsewhere") {
  report::Rows rows;
  rows.axes = {report::AxisColumn("flight", {R"("10 ns")", R"("1 us")"}), "on"};
  rows.rows.emplace_back().text("flight", "10 ns").text("on", "true").count("n", 1);
  rows.rows.emplace_back().text("flight", "1 us").text("on", "[1,2]").count("n", 2);
  CHECK(written("csv", rows) == "flight_fs,on,n\n10000000,true,1\n1000000000,\"[1,2]\",2\n");
  CHECK(report::rows_to_json(rows).dump() ==
        R"([{"flight_fs":10000000,"on":true,"n":1},{"flight_fs":1000000000,"on":"[1,2]","n":2}])");
  CHECK_THAT(written("table", rows), Catch::Contains("10 ns"));
}

TEST_CASE("in a table sizes stand as in configs, measured amounts share a unit, shares are percentages") {
  report::Recorder recorder;
  recorder.row().bytes("size", 8_B).bytes("sent", 1000_B).count("load_ppm", 125'000).text("name", "a");
  recorder.row().bytes("size", 1_MiB).bytes("sent", 1_MiB).count("load_ppm", 1'000'000).count("name_ppm", 10'000);
  CHECK(written("table", recorder.rows()) ==
        " size       sent     load  name  name_ppm\n"
        "  8 B     1000 B   12.5 %  a\n"
        "1 MiB  1048576 B  100.0 %             1 %\n");
}

TEST_CASE("axes of numbers and quantities stand right in a table, others left") {
  report::Rows rows;
  rows.axes = {report::AxisColumn("flight", {R"("10 ns")", R"("1 us")"}), "seed", "machine"};
  rows.rows.emplace_back().text("flight", "1 us").text("seed", "10").text("machine", "ring");
  rows.rows.emplace_back().text("flight", "10 ns").text("seed", "9").text("machine", "torus");
  CHECK(written("table", rows) ==
        "flight  seed  machine\n"
        "  1 us    10  ring\n"
        " 10 ns     9  torus\n");
}

TEST_CASE("an axis has a unit if all its values are quantities of one kind") {
  using report::AxisColumn;
  const auto key = [](const std::vector<std::string>& values) { return AxisColumn("x", values).key(); };
  CHECK(key({R"("10 ns")", R"("1 s")"}) == "x_fs");
  CHECK(key({R"("128 B")"}) == "x_bytes");
  CHECK(key({R"("1 GB/s")"}) == "x_bytes_per_second");
  CHECK(key({R"("5 GT/s")", R"("250 MHz")"}) == "x_hz");
  CHECK(key({R"("3 m")"}) == "x_um");
  CHECK(key({R"("10 %")"}) == "x_ppm");
  CHECK(key({"1", "2.5"}) == "x");
  CHECK(key({R"("10 ns")", R"("128 B")"}) == "x");
  CHECK(key({R"("10 ns")", "3"}) == "x");
  CHECK(key({R"("infinite")", R"("1 GB/s")"}) == "x");
  CHECK(key({}) == "x");
  CHECK(AxisColumn("limit_fs", {R"("10 ns")"}).key() == "limit_fs");
}

TEST_CASE("a place on an axis is a number as exact as it was written") {
  using report::AxisColumn;
  const auto value = [](const char* unit, const char* shown) {
    AxisColumn axis("x");
    axis.unit = unit;
    return report::to_json(axis.value(shown)).dump();
  };
  CHECK(value("fs", "9000.000000000000001 s") == "9000000000000000001");  // no double holds it
  CHECK(value("bytes", "4KiB") == "4096");
  CHECK(value("bytes_per_second", "2.5 GB/s") == "2500000000");
  CHECK(value("bytes_per_second", "4 b/s") == "0.5");
  CHECK(value("hz", "5 GT/s") == "5000000000");
  CHECK(value("um", "3 m") == "3000000");
  CHECK(value("ppm", "12.5 %") == "125000");
  CHECK(value("", "9007199254740993") == "9007199254740993");
  CHECK(value("", "18446744073709551615") == R"("18446744073709551615")");
  CHECK(value("", "0.1") == "0.1");
  CHECK(value("", "-3") == "-3");
  CHECK(value("", "torus_4x4") == R"("torus_4x4")");
  CHECK(value("", "null") == R"("null")");
}

TEST_CASE("the catalog finds writers by name, the table first") {
  REQUIRE_FALSE(report::writers().empty());
  CHECK(report::writers().front().name == "table");
  CHECK(report::find_writer("xml") == nullptr);
  for (const report::Writer& writer : report::writers()) {
    CHECK(report::find_writer(writer.name) == &writer);
    CHECK_FALSE(writer.doc.empty());
  }
}

}  // namespace report_writers_test
