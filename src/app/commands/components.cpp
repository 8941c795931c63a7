// SPDX-License-Identifier: Apache-2.0
#include "app/commands/components.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "app/files/config_files.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/simulation.hpp"

namespace tsunagi::app {

using figures::FigureEntry;
using figures::Verdict;

Components::Components(const std::filesystem::path& folder) {
  std::set<std::string> ids;
  for (const std::filesystem::path& file : json_files(folder)) {
    const config::Document document = config::load(file);
    if (document.root.find("curves") == nullptr) continue;  // runs lie there, too
    fits_.push_back({file, fit::Problem(fit::read_fit(document), document, all_kinds())});
    for (const FigureEntry& entry : fit::component_figures(fits_.back().problem.file(), file))
      if (!ids.insert(entry.figure.id).second)
        throw config::ConfigError(
            {{document.root.find("curves")->place, "/curves", "id \"" + entry.figure.id + "\" is there twice"}});
  }
}

std::vector<FigureEntry> Components::figures() const {
  std::vector<FigureEntry> out;
  for (const Named& fit : fits_)
    for (FigureEntry& entry : fit::component_figures(fit.problem.file(), fit.file)) out.push_back(std::move(entry));
  return out;
}

std::vector<std::filesystem::path> Components::files() const {
  std::vector<std::filesystem::path> out;
  for (const Named& fit : fits_)
    for (const std::filesystem::path& file : fit.problem.files()) out.push_back(file);
  return out;
}

std::optional<std::vector<Verdict>> Components::check(const std::vector<FigureEntry>& wanted,
                                                      const std::vector<figures::KnownMiss>& missed,
                                                      const runner::Options& options) const {
  const auto is_wanted = [&](const FigureEntry& entry) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const FigureEntry& w) { return w.figure.id == entry.figure.id; });
  };
  std::vector<Verdict> out;
  for (const Named& fit : fits_) {
    const std::vector<FigureEntry> its = fit::component_figures(fit.problem.file(), fit.file);
    if (std::none_of(its.begin(), its.end(), is_wanted)) continue;
    auto verdicts = fit::check_components(fit.problem, fit.file, missed, experiment::simulation(), options);
    if (!verdicts) return std::nullopt;
    for (Verdict& v : *verdicts)
      if (is_wanted(v.entry)) out.push_back(std::move(v));
  }
  return out;
}

}  // namespace tsunagi::app
