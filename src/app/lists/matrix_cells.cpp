// SPDX-License-Identifier: Apache-2.0
#include "app/lists/matrix_cells.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/files/config_files.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "topo/graph.hpp"

namespace tsunagi::app {
namespace {

using Names = std::vector<std::string>;

/// A machine, how large it is, and kinds of devices in it.
struct Site {
  MachineConfig config;
  std::size_t devices = 0;
  std::set<std::string> kinds;
};

/// A library on a machine, as some run has them.
struct Home {
  Site site;
  config::AnyConfig library;
};

constexpr std::size_t most_devices = 400;  // larger machines show nothing that smaller ones do not, and take longer
constexpr std::size_t most_homes = 3;
constexpr std::size_t most_versions = 4;  // of a library: on several networks, with other values

std::optional<Site> site_of(const MachineConfig& machine) {
  try {
    Site site{machine, 0, {}};
    for (const topo::Node& node : topo::build(machine.topology).nodes) {
      site.kinds.insert(node.config.kind());
      ++site.devices;
    }
    if (site.devices <= most_devices) return site;
  } catch (const config::ConfigError&) {
  }
  return std::nullopt;
}

bool smaller(const Site& a, const Site& b) { return a.devices < b.devices; }

/// The smallest machine of each topology with each set of kinds of devices: others say the same to a library.
std::vector<Site> machines_in(const std::filesystem::path& configs) {
  std::map<std::pair<std::string, std::set<std::string>>, Site> smallest;
  std::vector<std::filesystem::path> files = json_files(configs / "machines");
  for (const auto& file : json_files(configs / "templates")) files.push_back(file);
  for (const auto& file : files) {
    try {
      const auto site = site_of(config::read<MachineConfig>(config::load(file), all_kinds()));
      if (!site) continue;
      const auto [at, is_new] = smallest.try_emplace({site->config.topology.kind(), site->kinds}, *site);
      if (!is_new && smaller(*site, at->second)) at->second = *site;
    } catch (const config::ConfigError&) {
      continue;  // `list machines` says which and why
    }
  }
  std::vector<Site> out;
  for (auto& [key, site] : smallest) out.push_back(std::move(site));
  return out;
}

/// Where runs have a library: the largest machine, the smallest and one between, if there are so many.
std::vector<Home> homes_of(const std::string& library, const std::vector<ShippedRun>& runs) {
  std::map<std::string, Home> by_machine;
  for (const ShippedRun& run : runs)
    if (run.config.library.kind() == library && by_machine.count(run.config.machine.name) == 0)
      if (auto site = site_of(run.config.machine))
        by_machine[run.config.machine.name] = {std::move(*site), run.config.library};
  std::vector<Home> out;
  for (auto& [name, home] : by_machine) out.push_back(std::move(home));
  std::stable_sort(out.begin(), out.end(), [](const Home& a, const Home& b) { return smaller(b.site, a.site); });
  if (out.size() > most_homes) out = {out.front(), out[out.size() / 2], out.back()};
  return out;
}

/// The different configs of a library in the runs.
std::vector<config::AnyConfig> versions_of(const std::string& library, const std::vector<ShippedRun>& runs) {
  std::vector<config::AnyConfig> out;
  std::set<std::string> known;
  for (const ShippedRun& run : runs) {
    if (run.config.library.kind() != library || out.size() == most_versions) continue;
    RunConfig alone;
    alone.library = run.config.library;
    if (known.insert(config::resolved(alone).dump()).second) out.push_back(run.config.library);
  }
  return out;
}

RunConfig together(const MachineConfig& machine, const config::AnyConfig& library, const config::AnyConfig& scenario) {
  RunConfig run;
  run.machine = machine;
  run.library = library;
  run.scenario = scenario;
  return run;
}

MatrixPart scenario_part(const Names& libraries, const std::vector<ShippedRun>& runs) {
  MatrixPart part{"scenario", kind_names("scenario"), {}, {}};
  std::map<std::string, std::vector<Home>> homes;
  for (const std::string& library : libraries) homes[library] = homes_of(library, runs);
  for (const std::string& scenario : part.rows) {
    const std::vector<config::AnyConfig> ways = quick_candidates(scenario, runs);
    for (const std::string& library : libraries) {
      Candidates candidates;
      for (const ShippedRun& run : runs)
        if (candidates.empty() && run.config.library.kind() == library && run.config.scenario.kind() == scenario &&
            site_of(run.config.machine)) {
          if (auto smallest = of_smallest_class(run.config.scenario); !smallest.empty())
            candidates.push_back(together(run.config.machine, run.config.library, smallest));
          candidates.push_back(run.config);
        }
      for (const Home& home : homes[library])
        for (const config::AnyConfig& way : ways) candidates.push_back(together(home.site.config, home.library, way));
      part.questions.push_back(std::move(candidates));
    }
  }
  return part;
}

/// `common`: by library, what all machines have on which it runs; known once there are answers.
MatrixPart topology_part(const Names& libraries, const std::vector<ShippedRun>& runs, const std::vector<Site>& sites) {
  MatrixPart part{"topology", kind_names("topology"), {}, {}};
  std::map<std::string, std::vector<config::AnyConfig>> versions;
  for (const std::string& library : libraries) versions[library] = versions_of(library, runs);
  for (const std::string& topology : part.rows)
    for (const std::string& library : libraries) {
      Candidates candidates;
      for (const Site& site : sites)
        if (site.config.topology.kind() == topology)
          for (const config::AnyConfig& version : versions[library])
            candidates.push_back(together(site.config, version, {}));
      // What a run shows may be none of these machines: it is large, or its cards have another firmware.
      for (const ShippedRun& run : runs)
        if (run.config.library.kind() == library && run.config.machine.topology.kind() == topology) {
          candidates.push_back(together(run.config.machine, run.config.library, {}));
          break;
        }
      part.questions.push_back(std::move(candidates));
    }
  return part;
}

/// By library: the kinds of devices of all machines on which it runs.
std::vector<Names> needed_devices(const MatrixPart& topologies, std::size_t libraries) {
  std::vector<Names> out(libraries);
  for (std::size_t l = 0; l < libraries; ++l) {
    std::optional<std::set<std::string>> common;
    for (std::size_t i = l; i < topologies.answers.size(); i += libraries) {
      if (!topologies.answers[i].runs) continue;
      const auto site = site_of(topologies.questions[i][topologies.answers[i].which].machine);
      if (!site) continue;
      std::set<std::string> both;
      for (const std::string& kind : site->kinds)
        if (!common || common->count(kind) != 0) both.insert(kind);
      common = std::move(both);
    }
    if (common) out[l].assign(common->begin(), common->end());
  }
  return out;
}

}  // namespace

std::vector<std::string> kind_names(const char* family) {
  Names out;
  for (const config::Kind& kind : all_kinds().find(family)->kinds) out.push_back(kind.name);
  return out;
}

std::optional<Matrix> find_matrix(const std::filesystem::path& configs, std::vector<std::string> libraries) {
  const std::vector<ShippedRun> runs = shipped_runs(configs / "runs");
  Matrix out;
  out.libraries = std::move(libraries);
  out.parts = {scenario_part(out.libraries, runs), topology_part(out.libraries, runs, machines_in(configs))};
  for (MatrixPart& part : out.parts) {
    auto answers = try_all(part.questions);
    if (!answers) return std::nullopt;
    part.answers = std::move(*answers);
  }
  out.devices = needed_devices(out.parts[1], out.libraries.size());
  return out;
}

}  // namespace tsunagi::app
