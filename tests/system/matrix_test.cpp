// SPDX-License-Identifier: Apache-2.0
// What `list --matrix` says runs does run. What else its scenarios can be asked for is refused before time 0, or runs.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/lists/matrix_cells.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "experiment/simulation.hpp"
#include "runner/runner.hpp"
#include "support/catch.hpp"

namespace matrix_test {

using namespace tsunagi;
using nlohmann::json;
using runner::Status;

namespace {

/// So many test cases share the libraries, so that they run side by side.
constexpr std::size_t shards = 4;

struct Case {
  std::string name;
  RunConfig run;
  bool may_be_refused = false;
};

/// What makes a scenario short: as far as it has it.
const char* const shortest = R"({
  "iterations": 2, "warm_up": 0, "rounds": 2, "large_iterations": 1, "large_warm_up": 0, "transactions": 4,
  "loads": ["10 %"], "scales": [1], "counts": [1, 2], "outstanding": 3
})";

/// What else a scenario can be asked for.
const char* const others = R"({
  "halo_exchange": [{"by": "window"}, {"by": "window", "packing": false}, {"overlap": true, "compute": "1 us"}],
  "osu": [{"test": "bw"}, {"test": "bibw"}, {"test": "allreduce"}],
  "random_pairs": [{"pairing": "permutation"}, {"messages": 3}],
  "neighbours": [{"messages": 1}, {"messages": 20}, {"between": [1, 0]}],
  "stream": [{"messages": 2}, {"between": [1, 0]}],
  "ping_pong": [{"between": [1, 0]}],
  "posted_receives": [{"outstanding": 600}, {"between": [1, 0]}],
  "nccl_tests": [{"test": "all_gather"}, {"test": "reduce_scatter"}, {"test": "sendrecv"}],
  "reduction": [{"result": "reduce", "rotate": true}],
  "broadcast": [{"rotate": true, "back_to_back": true}]
})";

json written(RunConfig run) { return json::parse(config::resolved(run).dump()); }

/// The run with its scenario cut short and `more` said of it; nothing: that is no config.
std::optional<RunConfig> cut(const RunConfig& run, const json& more) {
  json all = written(run);
  json& scenario = all["scenario"];
  static const json shorter = json::parse(shortest);
  for (const auto& [key, value] : shorter.items())  // the warm-up of traffic is a time
    if (scenario.contains(key) && scenario[key].is_string() == value.is_string()) scenario[key] = value;
  static const json npb{{"class", "S"}, {"iterations", 20}, {"ranks", 2}};  // where frames may be lost all iterations
  if (scenario.contains("class")) scenario.update(npb);
  if (scenario["kind"] == "himeno") scenario["size"] = "S";
  if (scenario["kind"] == "neighbours") scenario["messages"] = 1;
  for (const char* list : {"sizes", "methods", "algorithms", "windows"})
    if (scenario.contains(list) && scenario[list].size() > 1) scenario[list] = json::array({scenario[list][0]});
  if (scenario["kind"] == "copies") scenario.update(json{{"sizes", json::array()}, {"alone", json::array({"8 B"})}});
  for (const auto& [key, value] : more.items())
    if (scenario.contains(key)) scenario[key] = value;
  try {
    return config::read<RunConfig>(config::parse(all.dump(), "cell"), all_kinds());
  } catch (const config::ConfigError&) {
    return std::nullopt;
  }
}

void add(std::vector<Case>& to, const std::string& name, const RunConfig& run, const json& more, bool may_be_refused) {
  if (auto shorter = cut(run, more))
    to.push_back({name + (more.empty() ? "" : " " + more.dump()), *shorter, may_be_refused});
}

/// A cell of scenarios as the matrix found it out, and in other ways.
void add_scenario(std::vector<Case>& to, const std::string& kind, const std::string& library, const RunConfig& run) {
  const std::string name = kind + " by " + library;
  add(to, name, run, json::object(), false);
  if (std::getenv("TSUNAGI_MATRIX") == nullptr) return;  // the quick suite has each cell at its smallest
  const json ways = json::parse(others);
  json all = ways.contains(kind) ? ways[kind] : json::array();
  all.push_back(json::object());
  for (json way : all)
    for (const char* size : {"8 B", "64 KiB"}) {
      way["sizes"] = way["faces"] = json::array({size});
      add(to, name, run, way, true);
    }
}

std::vector<runner::Outcome> run_all(const std::vector<Case>& cases) {
  std::vector<RunConfig> runs;
  for (const Case& c : cases) runs.push_back(c.run);
  runner::Options options;
  options.limit_wall_s = 30;
  return runner::run_many(runs, experiment::simulation(), options);
}

std::string why(const runner::Outcome& o) { return o.messages.empty() ? "" : o.messages.front(); }

/// Libraries on machines of a topology, each by the first of the scenarios that it has and that goes there.
void expect_topologies_run(const app::Matrix& m) {
  const app::MatrixPart& scenarios = m.parts[0];
  const app::MatrixPart& topologies = m.parts[1];
  const std::size_t libraries = m.libraries.size();
  for (std::size_t i = 0; i < topologies.answers.size(); ++i) {
    if (!topologies.answers[i].runs) continue;
    RunConfig run = topologies.questions[i][topologies.answers[i].which];
    std::string refused;
    bool ran = false;
    for (std::size_t s = i % libraries; !ran && s < scenarios.answers.size(); s += libraries) {
      if (!scenarios.answers[s].runs) continue;
      run.scenario = scenarios.questions[s][scenarios.answers[s].which].scenario;
      const auto shorter = cut(run, json::object());
      if (!shorter) continue;
      const runner::Outcome o = run_all({{"", *shorter, false}}).front();
      ran = o.status != Status::config_error;
      if (!ran) refused = why(o);
      INFO(why(o));
      CHECK((!ran || o.status == Status::ok));
    }
    INFO(m.libraries[i % libraries] << " on " << topologies.rows[i / libraries] << ": " << refused);
    CHECK(ran);
  }
}

/// What is said of a row and a library; nothing where the library is none of the matrix.
const app::Answer* answer_in(const app::Matrix& m, std::size_t part, const std::string& row,
                             const std::string& library) {
  const auto place = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const std::size_t column = place(m.libraries, library);
  if (column == m.libraries.size()) return nullptr;
  const std::size_t line = place(m.parts[part].rows, row);
  REQUIRE(line < m.parts[part].rows.size());
  return &m.parts[part].answers[line * m.libraries.size() + column];
}

constexpr std::size_t scenario_rows = 0;
constexpr std::size_t topology_rows = 1;

/// Cells that are known, and every shipped run, which is an example of what runs. Returns how many of these there are.
std::size_t expect_known(const app::Matrix& m) {
  const auto says = [&m](std::size_t part, const char* row, const char* library, const std::string& why) {
    if (const app::Answer* answer = answer_in(m, part, row, library)) {
      INFO(row << " by " << library);
      CHECK(answer->runs == why.empty());
      CHECK(answer->why == why);
    }
  };
  says(scenario_rows, "ping_pong", "tca", "");
  says(scenario_rows, "halo_exchange", "mpi", "");
  says(scenario_rows, "halo_exchange", "cuda", "needs two-sided messages, which the library does not have");
  says(scenario_rows, "put", "fpga_dma", "the library has no prepared puts");  // not sizes of some run
  says(topology_rows, "torus", "datagram", "");
  says(topology_rows, "torus", "tca", "library tca needs a machine with PEACH2 chips");
  for (std::size_t l = 0; l < m.libraries.size(); ++l)
    if (m.libraries[l] == "datagram") CHECK(m.devices[l] == std::vector<std::string>{"terminal"});
  std::size_t examples = 0;
  for (const app::ShippedRun& run : app::shipped_runs(TSUNAGI_TEST_CONFIGS "/runs")) {
    const std::string& library = run.config.library.kind();
    const app::Answer* scenario = answer_in(m, scenario_rows, run.config.scenario.kind(), library);
    const app::Answer* topology = answer_in(m, topology_rows, run.config.machine.topology.kind(), library);
    if (scenario == nullptr || topology == nullptr) continue;
    CAPTURE(run.name);
    CHECK(scenario->runs);
    CHECK(topology->runs);
    ++examples;
  }
  return examples;
}

/// What a cell says of scenarios that were tried one after the other on one machine, each says alone. Of some: the
/// first candidate gives the reason, which others may have been tried before.
void expect_same_alone(const app::MatrixPart& scenarios) {
  constexpr std::size_t each = 9;
  std::vector<RunConfig> runs;
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < scenarios.answers.size(); ++i)
    if (!scenarios.answers[i].runs && !scenarios.questions[i].empty() && cells.size() * each <= i) {
      runs.push_back(scenarios.questions[i].front());
      cells.push_back(i);
    }
  REQUIRE(cells.size() > 5);
  const auto outcomes = runner::run_many(runs, experiment::elaboration());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    REQUIRE(outcomes[k].status == Status::config_error);
    CHECK(outcomes[k].config_errors.front().text == scenarios.answers[cells[k]].why);
  }
}

void expect_truth(std::size_t shard) {
  std::vector<std::string> libraries;
  const std::vector<std::string> all = app::kind_names("library");
  for (std::size_t i = shard; i < all.size(); i += shards) libraries.push_back(all[i]);
  const auto matrix = app::find_matrix(TSUNAGI_TEST_CONFIGS, libraries);
  REQUIRE(matrix);
  CHECK(expect_known(*matrix) > 20);  // of more than 80
  const app::MatrixPart& part = matrix->parts[0];
  std::vector<Case> cases;
  for (std::size_t i = 0; i < part.answers.size(); ++i)
    if (part.answers[i].runs)
      add_scenario(cases, part.rows[i / libraries.size()], libraries[i % libraries.size()],
                   part.questions[i][part.answers[i].which]);
  REQUIRE(cases.size() > libraries.size());
  const auto outcomes = run_all(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].name << ": " << why(outcomes[i]));
    CHECK(
        (outcomes[i].status == Status::ok || (cases[i].may_be_refused && outcomes[i].status == Status::config_error)));
  }
  expect_same_alone(part);
  expect_topologies_run(*matrix);
}

}  // namespace

TEST_CASE("the matrix tells the truth, libraries 1 of 4") { expect_truth(0); }
TEST_CASE("the matrix tells the truth, libraries 2 of 4") { expect_truth(1); }
TEST_CASE("the matrix tells the truth, libraries 3 of 4") { expect_truth(2); }
TEST_CASE("the matrix tells the truth, libraries 4 of 4") { expect_truth(3); }

}  // namespace matrix_test
