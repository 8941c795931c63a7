// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/run_file.hpp"
#include "cluster/catalogs.hpp"
#include "draw/draw.hpp"
#include "runner/places.hpp"
#include "runner/title.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

/// Where the topology's errors say that the machine stands.
const std::string in_run = "/machine";

CommandLine draw_line() {
  CommandLine line(
      "draw MACHINE.json [--out FILE.svg]",
      "Draws a machine as SVG: devices, groups of them (nodes) as boxes, links. Simulates nothing.\n"
      "Rings, meshes, tori, crossbars, lines, stars and trees are recognised. Of a run, its machine is drawn.",
      "  tsunagi draw configs/machines/tca_pair.json --out tca_pair.svg\n"
      "  tsunagi draw configs/machines/torus_8x8.json --set '/topology/sizes=[4,4]' --out torus.svg\n");
  add_run_input(line);
  line.option("out", po::value<std::string>()->value_name("FILE"), "write there; - or none: to standard output");
  return line;
}

bool is_run(const config::Document& document) {
  return document.root.find("topology") == nullptr && document.root.find("machine") != nullptr;
}

MachineConfig read_machine(const config::Document& document) {
  if (is_run(document)) return config::read<RunConfig>(document, all_kinds()).machine;
  if (document.root.find("topology") != nullptr) return config::read<MachineConfig>(document, all_kinds());
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

/// The graph; what is wrong with it is told at its place in the file.
topo::Graph graph_of(const MachineConfig& machine, const config::Document& document) {
  try {
    return topo::build(machine.topology);
  } catch (const config::ConfigError& e) {
    std::vector<config::Message> messages = e.messages();
    for (config::Message& m : messages)
      if (!is_run(document) && m.pointer.rfind(in_run, 0) == 0) m.pointer.erase(0, in_run.size());
    throw config::ConfigError(runner::located(std::move(messages), document));
  }
}

int run_draw(const po::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which machine? usage: tsunagi draw MACHINE.json --out FILE.svg");
  check_out(values);
  const config::Document document = config::load(files.front(), overrides(values));
  keep_inputs(values, document.files);
  const MachineConfig machine = read_machine(document);
  const topo::Graph graph = graph_of(machine, document);
  if (graph.nodes.size() > draw::most_devices)
    throw UsageError(
        fmt::format("{} devices are too many for a picture; at most {}", graph.nodes.size(), draw::most_devices));
  const std::string title = title_of(document);
  emit(values, draw::svg(draw::draw(graph, title.empty() ? machine.name : title)));
  return exit_ok;
}

}  // namespace

Command draw_command() { return {"draw", "draw a machine as SVG", draw_line, run_draw}; }

}  // namespace tsunagi::app
