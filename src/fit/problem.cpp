// SPDX-License-Identifier: Apache-2.0
#include "fit/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fit/unit.hpp"
#include "runner/places.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::fit {
namespace {

using config::Quantity;

config::ConfigError error_at(const config::Document& document, const std::string& pointer, const std::string& text) {
  return config::ConfigError({{runner::place_of(document, pointer), pointer, text}});
}

bool same_place(const config::Place& a, const config::Place& b) {
  return a.file && b.file && a.line == b.line && a.column == b.column && *a.file == *b.file;
}

/// The pointers of all values that were written at `place`.
void collect(const config::Value& value, const std::string& pointer, const config::Place& place,
             std::vector<std::string>& out) {
  if (same_place(value.place, place)) out.push_back(pointer);
  for (std::size_t i = 0; i < value.items.size(); ++i)
    collect(value.items[i], config::below(pointer, std::to_string(i)), place, out);
  for (const config::Member& member : value.members)
    if (member.name != "$sources") collect(member.value, config::below(pointer, member.name), place, out);
}

/// A text of a range or a value in a config, whichever way a number is written there.
std::optional<Quantity> quantity_of(const std::string& text) {
  if (auto number = config::quantity_of(text)) return number;
  return config::quantity_of("\"" + text + "\"");
}

std::string written(const config::Value& value) {
  return value.is_string() ? value.text : config::to_json(value).dump();
}

/// "/engine/start_cycles" as people say it: "engine.start_cycles".
std::string dotted(const std::string& pointer) {
  std::string out = pointer.substr(1);
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

/// Rows of a run in which all took twice the time: a time is doubled with them, a rate halved, a size or count the
/// same.
report::Rows with_times_doubled(const report::Rows& rows) {
  report::Rows out;
  out.rates = rows.rates;
  out.accounts = rows.accounts;
  for (const report::Row& row : rows.rows) {
    report::Row& copy = out.rows.emplace_back();
    for (const auto& [name, cell] : row.cells()) {
      if (const auto* t = std::get_if<Time>(&cell)) copy.time(name, *t + *t);
      if (const auto* b = std::get_if<Bytes>(&cell)) copy.bytes(name, *b);
      if (const auto* n = std::get_if<std::int64_t>(&cell)) copy.count(name, *n);
      if (const auto* s = std::get_if<std::string>(&cell)) copy.text(name, *s);
    }
  }
  return out;
}

}  // namespace

Problem::Problem(FitFile file, const config::Document& document, const config::Kinds& kinds)
    : file_(std::move(file)),
      folder_(std::filesystem::path(document.name).parent_path()),
      own_(document),
      kinds_(kinds) {
  for (std::size_t i = 0; i < file_.curves.size(); ++i) add_curve(i, document);
  load_runs(document, kinds);
  for (std::size_t i = 0; i < file_.parameters.size(); ++i) add_parameter(i, document);
  std::size_t points = 0;
  for (const MeasuredCurve& curve : curves_)
    if (curve.curve.weight > 0) points += curve.points.size();
  if (points <= parameters_.size())
    throw error_at(document, "/parameters",
                   fmt::format("{} parameters are more than {} measured points can tell", parameters_.size(), points));
}

void Problem::add_curve(std::size_t number, const config::Document& document) {
  const Curve& curve = file_.curves[number];
  const std::string at = fmt::format("/curves/{}", number);
  MeasuredCurve out{curve, {}, 0};
  try {
    out.points = points_of(parse_csv(content_of(folder_ / curve.data)), curve.where, curve.x, curve.y);
  } catch (const DataError& e) {
    throw error_at(document, at + "/data", fmt::format("{}: {}", curve.data, e.what()));
  }
  std::vector<std::string> key{(folder_ / curve.run).lexically_normal().string(), curve.along};
  key.insert(key.end(), curve.set.begin(), curve.set.end());
  out.run = run_of_.emplace(key, run_of_.size()).first->second;
  curves_.push_back(std::move(out));
}

void Problem::load_runs(const config::Document& document, const config::Kinds& kinds) {
  documents_.resize(run_of_.size());
  for (const auto& [key, run] : run_of_) {
    std::set<double> places;
    std::string pointer;
    Quantity unit;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      if (curves_[c].run != run) continue;
      pointer = fmt::format("/curves/{}", c);
      const Quantity its = *unit_of(curves_[c].curve.x_unit);
      if (!places.empty() && its.kind != unit.kind)
        throw error_at(document, pointer + "/x_unit", "another curve of the same run goes along another kind of x");
      unit = {its.kind, 1};
      for (Measured& point : curves_[c].points) places.insert(point.x * its.value);
    }
    std::string list;
    for (const double place : places) list += (list.empty() ? "" : ", ") + config::to_json_text({unit.kind, place});
    std::vector<config::Override> overrides;
    for (std::size_t i = 2; i < key.size(); ++i) overrides.push_back(config::parse_override(key[i]));
    overrides.push_back({key[1], "[" + list + "]"});
    documents_[run] = config::load(key[0], overrides, config::resolver<RunConfig>(kinds));
    config::read<RunConfig>(documents_[run], kinds);  // throws what is wrong
  }
  for (MeasuredCurve& curve : curves_) {
    const Quantity x = *unit_of(curve.curve.x_unit);
    const Quantity y = *unit_of(curve.curve.unit);
    for (Measured& point : curve.points) point = {in_base(point.x, x), in_base(point.y, y)};
  }
}

void Problem::add_parameter(std::size_t number, const config::Document& document) {
  const FreeParameter& free = file_.parameters[number];
  const std::string at = fmt::format("/parameters/{}", number);
  Parameter out;
  out.file = (folder_ / free.file).lexically_normal();
  out.path = free.path;
  const config::Document part = config::load(out.file);
  const config::Value* value = runner::value_at(part, free.path);
  if (value == nullptr || free.path.empty())
    throw error_at(document, at + "/path", fmt::format("{} has no value there", free.file));
  out.name = fmt::format("{} of {}", dotted(free.path), out.file.filename().string());
  out.place = value->place;
  const auto start = quantity_of(written(*value));
  const auto low = quantity_of(free.range[0]);
  const auto high = quantity_of(free.range[1]);
  if (!start || value->type == config::Value::Type::boolean)
    throw error_at(document, at + "/path",
                   fmt::format("{} is there, which is no quantity", config::to_json(*value).dump()));
  for (const auto& end : {low, high})
    if (!end || end->kind != start->kind)
      throw error_at(document, at + "/range",
                     fmt::format("is not of the kind of the value that is there, {}", config::to_json(*value).dump()));
  if (!(low->value < high->value)) throw error_at(document, at + "/range", "ends where it begins, or before");
  if (start->value < low->value || start->value > high->value)
    throw error_at(document, at + "/range",
                   fmt::format("is without the value that is there, {}", config::to_json(*value).dump()));
  for (const Parameter& other : parameters_)
    if (same_place(other.place, out.place)) throw error_at(document, at, "the same value is a parameter already");
  out.start = *start;
  out.low = *low;
  out.high = *high;
  out.whole = value->type == config::Value::Type::integer;
  bool found = false;
  for (const config::Document& run : documents_) {
    auto& places = out.places.emplace_back();
    collect(run.root, "", out.place, places);
    found = found || !places.empty();
  }
  if (!found)
    throw error_at(document, at, fmt::format("no run of the curves uses {} of {}", dotted(free.path), free.file));
  parameters_.push_back(std::move(out));
}

std::vector<std::filesystem::path> Problem::files() const {
  std::vector<std::filesystem::path> out = own_.files.all();
  for (const config::Document& run : documents_) out.insert(out.end(), run.files.begin(), run.files.end());
  for (const MeasuredCurve& curve : curves_) out.push_back(folder_ / curve.curve.data);
  return out;
}

Shares Problem::start() const {
  Shares out;
  for (const Parameter& p : parameters_) out.push_back((p.start.value - p.low.value) / (p.high.value - p.low.value));
  return out;
}

Shares Problem::sayable(Shares at) const {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Parameter& p = parameters_[i];
    const double width = p.high.value - p.low.value;
    const double value = p.low.value + std::clamp(at[i], 0.0, 1.0) * width;
    const double step = p.whole ? 1 : std::pow(10, std::floor(std::log10(width)) - 3);
    const double round = std::clamp(std::round(value / step) * step, p.low.value, p.high.value);
    at[i] = (round - p.low.value) / width;
  }
  return at;
}

std::string Problem::text(std::size_t parameter, double share) const {
  const Parameter& p = parameters_[parameter];
  return config::to_json_text({p.start.kind, p.low.value + share * (p.high.value - p.low.value)});
}

RunConfig Problem::config(std::size_t run, const Shares& at) const {
  std::vector<config::Override> overrides;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (const std::string& place : parameters_[i].places[run]) overrides.push_back({place, text(i, at[i])});
  config::Document document = documents_[run];
  config::apply(document, overrides);
  return config::read<RunConfig>(document, kinds_);
}

double Problem::value(const MeasuredCurve& curve, std::size_t point, const figures::Tables& tables) const {
  const auto number = static_cast<std::size_t>(&curve - curves_.data());
  const std::string at = fmt::format("/curves/{}", number);
  const auto here = [&](const figures::Tables& of) {
    return figures::evaluate(curve.curve.expression, of, {{"x", curve.points[point].x}});
  };
  try {
    const double out = here(tables);
    if (point != 0) return out;
    const double exponent = std::log2(here({{"run", with_times_doubled(tables.at("run"))}}) / out);
    const Quantity::Kind kind = unit_of(curve.curve.unit)->kind;
    const double wanted = kind == Quantity::Kind::time ? 1 : kind == Quantity::Kind::rate ? -1 : 0;
    for (const double other : {-1.0, 0.0, 1.0})  // what else comes of a constant in the expression
      if (other != wanted && std::abs(exponent - other) < 1e-6)
        throw error_at(own_, at + "/unit",
                       fmt::format("the expression gives {}, which is no \"{}\"",
                                   other == 1    ? "a time"
                                   : other == -1 ? "a rate"
                                                 : "no time",
                                   curve.curve.unit));
    return out;
  } catch (const figures::ExpressionError& e) {
    throw error_at(own_, at + "/expression", e.what());
  } catch (const figures::NoValue& e) {
    throw error_at(own_, at + "/expression", fmt::format("at x = {:g}: {}", curve.points[point].x, e.what()));
  }
}

std::optional<std::vector<Simulated>> Problem::simulate(const std::vector<Shares>& places,
                                                        const runner::Simulate& simulate,
                                                        const runner::Options& options) const {
  std::vector<RunConfig> configs;
  for (const Shares& at : places)
    for (std::size_t run = 0; run < runs(); ++run) configs.push_back(config(run, at));
  const std::vector<runner::Outcome> outcomes = runner::run_many(configs, simulate, options);
  std::vector<Simulated> out(places.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const runner::Outcome& outcome = outcomes[i];
    if (outcome.status == runner::Status::interrupted) return std::nullopt;
    const config::Document& document = documents_[i % runs()];
    if (outcome.status == runner::Status::config_error)
      throw config::ConfigError(runner::located(outcome.config_errors, document));
    if (outcome.status != runner::Status::ok)
      throw std::runtime_error(fmt::format("{}: {}", document.name, fmt::join(outcome.messages, "; ")));
  }
  for (std::size_t place = 0; place < places.size(); ++place)
    for (const MeasuredCurve& curve : curves_) {
      const figures::Tables tables{{"run", outcomes[place * runs() + curve.run].rows}};
      auto& values = out[place].emplace_back();
      for (std::size_t i = 0; i < curve.points.size(); ++i) values.push_back(value(curve, i, tables));
    }
  return out;
}

Residuals Problem::residuals(const Simulated& simulated) const {
  Residuals out;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    const MeasuredCurve& curve = curves_[c];
    const double weight = std::sqrt(curve.curve.weight / static_cast<double>(curve.points.size()));
    for (std::size_t i = 0; i < curve.points.size(); ++i)
      out.push_back(weight * (simulated[c][i] / curve.points[i].y - 1));
  }
  return out;
}

}  // namespace tsunagi::fit
