// SPDX-License-Identifier: Apache-2.0
#include "fit/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "fit/text.hpp"

namespace tsunagi::fit {

std::vector<figures::FigureEntry> component_figures(const FitFile& file, const std::filesystem::path& path) {
  std::vector<figures::FigureEntry> out;
  for (const Curve& curve : file.curves) {
    if (curve.id.empty()) continue;
    figures::FigureEntry entry;
    entry.system = components_system;
    entry.paper = file.title;
    entry.file = path;
    figures::Figure& f = entry.figure;
    f.id = curve.id;
    f.measure = "mean error of " + curve.name;
    f.compare = figures::Compare::at_most;
    f.value = curve.aim;
    f.unit = "%";
    f.role = figures::Role::fitted;
    f.reason = "parameters are fitted to this curve: " + path.filename().string();
    f.runs = {{"run", curve.run, curve.set, {}}};
    f.expression = curve.expression;
    out.push_back(std::move(entry));
  }
  return out;
}

std::optional<std::vector<figures::Verdict>> check_components(const Problem& problem, const std::filesystem::path& path,
                                                              const std::vector<figures::KnownMiss>& missed,
                                                              const runner::Simulate& simulate,
                                                              const runner::Options& options) {
  std::optional<std::vector<Simulated>> simulated;
  std::string failed;
  try {
    simulated = problem.simulate({problem.start()}, simulate, options);
    if (!simulated) return std::nullopt;
  } catch (const std::runtime_error& e) {
    failed = e.what();
  }
  std::vector<figures::Verdict> out;
  for (figures::FigureEntry& entry : component_figures(problem.file(), path)) {
    const auto& curves = problem.curves();
    const auto curve = std::find_if(curves.begin(), curves.end(),
                                    [&](const MeasuredCurve& c) { return c.curve.id == entry.figure.id; });
    figures::Verdict v;
    v.entry = std::move(entry);
    for (const Parameter& p : problem.parameters())
      if (!p.places[curve->run].empty())
        v.fitted.push_back(
            fmt::format("{}:{}:{} {}", p.file.filename().string(), p.place.line, p.place.column, p.path));
    if (simulated)
      v.simulated = 100 * deviation(*curve, simulated->front()[static_cast<std::size_t>(curve - curves.begin())]).mean;
    else
      v.why = failed;
    figures::judge(v, missed);
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace tsunagi::fit
