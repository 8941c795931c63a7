// SPDX-License-Identifier: Apache-2.0
// The published figures as `tsunagi check` simulates them, and the rules of docs/fitting.md about them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "figures/figure_files.hpp"
#include "support/catch.hpp"
#include "support/explanation.hpp"
#include "support/program.hpp"
#include "units/parse.hpp"

namespace published_test {

using namespace tsunagi;
using nlohmann::json;

namespace {

/// Whether figures whose runs take minutes are simulated, too, and all at their whole sizes in each test.
bool takes_all() {
  const char* which = std::getenv("TSUNAGI_FIGURES");
  return which != nullptr && std::string(which) == "all";
}

/// What `check` says: of all figures, or what the test figures_checked has written of those that take no minutes.
json checked() {
  if (!takes_all()) {
    std::ifstream in(TSUNAGI_TEST_CHECKED);
    REQUIRE(in);
    return json::parse(in)["figures"];
  }
  const test::Ended end = test::run_program({"check", "--format", "json"});
  CAPTURE(end.err);
  REQUIRE((end.exit_code == 0 || end.exit_code == 1));
  return json::parse(end.out)["figures"];
}

std::map<std::string, figures::KnownMiss> missed() {
  std::map<std::string, figures::KnownMiss> out;
  for (const char* file : {"/figures/missed.json", "/fits/missed.json"})
    for (const figures::KnownMiss& m : figures::read_missed(config::load(TSUNAGI_TEST_CONFIGS + std::string(file))))
      out[m.id] = m;
  return out;
}

using Arguments = std::vector<std::string>;

/// The runs of all figures that do not take minutes, each once: its file and its `--set`, as the program takes them.
std::set<Arguments> runs_of_figures() {
  std::set<Arguments> runs;
  for (const auto& file : std::filesystem::directory_iterator(TSUNAGI_TEST_CONFIGS "/figures")) {
    std::ifstream in(file.path());
    const json all = json::parse(in, nullptr, true, true);
    if (!all.contains("system")) continue;  // missed.json
    for (const json& figure : all["figures"]) {
      if (figure.contains("takes")) continue;
      for (const json& run : figure.value("runs", json::array())) {
        Arguments arguments{(file.path().parent_path() / run["file"].get<std::string>()).string()};
        for (const json& set : run.value("set", json::array())) {
          arguments.push_back("--set");
          arguments.push_back(set.get<std::string>());
        }
        runs.insert(arguments);
      }
    }
  }
  REQUIRE(!runs.empty());
  return runs;
}

/// What a command prints of a run, as JSON.
json told(const std::string& command, Arguments run, const Arguments& more) {
  run.insert(run.begin(), command);
  run.insert(run.end(), more.begin(), more.end());
  const test::Ended end = test::run_program(run);
  CAPTURE(run, end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out);
}

/// What wires did while ranks posted messages that nobody waits for, all of the time.
void expect_whole_wires(const json& wires) {
  CHECK(!wires.empty());
  const auto sum = [](const json& parts) {
    std::int64_t all = 0;
    for (const auto& [name, fs] : parts.items()) all += fs.get<std::int64_t>();
    return all;
  };
  for (const json& w : wires) {
    CAPTURE(w["wire"]);
    const auto busy = w["busy_fs"].get<std::int64_t>();
    CHECK(sum(w["busy"]) == busy);
    CHECK(busy + sum(w["idle"]) == w["to_fs"].get<std::int64_t>() - w["from_fs"].get<std::int64_t>());
  }
}

/// What a run needs that is held against itself, or explained: each of its messages as it is, but few of them, none
/// larger than `most`, a small lattice, and of a system that comes to rest few nodes. As --set says it.
Arguments fewer(const json& scenario, Bytes most) {
  Arguments out;
  const auto set = [&out](const std::string& key, const json& value) {
    out.insert(out.end(), {"--set", key + "=" + value.dump()});
  };
  const std::int64_t iterations = scenario["kind"] == "perftest" || scenario["kind"] == "pmtest" ? 16 : 3;
  for (const auto& [key, number] : {std::pair{"iterations", iterations},
                                    {"warm_up", std::int64_t{1}},
                                    {"large_iterations", std::int64_t{1}},
                                    {"large_warm_up", std::int64_t{0}}})
    if (scenario.contains(key) && scenario[key].is_number() && scenario[key] > number)
      set("/scenario/" + std::string(key), number);
  json sizes = json::array();
  for (const json& size : scenario.value("sizes", json::array()))
    if (const json one = parse_bytes(size.get<std::string>()) > most ? json(to_string(most)) : size;
        sizes.empty() || sizes.back() != one)
      sizes.push_back(one);
  if (!sizes.empty() && sizes != scenario["sizes"]) set("/scenario/sizes", sizes);
  if (scenario["kind"] == "cg_halo" && scenario["lattice"] == json{16, 16, 16, 16})
    set("/scenario/lattice", json{8, 8, 8, 8});
  if (scenario["kind"] == "checkpoint") set("/machine/topology/nodes", 32);
  return out;
}

/// The smallest and a middle one, no larger than `most`.
std::set<std::string> two_sizes(const json& scenario, Bytes most) {
  const json& sizes = scenario["sizes"];
  const auto at_most = [most](const std::string& size) { return parse_bytes(size) > most ? to_string(most) : size; };
  return {at_most(sizes[0].get<std::string>()), at_most(sizes[sizes.size() / 2].get<std::string>())};
}

std::vector<figures::FigureEntry> entries(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TSUNAGI_TEST_CONFIGS + std::string(folder)))
    files.push_back(entry.path());
  return figures::load_figures(files);
}

/// All published figures, each once, of each system as many as it has, and those of servers of today; and so many
/// simulated ones, with 17 measured curves, that none is missing which should not be.
void expect_all_there(const json& simulated) {
  std::set<std::string> ids;
  std::size_t slow = 0;
  std::map<std::string, int> systems;
  for (const figures::FigureEntry& entry : entries("/figures")) {
    ids.insert(entry.figure.id);
    slow += figures::takes_minutes(entry.figure) ? 1 : 0;
    ++systems[entry.system];
  }
  CHECK(ids.size() == 137 + 42);
  CHECK(simulated.size() == 137 + 42 + 17 - (takes_all() ? 0 : slow));
  CHECK(systems ==
        std::map<std::string, int>{
            {"boxes", 42}, {"gpu-fpga", 13}, {"peach2", 29}, {"pm-infiniband", 40}, {"quda", 18}, {"sr8000", 37}});
}

/// What is simulated agrees, or missed.json lists it at the value it has.
void expect_agreement(const json& figures) {
  const auto listed = missed();
  for (const json& figure : figures) {
    const auto id = figure["id"].get<std::string>();
    CAPTURE(id, figure.dump());
    const auto entry = listed.find(id);
    if (entry == listed.end()) {
      CHECK(figure["status"] != "miss");
      CHECK(figure["status"] != "known_miss");
      continue;
    }
    CHECK(figure["status"] == "known_miss");
    REQUIRE(figure["simulated"].is_number());
    CHECK_FALSE(figures::has_moved(entry->second, figure["simulated"].get<double>()));
  }
}

/// At most a third of a system's figures, those to come included, are fitted; what is derived counts for neither.
void expect_few_fitted() {
  std::map<std::string, int> all;
  std::map<std::string, int> fitted;
  for (const figures::FigureEntry& entry : entries("/figures")) {
    ++all[entry.system];
    if (entry.figure.role == figures::Role::fitted) ++fitted[entry.system];
  }
  for (const auto& [system, count] : all) {
    CAPTURE(system);
    CHECK(3 * fitted[system] <= count);
  }
}

/// No more parameters are fitted than there are figures that they are fitted to, of those that were simulated.
void expect_few_parameters(const json& figures) {
  std::map<std::string, int> fitted;
  std::map<std::string, std::set<std::string>> parameters;
  for (const json& figure : figures) {
    const auto system = figure["system"].get<std::string>();
    if (system == "components") continue;  // all of them are what is fitted to
    CAPTURE(figure["id"]);
    if (figure["status"] != "no_run") CHECK((figure["role"] == "fitted") == !figure["fitted"].empty());
    if (figure["role"] != "fitted") continue;
    ++fitted[system];
    for (const json& parameter : figure["fitted"]) {
      const auto text = parameter.get<std::string>();
      parameters[system].insert(text.substr(0, text.find(' ')));  // FILE:LINE:COL
    }
  }
  for (const auto& [system, its] : parameters) {
    CAPTURE(system);
    CHECK(its.size() <= static_cast<std::size_t>(fitted[system]));
  }
}

}  // namespace

TEST_CASE("all 137 published figures are there, what is simulated agrees or is listed, a third is fitted at most") {
  const json figures = checked();
  expect_all_there(figures);
  expect_agreement(figures);
  expect_few_fitted();
  expect_few_parameters(figures);
}

TEST_CASE("the runs of the figures have the same digest with trains and packet by packet") {
  for (const Arguments& run : runs_of_figures()) {
    CAPTURE(run);
    const Arguments few = takes_all() ? Arguments{} : fewer(told("run", run, {"--print-config"})["scenario"], 256_KiB);
    const auto digest = [&](const std::string& max_train) {
      Arguments more{"--set", "/options/max_train=" + max_train, "--format", "json"};
      more.insert(more.end(), few.begin(), few.end());
      return told("run", run, more)["digest"];
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("every femtosecond of a figure's messages and collective calls is explained") {
  int explained = 0;
  for (const Arguments& run : runs_of_figures()) {
    const json scenario = told("run", run, {"--print-config"})["scenario"];
    if (!scenario.contains("sizes") || scenario["sizes"].empty()) continue;
    const Bytes most = takes_all() ? 1_MiB : 256_KiB;
    const Arguments few = takes_all() ? Arguments{} : fewer(scenario, most);
    json methods = scenario.value("methods", json::array());
    if (methods.empty()) methods.push_back("");
    for (const std::string& size : two_sizes(scenario, most))
      for (const json& method : methods) {
        Arguments chosen{"--size", size, "--links", "1000", "--format", "json"};
        if (method != "") chosen.insert(chosen.end(), {"--method", method.get<std::string>()});
        chosen.insert(chosen.end(), few.begin(), few.end());
        CAPTURE(run, chosen);
        const json told_of = told("explain", run, chosen);
        if (told_of.contains("wires")) {
          expect_whole_wires(told_of["wires"]);
          ++explained;
          continue;
        }
        CHECK(told_of["size_bytes"] == parse_bytes(size).count());
        ++explained;
        if (told_of.contains("critical_path")) {
          test::expect_whole_path(told_of);
          continue;
        }
        CHECK(told_of["method"] == (method == "" ? scenario.value("method", json("")) : method));
        test::expect_whole_message(told_of);
      }
  }
  CHECK(explained >= 7);
}

}  // namespace published_test
