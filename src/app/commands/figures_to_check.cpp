// SPDX-License-Identifier: Apache-2.0
#include "app/commands/figures_to_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/shell/command_line.hpp"
#include "app/shell/errors.hpp"
#include "config/suggest.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {

using figures::FigureEntry;

namespace {

std::vector<FigureEntry> selected(std::vector<FigureEntry> entries, const po::variables_map& values) {
  std::vector<std::string> systems;
  std::vector<std::string> ids;
  for (const FigureEntry& entry : entries) {
    if (std::find(systems.begin(), systems.end(), entry.system) == systems.end()) systems.push_back(entry.system);
    ids.push_back(entry.figure.id);
  }
  const auto keep = [&entries](const auto& wanted) {
    entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const FigureEntry& e) { return !wanted(e); }),
                  entries.end());
  };
  if (values.count("system") != 0) {
    const std::string system = chosen(values, "system", systems);
    keep([&](const FigureEntry& e) { return e.system == system; });
  }
  if (values.count("id") != 0) {
    const auto& wanted = values["id"].as<std::vector<std::string>>();
    for (const std::string& id : wanted) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end())
        throw UsageError(fmt::format("unknown figure \"{}\"{}; `tsunagi list figures` prints all", id,
                                     config::detail::did_you_mean(id, ids)));
      if (std::none_of(entries.begin(), entries.end(), [&](const FigureEntry& e) { return e.figure.id == id; }))
        throw UsageError(fmt::format("--id {} is no figure of --system {}", id, values["system"].as<std::string>()));
    }
    keep([&](const FigureEntry& e) { return std::find(wanted.begin(), wanted.end(), e.figure.id) != wanted.end(); });
  }
  return entries;
}

/// Whether figures are left out whose runs take minutes: who names one wants it.
bool leaves_out(const po::variables_map& values) {
  return values.count("quick") != 0 || (values.count("sensitivity") != 0 && values.count("id") == 0);
}

/// Throws UsageError if nothing could come of a check of these figures.
void check_runs(const po::variables_map& values, const std::vector<FigureEntry>& wanted) {
  const bool any = std::any_of(wanted.begin(), wanted.end(), [](const FigureEntry& e) { return has_run(e.figure); });
  if (any || values.count("require-all") != 0) return;
  throw UsageError(
      "none of these figures has a run, so there is nothing to check; `tsunagi list figures` prints them, "
      "--require-all "
      "counts them as misses");
}

}  // namespace

FiguresToCheck figures_to_check(const std::vector<FigureEntry>& all, const po::variables_map& values) {
  FiguresToCheck out{selected(all, values), {}};
  check_runs(values, out.wanted);
  if (!leaves_out(values)) return out;
  const auto kept = std::stable_partition(out.wanted.begin(), out.wanted.end(),
                                          [](const FigureEntry& e) { return !takes_minutes(e.figure); });
  out.left_out.assign(kept, out.wanted.end());
  out.wanted.erase(kept, out.wanted.end());
  if (out.wanted.empty())
    throw UsageError(fmt::format("the runs of these figures take minutes, and {} leaves such out",
                                 values.count("quick") != 0 ? "--quick" : "--sensitivity, unless --id names them,"));
  return out;
}

}  // namespace tsunagi::app
