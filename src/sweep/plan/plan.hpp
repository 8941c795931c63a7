// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan/point.hpp"
#include "sweep/plan/point_hashes.hpp"
#include "sweep/plan/sweep_config.hpp"
#include "sweep/plan/variation.hpp"

namespace tsunagi::sweep {

/// The points of a sweep, checked: every path exists, every value fits the place that it is for. Values that only a
/// combination makes wrong are left to the point's own run. Reading takes as many readings of the run as there are
/// values (not points); only axes inside each other take one for each of their combinations.
class Plan {
 public:
  /// `version` is of the models. Throws config::ConfigError with what is wrong, at its place in the sweep file.
  Plan(const Sweep& sweep, const config::Kinds& kinds, std::string version);

  /// How many points there are, at least 1.
  std::size_t size() const { return variation_.size(); }
  /// Point i < size(); the last axis is the fastest. Overrides that use files name them from the working directory.
  Point point(std::size_t i) const;
  /// `point(i).id`.
  std::string id(std::size_t i) const;

  /// Names of all axes, in the order of a point's coordinates.
  const std::vector<std::string>& axes() const { return variation_.axes(); }
  /// The same as columns of results.
  std::vector<report::AxisColumn> columns() const { return variation_.columns(); }
  /// What its runs are read from.
  std::vector<std::filesystem::path> files() const;
  /// 32 hexadecimal digits over the ids of all points in their order.
  std::string hash() const;
  /// The run of a point, ready to be read.
  config::Document document(const Point& point) const;

 private:
  struct Checked;
  Plan(const Checked& checked, std::string version);

  config::Document base_;
  Variation variation_;
  PointHashes hashes_;
  std::string version_;
};

}  // namespace tsunagi::sweep
