// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace check_baseline_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

/// Figures over a run between two terminals of a crossbar, whose latency is a part of it.
class Bench {
 public:
  Bench() {
    write_run(10);
    write_figures("fast", "later");
  }
  void write_run(int cycles) const {
    folder_.write("configs/runs/r.json", R"({
      "machine": {"name": "m", "topology": {"kind": "crossbar", "terminals": 2,
        "router": {"kind": "router", "latency": )" +
                                             std::to_string(cycles) +
                                             R"(}, "terminal": {"kind": "terminal"}, "wire": {"kind": "link"}}},
      "library": {"kind": "datagram"},
      "scenario": {"kind": "ping_pong", "sizes": ["8 B"], "iterations": 2}})");
  }
  void write_figures(const std::string& simulated, const std::string& later) const {
    folder_.write("configs/figures/s.json", R"({"system": "s", "paper": "p", "figures": [
      {"id": ")" + simulated +
                                                R"(", "measure": "m", "compare": "at_most", "value": 1, "unit": "us",
       "section": "1", "basis": "unseen", "first_run": "2026-11-20",
       "runs": [{"name": "r", "file": "../runs/r.json"}], "expression": "min(r.latency)/us"},
      {"id": ")" + later + R"(", "measure": "m", "compare": "at_most", "value": 1, "unit": "us", "section": "1"}]})");
  }
  Ended check(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"check", "--configs", (folder_.path() / "configs").string()});
    return run_program(more);
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("check pins what it wrote itself, and exits with 1 when a figure is not exactly that") {
  const Bench bench;
  const Ended written = bench.check({"--format", "json", "--out", bench.file("b.json")});
  CHECK(written.exit_code == 0);
  CHECK(written.out.empty());
  const Ended same = bench.check({"--baseline", bench.file("b.json")});
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Catch::Contains("2 exactly as before, 0 moved, 0 new, 0 gone\n"));
  bench.write_run(11);
  const Ended moved = bench.check({"--baseline", bench.file("b.json")});
  CHECK(moved.exit_code == 1);
  CHECK_THAT(moved.out, Catch::Contains("1 pass, 0 miss") && Catch::Contains("1 exactly as before, 1 moved") &&
                            Catch::Contains("\nmoved  fast: 0.") && Catch::Contains("; run \"r\": digest "));
  const Ended as_json = bench.check({"--baseline", bench.file("b.json"), "--format", "json"});
  CHECK(as_json.exit_code == 1);
  CHECK_THAT(as_json.err, Catch::Contains("moved  fast: 0."));
  const json before = json::parse(content(bench.file("b.json")))["figures"];
  const json now = json::parse(as_json.out)["figures"];
  CHECK(now[0]["moved"] == true);
  CHECK(now[0]["baseline"] == before[0]["simulated"]);
  CHECK(now[1]["moved"] == false);
  CHECK(now[1]["baseline"].is_null());
  const Ended as_csv = bench.check({"--baseline", bench.file("b.json"), "--format", "csv"});
  CHECK_THAT(as_csv.out, Catch::Contains(",deviation,digests,baseline,moved\n") && Catch::Contains(",true\n"));
}

TEST_CASE("check says which figures are new or gone, of the systems that it looks at") {
  const Bench bench;
  REQUIRE(bench.check({"--format", "json", "--out", bench.file("b.json")}).exit_code == 0);
  bench.write_figures("fast", "other");
  const Ended end = bench.check({"--baseline", bench.file("b.json"), "--junit", bench.file("j.xml")});
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.out, Catch::Contains("1 new, 1 gone\nnew    other\ngone   later\n"));
  CHECK_THAT(content(bench.file("j.xml")),
             Catch::Contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"") &&
                 Catch::Contains("classname=\"s\" name=\"later\">\n      <failure message=\"gone: "));
  CHECK_THAT(bench.check({"--baseline", bench.file("b.json"), "--system", "s"}).out, Catch::Contains("gone   later"));
  json pinned = json::parse(content(bench.file("b.json")));
  pinned["figures"][1] = {{"id", "x"}, {"system", "other"}, {"simulated", 1}};
  bench.write("o.json", pinned.dump());
  const Ended elsewhere = bench.check({"--baseline", bench.file("o.json")});
  CHECK(elsewhere.exit_code == 1);
  CHECK_THAT(elsewhere.out, Catch::Contains(" 1 gone;"));
  const Ended here = bench.check({"--baseline", bench.file("o.json"), "--system", "s"});
  CHECK(here.exit_code == 0);
  CHECK_THAT(here.out, Catch::Contains(" 0 gone;"));
  CHECK_THAT(bench.check({"--baseline", bench.file("b.json"), "--id", "fast"}).out, Catch::Contains("0 new, 0 gone"));
}

TEST_CASE("check --junit writes what continuous integration servers read") {
  const Bench bench;
  const Ended end = bench.check({"--junit", bench.file("j.xml")});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("2 figures: 1 pass"));
  CHECK_THAT(content(bench.file("j.xml")), Catch::Contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\">") &&
                                               Catch::Contains("<testcase classname=\"s\" name=\"fast\" time=\"0.") &&
                                               Catch::Contains("<property name=\"simulated\" value=\"0."));
  const std::string read =
      "python3 -c 'import sys, xml.etree.ElementTree as e; "
      "sys.exit(len(list(e.parse(sys.argv[1]).iter(\"testcase\"))))' " +
      bench.file("j.xml");
  constexpr int no_python = 127;
  const int status = WEXITSTATUS(std::system(read.c_str()));
  if (status != no_python) CHECK(status == 2);
}

TEST_CASE("a baseline that pins none of the figures is refused, in JUnit too") {
  const Bench bench;
  bench.write("old.json", R"({"figures": [{"id": "x", "system": "other", "simulated": 1}]})");
  bench.write("none.json", R"({"figures": []})");
  for (const auto& [file, has] : {std::pair("old.json", "1, such as x"), std::pair("none.json", "none at all")}) {
    const Ended end = bench.check({"--baseline", bench.file(file), "--junit", bench.file("j.xml")});
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err,
               Catch::Contains("/figures: has none of the 2 figures that are checked, but " + std::string(has)));
    CHECK_THAT(content(bench.file("j.xml")), Catch::Contains("errors=\"1\"") && Catch::Contains(has));
  }
}

TEST_CASE("check refuses baselines and outputs that cannot be, before it simulates") {
  const Bench bench;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    expect_refusal(bench.check(more), why);
  };
  refused({"--baseline", bench.file("none.json")}, "none.json");
  refused({"--baseline", bench.write("empty.json", "").string()}, "empty.json");
  refused({"--baseline", bench.write("run.json", R"({"rows": []})").string()}, "run.json:1:1: is no baseline");
  refused({"--baseline", bench.file("configs")}, "configs");
  refused({"--junit", bench.file("no/j.xml")}, "there is no folder");
  refused({"--junit", "-"}, "--junit needs the name of a file");
  refused({"--junit", bench.file("x"), "--out", bench.file("x")}, "name the same file");
  refused({"--junit", bench.file("x"), "--out", bench.file("configs/../x")}, "name the same file");
  refused({"--baseline", "-"}, "stdin");
  refused({"--junit", bench.file("configs/figures/s.json")}, "would be written over");
  const std::string baseline = bench.write("b.json", R"({"figures": []})").string();
  refused({"--baseline", baseline, "--out", baseline}, "would be written over");
  refused({"--sensitivity", "--baseline", baseline}, "leave out --baseline");
  refused({"--sensitivity", "--junit", "x"}, "leave out --junit");
}

}  // namespace check_baseline_test
