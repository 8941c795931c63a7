// SPDX-License-Identifier: Apache-2.0
#include "figures/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "config/quantity.hpp"

namespace tsunagi::figures {
namespace {

using config::Quantity;
using Json = nlohmann::ordered_json;

/// A word of a range as JSON text of the type that the value has.
std::string as_value(const std::string& word, const Json& value) {
  return value.is_string() ? Json(word).dump() : word;
}

bool is_same(const std::string& a, const std::string& b) {
  const auto x = config::quantity_of(a);
  const auto y = config::quantity_of(b);
  return x && y ? x->kind == y->kind && x->value == y->value : a == b;
}

/// A tenth of it, rounded up to what its type can tell: 1 of a count, a femtosecond, a byte, ...
double tenth_of(const Quantity& q, const std::string& json) {
  const double tenth = q.value / 10;
  if (q.kind == Quantity::Kind::percent) return tenth;
  if (q.kind != Quantity::Kind::number) return std::ceil(tenth);
  const bool is_count = json.find_first_of(".eE") == std::string::npos;
  return is_count ? std::max(1.0, std::ceil(tenth)) : tenth;
}

/// Collects the changes of one parameter.
class Changes {
 public:
  Changes(std::size_t parameter, const std::string& now, std::vector<Change>& out)
      : parameter_(parameter), now_(now), out_(out), first_(out.size()) {}

  void add(const std::string& value, bool is_end) {
    if (is_same(value, now_)) return;
    const auto known = std::find_if(out_.begin() + static_cast<std::ptrdiff_t>(first_), out_.end(),
                                    [&](const Change& c) { return is_same(c.value, value); });
    Change& change = known == out_.end() ? out_.emplace_back(Change{parameter_, value}) : *known;
    (is_end ? change.is_end : change.is_tenth) = true;
  }

  /// Which of them are inside the range.
  void mark(const std::string& low, const std::string& high) {
    const auto least = config::quantity_of(low);
    const auto most = config::quantity_of(high);
    for (std::size_t i = first_; i < out_.size(); ++i) {
      const auto value = config::quantity_of(out_[i].value);
      out_[i].is_inside = !out_[i].is_end && least && most && value && least->kind == value->kind &&
                          most->kind == value->kind && least->value < value->value && value->value < most->value;
    }
  }

 private:
  std::size_t parameter_;
  const std::string& now_;
  std::vector<Change>& out_;
  std::size_t first_;
};

}  // namespace

std::vector<Parameter> parameters_of(const std::vector<Json>& resolved,
                                     const std::vector<std::vector<config::Provenance>>& sources) {
  std::vector<Parameter> out;
  std::map<std::string, std::size_t> index;  // by the place of the source
  for (std::size_t run = 0; run < resolved.size(); ++run) {
    for (const config::Provenance& source : sources[run]) {
      const bool is_open = source.source_class == "assumed" || source.source_class == "fitted";
      const Json::json_pointer pointer(source.pointer);
      if (!is_open || source.range.size() != 2 || !resolved[run].contains(pointer)) continue;
      const auto [known, is_new] = index.emplace(source.place.text(), out.size());
      if (is_new) {
        const Json& value = resolved[run].at(pointer);
        out.push_back({fmt::format("{} of {}", source.key, file_name(source.place)), source.source_class, value.dump(),
                       as_value(source.range[0], value), as_value(source.range[1], value),
                       std::vector<std::vector<std::string>>(resolved.size())});
      }
      out[known->second].places[run].push_back(source.pointer);
    }
  }
  return out;
}

std::vector<Parameter> parameters_of(const RunPlan& plan) {
  std::vector<Json> resolved;
  std::vector<std::vector<config::Provenance>> sources;
  for (std::size_t run = 0; run < plan.configs().size(); ++run) {
    RunConfig config = plan.configs()[run];
    resolved.push_back(config::resolved(config));
    sources.push_back(plan.sources(run));
  }
  return parameters_of(resolved, sources);
}

std::vector<Change> changes_of(const std::vector<Parameter>& parameters) {
  std::vector<Change> out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    Changes changes(i, parameter.value, out);
    changes.add(parameter.low, true);
    const auto now = config::quantity_of(parameter.value);
    for (const double way : {-1.0, 1.0}) {
      if (!now) break;
      const Quantity other{now->kind, now->value + way * tenth_of(*now, parameter.value)};
      if (other.value >= 0) changes.add(config::to_json_text(other), false);
    }
    changes.add(parameter.high, true);
    changes.mark(parameter.low, parameter.high);
  }
  return out;
}

}  // namespace tsunagi::figures
