// SPDX-License-Identifier: Apache-2.0
#include "sweep/collect/idle_axes.hpp"

namespace tsunagi::sweep {

namespace {

/// The values of all axes but one.
std::string others(const std::vector<Coordinate>& coordinates, std::size_t but) {
  std::string out;
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (i != but) out += std::to_string(coordinates[i].value.size()) + ":" + coordinates[i].value;
  return out;
}

}  // namespace

void IdleAxes::take(const std::vector<Coordinate>& coordinates, const std::string& digest) {
  if (axes_.empty())
    for (const Coordinate& c : coordinates) axes_.push_back({c.axis, false, false, {}});
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    Axis& axis = axes_[i];
    if (axis.moves) continue;
    const auto [it, is_new] = axis.seen.emplace(others(coordinates, i), Seen{digest, coordinates[i].value});
    if (is_new) continue;
    axis.compared = axis.compared || it->second.value != coordinates[i].value;
    axis.moves = it->second.digest != digest;
    if (axis.moves) axis.seen.clear();
  }
}

std::vector<std::string> IdleAxes::names() const {
  std::vector<std::string> out;
  for (const Axis& axis : axes_)
    if (axis.compared && !axis.moves) out.push_back(axis.name);
  return out;
}

}  // namespace tsunagi::sweep
