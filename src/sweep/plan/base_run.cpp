// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/base_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "config/suggest.hpp"
#include "runner/run_config.hpp"
#include "sweep/plan/id.hpp"

namespace tsunagi::sweep {
namespace {

using nlohmann::ordered_json;

/// "/a/b~1c" as {"a", "b/c"}; fails as RFC 6901 says.
std::vector<std::string> tokens(std::string path) {
  std::vector<std::string> out;
  for (auto rest = ordered_json::json_pointer(path); !rest.empty(); rest.pop_back())
    out.insert(out.begin(), rest.back());
  return out;
}

bool is_index(const std::string& token, std::size_t size) {
  const bool digits = std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits && !token.empty() && token.size() < 10 && (token.size() == 1 || token[0] != '0') &&
         std::stoul(token) < size;
}

/// Why `value` has no `token`, or "".
std::string missing(const ordered_json& value, const std::string& token) {
  if (value.is_array()) {
    if (is_index(token, value.size())) return "";
    return fmt::format("\"{}\" is no index of it: it has {} element{}", token, value.size(),
                       value.size() == 1 ? "" : "s");
  }
  if (!value.is_object()) return "it is a single value and has nothing below it";
  if (value.contains(token)) return "";
  std::vector<std::string> known;
  for (const auto& item : value.items()) known.push_back(item.key());
  return config::detail::unknown("key", token, known);
}

const ordered_json& child(const ordered_json& value, const std::string& token) {
  return value.is_array() ? value[std::stoul(token)] : value[token];
}

/// `value`, which stands at `here`, without what an excerpt leaves out.
config::Value cut(const config::Value& value, const std::string& here, const std::vector<std::string>& paths) {
  const auto meets = [&paths](const std::string& place) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& p) { return is_inside(p, place) || is_inside(place, p); });
  };
  if (std::any_of(paths.begin(), paths.end(), [&](const std::string& p) { return is_inside(here, p); })) return value;
  config::Value out;
  out.type = value.type;
  out.place = value.place;
  out.incomplete = true;  // what is missing is no fault
  std::vector<config::Member>& members = out.members.edit();
  for (const config::Member& m : value.members) {
    const std::string place = config::below(here, m.name);
    if (meets(place))
      members.push_back({m.name, m.place, m.value.is_structured() ? cut(m.value, place, paths) : m.value});
    else if (!m.value.is_structured())
      members.push_back(m);
  }
  config::Value dropped;
  dropped.type = config::Value::Type::object;
  dropped.incomplete = true;
  std::vector<config::Value>& items = out.items.edit();
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const std::string place = config::below(here, std::to_string(i));
    if (!value.items[i].is_structured())
      items.push_back(value.items[i]);
    else
      items.push_back(meets(place) ? cut(value.items[i], place, paths) : dropped);
  }
  return out;
}

}  // namespace

config::Document overridden(config::Document document, const std::vector<config::Override>& overrides) {
  for (const config::Override& o : overrides) config::detail::apply_override(document, o);
  return document;
}

bool is_inside(const std::string& path, const std::string& outer) {
  return path.compare(0, outer.size(), outer) == 0 && (path.size() == outer.size() || path[outer.size()] == '/');
}

BaseRun::BaseRun(config::Document document, const config::Kinds& kinds)
    : document_(std::move(document)), kinds_(kinds) {
  auto run = config::read<RunConfig>(document_, kinds_);
  resolved_ = config::resolved(run);
}

BaseRun::BaseRun(config::Document document, const BaseRun& whole)
    : document_(std::move(document)), kinds_(whole.kinds_) {}

BaseRun BaseRun::excerpt(const std::vector<std::string>& paths) const {
  return {{document_.name, cut(document_.root, "", paths), {}}, *this};
}

std::string BaseRun::fault_of(const std::string& path) const {
  if (path.empty() || path.front() != '/')
    return fmt::format("\"{}\": a JSON pointer starts with \"/\", for example /options/seed", path);
  std::vector<std::string> steps;
  try {
    steps = tokens(path);
  } catch (const ordered_json::parse_error&) {
    return fmt::format("\"{}\": in a JSON pointer \"~\" is written ~0 and \"/\" inside a key ~1", path);
  }
  const ordered_json* value = &resolved_;
  std::string at;
  for (const std::string& token : steps) {
    const std::string fault = missing(*value, token);
    if (!fault.empty()) return fmt::format("the run has no {}: {}: {}", path, at.empty() ? "at its top" : at, fault);
    value = &child(*value, token);
    at = config::below(at, token);
  }
  return "";
}

void BaseRun::spell_out(const std::string& path) { config::spell_out(document_, resolved_, path); }

config::Places BaseRun::places(const std::string& path) const {
  if (!config::is_pattern(path)) return {{path}, ""};
  return config::find_places(path, {&resolved_});
}

config::Document BaseRun::with(const std::vector<config::Override>& overrides) const {
  return overridden(document_, overrides);
}

BaseRun::Reading BaseRun::read(const std::vector<config::Override>& overrides) const {
  Reading out;
  RunConfig run;
  const config::Document document = with(overrides);
  out.files.assign(document.files.begin() + static_cast<std::ptrdiff_t>(document_.files.size()), document.files.end());
  try {
    config::detail::read_root(document, kinds_, [&run](config::Describer& d) { describe(run, d); });
  } catch (const config::ConfigError& e) {
    out.problems = e.messages();
  }
  out.canonical = canonical(std::move(run));
  return out;
}

}  // namespace tsunagi::sweep
