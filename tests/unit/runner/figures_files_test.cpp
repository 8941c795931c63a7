// SPDX-License-Identifier: Apache-2.0
#include "figures/figure_files.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace figures_files_test {

using namespace tsunagi;

namespace {

std::string file_with(const std::string& figures) {
  return "{\"system\": \"s\", \"paper\": \"p\", \"figures\": [\n" + figures + "\n]}";
}

std::string figure(const std::string& id, const std::string& more) {
  return "{\"id\": \"" + id + "\", \"measure\": \"m\", \"unit\": \"us\", \"section\": \"1\", " + more + "}";
}

std::vector<figures::FigureEntry> read(const std::string& figures) {
  return figures::read_figures(config::parse(file_with(figures), "f.json"));
}

}  // namespace

TEST_CASE("a figure file is read with what belongs to each comparison") {
  const auto all = read(figure("a", R"("compare": "near", "value": 1, "tolerance": 0.05)") + "," +
                        figure("b", R"("compare": "between", "value": 1, "upper": 2)") + "," +
                        figure("c", R"("compare": "near", "value": 3)"));
  REQUIRE(all.size() == 3);
  CHECK(all[0].system == "s");
  CHECK(all[0].figure.tolerance == 0.05);
  CHECK(all[1].figure.upper == 2);
  CHECK(figures::published(all[0].figure) == "1 +-5%");
  CHECK(figures::published(all[1].figure) == "1 .. 2");
  CHECK(figures::published(all[2].figure) == "3");
}

TEST_CASE("a figure that contradicts itself is refused at its line") {
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1, "tolerance": 0.1)")),
                    Catch::Contains("f.json:2:1"));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "between", "value": 1)")), Catch::Contains("\"upper\""));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1, "upper": 3)")), Catch::Contains("\"upper\""));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1, "expression": "1")")),
                    Catch::Contains("\"runs\""));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "nearly", "value": 1)")), Catch::Contains("near"));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1)") + ",\n" +
                         figure("a", R"("compare": "at_most", "value": 1)")),
                    Catch::Contains("f.json:3:8: /figures/1/id: figure a is here twice"));
}

TEST_CASE("a figure moves with one of its file that has a sensitivity of its own") {
  const auto with = [](const std::string& id, const std::string& more) {
    return figure(id, R"("compare": "at_most", "value": 5, "first_run": "2026-11-20",
        "runs": [{"name": "r", "file": "x.json"}], "expression": "1")" +
                          more);
  };
  const auto all = read(with("a", "") + "," + with("b", R"(, "moves_with": "a")"));
  CHECK(all[1].figure.moves_with == "a");
  CHECK_THROWS_WITH(read(with("a", R"(, "moves_with": "c")")), Catch::Contains("there is no figure \"c\""));
  CHECK_THROWS_WITH(read(with("a", R"(, "moves_with": "a")")),
                    Catch::Contains("figure a has no sensitivity of its own"));
  CHECK_THROWS_WITH(
      read(figure("a", R"("compare": "at_most", "value": 1)") + "," + with("b", R"(, "moves_with": "a")")),
      Catch::Contains("figure a has no sensitivity of its own"));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1, "moves_with": "a")")),
                    Catch::Contains("\"runs\""));
}

TEST_CASE("what takes minutes has runs") {
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1, "takes": "minutes")")),
                    Catch::Contains("\"takes\" belongs to a figure with \"runs\""));
}

TEST_CASE("a figure with a run may say where plots show it") {
  const std::string run =
      R"("compare": "at_most", "value": 5, "basis": "unseen", "first_run": "2026-11-20",
          "runs": [{"name": "r", "file": "x.json"}], "expression": "1")";
  const auto all =
      read(figure("a", run + R"(, "point": {"x": "size", "at": "8 KiB", "y": "latency"})") + "," + figure("b", run));
  CHECK(all[0].figure.point.x == "size");
  CHECK(all[0].figure.point.at == "8 KiB");
  CHECK(all[0].figure.point.y == "latency");
  CHECK(all[1].figure.point.x.empty());
  CHECK_THROWS_WITH(read(figure("a", run + R"(, "point": {"x": "size", "at": "8 KiB"})")),
                    Catch::Contains("/figures/0/point: missing required field \"y\""));
  CHECK_THROWS_WITH(read(figure("a", run + R"(, "point": {"x": "size", "place": "8 KiB", "y": "latency"})")),
                    Catch::Contains("unknown key \"place\""));
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 5, "point": {"x": "s", "at": "1", "y": "t"})")),
                    Catch::Contains("\"point\" belongs to a figure with \"runs\""));
}

TEST_CASE("a figure with a run says what it proves, and since when") {
  const auto with = [](const std::string& role) {
    return read(figure("a", R"("compare": "at_most", "value": 1, "runs": [{"name": "r", "file": "x.json"}],
      "expression": "1", )" + role));
  };
  const figures::Figure derived = with(R"("role": "derived", "reason": "w", "first_run": "2026-11-20")").at(0).figure;
  CHECK(derived.role == figures::Role::derived);
  CHECK(derived.reason == "w");
  const figures::Figure seen = with(R"("basis": "loose_bound", "first_run": "2026-11-20")").at(0).figure;
  CHECK(seen.role == figures::Role::predicted);
  CHECK(figures::name_of(seen.basis) == "loose_bound");
  CHECK(seen.first_run == "2026-11-20");
  CHECK_NOTHROW(with(R"("role": "fitted", "first_run": "2026-11-20")"));
  CHECK_NOTHROW(read(figure("a", R"("compare": "at_most", "value": 1, "role": "fitted")")));  // declared before its run

  const auto refused = [&](const std::string& role, const std::string& why) {
    CHECK_THROWS_WITH(with(role), Catch::Contains(why));
  };
  refused(R"("role": "fitted", "basis": "unseen", "first_run": "2026-11-20")",
          "\"basis\" belongs to a \"predicted\" figure with \"runs\"");
  refused(R"("role": "derived", "first_run": "2026-11-20")", "need a \"reason\"");
  refused(R"("basis": "mechanism_added_after", "first_run": "2026-11-20")", "need a \"reason\"");
  refused(R"("basis": "unsen", "first_run": "2026-11-20")", "did you mean \"unseen\"");
  for (const char* date : {"20 November", "2026-13-01", "2026-1-1", "2026-11-20T00:00"})
    refused(R"("basis": "unseen", "first_run": ")" + std::string(date) + "\"", "is no date; write it as in 2026-11-20");
  CHECK_THROWS_WITH(read(figure("a", R"("compare": "at_most", "value": 1, "first_run": "2026-11-20")")),
                    Catch::Contains("\"first_run\" belongs to a figure with \"runs\""));
}

TEST_CASE("a figure of one's own needs no paper and none of the house's words") {
  const auto all = figures::read_figures(config::parse(R"({"system": "mine", "figures": [{"id": "a", "measure": "m",
    "compare": "at_most", "value": 1, "unit": "us", "runs": [{"name": "r", "file": "x.json"}], "expression": "1"}]})",
                                                       "f.json"));
  REQUIRE(all.size() == 1);
  CHECK(figures::role_of(all[0].figure) == "predicted");
  CHECK(all[0].figure.basis == figures::Basis::none);
}

TEST_CASE("runs and expressions are checked where they stand") {
  const auto with = [](const std::string& runs, const std::string& expression) {
    return read(
        figure("a", R"("compare": "at_most", "value": 1, "basis": "unseen", "first_run": "2026-11-20", "runs": )" +
                        runs + ", \"expression\": \"" + expression + "\""));
  };
  CHECK_NOTHROW(with(R"([{"name": "r", "file": "x.json"}])", "max(r.t)"));
  CHECK_THROWS_WITH(with(R"([{"name": "r", "file": "x.json"}])", "max(q.t)"),
                    Catch::Contains("/figures/0/expression: figure a: "));
  CHECK_THROWS_WITH(with(R"([{"name": "r-1", "file": "x.json"}])", "1"), Catch::Contains("no name"));
  CHECK_THROWS_WITH(with(R"([{"name": "r", "file": "x.json"}, {"name": "r", "file": "y.json"}])", "1"),
                    Catch::Contains("two runs"));
  CHECK_THROWS_WITH(with(R"([{"name": "r", "file": "x.json", "where": ["mode"]}])", "1"),
                    Catch::Contains("column=text"));
}

TEST_CASE("an id may be in one file only, and missed.json lists known ids once") {
  const test::TemporaryFolder folder;
  const std::string one = file_with(figure("fig-1", R"("compare": "at_most", "value": 1)"));
  const auto a = folder.write("a.json", one);
  const auto b = folder.write("b.json", one);
  CHECK_THROWS_WITH(figures::load_figures({a, b}), Catch::Contains("is also in"));

  const auto missed = [&](const std::string& id, int times) {
    const std::string entry = R"({"id": ")" + id + R"(", "simulated": 1.5, "missing_mechanism": "m", "tried": "t"})";
    return folder.write("missed.json", "{\"missed\": [" + entry + (times == 2 ? ", " + entry : "") + "]}");
  };
  const auto figures = figures::load_figures({a});
  CHECK(figures::load_missed({a}, figures).empty());
  const auto list = figures::load_missed({a, missed("fig-1", 1)}, figures);
  REQUIRE(list.size() == 1);
  CHECK_FALSE(figures::has_moved(list[0], 1.514));
  CHECK(figures::has_moved(list[0], 1.516));
  CHECK_THROWS_WITH(figures::load_missed({missed("fig-2", 1)}, figures), Catch::Contains("did you mean \"fig-1\""));
  CHECK_THROWS_WITH(figures::load_missed({missed("fig-1", 2)}, figures), Catch::Contains("twice"));
}

}  // namespace figures_files_test
