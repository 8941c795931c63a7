// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/axis_column.hpp"
#include "sweep/plan/point.hpp"
#include "sweep/plan/space.hpp"
#include "sweep/plan/sweep_config.hpp"

namespace tsunagi::sweep {

/// Something that sets places of the run: an axis, or a derived value.
struct Source {
  std::string name;  ///< the axis' name, or the expression
  std::vector<std::string> paths;
  std::vector<std::size_t> dimensions;  ///< those that its value depends on
  std::vector<std::string> values;      ///< JSON text, a combination of these dimensions each
  std::vector<Where> wheres;            ///< of each value; one alone: of all
};

/// The points of a sweep, with what each sets. Its checks are done.
class Variation {
 public:
  /// Throws config::ConfigError: too many points, a wrong expression, a value that is no number in one, nothing left.
  explicit Variation(const Sweep& sweep);

  /// Points that are not dropped.
  std::size_t size() const { return dropping_ ? kept_.size() : space_.size(); }
  Indices at(std::size_t point) const { return space_.at(dropping_ ? kept_[point] : point); }

  const Space& space() const { return space_; }
  const std::vector<Source>& sources() const { return sources_; }
  const std::vector<std::string>& axes() const { return axes_; }
  std::vector<report::AxisColumn> columns() const;

  std::vector<Coordinate> coordinates(const Indices& point) const;
  /// What the sources with these indices set, a place before those inside it.
  std::vector<config::Override> overrides(const Indices& point, const std::vector<std::size_t>& sources) const;
  /// The same of all sources.
  std::vector<config::Override> overrides(const Indices& point) const;

  /// Which combinations of these dimensions a point has that is not dropped.
  std::vector<bool> needed(const std::vector<std::size_t>& dimensions) const;

 private:
  class Numbers;
  void add_axes(const Sweep& sweep);
  void drop_points(const Sweep& sweep, Numbers& numbers);
  void add_derived(const Derivation& derivation, Numbers& numbers);

  Space space_;
  std::vector<std::string> axes_;
  std::vector<std::string> shown_;        // values of all axes, one axis after the other
  std::vector<std::size_t> first_shown_;  // of each axis
  std::vector<Source> sources_;           // axes first, in their order
  std::vector<std::size_t> every_source_;
  bool dropping_ = false;
  std::vector<std::size_t> kept_;
};

}  // namespace tsunagi::sweep
