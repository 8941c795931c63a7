// SPDX-License-Identifier: Apache-2.0
#include "app/box/box_runs.hpp"

#include <algorithm>
#include <map>

#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/run_pictures.hpp"
#include "experiment/simulation.hpp"
#include "topo/graph.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

/// Makes configs of runs; parts of them that are alike are read once.
class RunConfigs {
 public:
  RunConfigs(const std::vector<BoxVariant>& variants, const box::Plan& plan) : variants_(variants), plan_(plan) {}

  /// Throws config::ConfigError.
  RunConfig of(const BoxTask& t) {
    const box::Run& run = plan_.runs[t.run];
    const BoxVariant& variant = variants_[t.variant];
    const bool is_cuda = run.library.contains("$use");
    RunConfig out;
    out.name = "box";
    out.machine = variant.machine;
    out.library = part("library", run.library, is_cuda ? variant.library : none_);
    out.scenario = part("scenario", run.scenario, none_);
    return out;
  }

 private:
  const config::AnyConfig& part(const char* family, const Json& json, const std::vector<config::Override>& more) {
    std::string key = json.dump();
    for (const config::Override& o : more) key += "\n" + o.pointer + "=" + o.value;
    const auto known = parts_.find(key);
    if (known != parts_.end()) return known->second;
    return parts_.emplace(key, config::read_any(config::parse(json.dump(), family, more), all_kinds(), family))
        .first->second;
  }

  const std::vector<BoxVariant>& variants_;
  const box::Plan& plan_;
  const std::vector<config::Override> none_;
  std::map<std::string, config::AnyConfig> parts_;
};

std::string device_kind(const topo::Graph& g, const topo::End& end) { return g.nodes[end.node].config.kind(); }

std::optional<box::WireUse> busiest_of(const topo::Graph& g, const runner::Outcome& o, double seconds) {
  if (!(seconds > 0) || seconds > 1000) return std::nullopt;
  const Time time = Time::from_fs(static_cast<std::int64_t>(seconds * 1e15));
  const auto uses = experiment::direction_uses(g, experiment::carried_in(o.counters), time);
  std::optional<box::WireUse> out;
  for (std::size_t i = 0; i < uses.size(); ++i)
    for (const bool back : {false, true}) {
      const double use = back ? uses[i].second : uses[i].first;
      if (!(use > (out ? out->use : 0))) continue;
      const topo::Link& l = g.links[i];
      const topo::End& from = back ? l.b : l.a;
      const topo::End& to = back ? l.a : l.b;
      out = box::WireUse{g.nodes[from.node].name + "." + from.port, g.nodes[to.node].name + "." + to.port,
                         box::wire_name(l) + ", " + device_kind(g, from) + " to " + device_kind(g, to), use};
    }
  return out;
}

std::string reason_of(const runner::Outcome& o) {
  if (!o.config_errors.empty()) return o.config_errors.front().text;
  return o.messages.empty() ? "the run failed" : o.messages.front();
}

box::Observed observed(const topo::Graph& g, const box::Run& run, const runner::Outcome& o) {
  box::Observed out;
  out.status = o.status;
  if (o.status != runner::Status::ok) {
    out.why_not = reason_of(o);
    return out;
  }
  out.rows = o.rows;
  out.busiest = busiest_of(g, o, box::seconds_of(run, o.rows));
  return out;
}

}  // namespace

std::optional<std::vector<box::Observed>> observe(const std::vector<BoxVariant>& variants, const box::Plan& plan,
                                                  const std::vector<BoxTask>& tasks, runner::Options options) {
  std::vector<box::Observed> out(tasks.size());
  std::vector<RunConfig> runs;
  std::vector<std::size_t> numbers;
  RunConfigs configs(variants, plan);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    try {
      runs.push_back(configs.of(tasks[i]));
      numbers.push_back(i);
    } catch (const config::ConfigError& e) {
      out[i].status = runner::Status::config_error;
      out[i].why_not = e.messages().front().text;
    }
  }
  std::vector<runner::Outcome> outcomes;
  {
    const RunProgress progress(options, "box");
    outcomes = runner::run_many(runs, experiment::simulation(true), options);
  }
  std::vector<std::optional<topo::Graph>> graphs(variants.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].status == runner::Status::interrupted) return std::nullopt;
    const BoxTask& t = tasks[numbers[i]];
    if (!graphs[t.variant]) graphs[t.variant] = topo::build(variants[t.variant].machine.topology);
    out[numbers[i]] = observed(*graphs[t.variant], plan.runs[t.run], outcomes[i]);
  }
  return out;
}

}  // namespace tsunagi::app
