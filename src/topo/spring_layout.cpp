// SPDX-License-Identifier: Apache-2.0
#include "topo/spring_layout.hpp"

#include <algorithm>
#include <cmath>

namespace tsunagi::topo {

namespace {

constexpr int most_routers = 100;
constexpr int cooling_steps = 100;
constexpr double spring_length = 1.5;  // of two routers that a cable joins, about
constexpr double rounding = 0.125;     // results are rounded to it

using Spot = Network::Spot;

Spot between(const Spot& from, const Spot& to) { return {to.x - from.x, to.y - from.y}; }

void add(Spot& s, const Spot& by, double factor) {
  s.x += by.x * factor;
  s.y += by.y * factor;
}

}  // namespace

std::vector<Spot> spring_layout(const Network& network) {
  const int n = network.routers();
  if (n < 2 || n > most_routers) return {};
  std::vector<Spot> spots;
  const double radius = spring_length * n / 6.2832;
  for (int r = 0; r < n; ++r) spots.push_back({radius * std::sin(6.2832 * r / n), -radius * std::cos(6.2832 * r / n)});
  for (int step = 0; step < cooling_steps; ++step) {
    std::vector<Spot> forces(spots.size());
    for (std::size_t i = 0; i < spots.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Spot way = between(spots[i], spots[j]);
        const double push = spring_length * spring_length / std::max(way.x * way.x + way.y * way.y, 1e-6);
        add(forces[i], way, -push);
        add(forces[j], way, push);
      }
    for (const Network::Cable& c : network.cables()) {
      const auto a = static_cast<std::size_t>(c.a.router), b = static_cast<std::size_t>(c.b.router);
      const Spot way = between(spots[a], spots[b]);
      const double pull = std::sqrt(way.x * way.x + way.y * way.y) / spring_length;
      add(forces[a], way, pull);
      add(forces[b], way, -pull);
    }
    const double furthest = radius / 4 * (cooling_steps - step) / cooling_steps;  // it gets colder
    for (std::size_t i = 0; i < spots.size(); ++i) {
      const double force = std::sqrt(forces[i].x * forces[i].x + forces[i].y * forces[i].y);
      add(spots[i], forces[i], std::min(force, furthest) / std::max(force, 1e-6));
    }
  }
  for (Spot& s : spots) s = {std::round(s.x / rounding) * rounding, std::round(s.y / rounding) * rounding};
  return spots;
}

}  // namespace tsunagi::topo
