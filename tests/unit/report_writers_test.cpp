// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/catalog.hpp"
#include "report/csv.hpp"
#include "report/digest.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "support/catch.hpp"
#include "unit/report_fixture.hpp"

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
        " size   latency  iterations  mode  bandwidth\n"
        "  8 B  0.912 us         100  pio   8.77 MB/s\n"
        "4 KiB  2.048 us         100  dma   2.00 GB/s\n");
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

TEST_CASE("json holds the run, integer rows, the cost and the digest") {
  const report::Rows rows = test::ping_pong_rows();
  const ordered_json out = ordered_json::parse(written("json", rows));
  CHECK(out["tsunagi"] == "1.2.3");
  CHECK(out["run"] == ordered_json{{"name", "pair"}});
  CHECK(out["rows"].size() == 2);
  CHECK(out["rows"][0] ==
        ordered_json{{"size_bytes", 8}, {"latency_fs", 912000000}, {"iterations", 100}, {"mode", "pio"}});
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
