// SPDX-License-Identifier: Apache-2.0
#include "topo/fat_tree.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "topo/fat_tree_shape.hpp"
#include "topo/graph.hpp"
#include "topo/routes/adaptive.hpp"

namespace tsunagi::topo {

namespace {

constexpr int most_levels = 16;
constexpr int most_radix = 1024;

using Level = FatTreeLevel;

/// What is wrong with how many numbers there are for the levels that have wires up; empty: nothing.
std::string count_error(const char* field, const std::vector<std::int64_t>& numbers, int levels) {
  if (numbers.size() <= 1 || numbers.size() == static_cast<std::size_t>(levels - 1)) return {};
  return "\"" + std::string(field) + "\" has " + std::to_string(numbers.size()) + " numbers, but there are " +
         std::to_string(levels - 1) + " levels with wires up; say one for all, or one for each of them";
}

/// What is wrong with the taper; empty: nothing.
std::string taper_error(const FatTreeConfig& c) {
  if (std::string count = count_error("taper", c.taper, c.levels); !count.empty()) return count;
  if (std::any_of(c.taper.begin(), c.taper.end(), [](std::int64_t t) { return t < 1; })) return "a taper is 1 or more";
  for (int i = 0; i + 1 < c.levels; ++i)
    if (const std::int64_t t = of_level(c.taper, i); c.radix < 1 + t)
      return "a taper of " + std::to_string(t) + " leaves level " + std::to_string(i + 1) +
             " without wires up: a switch of radix " + std::to_string(c.radix) + " has no " + std::to_string(t) +
             " ports down beside one up";
  return {};
}

/// What is wrong with the parallel cables of a tree with such a taper; empty: nothing.
std::string cables_error(const FatTreeConfig& c) {
  if (std::string count = count_error("cables", c.cables, c.levels); !count.empty()) return count;
  if (std::any_of(c.cables.begin(), c.cables.end(), [](std::int64_t n) { return n < 1; }))
    return "there is 1 cable or more";
  const auto misfit = [&](std::int64_t cables, std::int64_t ports, const char* way, int level) {
    return std::to_string(cables) + " parallel cables do not fit the " + std::to_string(ports) + " ports " + way +
           " of a switch of level " + std::to_string(level) + ": each neighbour takes as many of them";
  };
  for (int i = 0; i + 1 < c.levels; ++i) {
    const std::int64_t n = of_level(c.cables, i);
    if (const std::int64_t up = ports_up(c, i); up % n != 0) return misfit(n, up, "up", i + 1);
    if (const std::int64_t down = ports_down(c, i + 1); down % n != 0) return misfit(n, down, "down", i + 2);
  }
  return {};
}

/// What is wrong with the number of nodes in a tree that has levels; empty: nothing.
std::string size_error(const FatTreeConfig& c) {
  const FatTreeShape shape(c);
  if (shape.nodes > shape.places)
    return std::to_string(shape.nodes) + " nodes, but the switches of the lowest level have ports for " +
           std::to_string(shape.places);
  if (shape.nodes > most_terminals) return too_many_terminals();
  return shape.ports() > most_ports ? too_many_ports() : std::string();
}

/// Where a switch stands, and by which ports packets leave its level.
struct Standing {
  /// Of a level, to a terminal.
  struct Ports {
    std::uint16_t down;
    std::uint16_t up;
  };
  std::uint32_t first = 0;  // of the terminals below
  std::uint32_t places = 0;
  const Ports* ports = nullptr;  // by destination
  std::uint32_t first_up = 0;
  std::uint32_t ups = 0;
  std::uint32_t children = 1;  // of the level below, each at `first_up / children` ports
  std::uint32_t salt = 0;

  bool is_below(std::uint32_t terminal) const { return terminal - first < places; }
};

class UpDownPorts {
 public:
  UpDownPorts(const FatTreeShape& shape, std::int64_t seed) {
    const auto n = static_cast<std::size_t>(shape.nodes);
    ports_.resize(shape.levels.size() * n);
    FatTreeLevel below;  // at first a terminal: one place, one port up
    for (std::size_t i = 0; i < shape.levels.size(); ++i) {
      const Level& l = shape.levels[i];
      Standing::Ports* ports = ports_.data() + i * n;
      for (std::size_t d = 0; d < n; ++d) {
        const auto terminal = static_cast<std::int64_t>(d);
        const std::int64_t cable = below.port_up(terminal) / below.parents;  // by which it would go up
        ports[d] = {static_cast<std::uint16_t>(terminal / below.places % l.children + cable * l.children),
                    static_cast<std::uint16_t>(l.down() + l.port_up(terminal))};
      }
      for (std::int64_t s = 0; s < l.switches(shape.nodes); ++s)
        switches_.push_back({static_cast<std::uint32_t>(s / l.copies * l.places), static_cast<std::uint32_t>(l.places),
                             ports, static_cast<std::uint32_t>(l.down()), static_cast<std::uint32_t>(l.up()),
                             static_cast<std::uint32_t>(l.children),
                             mix_of(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(i))});
      below = l;
    }
  }
  UpDownPorts(const UpDownPorts&) = delete;
  UpDownPorts& operator=(const UpDownPorts&) = delete;

  const Standing& standing(int router) const { return switches_[static_cast<std::size_t>(router)]; }

 private:
  std::vector<Standing::Ports> ports_;  // level after level
  std::vector<Standing> switches_;
};

class DModKRoutes final : public Routes, private UpDownPorts {
 public:
  using UpDownPorts::UpDownPorts;
  Hop next(int router, const Trip& trip) const override {
    const Standing& at = standing(router);
    const Standing::Ports& ports = at.ports[trip.destination];
    return {at.is_below(trip.destination) ? ports.down : ports.up};
  }
  bool by_destination() const override { return true; }
};

class RandomUpRoutes final : public Routes, private UpDownPorts {
 public:
  using UpDownPorts::UpDownPorts;
  Hop next(int router, const Trip& trip) const override {
    const Standing& at = standing(router);
    if (at.is_below(trip.destination)) return {at.ports[trip.destination].down};
    return {static_cast<int>(at.first_up + pick_of(at.ups, mix_of(trip.mix, at.salt)))};
  }
};

/// Of all ports up, or the cables down to the next switch, first the one of d_mod_k.
class AdaptiveUpRoutes final : public AdaptiveRoutes, private UpDownPorts {
 public:
  using UpDownPorts::UpDownPorts;
  void ways(int router, const Trip& trip, Draws /*draws*/, Ways& out) const override {
    const Standing& at = standing(router);
    const Standing::Ports& ports = at.ports[trip.destination];
    if (at.is_below(trip.destination)) {
      for (std::uint32_t i = 0; i < at.first_up; i += at.children)
        out.push_back({{static_cast<int>((ports.down + i) % at.first_up)}});
      return;
    }
    const std::uint32_t first = ports.up - at.first_up;
    for (std::uint32_t i = 0; i < at.ups; ++i) out.push_back({{static_cast<int>(at.first_up + (first + i) % at.ups)}});
  }
};

std::shared_ptr<const Routes> routes_of(const FatTreeShape& shape, const FatTreeConfig& c) {
  switch (c.routes) {
    case UpRoutes::random:
      return std::make_shared<const RandomUpRoutes>(shape, c.seed);
    case UpRoutes::adaptive:
      return std::make_shared<const AdaptiveUpRoutes>(shape, c.seed);
    case UpRoutes::d_mod_k:
      break;
  }
  return std::make_shared<const DModKRoutes>(shape, c.seed);
}

void add_switches(Network& net, const FatTreeShape& shape, const NetworkParts& parts) {
  for (const Level& l : shape.levels) {
    std::vector<std::string> names;
    for (std::int64_t p = 0; p < l.down(); ++p) names.push_back("d" + std::to_string(p));
    for (std::int64_t p = 0; p < l.up(); ++p) names.push_back("u" + std::to_string(p));
    const Network::PortNames ports = port_names(std::move(names));
    for (std::int64_t s = 0; s < l.switches(shape.nodes); ++s) net.add_router(parts.router, ports);
  }
}

/// The switches of a level, numbered from `first` on, to those above. Switch `copy` over some places has above it those
/// whose copy number is its own plus a multiple of its level's copies. Ports up lead to the multiples 0, 1, … in turn,
/// ports down to one switch after the other, and then as often again as there are cables to each.
void join_upwards(Network& net, const FatTreeShape& shape, std::size_t level, std::int64_t first, const WireUse& wire) {
  const Level& l = shape.levels[level];
  const Level& above = shape.levels[level + 1];
  const std::int64_t switches = l.switches(shape.nodes);
  for (std::int64_t s = 0; s < switches; ++s)
    for (std::int64_t p = 0; p < l.up(); ++p) {
      const std::int64_t subtree = s / l.copies;
      const std::int64_t parent = p % l.parents;
      const std::int64_t cable = p / l.parents;
      const std::int64_t to = subtree / above.children * above.copies + s % l.copies + l.copies * parent;
      net.join({static_cast<int>(first + s), static_cast<int>(l.down() + p)},
               {static_cast<int>(first + switches + to),
                static_cast<int>(subtree % above.children + cable * above.children)},
               wire);
    }
}

/// Levels above each other, each as wide as the widest.
std::vector<Network::Spot> spots(const FatTreeShape& shape) {
  std::int64_t widest = 0;
  for (const Level& l : shape.levels) widest = std::max(widest, l.switches(shape.nodes));
  std::vector<Network::Spot> out;
  for (std::size_t i = 0; i < shape.levels.size(); ++i) {
    const std::int64_t switches = shape.levels[i].switches(shape.nodes);
    const double step = static_cast<double>(widest) / static_cast<double>(switches);
    for (std::int64_t s = 0; s < switches; ++s)
      out.push_back(
          {(static_cast<double>(s) + 0.5) * step - 0.5, 2.0 * static_cast<double>(shape.levels.size() - 1 - i)});
  }
  return out;
}

}  // namespace

void describe(FatTreeConfig& c, config::Describer& d) {
  using namespace config;
  d.field("radix", c.radix, "ports of a switch, an even number", within(2, most_radix));
  d.field("levels", c.levels, "levels of switches", within(1, most_levels));
  d.field("nodes", c.nodes, "terminals, at places from 0 on; 0: at all places", within(0, most_terminals));
  d.field("taper", c.taper,
          "ports down for each port up, by level from below without the highest; one number: of all; none: 1",
          within(1, most_radix));
  d.field("cables", c.cables,
          "parallel ones between two switches, by level from below without the highest; one number: of all; none: 1",
          within(1, most_radix));
  d.choice("routes", c.routes,
           {{"d_mod_k", static_cast<std::int64_t>(UpRoutes::d_mod_k), "by the destination: shifts share no wire"},
            {"random", static_cast<std::int64_t>(UpRoutes::random), "drawn for each pair and level"},
            {"adaptive", static_cast<std::int64_t>(UpRoutes::adaptive),
             "where least waits; of equals as d_mod_k, or the next one"}},
           "ways up");
  d.field("seed", c.seed, "of random routes", within(0, 1'000'000'000));
  describe_network(c.parts, d);
  d.require(c.radix % 2 == 0,
            "\"radix\" must be even, half of a switch's ports lead up, not " + std::to_string(c.radix));
  const std::string taper = taper_error(c);
  d.require(taper.empty(), taper);
  if (!taper.empty()) return;
  const std::string cables = cables_error(c);
  d.require(cables.empty(), cables);
  if (!cables.empty()) return;
  const std::string size = size_error(c);
  d.require(size.empty(), size);
}

Network fat_tree_network(const FatTreeConfig& c) {
  const FatTreeShape shape(c);
  Network net;
  add_switches(net, shape, c.parts);
  std::int64_t first = 0;
  for (std::size_t i = 0; i + 1 < shape.levels.size(); ++i) {
    join_upwards(net, shape, i, first, c.parts.between_routers());
    first += shape.levels[i].switches(shape.nodes);
  }
  const auto each = static_cast<int>(shape.levels.front().down());
  for (int t = 0; t < static_cast<int>(shape.nodes); ++t) net.attach({t / each, t % each}, c.parts.to_terminals());
  net.set_routes(routes_of(shape, c));
  net.set_spots(spots(shape));
  return net;
}

Topology fat_tree_topology() {
  return of_network("fat_tree", "switches in levels, each with as many ways up as down or fewer", fat_tree_network);
}

}  // namespace tsunagi::topo
