// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/files/run_file.hpp"
#include "app/new/starts.hpp"
#include "app/new/trials.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"

namespace tsunagi::app {
namespace {

using nlohmann::ordered_json;

struct AxisStart {
  std::string name;
  std::string path;
  std::vector<ordered_json> values;
};

/// Axes worth a look, if the run takes them: numbers of nodes, sizes of messages; any takes the last.
std::vector<AxisStart> axes_of(const ordered_json& run) {
  std::vector<AxisStart> out;
  const ordered_json& topology = run["machine"]["topology"];
  const char* number = topology.contains("nodes") ? "nodes" : "terminals";
  if (topology.contains("nodes") || topology["kind"] == "crossbar")
    if (const int nodes = topology.value(number, 0); nodes >= 4)
      out.push_back({"nodes", fmt::format("/machine/topology/{}", number), {2, nodes / 2, nodes}});
  const ordered_json& scenario = run["scenario"];
  for (const char* list : {"sizes", "faces", "loads"})
    if (scenario.contains(list) && scenario[list].size() > 1)
      out.push_back({list,
                     fmt::format("/scenario/{}", list),
                     {ordered_json::array({scenario[list].front()}), ordered_json::array({scenario[list].back()})}});
  out.push_back({"seed", "/options/seed", {1, 2}});
  return out;
}

/// The run with each of the values that differ from those before.
std::vector<Candidates> points_of(const std::filesystem::path& file, AxisStart& axis) {
  std::vector<Candidates> out;
  std::vector<ordered_json> values;
  for (const ordered_json& value : axis.values) {
    if (!values.empty() && values.back() == value) continue;
    try {
      out.push_back({config::read<RunConfig>(config::load(file, {{axis.path, value.dump()}}), all_kinds())});
      values.push_back(value);
    } catch (const config::ConfigError&) {
      continue;
    }
  }
  axis.values = std::move(values);
  return out;
}

}  // namespace

std::optional<std::string> sweep_start(const std::filesystem::path& configs, const Target& target,
                                       const std::string& run) {
  const std::filesystem::path file = existing(run, configs / "runs", "run");
  const config::Document document = config::load(file);
  require_kind(document, "run", "a run has \"machine\", \"library\" and \"scenario\", see `tsunagi list runs`");
  auto config = config::read<RunConfig>(document, all_kinds());
  for (AxisStart& axis : axes_of(config::resolved(config))) {
    const auto answers = try_all(points_of(file, axis));
    if (!answers) return std::nullopt;
    std::string values;
    int good = 0;
    for (std::size_t i = 0; i < answers->size(); ++i) {
      if (!(*answers)[i].runs) continue;
      values += (good++ == 0 ? "" : ", ") + axis.values[i].dump();
    }
    if (good < 2 && axis.name != "seed") continue;
    return filled_in(template_of(configs, "sweep.json.in"),
                     {{"file", target.file.string()},
                      {"name", target.name},
                      {"title", "{/scenario/kind} on {/machine/name}: " + axis.name + " {" + axis.name + "}"},
                      {"run", name_from(target, file)},
                      {"axis", axis.name},
                      {"path", axis.path},
                      {"values", "[" + values + "]"}});
  }
  return std::nullopt;  // the last axis is taken whatever became of it
}

}  // namespace tsunagi::app
