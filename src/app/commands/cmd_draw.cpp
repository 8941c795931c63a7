// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/commands.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "config/suggest.hpp"
#include "draw/draw.hpp"
#include "experiment/run_pictures.hpp"
#include "experiment/simulation.hpp"
#include "runner/places.hpp"
#include "runner/runner.hpp"
#include "runner/title.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

/// Where the topology's errors say that the machine stands.
const std::string in_run = "/machine";

const std::vector<std::string> shown{"ports", "ranks", "lengths", "rates", "devices", "circle"};

CommandLine draw_line() {
  CommandLine line(
      "draw MACHINE.json|RUN.json [--out FILE.svg] [options]",
      "Draws a machine as SVG: devices, nodes, wires. Of equal nodes one is drawn in detail, the others as boxes.\n"
      "Rings, meshes, tori, crossbars, lines, stars and trees are recognised. Of a run, its machine is drawn;\n"
      "with --run it is simulated, and each wire has the colour of how busy it was.",
      "  tsunagi draw configs/machines/tca_pair.json --out tca_pair.svg\n"
      "  tsunagi draw configs/machines/torus_8x8.json --set '/topology/sizes=[4,4]' --out torus.svg\n"
      "  tsunagi draw configs/runs/halo_tca.json --show ranks,ports --out ranks.svg\n"
      "  tsunagi draw configs/runs/halo_torus.json --run --out heat.svg\n");
  add_run_input(line);
  line.option("out", po::value<std::string>()->value_name("FILE"), "write there; - or none: to standard output");
  line.option(
      "show", po::value<std::string>()->value_name("WHAT,..."),
      "also show ports (names at the ends of wires), ranks (of a run: where they run), lengths (delay of each "
      "wire), rates (of each wire, beside the legend), devices (of every node, also of equal ones), circle (of wires "
      "in which packets can wait for each other, also of a machine that is refused for it)");
  line.flag("run", "simulate the run: a heat map of its wires, the busiest ones named");
  return line;
}

/// The words of --show. Throws UsageError for one that is not known.
std::vector<std::string> wanted(const po::variables_map& values) {
  std::vector<std::string> out;
  if (values.count("show") == 0) return out;
  std::istringstream words(values["show"].as<std::string>());
  for (std::string word; std::getline(words, word, ',');) {
    if (std::find(shown.begin(), shown.end(), word) == shown.end())
      throw UsageError("--show: " + config::detail::unknown("word", word, shown));
    out.push_back(word);
  }
  if (out.empty()) throw UsageError("--show names nothing; known words: " + config::detail::listed(shown));
  return out;
}

bool is_run(const config::Document& document) {
  return document.root.find("topology") == nullptr && document.root.find("machine") != nullptr;
}

/// The run, or one that has nothing but a machine.
RunConfig read(const config::Document& document) {
  if (is_run(document)) return read_and_tell<RunConfig>(document);
  RunConfig out;
  if (document.root.find("topology") != nullptr) {
    out.machine = read_and_tell<MachineConfig>(document);
    return out;
  }
  config::throw_if_any(document.problems);
  throw config::ConfigError({{document.root.place, "",
                              "is no machine and no run: a machine has \"topology\", a run \"machine\"; see "
                              "`tsunagi list machines`"}});
}

/// The machine's title: what it names are values of the machine, wherever it stands.
std::string title_of(const config::Document& document) {
  if (!is_run(document)) return runner::title_of(document);
  return runner::title_of({document.name, *document.root.find("machine"), {}});
}

/// For paths of --set.
nlohmann::ordered_json resolved(const config::Document& document) {
  return (is_run(document) ? config::resolver<RunConfig>(all_kinds())
                           : config::resolver<MachineConfig>(all_kinds()))(document);
}

/// The graph; what is wrong with it is told at its place in the file.
topo::Graph graph_of(const MachineConfig& machine, const config::Document& document, bool refused) {
  try {
    return topo::build(machine.topology, refused);
  } catch (const config::ConfigError& e) {
    std::vector<config::Message> messages = e.messages();
    for (config::Message& m : messages)
      if (!is_run(document) && m.pointer.rfind(in_run, 0) == 0) m.pointer.erase(0, in_run.size());
    throw config::ConfigError(runner::located(std::move(messages), document));
  }
}

runner::Outcome simulated(const RunConfig& run) {
  runner::Options options;
  const RunProgress progress(options);
  return runner::run_one(run, experiment::simulation(true), options);
}

int run_draw(const po::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which machine? usage: tsunagi draw MACHINE.json --out FILE.svg");
  const std::vector<std::string> words = wanted(values);
  const auto wants = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  check_out(values);
  const config::Document document =
      load_input(input_path(values, files.front(), {"machines", "runs"}), overrides(values), resolved);
  keep_inputs(values, document.files.all());
  check_picture(values);
  const RunConfig run = read(document);
  for (const auto& [name, on] :
       {std::pair("--run", values.count("run") != 0), std::pair("--show ranks", wants("ranks"))})
    if (on && !is_run(document)) throw UsageError(fmt::format("{} needs a run; {} is a machine", name, files.front()));
  const topo::Graph graph = graph_of(run.machine, document, wants("circle"));
  if (graph.nodes.size() > draw::most_devices)
    throw UsageError(
        fmt::format("{} devices are too many for a picture; at most {}", graph.nodes.size(), draw::most_devices));
  draw::Show show{wants("devices"), wants("ports"), wants("rates"), wants("lengths"), wants("circle")};
  if (wants("ranks")) {
    const runner::Outcome outcome = experiment::placing(run);
    if (outcome.status != runner::Status::ok) return tell_failure("draw", document, outcome);
    show.ranks = experiment::places_in(outcome);
  }
  if (values.count("run") != 0) {
    const runner::Outcome outcome = simulated(run);
    if (outcome.status != runner::Status::ok) return tell_failure("draw", document, outcome);
    show.uses = experiment::wire_uses(graph, outcome);
  }
  const bool of_run = values.count("run") != 0 && !run.title.empty();
  if (of_run || !is_run(document)) tell(runner::title_faults(document));
  const std::string title = of_run ? runner::title_of(document) : title_of(document);
  emit(values, draw::svg(draw::draw(graph, title.empty() ? run.machine.name : title, show)));
  return exit_ok;
}

}  // namespace

Command draw_command() { return {"draw", "draw a machine as SVG", draw_line, run_draw}; }

}  // namespace tsunagi::app
