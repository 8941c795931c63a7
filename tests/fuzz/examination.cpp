// SPDX-License-Identifier: Apache-2.0
#include "fuzz/examination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/files/file_kinds.hpp"
#include "cluster/catalogs.hpp"
#include "config/text/printable.hpp"
#include "draw/draw.hpp"
#include "experiment/simulation.hpp"
#include "runner/places.hpp"
#include "runner/runner.hpp"
#include "sweep/plan/plan.hpp"
#include "topo/graph.hpp"

namespace tsunagi::fuzz {

using config::ConfigError;
using config::Document;
using nlohmann::ordered_json;

namespace {

/// Nodes of a regular topology; what is larger is left to tests of its own.
constexpr double most_nodes = 4096;

/// About how many nodes the topology of a machine that was read has.

double nodes_of(const config::Value& machine) {
  const config::Value* topology = machine.find("topology");
  const auto number = [&](const char* key, double otherwise) {
    const config::Value* value = topology->find(key);
    return value == nullptr ? otherwise : value->number;
  };
  double out = number("nodes", 16) * (1 + number("terminals", 1));
  if (const config::Value* sizes = topology->find("sizes"))
    for (const config::Value& size : sizes->items) out *= size.number;
  return out;
}

/// A sweep is planned in a time that grows with its values: those of many are legal, and left out.
bool is_long(const sweep::Sweep& sweep) {
  std::size_t values = 1;
  for (const sweep::Dimension& dimension : sweep.dimensions) {
    std::size_t most = 1;
    for (const sweep::Axis& axis : dimension) most = std::max(most, axis.values.size());
    values *= most;
    if (values > 40) return true;
  }
  return false;
}

void check_sweep(const Document& document) {
  const sweep::Sweep sweep = sweep::read_sweep(document);
  if (is_long(sweep)) return;
  const sweep::Plan plan(sweep, all_kinds(), "1");
  for (std::size_t i = 0; i < std::min<std::size_t>(plan.size(), 4); ++i) {
    const sweep::Point point = plan.point(i);
    try {
      config::read<RunConfig>(plan.document(point), all_kinds());
    } catch (const ConfigError& e) {
      check_messages(e);
    }
  }
}

template <class C>
void check_resolved(C& config) {
  const ordered_json resolved = config::resolved(config);
  config::ideals(config);
  auto again = config::read<C>(config::parse(resolved.dump(), "resolved.json"), all_kinds());
  if (config::resolved(again) != resolved) throw Finding("a resolved config reads differently: " + resolved.dump());
}

void build_graph(const MachineConfig& machine, const config::Value& written, Random& random, Tally& tally) {
  if (nodes_of(written) > most_nodes) return;
  const topo::Graph graph = topo::build(machine.topology);
  ++tally.graphs;
  if (graph.nodes.size() < 100 && random.below(16) == 0) draw::svg(draw::draw(graph, machine.title));
}

/// Elaborates the machine and lets nothing happen.
void build_machine(RunConfig run, const Document& document, Tally& tally) {
  if (nodes_of(*document.root.find("machine")) > 256) return;
  run.options.limit_simulated_time = 1_ns;
  runner::Options options;
  options.limit_wall_s = 30;
  const runner::Outcome outcome = runner::run_one(run, experiment::simulation(), options);
  ++tally.machines;
  if (outcome.status == runner::Status::config_error)
    throw ConfigError(runner::located(outcome.config_errors, document));
  for (const std::string& message : outcome.messages)
    for (const char* crash : {"ended by signal", "ended with code", "json.exception", "std::", "took longer"})
      if (message.find(crash) != std::string::npos) throw Finding("elaboration: " + message);
}

void examine(const Document& document, Random& random, Tally& tally) {
  const auto& kinds = app::file_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const app::FileKind& k) { return k.recognise(document.root); });
  if (kind == kinds.end()) {
    config::throw_if_any(document.problems);
  } else if (kind->name == "sweep") {
    check_sweep(document);
  } else if (kind->name == "run") {
    auto run = config::read<RunConfig>(document, all_kinds());
    if (random.below(4) == 0) check_resolved(run);  // the dearest of all
    config::provenance(document);
    build_graph(run.machine, *document.root.find("machine"), random, tally);
    if (random.below(16) == 0) build_machine(run, document, tally);
  } else if (kind->name == "machine") {
    auto machine = config::read<MachineConfig>(document, all_kinds());
    if (random.below(4) == 0) check_resolved(machine);
    build_graph(machine, document.root, random, tally);
  } else {
    kind->check(document);
  }
  config::to_json(document);
}

void guarded(const std::function<void()>& work, Tally& tally) {
  ++tally.documents;
  try {
    work();
    ++tally.good;
  } catch (const ConfigError& e) {
    ++tally.refused;
    check_messages(e);
  } catch (const Finding&) {
    throw;
  } catch (const std::exception& e) {
    throw Finding(fmt::format("an exception that is no ConfigError: {}", e.what()));
  }
}

}  // namespace

void check_messages(const ConfigError& error) {
  if (error.messages().empty()) throw Finding("an error without a message");
  if (!config::is_utf8(error.what())) throw Finding("a message that is no UTF-8");
  for (const config::Message& m : error.messages()) {
    const std::string line = m.line();
    const bool has_place = (m.place.file && !m.place.file->empty()) || (!m.place.file && !m.pointer.empty());
    if (!has_place || m.text.empty()) throw Finding("a message without a place or text: " + line);
    if (m.place.file && m.place.line == 0 && m.place.file->rfind("--set ", 0) != 0 &&
        m.text.rfind("cannot be read", 0) != 0)
      throw Finding("a message without a line: " + line);
    if (!config::is_printable(line)) throw Finding("a message with control characters: " + config::printable(line));
    if (line.find("json.exception") != std::string::npos) throw Finding("a message of a library: " + line);
    if (line.size() > 10'000) throw Finding("a message without end: " + line.substr(0, 200));
  }
}

void examine(const std::string& text, const std::string& name, const std::vector<config::Override>& overrides,
             Random& random, Tally& tally) {
  guarded([&] { examine(config::parse(text, name, overrides), random, tally); }, tally);
}

void examine_file(const std::string& file, Random& random, Tally& tally) {
  guarded([&] { examine(config::load(file), random, tally); }, tally);
}

}  // namespace tsunagi::fuzz
