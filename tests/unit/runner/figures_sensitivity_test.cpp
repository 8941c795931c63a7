// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "figures/sensitivity_text.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "unit/runner/runner_fixture.hpp"

namespace figures_sensitivity_test {

using namespace tsunagi;
using figures::Change;
using figures::FigureEntry;
using figures::Over;
using figures::Sensitivity;

namespace {

/// What changes_of makes of one parameter: "low 20 end", in order.
std::vector<std::string> changes(const std::string& value, const std::string& low, const std::string& high) {
  std::vector<std::string> out;
  for (const Change& c : figures::changes_of({{"p", "assumed", value, low, high, {}}}))
    out.push_back(c.value + (c.is_end ? " end" : "") + (c.is_tenth ? " tenth" : ""));
  return out;
}

using Changes = std::vector<std::string>;

std::int64_t bytes_of(const config::AnyConfig& part) { return part.as<test::AnythingConfig>().size.count(); }

/// Takes a nanosecond for each byte of the topology and a tenth of one for each of the library, but is broken with 333
/// B and 444 B.
runner::Counts simulate(const RunConfig& run, const std::string&, report::Recorder& recorder) {
  const std::int64_t size = bytes_of(run.machine.topology);
  if (size == 333) throw std::runtime_error("333 is no good");
  if (size == 444) throw std::runtime_error("too long\n  rank 0 waits");
  recorder.row().time("latency", Time::from_fs(1'000'000 * size + 100'000 * bytes_of(run.library)));
  return {};
}

/// A run with an assumed topology and library and a sourced scenario; the figure is its latency, 110 ns.
struct Bench {
  explicit Bench(const std::string& high = "300 B") {
    folder.write("topology.json", R"({"kind": "anything", "size": "100 B", "$sources": {
      "size": {"class": "assumed", "source": "s", "range": ["50 B", ")" +
                                      high + R"("]}}})");
    folder.write("run.json", R"({"machine": {"name": "m", "topology": {"$use": "topology.json"}},
      "library": {"kind": "anything", "size": "100 B", "$sources": {
        "what": {"class": "assumed", "source": "s", "range": ["", "x"]},
        "size": {"class": "fitted", "source": "s", "fitted_to": ["f"], "range": ["90 B", "120 B"]}}},
      "scenario": {"kind": "anything", "size": "5 B", "$sources": {"size": {"class": "paper", "source": "s"}}}})");
  }
  FigureEntry figure(const std::string& file = "run.json") const {
    FigureEntry entry;
    entry.system = "s";
    entry.file = folder.path() / "s.json";
    entry.figure.id = "f";
    entry.figure.value = 110;
    entry.figure.tolerance = 0.1;
    entry.figure.unit = "ns";
    entry.figure.role = figures::Role::fitted;
    entry.figure.runs = {{"r", file, {}, {}}};
    entry.figure.expression = "max(r.latency)/ns";
    return entry;
  }
  Sensitivity measured(int jobs = 2) const {
    runner::Options options;
    options.jobs = jobs;
    return figures::sensitivity({figure()}, test::fake_kinds(), simulate, options);
  }
  test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("sensitivity: a parameter goes to the ends of its range and 10 % down and up") {
  CHECK(changes("45", "20", "62") == Changes{"20 end", "40 tenth", "50 tenth", "62 end"});
  CHECK(changes("\"150 ns\"", "\"80 ns\"", "\"0.3 us\"") ==
        Changes{"\"80 ns\" end", "\"135 ns\" tenth", "\"165 ns\" tenth", "\"0.3 us\" end"});
  CHECK(changes("\"512 B\"", "\"256 B\"", "\"2 KiB\"") ==
        Changes{"\"256 B\" end", "\"460 B\" tenth", "\"564 B\" tenth", "\"2 KiB\" end"});
  CHECK(changes("\"1 GHz\"", "\"1 GHz\"", "\"2 GHz\"") ==
        Changes{"\"900 MHz\" tenth", "\"1.1 GHz\" tenth", "\"2 GHz\" end"});
  CHECK(changes("0.5", "0.5", "0.5") == Changes{"0.45 tenth", "0.55 tenth"});
  CHECK(changes("1.0", "1.0", "1.0") == Changes{"0.9 tenth", "1.1 tenth"});  // no count
}

TEST_CASE("sensitivity: small counts change by one, nothing goes below zero, one value is tried once") {
  CHECK(changes("4", "3", "16") == Changes{"3 end tenth", "5 tenth", "16 end"});
  CHECK(changes("0", "0", "40") == Changes{"1 tenth", "40 end"});
  CHECK(changes("\"0 ns\"", "\"0 ns\"", "\"60 ns\"") == Changes{"\"60 ns\" end"});
  CHECK(changes("\"off\"", "\"off\"", "\"on\"") == Changes{"\"on\" end"});
}

TEST_CASE("sensitivity: parameters are what is assumed or fitted, named by key and file") {
  const Bench bench;
  const figures::RunPlan plan({bench.figure()}, test::fake_kinds());
  const auto all = figures::parameters_of(plan);
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "size of topology.json");
  CHECK(all[0].value == "\"100 B\"");
  CHECK(all[0].low == "\"50 B\"");
  CHECK(all[0].high == "\"300 B\"");
  CHECK(all[0].places == std::vector<std::vector<std::string>>{{"/machine/topology/size"}});
  CHECK(all[1].name == "what of run.json");
  CHECK(all[2].source_class == "fitted");
}

TEST_CASE("sensitivity: a figure's interval, what moves it most and what takes it out of its tolerance") {
  const Sensitivity all = Bench().measured();
  REQUIRE(all.figures.size() == 1);
  CHECK(all.runs == 1 + 4 + 1 + 3);  // 90 B is an end and 10 % less
  CHECK(all.figures[0].now.value() == Approx(110));
  const auto ends = figures::spread_of(all, all.figures[0], Over::ends);
  CHECK(ends.low == Approx(60));
  CHECK(ends.high == Approx(310));
  CHECK(all.changes[ends.most.value()].value == "\"300 B\"");
  REQUIRE(ends.turn.size() == 2);
  CHECK(all.changes[ends.turn[0]].value == "\"50 B\"");
  const auto tenths = figures::spread_of(all, all.figures[0], Over::tenths);
  CHECK(tenths.low == Approx(100));
  CHECK(tenths.high == Approx(120));
  CHECK(tenths.turn.empty());
  const auto nothing = figures::unmoving(all);
  REQUIRE(nothing.size() == 1);
  CHECK(all.parameters[nothing[0]].name == "what of run.json");
}

TEST_CASE("sensitivity: of a figure that misses now is told what brings it into its tolerance") {
  const Bench bench;
  FigureEntry figure = bench.figure();
  figure.figure.value = 300;
  const Sensitivity all = figures::sensitivity({figure}, test::fake_kinds(), simulate, {});
  const auto ends = figures::spread_of(all, all.figures[0], Over::ends);
  REQUIRE(ends.turn.size() == 1);
  CHECK(all.changes[ends.turn[0]].value == "\"300 B\"");
  CHECK(figures::spread_of(all, all.figures[0], Over::tenths).turn.empty());
  const std::string table = figures::text(all);
  CHECK_THAT(table, Catch::Contains("0 figures leave their tolerance at an end of a parameter's range, 0 within 10 %\n"
                                    "of 1 that miss now: 1 comes in at an end, 0 within 10 %\n"));
  CHECK_THAT(table, Catch::Contains("f       300 +-10%      310  size of topology.json = 300 B  range\n"));
  CHECK_THAT(table, !Catch::Contains("= 50 B  range\n"));
  const auto json = nlohmann::json::parse(figures::json(all))["figures"][0]["range"];
  CHECK(json["out"].empty());
  CHECK(json["in"][0]["value"] == "300 B");
}

TEST_CASE("sensitivity: what a config or a simulation refuses is told, the rest is simulated") {
  const Sensitivity refused = Bench("2 MiB").measured();
  REQUIRE(refused.faults.size() == 1);
  CHECK(refused.faults[0].why == "/machine/topology/size: must be at most 1 MiB, not 2 MiB");
  const Sensitivity broken = Bench("333 B").measured();
  REQUIRE(broken.faults.size() == 1);
  CHECK_THAT(broken.faults[0].why, Catch::Contains("333 is no good"));
  const auto ends = figures::spread_of(broken, broken.figures[0], Over::ends);
  CHECK(ends.low == Approx(60));
  CHECK(ends.high == Approx(112));
}

TEST_CASE("sensitivity: a run that fails with many lines takes one in tables") {
  // As a run that ends at its limit: who waits for whom stands below.
  const Bench bench("444 B");
  const Sensitivity changed = bench.measured();
  REQUIRE(changed.faults.size() == 1);
  CHECK(changed.faults[0].why == "too long");
  bench.folder.write("topology.json", R"({"kind": "anything", "size": "444 B"})");
  const Sensitivity failed = bench.measured();
  REQUIRE_FALSE(failed.figures[0].now);
  CHECK_THAT(failed.figures[0].why, Catch::EndsWith("too long\n  rank 0 waits"));
  CHECK_THAT(figures::text(failed), Catch::Contains("too long\n") && !Catch::Contains("rank 0 waits"));
}

TEST_CASE("sensitivity: a change counts for the figures whose runs have its parameter") {
  const Bench bench;
  bench.folder.write("plain.json", test::run_text(""));
  FigureEntry plain = bench.figure("plain.json");
  plain.figure.id = "plain";
  const Sensitivity all = figures::sensitivity({bench.figure(), plain}, test::fake_kinds(), simulate, {});
  REQUIRE(all.figures.size() == 2);
  const auto spread = figures::spread_of(all, all.figures[1], Over::ends);
  CHECK(spread.low == spread.high);
  CHECK_FALSE(spread.most);
  CHECK_FALSE(all.figures[1].simulated[0]);
}

TEST_CASE("sensitivity: a figure that moves with another one is simulated only if that is not asked for") {
  const Bench bench;
  FigureEntry other = bench.figure();
  other.figure.id = "g";
  other.figure.moves_with = "f";
  const Sensitivity both = figures::sensitivity({other, bench.figure()}, test::fake_kinds(), simulate, {});
  REQUIRE(both.figures.size() == 1);
  CHECK(both.figures[0].entry.figure.id == "f");
  CHECK_THAT(figures::text(both), Catch::Contains("\nstood for (1):\n  g moves with f\n"));
  CHECK(nlohmann::json::parse(figures::json(both))["stood_for"][0]["moves_with"] == "f");
  const Sensitivity alone = figures::sensitivity({other}, test::fake_kinds(), simulate, {});
  REQUIRE(alone.figures.size() == 1);
  CHECK(alone.figures[0].now);
  CHECK_THAT(figures::text(alone), !Catch::Contains("stood for"));
}

TEST_CASE("sensitivity: what moves a figure at neither end of its range is not tried within it") {
  const Bench bench;
  const auto measured = [&](const std::vector<std::string>& expressions) {
    std::vector<FigureEntry> entries;
    for (const std::string& e : expressions) {
      entries.push_back(bench.figure());
      entries.back().figure.expression = e;
    }
    return figures::sensitivity(entries, test::fake_kinds(), simulate, {});
  };
  const std::string moves = "max(r.latency)/ns";
  const std::string rests = "0*" + moves;
  const Sensitivity still = measured({rests});
  CHECK(still.runs == 1 + 2 + 1 + 2);  // as it is, and ends
  CHECK(figures::spread_of(still, still.figures[0], Over::tenths).high == 0);
  CHECK(measured({"max(" + moves + ", 110)"}).runs == 1 + 4 + 1 + 3);  // one end is enough
  const Sensitivity both = measured({moves, rests});
  CHECK(both.runs == 1 + 4 + 1 + 3);
  for (std::size_t i = 0; i < both.changes.size(); ++i) {
    CHECK(both.figures[0].simulated[i]);
    CHECK(both.figures[1].simulated[i].has_value() == !both.changes[i].is_inside);
  }
}

TEST_CASE("sensitivity: what is 10 % beyond the range is tried whatever its ends do") {
  const Bench bench;
  bench.folder.write("topology.json", R"({"kind": "anything", "size": "100 B", "$sources": {
      "size": {"class": "assumed", "source": "s", "range": ["100 B", "105 B"]}}})");
  FigureEntry figure = bench.figure();
  figure.figure.expression = "0*max(r.latency)/ns";
  const Sensitivity all = figures::sensitivity({figure}, test::fake_kinds(), simulate, {});
  CHECK(all.runs == 1 + 3 + 1 + 2);
}

TEST_CASE("sensitivity is told as tables, JSON and CSV, the same whatever the number of jobs") {
  const Bench bench("333 B");
  const Sensitivity all = bench.measured(1);
  const std::string table = figures::text(all);
  CHECK(table == figures::text(bench.measured(3)));
  CHECK_THAT(
      table,
      Catch::Contains(
          "f       110 +-10%  110  ns    fitted  range      60      112          1  size of topology.json = 50 B\n"));
  CHECK_THAT(table, Catch::Contains("1 figure, 3 parameters, 9 runs: 1 figure leaves its tolerance at an end of a "
                                    "parameter's range, 0 within 10 %\n"));
  CHECK_THAT(table, Catch::Contains("f       110 +-10%       60  size of topology.json = 50 B  range\n"));
  CHECK_THAT(table, Catch::Contains("\nmove nothing (1):\n  what of run.json\n"));
  CHECK_THAT(table, Catch::Contains("\nrefused (1):\n  size of topology.json = 333 B: "));
  const auto json = nlohmann::json::parse(figures::json(all));
  const auto& figure = json["figures"][0];
  CHECK(figure["id"] == "f");
  CHECK(figure["range"]["low"] == Approx(60));
  CHECK(figure["range"]["most"]["parameter"] == "size of topology.json");
  CHECK(figure["range"]["most"]["value"] == "50 B");
  CHECK(figure["range"]["out"].size() == 1);
  CHECK(figure["ten_percent"]["out"].empty());
  CHECK(json["parameters"][2]["range"] == nlohmann::json{"90 B", "120 B"});
  CHECK(json["unmoving"] == nlohmann::json{"what of run.json"});
  CHECK(json["refused"][0]["value"] == "333 B");
  const std::string csv = figures::csv(all);
  CHECK_THAT(csv, Catch::Contains("figure,unit,parameter,class,value,range_end,ten_percent,simulated,now,pass\n") &&
                      Catch::Contains("f,ns,size of topology.json,assumed,50 B,true,false,") &&
                      Catch::Contains("f,ns,what of run.json,assumed,x,true,false,110,110,true\n"));
}

}  // namespace figures_sensitivity_test
