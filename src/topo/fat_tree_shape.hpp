// SPDX-License-Identifier: Apache-2.0
// Levels, ports and cables of a fat-tree as numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "topo/fat_tree.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// What a config says of level `i`, from 0 on: a number for all levels, or one for each; none at all: 1.
inline std::int64_t of_level(const std::vector<std::int64_t>& numbers, int i) {
  if (numbers.empty()) return 1;
  return numbers.size() == 1 ? numbers.front() : numbers[static_cast<std::size_t>(i)];
}

/// Ports of a switch of level `i`, from 0 on.
inline std::int64_t ports_up(const FatTreeConfig& c, int i) {
  return i + 1 == c.levels ? 0 : c.radix / (1 + of_level(c.taper, i));
}
inline std::int64_t ports_down(const FatTreeConfig& c, int i) {
  return i + 1 == c.levels ? c.radix : ports_up(c, i) * of_level(c.taper, i);
}

/// What the switches of a level have in common.
struct FatTreeLevel {
  std::int64_t children = 1;     // switches of the level below, or terminals, that one has below it: m
  std::int64_t cables_down = 1;  // to each of these: p
  std::int64_t parents = 1;      // of the level above, over one: w; of the highest level 1 that is not there
  std::int64_t cables_up = 0;    // to each of these
  std::int64_t places = 1;       // of terminals below one: m1 ... mi
  std::int64_t copies = 1;       // over the same places: w1 ... wi

  std::int64_t down() const { return children * cables_down; }
  std::int64_t up() const { return parents * cables_up; }
  std::int64_t switches(std::int64_t nodes) const { return (nodes + places - 1) / places * copies; }
  /// By which of its ports up packets to a terminal leave a switch on D-mod-k routes; of the highest level 0.
  std::int64_t port_up(std::int64_t terminal) const { return terminal / copies % std::max<std::int64_t>(up(), 1); }
};

/// The network's measures.
struct FatTreeShape {
  std::vector<FatTreeLevel> levels;  // without those above the one where all nodes meet
  std::int64_t nodes = 0;
  std::int64_t places = 0;

  /// Of a config whose taper and cables are right.
  explicit FatTreeShape(const FatTreeConfig& c) : levels(all_levels(c)) {
    places = levels.back().places;
    nodes = c.nodes > 0 ? c.nodes : places;
    const auto meet =
        std::find_if(levels.begin(), levels.end(), [&](const FatTreeLevel& l) { return l.places >= nodes; });
    if (meet != levels.end()) levels.erase(meet + 1, levels.end());
  }
  std::int64_t ports() const {
    std::int64_t sum = 0;
    for (const FatTreeLevel& l : levels) sum += l.switches(nodes) * (l.down() + l.up());
    return sum;
  }

 private:
  /// All levels that the config names, from below; places as far as a few more than there may be terminals.
  static std::vector<FatTreeLevel> all_levels(const FatTreeConfig& c) {
    std::vector<FatTreeLevel> out;
    FatTreeLevel l;
    for (int i = 0; i < c.levels; ++i) {
      const bool top = i + 1 == c.levels;
      l.copies *= l.parents;
      l.cables_down = i == 0 ? 1 : l.cables_up;
      l.cables_up = top ? 0 : of_level(c.cables, i);
      l.parents = top ? 1 : ports_up(c, i) / l.cables_up;
      l.children = ports_down(c, i) / l.cables_down;
      l.places *= l.children;
      out.push_back(l);
      if (l.places > most_terminals) break;
    }
    return out;
  }
};

}  // namespace tsunagi::topo
