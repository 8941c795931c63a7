// SPDX-License-Identifier: Apache-2.0
// A sweep from the command line: --vary /path=VALUE,VALUE,...
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/places/places.hpp"
#include "config/text/json_text.hpp"
#include "config/text/printable.hpp"
#include "sweep/plan/sweep_config.hpp"
#include "sweep/plan/text.hpp"

namespace tsunagi::sweep {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Pieces between the commas that stand outside quotes and brackets.
std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> out{""};
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && !quoted && depth <= 0) {
      out.emplace_back();
      continue;
    }
    out.back() += c;
    if (quoted && c == '\\' && i + 1 < text.size()) out.back() += text[++i];
  }
  for (std::string& piece : out) piece = trimmed(piece);
  return out;
}

/// The text as JSON or, if it is none, as a JSON string of it: as --set takes it. Throws config::ConfigError.
std::string as_json(const std::string& text, const Where& where) {
  std::vector<config::Message> faults;
  const auto value = config::detail::parse_json(text, "", faults);
  if (!value) return nlohmann::json(text).dump();
  for (const config::Message& fault : faults) throw config::ConfigError({where.says(fault.text)});
  return config::to_json(*value).dump();
}

Where said_by(const std::string& text) { return {{std::make_shared<const std::string>("--vary " + text), 0, 0}, {}}; }

Axis axis_of(const std::string& text) {
  if (config::path_length(text) == std::string::npos || text.front() == '=')
    throw config::ConfigError(
        {said_by(text).says("needs the form POINTER=VALUE,VALUE,..., for example /options/seed=1,2,3")});
  const config::Override given = config::parse_override(text);
  const Where where = said_by(given.pointer);
  Axis axis{{}, {given.pointer}, {}, where};
  for (const std::string& piece : pieces(given.value)) {
    if (piece.empty()) throw config::ConfigError({where.says("a value is empty")});
    if (!config::is_utf8(piece)) throw config::ConfigError({where.says("is no UTF-8")});
    const std::string json = as_json(piece, where);
    axis.values.push_back({json, shown(json), where});
  }
  name_files(axis.values);
  name_objects(axis.values);
  return axis;
}

/// The shortest end of its path, without conditions, that tells an axis from the others and begins with a name; the
/// path as written if another has the same.
std::string name_among(const std::vector<std::string>& paths, const std::string& path) {
  const auto bare_path = [](const std::string& p) {
    const std::string bare = config::without_conditions(p);
    return bare.rfind('/', 0) == 0 ? bare.substr(1) : bare;
  };
  std::vector<std::string> bare;
  for (const std::string& p : paths) bare.push_back(bare_path(p));
  const std::string own = bare_path(path);
  if (std::count(bare.begin(), bare.end(), own) > 1) return path;
  return shortest_end(bare, own, [&](const std::string& name) {
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 && name[0] != '*' && name[0] != '/';
  });
}

}  // namespace

Sweep from_vary(const std::filesystem::path& run_file, const std::vector<std::string>& vary,
                const std::vector<config::Override>& overrides) {
  return from_vary(config::load(run_file, overrides), vary);
}

Sweep from_vary(config::Document run, const std::vector<std::string>& vary) {
  Sweep sweep;
  sweep.name = std::filesystem::path(run.name).stem().string();
  std::vector<std::string> paths;
  for (const std::string& text : vary) {
    sweep.dimensions.push_back({axis_of(text)});
    paths.push_back(sweep.dimensions.back().front().paths.front());
  }
  for (std::size_t i = 0; i < paths.size(); ++i) sweep.dimensions[i].front().name = name_among(paths, paths[i]);
  sweep.set = run.applied;
  sweep.base = std::move(run);
  return sweep;
}

}  // namespace tsunagi::sweep
