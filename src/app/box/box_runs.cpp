// SPDX-License-Identifier: Apache-2.0
#include "app/box/box_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string_view>

#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/run_pictures.hpp"
#include "experiment/simulation.hpp"
#include "runner/stream.hpp"
#include "topo/graph.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

/// Names of wires by their numbers, made when somebody asks.
class WireNames {
 public:
  explicit WireNames(const topo::Graph& g) : graph_(g), names_(g.links.size()) {}
  const std::string& of(std::size_t link) {
    if (names_[link].empty()) names_[link] = box::wire_name(graph_.links[link]);
    return names_[link];
  }

 private:
  const topo::Graph& graph_;
  std::vector<std::string> names_;
};

/// What a task runs on: one server, or two.
struct Ground {
  Ground(MachineConfig m, std::vector<std::size_t> numbers)
      : machine(std::move(m)), graph(topo::build(machine.topology)), names(graph), links(std::move(numbers)) {}
  MachineConfig machine;
  topo::Graph graph;
  WireNames names;
  std::vector<std::size_t> links;  ///< box::TwoServers::links; of one server none
};

/// A library whose driver's calls cost that share of what they do, a cycle at least.
config::AnyConfig with_calls(const config::AnyConfig& library, double share) {
  Json fields = box::fields_of(library, "library");
  constexpr std::string_view ending = "_cycles";
  for (auto& [name, value] : fields.at("driver").items())
    if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      value = std::max<std::int64_t>(1, std::llround(share * value.get<double>()));
  return config::read_any(config::parse(fields.dump(), "library"), all_kinds(), "library");
}

/// Makes configs of runs; parts of them that are alike are read once.
class RunConfigs {
 public:
  RunConfigs(const std::vector<BoxVariant>& variants, const box::Plan& plan) : variants_(variants), plan_(plan) {}

  /// `shorter`: of the run's shorter scenario. Throws config::ConfigError.
  RunConfig of(const BoxTask& t, bool shorter) {
    const box::Run& run = plan_.runs[t.run];
    const BoxVariant& variant = variants_[t.variant];
    RunConfig out;
    out.name = "box";
    out.machine = ground(t)->machine;
    out.library = part("library", run.library,
                       run.twin                       ? variant.verbs
                       : run.library.contains("$use") ? variant.cuda
                                                      : none_,
                       run.calls);
    out.scenario = part("scenario", shorter ? run.shorter : run.scenario, none_);
    return out;
  }

  /// Kept until tasks of another variant ask for theirs.
  std::shared_ptr<Ground> ground(const BoxTask& t) {
    if (variant_ != t.variant) grounds_.clear();
    variant_ = t.variant;
    const std::optional<box::Twin>& twin = plan_.runs[t.run].twin;
    if (!twin) return kept("", [&] { return std::make_shared<Ground>(variants_[t.variant].machine, none_links_); });
    std::string key = twin->adapter + twin->wire.dump();
    for (const auto& [a, b] : twin->swapped) key += "\n" + a + " " + b;
    for (const std::string& adapter : twin->more) key += "\n" + adapter;
    return kept(key, [&] { return two_servers(variants_[t.variant], *twin); });
  }

 private:
  template <class Make>
  std::shared_ptr<Ground> kept(const std::string& key, const Make& make) {
    std::shared_ptr<Ground>& out = grounds_[key];
    if (out == nullptr) out = make();
    return out;
  }

  std::shared_ptr<Ground> two_servers(const BoxVariant& v, const box::Twin& twin) {
    const topo::Graph graph = topo::build(v.machine.topology);
    const topo::Graph other = v.other ? topo::build(v.other->topology) : topo::Graph();
    box::TwoServers both = box::two_servers(graph, v.other ? other : graph, twin,
                                            part("wire", v.cable.is_null() ? twin.wire : v.cable, none_));
    return std::make_shared<Ground>(std::move(both.machine), std::move(both.links));
  }

  const config::AnyConfig& part(const char* family, const Json& json, const std::vector<config::Override>& more,
                                double calls = 1) {
    std::string key = fmt::format("{}{} {}", family, json.dump(), calls);
    for (const config::Override& o : more) key += "\n" + o.pointer + "=" + o.value;
    const auto known = parts_.find(key);
    if (known != parts_.end()) return known->second;
    config::AnyConfig read = config::read_any(config::parse(json.dump(), family, more), all_kinds(), family);
    if (calls < 1) read = with_calls(read, calls);
    return parts_.emplace(key, std::move(read)).first->second;
  }

  const std::vector<BoxVariant>& variants_;
  const box::Plan& plan_;
  const std::vector<config::Override> none_;
  const std::vector<std::size_t> none_links_;
  std::map<std::string, config::AnyConfig> parts_;
  std::optional<std::size_t> variant_;  // of grounds_
  std::map<std::string, std::shared_ptr<Ground>> grounds_;
};

std::string device_kind(const topo::Graph& g, const topo::End& end) { return g.nodes[end.node].config.kind(); }

/// Of the wires that carried something, the busier direction; of two servers those of this one, and the cable.
std::map<std::size_t, box::WireUse> uses_of(Ground& ground, const runner::Outcome& o) {
  std::map<std::size_t, box::WireUse> out;
  if (o.cost.simulated == Time::zero()) return out;
  const topo::Graph& g = ground.graph;
  const double all = static_cast<double>(o.cost.simulated.fs()) * 1e-15;
  const auto uses = experiment::direction_uses(g, experiment::carried_in(o.counters), o.cost.simulated);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool back = uses[i].second > uses[i].first;
    const double use = back ? uses[i].second : uses[i].first;
    const std::size_t number = ground.links.empty() ? i : ground.links[i];
    if (!(use > 0) || number == box::TwoServers::theirs) continue;
    const topo::End& from = back ? g.links[i].b : g.links[i].a;
    const topo::End& to = back ? g.links[i].a : g.links[i].b;
    out[number] = {g.nodes[from.node].name + "." + from.port, g.nodes[to.node].name + "." + to.port,
                   ground.names.of(i) + ", " + device_kind(g, from) + " to " + device_kind(g, to), use * all};
  }
  return out;
}

std::string reason_of(const runner::Outcome& o) {
  if (!o.config_errors.empty()) return o.config_errors.front().text;
  return o.messages.empty() ? "the run failed" : o.messages.front();
}

/// A simulation for a task.
struct Piece {
  std::size_t task;
  bool shorter;  ///< of the run's shorter scenario
};

void add(box::Observed& out, const Piece& piece, Ground& ground, const runner::Outcome& o) {
  if (o.status != runner::Status::ok) {
    out.status = o.status;
    out.why_not = reason_of(o);
    return;
  }
  if (out.why_not.empty()) out.status = runner::Status::ok;
  out.packet_hops += o.cost.packet_hops;
  out.wakeups += o.cost.wakeups;
  if (piece.shorter) {
    out.shorter = o.rows;
    return;
  }
  out.rows = o.rows;
  out.uses = uses_of(ground, o);
}

}  // namespace

std::optional<std::vector<box::Observed>> observe(const std::vector<BoxVariant>& variants, const box::Plan& plan,
                                                  const std::vector<BoxTask>& tasks, runner::Options options) {
  std::vector<box::Observed> out(tasks.size());
  if (tasks.empty()) return out;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> first;  // equal tasks are run once
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!first.emplace(std::pair(tasks[i].variant, tasks[i].run), i).second) continue;
    pieces.push_back({i, false});
    if (!plan.runs[tasks[i].run].shorter.is_null()) pieces.push_back({i, true});
  }
  RunConfigs configs(variants, plan);
  std::size_t next = 0;
  std::size_t done = 0;
  std::map<std::size_t, std::shared_ptr<Ground>> grounds;  // of pieces under way
  const RunProgress progress(options, "box");
  const auto ended = [&](std::size_t i, const runner::Outcome& o) {
    add(out[pieces[i].task], pieces[i], *grounds.at(i), o);
    grounds.erase(i);
    if (options.progress) options.progress(++done, pieces.size());
  };
  const auto task = [&]() -> std::optional<runner::Task> {
    if (next == pieces.size()) return std::nullopt;
    const std::size_t i = next++;
    const BoxTask& of = tasks[pieces[i].task];
    // Read here: parts that are alike are read once.
    try {
      grounds[i] = configs.ground(of);
      return runner::Task{[config = configs.of(of, pieces[i].shorter)] { return config; },
                          [&ended, i](const runner::Outcome& o) { ended(i, o); }};
    } catch (const config::ConfigError& e) {
      out[pieces[i].task].status = runner::Status::config_error;
      out[pieces[i].task].why_not = e.messages().front().text;
      return runner::Task{};
    }
  };
  if (!runner::run_stream(task, experiment::simulation(true), options)) return std::nullopt;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (const std::size_t same = first.at({tasks[i].variant, tasks[i].run}); same != i) out[i] = out[same];
  return out;
}

}  // namespace tsunagi::app
