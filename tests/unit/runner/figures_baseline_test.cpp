// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "config/message.hpp"
#include "figures/baseline.hpp"
#include "figures/check_text.hpp"
#include "figures/junit.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace figures_baseline_test {

using namespace tsunagi;
using figures::Baseline;
using figures::Compare;
using figures::FigureStatus;
using figures::Moves;
using figures::Verdict;

namespace {

Verdict verdict(const std::string& id, std::optional<double> simulated, const std::string& digest = "d0") {
  Verdict out;
  out.entry.system = "s";
  out.entry.figure.id = id;
  out.entry.figure.measure = "a measure";
  out.entry.figure.value = 2;
  out.entry.figure.tolerance = 0.05;
  out.entry.figure.unit = "us";
  out.entry.figure.runs = {{"r", "run.json", {}, {}}};
  out.simulated = simulated;
  out.status = simulated && agrees(out.entry.figure, *simulated) ? FigureStatus::pass : FigureStatus::miss;
  out.digests = {{"r", digest}};
  return out;
}

Verdict without_run(const std::string& id) {
  Verdict out = verdict(id, std::nullopt);
  out.entry.figure.runs.clear();
  out.digests.clear();
  out.status = FigureStatus::no_run;
  return out;
}

Baseline read(const std::string& text) {
  const test::TemporaryFolder folder;
  return figures::baseline_in(config::load(folder.write("b.json", text)));
}

Moves since(const Baseline& baseline, const std::vector<Verdict>& verdicts) {
  return figures::moves_since(baseline, verdicts, [](const figures::Pinned&) { return true; });
}

Baseline written(const std::vector<Verdict>& verdicts) { return read(figures::json({verdicts, "1.2", std::nullopt})); }

figures::Figure figure(Compare compare, double value, double upper = 0) {
  figures::Figure out;
  out.compare = compare;
  out.value = value;
  out.upper = upper;
  return out;
}

}  // namespace

TEST_CASE("a deviation is a fraction of the published value, of a range from its nearer end") {
  CHECK(figures::deviation(figure(Compare::near, 2), 2.1).value() == Approx(0.05));
  CHECK(figures::deviation(figure(Compare::near, -2), -2.1).value() == Approx(-0.05));
  CHECK(figures::deviation(figure(Compare::at_most, 10), 8).value() == Approx(-0.2));
  CHECK(figures::deviation(figure(Compare::between, 2, 4), 3.9).value() == Approx(-0.025));
  CHECK(figures::deviation(figure(Compare::between, 2, 4), 1.9).value() == Approx(-0.05));
  CHECK_FALSE(figures::deviation(figure(Compare::near, 0), 1));
}

TEST_CASE("a bound is told by how far a value is on its good or bad side") {
  CHECK(figures::deviation_text(figure(Compare::near, 2), 2.1) == "+5.00 %");
  CHECK(figures::deviation_text(figure(Compare::at_most, 10), 8) == "20.00 % inside");
  CHECK(figures::deviation_text(figure(Compare::at_least, 10), 8) == "20.00 % outside");
  CHECK(figures::deviation_text(figure(Compare::between, 2, 4), 4.2) == "5.00 % outside");
  CHECK(figures::deviation_text(figure(Compare::at_least, 0), 8) == "-");
}

TEST_CASE("what check wrote is a baseline of which nothing has moved") {
  const std::vector<Verdict> verdicts{verdict("a", 0.1 + 0.2), verdict("b", 1e-300), without_run("c")};
  const Baseline baseline = written(verdicts);
  CHECK(baseline.version == "1.2");
  const Moves moves = since(baseline, verdicts);
  CHECK(moves.all_hold());
  CHECK_THAT(figures::text(baseline, moves, verdicts),
             Catch::Contains("(tsunagi 1.2): 3 exactly as before, 0 moved, 0 new, 0 gone\n"));
}

TEST_CASE("a run of a figure that is gone moves it, whatever its value") {
  const Baseline baseline = written({verdict("a", 2)});
  Verdict now = verdict("a", 2);
  now.digests.clear();
  const Moves moves = since(baseline, {now});
  CHECK_FALSE(moves.all_hold());
  CHECK(moves.figures[0].what == "2 us as before, but other rows; run \"r\" is gone or failed");
}

TEST_CASE("a value moves by its last bit, and rows under the same value") {
  const Baseline baseline = written({verdict("a", 0.1 + 0.2), verdict("b", 2), verdict("c", 2), without_run("d")});
  const std::vector<Verdict> now{verdict("a", 0.3), verdict("b", 2, "d1"), verdict("new", 2), verdict("d", 2)};
  const Moves moves = since(baseline, now);
  CHECK_FALSE(moves.all_hold());
  CHECK(moves.figures[0].what == "0.30000000000000004 -> 0.3 us (-1.85e-14 %)");
  CHECK(moves.figures[1].what == "2 us as before, but other rows; run \"r\": digest d0 -> d1");
  CHECK(moves.figures[2].kind == Moves::Kind::added);
  CHECK(moves.figures[3].what == "no value -> 2 us; run \"r\" is new");
  REQUIRE(moves.gone.size() == 1);
  CHECK(moves.gone[0].id == "c");
  CHECK_THAT(figures::text(baseline, moves, now),
             Catch::Contains("0 exactly as before, 3 moved, 1 new, 1 gone\nmoved  a: ") &&
                 Catch::Contains("new    new\n") && Catch::EndsWith("gone   c\n"));
}

TEST_CASE("a baseline without digests pins values alone, and that is said") {
  const Baseline baseline = read(R"({"figures": [{"id": "a", "simulated": 2, "status": "pass"}]})");
  const std::vector<Verdict> now{verdict("a", 2)};
  const Moves moves = since(baseline, now);
  CHECK(moves.all_hold());
  CHECK_THAT(figures::text(baseline, moves, now), Catch::Contains("it has no digests"));
}

TEST_CASE("a baseline holds with figures that are new, and not when one of its own is gone") {
  const std::vector<Verdict> both{verdict("a", 2), verdict("b", 2)};
  CHECK(since(written({verdict("a", 2)}), both).all_hold());
  CHECK_FALSE(since(written(both), {verdict("a", 2)}).all_hold());
}

TEST_CASE("a baseline pins something if it has one of the figures") {
  const Verdict a = verdict("a", 2);
  CHECK(figures::pins_any(written({a, verdict("b", 2)}), {a.entry}));
  CHECK_FALSE(figures::pins_any(written({verdict("b", 2)}), {a.entry}));
  CHECK_FALSE(figures::pins_any(read(R"({"figures": []})"), {a.entry}));
}

TEST_CASE("check tells in JSON which figures of a baseline are gone, if it has one") {
  const std::vector<Verdict> now{verdict("a", 2)};
  figures::CheckReport report{now, "1.2", std::nullopt};
  CHECK_THAT(figures::json(report), !Catch::Contains("\"gone\""));
  report.moves = since(written({verdict("a", 2), verdict("b", 2)}), now);
  CHECK_THAT(figures::json(report), Catch::Contains("\"gone\": [\n    \"b\"\n  ]"));
}

TEST_CASE("a baseline that is none is refused with its place") {
  using Catch::Contains;
  CHECK_THROWS_WITH(read("{}"), Contains("b.json:1:1: is no baseline"));
  CHECK_THROWS_WITH(read("[]"), Contains("is no baseline"));
  CHECK_THROWS_WITH(read(""), Contains("b.json"));
  CHECK_THROWS_WITH(read(R"({"figures": [1]})"), Contains("b.json:1:14: /figures/0: must be an object"));
  CHECK_THROWS_WITH(read(R"({"figures": [{"simulated": 1}]})"), Contains("/figures/0: has no \"id\""));
  CHECK_THROWS_WITH(read(R"({"figures": [{"id": "a"}]})"), Contains("/figures/0: has no \"simulated\""));
  CHECK_THROWS_WITH(read(R"({"figures": [{"id": "a", "simulated": "1"}]})"),
                    Contains("/figures/0/simulated: must be a number or null"));
  CHECK_THROWS_WITH(read(R"({"figures": [{"id": "a", "simulated": 1, "digests": {"r": 1}}]})"),
                    Contains("/figures/0/digests/r: must be a string"));
  CHECK_THROWS_WITH(read(R"({"figures": [{"id": "a", "simulated": 1}, {"id": "a", "simulated": 1}]})"),
                    Contains("/figures/1: figure \"a\" is there twice"));
}

TEST_CASE("JUnit: misses and what moved are failures, no value an error, the known and the missing skipped") {
  Verdict known = verdict("known", 3);
  known.status = FigureStatus::known_miss;
  Verdict failed = verdict("failed", std::nullopt);
  failed.why = "run.json: rank 0 waits";
  Verdict other = verdict("other", 2);
  other.entry.system = "t";
  const std::vector<Verdict> now{
      verdict("good", 2), verdict("miss", 3), verdict("moved", 2.01), known, failed, without_run("later"), other};
  figures::CheckReport report{now, "1.2", std::nullopt};
  report.moves = since(written({verdict("moved", 2)}), now);
  const std::string xml = figures::junit(report, {{"known", 3, "no TLB", "t"}}, false);
  CHECK_THAT(
      xml, Catch::Contains("<testsuites name=\"tsunagi 1.2\" tests=\"7\" failures=\"2\" errors=\"1\" skipped=\"2\">"));
  CHECK_THAT(xml, Catch::Contains("<testsuite name=\"s\" tests=\"6\" failures=\"2\" errors=\"1\" skipped=\"2\">") &&
                      Catch::Contains("<testsuite name=\"t\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">"));
  CHECK_THAT(xml, Catch::Contains("<failure message=\"3 us, the paper has 2 +-5% us (+50.00 %)\" type=\"miss\">"));
  CHECK_THAT(xml, Catch::Contains("<failure message=\"moved: 2 -&gt; 2.01 us (+0.5 %)\" type=\"moved\">"));
  CHECK_THAT(xml, Catch::Contains("<skipped message=\"3 us, the paper has 2 +-5% us (+50.00 %); known: no TLB\">"));
  CHECK_THAT(xml, Catch::Contains("<error message=\"run.json: rank 0 waits\" type=\"no value\">"));
  CHECK_THAT(xml, Catch::Contains("<skipped message=\"it has no run yet\">"));
  CHECK_THAT(figures::junit(report, {}, true),
             Catch::Contains("<failure message=\"it has no run yet\" type=\"no run\">"));
}

TEST_CASE("JUnit has the numbers behind each verdict and the seconds that its runs took") {
  Verdict good = verdict("good", 2.02);
  good.wall_s = 1.2346;
  Verdict range = verdict("range", 2);
  range.entry.figure.compare = Compare::between;
  range.entry.figure.upper = 3;
  const std::vector<Verdict> now{good, range, without_run("later")};
  const std::string xml = figures::junit({now, "1", std::nullopt}, {}, false);
  CHECK_THAT(xml, Catch::Contains("<testcase classname=\"s\" name=\"good\" time=\"1.235\">\n      <properties>\n"
                                  "        <property name=\"simulated\" value=\"2.02\"/>\n"
                                  "        <property name=\"compare\" value=\"near\"/>\n"
                                  "        <property name=\"value\" value=\"2\"/>\n"
                                  "        <property name=\"tolerance\" value=\"0.05\"/>\n"
                                  "        <property name=\"unit\" value=\"us\"/>\n"
                                  "        <property name=\"deviation\" value=\"0.01"));
  CHECK_THAT(xml, Catch::Contains("<property name=\"compare\" value=\"between\"/>\n"
                                  "        <property name=\"value\" value=\"2\"/>\n"
                                  "        <property name=\"upper\" value=\"3\"/>\n"
                                  "        <property name=\"unit\""));
  CHECK_THAT(xml, Catch::Contains("name=\"later\">\n      <skipped"));
}

TEST_CASE("JUnit: what a baseline has and nobody else, and a check that could not be made, are no passes") {
  const std::vector<Verdict> now{verdict("a", 2)};
  figures::CheckReport report{now, "1", std::nullopt};
  report.moves = since(written({verdict("a", 2), verdict("b", 2)}), now);
  const std::string xml = figures::junit(report, {}, false);
  CHECK_THAT(xml, Catch::Contains("<testsuite name=\"s\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">") &&
                      Catch::Contains("<testcase classname=\"s\" name=\"b\">\n      <failure message=\"gone: "));
  CHECK_THAT(figures::junit_of_refusal("b.json: <none>", "1"),
             Catch::Contains("<testsuites name=\"tsunagi 1\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">") &&
                 Catch::Contains("<error message=\"b.json: &lt;none&gt;\" type=\"refused\">"));
}

TEST_CASE("JUnit says of a known miss that moved from where to where") {
  Verdict moved = verdict("a", 3);
  moved.why = "moved from 4";
  const std::vector<Verdict> now{moved};
  CHECK_THAT(
      figures::junit({now, "1", std::nullopt}, {{"a", 4, "m", "t"}}, false),
      Catch::Contains("<failure message=\"3 us, the paper has 2 +-5% us (+50.00 %); moved from 4\" type=\"miss\">"));
}

TEST_CASE("JUnit of a check that was interrupted has an error for each figure that it did not come to") {
  Verdict left = without_run("left");
  left.entry.figure.runs.emplace_back();
  const std::vector<Verdict> now{verdict("good", 2), left, without_run("later")};
  const std::string xml = figures::junit({now, "1", std::nullopt, true}, {}, false);
  CHECK_THAT(xml, Catch::Contains("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\"") &&
                      Catch::Contains("<error message=\"interrupted before it was judged\" type=\"interrupted\">"));
}

TEST_CASE("JUnit is well-formed whatever names and messages hold") {
  Verdict odd = verdict("a\"b<c>&'\x01\x1b[31m", std::nullopt);
  odd.entry.figure.measure = "]]> \xff \xef\xbf\xbf \n <!-- é";
  odd.why = "line\nof\ttext\x7f";
  const std::vector<Verdict> now{odd};
  const test::TemporaryFolder folder;
  const auto file = folder.write("j.xml", figures::junit({now, "1", std::nullopt}, {}, false));
  const int status =
      std::system(("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + file.string()).c_str());
  constexpr int no_python = 127;
  if (WEXITSTATUS(status) == no_python) {
    WARN("python3 is not there");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace figures_baseline_test
