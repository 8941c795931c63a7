// SPDX-License-Identifier: Apache-2.0
#include "app/files/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>

#include "app/shell/output.hpp"
#include "config/text/printable.hpp"
#include "figures/figure_files.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
using figures::Compare;
using figures::Figure;
using figures::FigureEntry;

/// The files in which the keys of the run were written.
std::set<fs::path> files_of(const config::Document& run) {
  std::set<fs::path> out;
  for (const config::Member& member : run.root.members)
    if (member.place.file && member.place.line > 0) out.insert(fs::weakly_canonical(*member.place.file));
  return out;
}

bool has_run_in(const FigureEntry& entry, const std::set<fs::path>& files) {
  const auto& runs = entry.figure.runs;
  return std::any_of(runs.begin(), runs.end(), [&](const figures::FigureRun& run) {
    return files.count(fs::weakly_canonical(entry.file.parent_path() / run.file)) != 0;
  });
}

plot::Bound bound_of(Compare compare) {
  if (compare == Compare::at_most) return plot::Bound::at_most;
  return compare == Compare::at_least ? plot::Bound::at_least : plot::Bound::none;
}

plot::Reference reference_of(const Figure& figure) {
  const auto quantity = [&](double value) { return fmt::format("{} {}", value, figure.unit); };
  const bool range = figure.compare == Compare::between;
  const char* const sign = figure.compare == Compare::at_most ? "≤ " : figure.compare == Compare::at_least ? "≥ " : "";
  const std::string value =
      range ? fmt::format("{:g} to {:g}", figure.value, figure.upper) : fmt::format("{:g}", figure.value);
  const std::string unit = figure.unit == "us" ? "µs" : figure.unit;
  return {figure.point.x,
          figure.point.at,
          figure.point.y,
          quantity(figure.value),
          range ? quantity(figure.upper) : "",
          bound_of(figure.compare),
          fmt::format("{}{} {} ({})", sign, value, unit, figure.id)};
}

}  // namespace

void add_published(plot::Plot& plot, const config::Document& run, const Configs& configs) {
  try {
    const std::set<fs::path> files = files_of(run);
    for (const FigureEntry& entry : figures::load_figures(json_files(configs.folder() / "figures")))
      if (!entry.figure.point.x.empty() && has_run_in(entry, files)) plot::add(plot, reference_of(entry.figure));
  } catch (const std::exception& e) {
    write_stderr(fmt::format("tsunagi: published figures are left out of the plot: {}\n", config::told_by(e)));
  }
}

}  // namespace tsunagi::app
