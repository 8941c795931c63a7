// SPDX-License-Identifier: Apache-2.0
#include "fit/parts.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "fit/rewrite.hpp"
#include "fit/text.hpp"

namespace tsunagi::fit {
namespace {

/// A JSON value that is to stand somewhere: behind the key that is there, or itself there.
struct Change {
  config::Place place;
  bool behind_key = false;
  std::string json;
};

/// "pcie_bench.csv (xxh3 0123456789abcdef)" for all that the curves were.
std::string data_text(const Problem& problem, const std::filesystem::path& folder) {
  std::set<std::string> files;
  for (const MeasuredCurve& curve : problem.curves()) files.insert(curve.curve.data);
  std::string out;
  for (const std::string& file : files) {
    const std::string content = content_of(folder / file);
    out += fmt::format("{}{} (xxh3 {:016x})", out.empty() ? "" : ", ", std::filesystem::path(file).filename().string(),
                       XXH3_64bits(content.data(), content.size()));
  }
  return out;
}

std::string source_json(const Problem& problem, const Fit& fit, std::size_t parameter, const std::string& data,
                        const config::Provenance& before) {
  const Parameter& p = problem.parameters()[parameter];
  const auto known = interval(problem, fit, parameter);
  const std::string bounds =
      known ? fmt::format("95 %: {} .. {}", known->first, known->second) : std::string("which do not tell it alone");
  std::string source = fmt::format("fit to {}, {}; before that {}, {}: {}", data, bounds, config::to_json_text(p.start),
                                   before.source_class, before.source);
  source.erase(std::remove(source.begin(), source.end(), '"'), source.end());
  const auto json = [](const auto& value) { return nlohmann::json(value).dump(); };
  return fmt::format(R"({{"class": "fitted", "range": [{}, {}], "fitted_to": [{}], "source": {}}})",
                     config::to_json_text(p.low), config::to_json_text(p.high), json(problem.file().name),
                     json(source));
}

}  // namespace

std::map<std::filesystem::path, std::string> fitted_parts(const Problem& problem, const Fit& fit) {
  const std::string data = data_text(problem, problem.folder());
  std::map<std::filesystem::path, std::vector<Change>> changes;
  for (std::size_t i = 0; i < problem.parameters().size(); ++i) {
    const Parameter& p = problem.parameters()[i];
    auto& of_file = changes[*p.place.file];
    of_file.push_back({p.place, false, problem.text(i, fit.at[i])});
    for (const config::Provenance& source : config::provenance(config::load(p.file)))
      if (source.pointer == p.path && source.place.file && *source.place.file == *p.place.file)
        of_file.push_back({source.place, true, source_json(problem, fit, i, data, source)});
  }
  std::map<std::filesystem::path, std::string> out;
  for (auto& [file, its] : changes) {
    // From the end, so that places before it stay where they are.
    std::sort(its.begin(), its.end(), [](const Change& a, const Change& b) {
      return std::pair(a.place.line, a.place.column) > std::pair(b.place.line, b.place.column);
    });
    std::string text = content_of(file);
    for (const Change& change : its) {
      const auto put = change.behind_key ? with_member : with_value;
      text = put(text, change.place.line, change.place.column, change.json);
    }
    out.emplace(file, std::move(text));
  }
  return out;
}

}  // namespace tsunagi::fit
