// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "sweep/plan/expression.hpp"
#include "sweep/plan/quantity.hpp"

namespace tsunagi::sweep {
namespace {

std::optional<double> number_of(const std::string& json) {
  if (json == "true" || json == "false") return json == "true" ? 1 : 0;
  const auto quantity = quantity_of(json);
  if (!quantity) return std::nullopt;
  return in_expressions(*quantity);
}

/// A number in decimal digits, with its unit.
std::string written(double value, const std::string& unit) {
  if (unit.empty()) return to_json_text({Quantity::Kind::number, value});
  const bool small = std::abs(value) < 1e15 && (std::abs(value) >= 1e-4 || value == 0);
  const std::string digits = small ? fmt::format("{:.15g}", value) : fmt::format("{:.0f}", value);
  return nlohmann::json(digits + " " + unit).dump();
}

std::size_t depth(const std::string& path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

}  // namespace

/// Values of axes as numbers, and expressions over them.
class Variation::Numbers {
 public:
  explicit Numbers(const Variation& variation) : variation_(variation), numbers_(variation.axes_.size()) {}

  /// Throws what is wrong with all expressions.
  void check(const Sweep& sweep) {
    std::vector<config::Message> messages;
    const auto collect = [&](const std::string& text, const Where& where) {
      try {
        expression(text, where);
      } catch (const config::ConfigError& error) {
        messages.insert(messages.end(), error.messages().begin(), error.messages().end());
      }
    };
    for (const Derivation& d : sweep.derive) collect(d.expression, d.where);
    for (const Drop& d : sweep.drop) collect(d.expression, d.where);
    config::throw_if_any(messages);
  }

  Expression expression(const std::string& text, const Where& where) {
    try {
      Expression e(text, variation_.axes_);
      for (const std::size_t axis : e.used()) use(axis, text);
      return e;
    } catch (const ExpressionError& error) {
      throw config::ConfigError({where.says(error.what())});
    }
  }

  /// Throws config::ConfigError unless the value is finite.
  double value(Expression& e, const Indices& point, const Where& where) const {
    std::vector<double> values;
    for (const std::size_t axis : e.used()) {
      const Source& source = variation_.sources_[axis];
      values.push_back(numbers_[axis][point[source.dimensions.front()]]);
    }
    try {
      const double value = e.value(values);
      if (std::isfinite(value)) return value;
    } catch (const ExpressionError& error) {
      throw config::ConfigError({where.says(error.what())});
    }
    throw config::ConfigError({where.says(fmt::format("\"{}\" is not finite for every point", e.text()))});
  }

  std::vector<std::size_t> dimensions(const Expression& e) const {
    std::vector<std::size_t> out;
    for (const std::size_t axis : e.used()) out.push_back(variation_.sources_[axis].dimensions.front());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  void use(std::size_t axis, const std::string& text) {
    const Source& source = variation_.sources_[axis];
    if (!numbers_[axis].empty()) return;
    for (std::size_t i = 0; i < source.values.size(); ++i) {
      const auto number = number_of(source.values[i]);
      if (!number)
        throw config::ConfigError({source.wheres[i].says(fmt::format(
            "{} is no number or quantity, so \"{}\" cannot stand in \"{}\"", source.values[i], source.name, text))});
      numbers_[axis].push_back(*number);
    }
  }

  const Variation& variation_;
  std::vector<std::vector<double>> numbers_;  // of each axis that an expression uses
};

Variation::Variation(const Sweep& sweep) {
  std::vector<std::size_t> lengths;
  for (const Dimension& d : sweep.dimensions) lengths.push_back(d.front().values.size());
  space_ = Space(lengths);
  if (space_.size() > Space::limit)
    throw config::ConfigError(
        {sweep.dimensions.front().front().where.says(fmt::format("a sweep of more than {} points", Space::limit))});
  add_axes(sweep);
  Numbers numbers(*this);
  numbers.check(sweep);
  drop_points(sweep, numbers);
  for (const Derivation& d : sweep.derive) add_derived(d, numbers);
  every_source_.resize(sources_.size());
  std::iota(every_source_.begin(), every_source_.end(), std::size_t{0});
}

void Variation::add_axes(const Sweep& sweep) {
  for (std::size_t d = 0; d < sweep.dimensions.size(); ++d) {
    for (const Axis& axis : sweep.dimensions[d]) {
      Source source{axis.name, axis.paths, {d}, {}, {}};
      first_shown_.push_back(shown_.size());
      for (const AxisValue& value : axis.values) {
        source.values.push_back(value.json);
        source.wheres.push_back(value.where);
        shown_.push_back(value.shown);
      }
      axes_.push_back(axis.name);
      sources_.push_back(std::move(source));
    }
  }
}

void Variation::drop_points(const Sweep& sweep, Numbers& numbers) {
  if (sweep.drop.empty()) return;
  std::vector<Expression> expressions;
  for (const Drop& drop : sweep.drop) expressions.push_back(numbers.expression(drop.expression, drop.where));
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const Indices point = space_.at(i);
    bool keep = true;
    for (std::size_t k = 0; k < expressions.size() && keep; ++k)
      keep = numbers.value(expressions[k], point, sweep.drop[k].where) == 0;
    if (keep) kept_.push_back(i);
  }
  dropping_ = true;
  if (kept_.empty()) throw config::ConfigError({sweep.drop.front().where.says("no point is left of the sweep")});
}

void Variation::add_derived(const Derivation& derivation, Numbers& numbers) {
  Expression e = numbers.expression(derivation.expression, derivation.where);
  Source source{derivation.expression, {derivation.path}, numbers.dimensions(e), {}, {derivation.where}};
  const std::vector<bool> wanted = needed(source.dimensions);
  source.values.resize(wanted.size());
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (!wanted[c]) continue;
    const double value = numbers.value(e, space_.point_with(source.dimensions, c), derivation.where);
    source.values[c] = written(value, derivation.unit);
  }
  sources_.push_back(std::move(source));
}

std::vector<report::AxisColumn> Variation::columns() const {
  std::vector<report::AxisColumn> out;
  for (std::size_t a = 0; a < axes_.size(); ++a) out.emplace_back(axes_[a], sources_[a].values);
  return out;
}

std::vector<Coordinate> Variation::coordinates(const Indices& point) const {
  std::vector<Coordinate> out;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    out.push_back({axes_[a], shown_[first_shown_[a] + point[sources_[a].dimensions.front()]]});
  return out;
}

std::vector<config::Override> Variation::overrides(const Indices& point,
                                                   const std::vector<std::size_t>& sources) const {
  std::vector<config::Override> out;
  for (const std::size_t s : sources) {
    const Source& source = sources_[s];
    for (const std::string& path : source.paths)
      out.push_back({path, source.values[space_.combination(source.dimensions, point)]});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return depth(a.pointer) < depth(b.pointer); });
  return out;
}

std::vector<config::Override> Variation::overrides(const Indices& point) const {
  return overrides(point, every_source_);
}

std::vector<bool> Variation::needed(const std::vector<std::size_t>& dimensions) const {
  std::vector<bool> out(space_.combinations(dimensions), !dropping_);
  for (const std::size_t i : kept_) out[space_.combination(dimensions, space_.at(i))] = true;
  return out;
}

}  // namespace tsunagi::sweep
