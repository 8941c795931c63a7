// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace check_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

/// A configs folder with two figures of one system: "fast" over the shipped ping-pong, "later" without a run.
struct Configs {
  explicit Configs(const std::string& compare) {
    folder.write("figures/s.json", R"({"system": "s", "paper": "p", "figures": [
      {"id": "fast", "measure": "m", "compare": )" +
                                       compare +
                                       R"(, "unit": "us", "section": "1",
       "basis": "unseen", "first_run": "2026-11-20", "runs": [{"name": "r", "file": ")" TSUNAGI_TEST_CONFIGS
                                       R"(/runs/tca_pio_ping_pong.json",
                 "set": ["/scenario/iterations=2", "/scenario/sizes=[\"8 B\"]"]}], "expression": "min(r.latency)/us"},
      {"id": "later", "measure": "m", "compare": "at_most", "value": 1, "unit": "us", "section": "1"}]})");
  }
  Ended check(std::vector<std::string> more = {}) const {
    Surroundings there;
    there.environment = {{"TSUNAGI_CONFIGS", folder.path().string()}};
    more.insert(more.begin(), "check");
    return run_program(more, there);
  }
  TemporaryFolder folder;
};

const std::string passes = R"("at_least", "value": 0.001)";
const std::string misses = R"("at_most", "value": 0.001)";

}  // namespace

TEST_CASE("check passes, and a figure without a run counts only on demand") {
  const Configs configs(passes);
  const Ended end = configs.check();
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("2 figures: 1 pass, 0 miss, 0 known to miss, 1 without a run"));
  CHECK(configs.check({"--require-all"}).exit_code == 1);
  CHECK(configs.check({"--require-all", "--id", "fast"}).exit_code == 0);
}

TEST_CASE("check --quick and --sensitivity leave out figures whose runs take minutes") {
  Configs configs(passes);
  const std::string file = content((configs.folder.path() / "figures/s.json").string());
  std::string slow =
      file.substr(file.find("{\"id\": \"fast\""), file.find("{\"id\": \"later\"") - file.find("{\"id\": \"fast\""));
  slow.replace(slow.find("fast"), 4, "slow").insert(1, "\"takes\": \"three minutes\", ");
  configs.folder.write("figures/s.json", std::string(file).insert(file.find("{\"id\": \"later\""), slow));
  const Ended all = configs.check();
  CHECK_THAT(all.out, Catch::Contains("3 figures: 2 pass"));
  CHECK_THAT(all.err, !Catch::Contains("left out"));
  const Ended quick = configs.check({"--quick"});
  CHECK(quick.exit_code == 0);
  CHECK_THAT(quick.out, Catch::Contains("2 figures: 1 pass") && !Catch::Contains("slow"));
  CHECK_THAT(quick.err, Catch::EndsWith("left out, their runs take minutes: 1 of 3 figures\n"));
  const Ended only = configs.check({"--quick", "--id", "slow"});
  CHECK(only.exit_code == 2);
  CHECK_THAT(only.err, Catch::Contains("the runs of these figures take minutes, and --quick leaves such out"));
  CHECK_THAT(configs.check({"--sensitivity"}).out,
             Catch::Contains("left out, their runs take minutes (1):\n  slow takes three minutes\n"));
  CHECK_THAT(configs.check({"--sensitivity", "--id", "slow"}).out,
             Catch::Contains("1 figure,") && !Catch::Contains("left out"));
}

TEST_CASE("a check of figures none of which has a run is none") {
  const Configs configs(passes);
  const std::string junit = (configs.folder.path() / "j.xml").string();
  const Ended end = configs.check({"--id", "later", "--junit", junit});
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("none of these figures has a run"));
  CHECK_THAT(content(junit), Catch::Contains("errors=\"1\"") && Catch::Contains("none of these figures has a run"));
  CHECK(configs.check({"--id", "later", "--require-all"}).exit_code == 1);
}

TEST_CASE("a miss is exit 1 unless it is listed") {
  const Configs configs(misses);
  CHECK(configs.check().exit_code == 1);
  configs.folder.write("figures/missed.json",
                       R"({"missed": [{"id": "fast", "simulated": 0.5, "missing_mechanism": "m", "tried": "t"}]})");
  const Ended drifted = configs.check({"--format", "json"});
  CHECK(drifted.exit_code == 1);
  CHECK_THAT(drifted.err, Catch::Contains("fast: a known miss that moved by more than 1 % from the 0.5"));
  const json figure = json::parse(drifted.out)["figures"][0];
  CHECK(figure["status"] == "miss");
  configs.folder.write("figures/missed.json", R"({"missed": [{"id": "fast", "simulated": )" +
                                                  figure["simulated"].dump() +
                                                  R"(, "missing_mechanism": "m", "tried": "t"}]})");
  const Ended listed = configs.check({"--format", "json"});
  CHECK(listed.exit_code == 0);
  CHECK(json::parse(listed.out)["figures"][0]["status"] == "known_miss");
  CHECK(json::parse(listed.out)["figures"][0]["pass"] == false);
}

TEST_CASE("check --format json has the shape that scripts rely on") {
  const Ended end = Configs(passes).check({"--format", "json"});
  REQUIRE(end.exit_code == 0);
  const auto out = nlohmann::ordered_json::parse(end.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : out["figures"][0].items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"id", "system", "measure", "compare", "value", "upper", "tolerance", "unit",
                                         "simulated", "role", "basis", "first_run", "reason", "fitted", "status",
                                         "pass", "deviation", "digests"});
  CHECK(out["figures"][0]["deviation"].is_number());
  CHECK(out["figures"][0]["digests"]["r"].get<std::string>().size() == 32);
  CHECK(out["figures"][1]["deviation"].is_null());
  CHECK(out["figures"][1]["digests"].empty());
  CHECK_THAT(out["tsunagi"].get<std::string>(), Catch::Contains("+models."));
  CHECK(out["figures"][0]["role"] == "predicted");
  CHECK(out["figures"][0]["basis"] == "unseen");
  CHECK(out["figures"][0]["first_run"] == "2026-11-20");
  CHECK(out["figures"][1]["basis"].is_null());
  CHECK(out["figures"][1]["first_run"].is_null());
  CHECK(out["figures"][0]["simulated"].is_number());
  CHECK(out["figures"][0]["pass"] == true);
  CHECK(out["figures"][0]["upper"].is_null());
  CHECK(out["figures"][1]["status"] == "no_run");
  CHECK(out["figures"][1]["simulated"].is_null());
  CHECK(out["figures"][1]["pass"].is_null());
}

TEST_CASE("the figures of docs/figures.md come out when they stand in a folder of one's own") {
  const TemporaryFolder folder;
  std::string text = content(std::filesystem::path(TSUNAGI_TEST_CONFIGS) / "../docs/figures.md");
  text.erase(0, text.find("// lab.json"));
  text.erase(text.find("```"));
  const std::string relative = "\"configs/runs/";
  for (std::size_t at; (at = text.find(relative)) != std::string::npos;)
    text.replace(at, relative.size(), "\"" TSUNAGI_TEST_CONFIGS "/runs/");
  folder.write("figures/lab.json", text);
  const Ended end = run_program({"check", "--configs", folder.path().string()});
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("2 figures: 2 pass") && Catch::Contains("predicted  -"));
}

TEST_CASE("check refuses a figure that is not of the system that is asked for") {
  const Ended end = run_program({"check", "--configs", TSUNAGI_TEST_CONFIGS, "--system", "peach2", "--id",
                                 "p2-theoretical-peak", "--id", "gf-lat-conv-g2f"});
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("--id gf-lat-conv-g2f is no figure of --system peach2"));
}

TEST_CASE("check says what its figures prove, in a table and as CSV") {
  const Configs configs(passes);
  const Ended table = configs.check();
  CHECK_THAT(table.out, Catch::Contains("predicted: unseen  2026-11-20  pass") &&
                            Catch::Contains("with a run: 0 fitted, 0 derived, 1 predicted (1 unseen)\n"));
  const Ended csv = configs.check({"--format", "csv"});
  CHECK(csv.exit_code == 0);
  CHECK_THAT(csv.out, Catch::StartsWith(
                          "id,system,measure,compare,value,upper,tolerance,unit,simulated,role,basis,"
                          "first_run,reason,fitted,status,pass,deviation,digests\nfast,s,m,at_least,0.001,,,us,0.") &&
                          Catch::Contains(",predicted,unseen,2026-11-20,,,pass,true,") && Catch::Contains(",r=") &&
                          Catch::EndsWith("later,s,m,at_most,1.0,,,us,,predicted,,,,,no_run,,,\n"));
}

TEST_CASE("a figure's wrong run file or expression is exit 2 with its place") {
  const Configs configs(passes);
  configs.folder.write("figures/t.json", R"x({"system": "t", "paper": "p", "figures": [
    {"id": "x", "measure": "m", "compare": "at_most", "value": 1, "unit": "us", "section": "1",
     "basis": "unseen", "first_run": "2026-11-20", "runs": [{"name": "r", "file": "nowhere.json"}], "expression": "min(r.latency)"}]})x");
  const Ended end = configs.check();
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("nowhere.json"));
  CHECK(configs.check({"--system", "s"}).exit_code == 0);
}

TEST_CASE("check --sensitivity says how far a figure moves, in three formats") {
  const TemporaryFolder folder;
  folder.write("parts/router.json", R"({"kind": "router", "latency": 10, "$sources": {
    "latency": {"class": "assumed", "source": "s", "range": [5, 20]}}})");
  folder.write("runs/r.json", R"({
    "machine": {"name": "m", "topology": {"kind": "crossbar", "terminals": 2, "router": {"$use": "../parts/router.json"},
      "terminal": {"kind": "terminal"}, "wire": {"kind": "link"}}},
    "library": {"kind": "datagram"},
    "scenario": {"kind": "ping_pong", "sizes": ["8 B"], "iterations": 2}})");
  folder.write("figures/s.json", R"({"system": "s", "paper": "p", "figures": [
    {"id": "f", "measure": "m", "compare": "at_most", "value": 1, "unit": "us", "section": "1",
     "basis": "unseen", "first_run": "2026-11-20",
     "runs": [{"name": "r", "file": "../runs/r.json"}], "expression": "min(r.latency)/us"},
    {"id": "later", "measure": "m", "compare": "at_most", "value": 1, "unit": "us", "section": "1"}]})");
  const auto said = [&](const std::string& format) {
    return run_program({"check", "--configs", folder.path().string(), "--sensitivity", "--format", format});
  };
  const Ended table = said("table");
  CAPTURE(table.err);
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Catch::Contains("latency of router.json = 20\n") &&
                            Catch::Contains("1 figure, 1 parameter, 5 runs: 0 figures leave"));
  const json all = json::parse(said("json").out);
  REQUIRE(all["figures"].size() == 1);
  const double now = all["figures"][0]["simulated"];
  CHECK(all["figures"][0]["range"]["high"] == Approx(now + 0.01));  // ten cycles more of 1 GHz
  CHECK(all["figures"][0]["ten_percent"]["low"] == Approx(now - 0.001));
  const Ended none = run_program({"check", "--configs", folder.path().string(), "--sensitivity", "--id", "later"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Catch::Contains("none of these figures has a run"));
  CHECK_THAT(said("csv").out, Catch::Contains("f,us,latency of router.json,assumed,11,false,true,"));
}

}  // namespace check_test
