// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/places/override.hpp"

namespace tsunagi::sweep {

/// One value that a point has on one axis: what collected tables show.
struct Coordinate {
  std::string axis;   // name of the column
  std::string value;  // JSON text; strings without quotes
};

/// One run of a sweep.
struct Point {
  /// 32 hexadecimal digits: hash of the canonical resolved config and of the version of the models. Equal points have
  /// equal ids.
  std::string id;
  std::vector<Coordinate> coordinates;
  /// What makes it of the base run.
  std::vector<config::Override> overrides;
};

}  // namespace tsunagi::sweep
