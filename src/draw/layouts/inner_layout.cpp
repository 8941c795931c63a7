// SPDX-License-Identifier: Apache-2.0
#include "draw/layouts/inner_layout.hpp"

#include <map>
#include <utility>

namespace tsunagi::draw {
namespace {

using Layer = std::vector<std::uint32_t>;

/// The links of one group.
struct InnerLinks {
  std::map<std::uint32_t, std::vector<std::uint32_t>> neighbours;
  Layer outward;  // devices with links to other groups
};

InnerLinks inside(const topo::Graph& graph, const Groups& groups, int group) {
  InnerLinks out;
  std::map<std::uint32_t, bool> leads_out;
  for (const topo::Link& link : graph.links) {
    const bool a = groups.of_node[link.a.node] == group;
    const bool b = groups.of_node[link.b.node] == group;
    if (a && b) {
      out.neighbours[link.a.node].push_back(link.b.node);
      out.neighbours[link.b.node].push_back(link.a.node);
    } else if (a || b) {
      leads_out[a ? link.a.node : link.b.node] = true;
    }
  }
  for (const auto& device : leads_out) out.outward.push_back(device.first);
  return out;
}

/// Devices by distance from the first layer, each next to the others that hang on the same device of the layer before.
struct Layers {
  std::vector<Layer> all;
  std::map<std::uint32_t, std::uint32_t> parent;  ///< of those behind the first layer that a link reaches
};

/// Devices with others behind them come into the middle: so that these lie behind them, and the whole is narrow.
void put_ends_outside(std::vector<std::uint32_t>& siblings, const InnerLinks& links) {
  const auto is_end = [&](std::uint32_t n) { return links.neighbours.at(n).size() < 2; };
  const auto first_end = std::stable_partition(siblings.begin(), siblings.end(), [&](auto n) { return !is_end(n); });
  const auto ends = siblings.end() - first_end;
  std::rotate(siblings.begin(), first_end, first_end + ends / 2);
}

/// What no link reaches comes last.
Layers layers_of(const InnerLinks& links, const Group& group) {
  Layer layer = links.outward.empty() ? Layer{group.nodes.front()} : links.outward;
  Layers out;
  std::map<std::uint32_t, bool> seen;
  for (const auto n : layer) seen[n] = true;
  while (!layer.empty()) {
    out.all.push_back(layer);
    Layer next;
    for (const auto n : layer) {
      const auto it = links.neighbours.find(n);
      if (it == links.neighbours.end()) continue;
      std::vector<std::uint32_t> behind;
      for (const auto m : it->second)
        if (!std::exchange(seen[m], true)) behind.push_back(m);
      put_ends_outside(behind, links);
      for (const auto m : behind) out.parent[m] = n;
      next.insert(next.end(), behind.begin(), behind.end());
    }
    layer = next;
  }
  for (const auto n : group.nodes)
    if (!seen[n]) layer.push_back(n);
  if (!layer.empty()) out.all.push_back(layer);
  return out;
}

bool linked(const InnerLinks& links, std::uint32_t a, std::uint32_t b) {
  const auto it = links.neighbours.find(a);
  return it != links.neighbours.end() && std::find(it->second.begin(), it->second.end(), b) != it->second.end();
}

/// Things of one layer that hang on the same device, side by side.
struct Block {
  std::size_t first = 0;
  double middle = 0;  // where the device is
  double extent = 0;
};

/// Middles of things of those sizes in a row, `gap(i)` between i - 1 and i: blocks of equal wishes around their wish,
/// moved apart where they would overlap.
template <class Gap>
std::vector<double> side_by_side(const std::vector<double>& sizes, const std::vector<double>& wishes, Gap gap) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool begins = i == 0 || wishes[i] != wishes[i - 1];
    if (begins) blocks.push_back({i, wishes[i], 0});
    blocks.back().extent += sizes[i] + (begins ? 0 : gap(i));
  }
  double moved = 0;
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    const double least = blocks[b - 1].middle + (blocks[b - 1].extent + blocks[b].extent) / 2 + gap(blocks[b].first);
    moved += std::max(0.0, least - blocks[b].middle);
    blocks[b].middle = std::max(least, blocks[b].middle);
  }
  std::vector<double> out;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t end = b + 1 < blocks.size() ? blocks[b + 1].first : sizes.size();
    double at = blocks[b].middle - moved / static_cast<double>(blocks.size()) - blocks[b].extent / 2;
    for (std::size_t i = blocks[b].first; i < end; ++i) {
      at += i == blocks[b].first ? 0 : gap(i);
      out.push_back(at + sizes[i] / 2);
      at += sizes[i];
    }
  }
  return out;
}

}  // namespace

Rect place_inside(Picture& picture, const topo::Graph& graph, const Groups& groups, int group, Side side, Size room,
                  Point& front) {
  const InnerLinks links = inside(graph, groups, group);
  const bool columns = side == Side::left || side == Side::right;
  const double sign = side == Side::left || side == Side::top ? 1 : -1;
  double depth = 0;  // of the layer's front
  Rect all;
  const Layers layers = layers_of(links, groups.all[static_cast<std::size_t>(group)]);
  std::map<std::uint32_t, double> across;
  for (const Layer& layer : layers.all) {
    double thickness = 0;
    std::vector<double> sizes;
    std::vector<double> wishes;
    for (const auto n : layer) {
      const Rect& box = picture.boxes[n].at;
      thickness = std::max(thickness, columns ? box.width : box.height);
      sizes.push_back(columns ? box.height : box.width);
      const auto parent = layers.parent.find(n);
      wishes.push_back(parent == layers.parent.end() ? 0 : across[parent->second]);
    }
    const std::vector<double> places = side_by_side(sizes, wishes, [&](std::size_t i) {
      return linked(links, layer[i - 1], layer[i]) ? (columns ? room.height : room.width) : 24;
    });
    const double along = sign * (depth + thickness / 2);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      Rect& box = picture.boxes[layer[i]].at;
      across[layer[i]] = places[i];
      box = around(columns ? Point{along, places[i]} : Point{places[i], along}, {box.width, box.height});
      all = all.width == 0 ? box : united(all, box);
    }
    if (depth == 0) front = columns ? Point{along, 0} : Point{0, along};
    depth += thickness + (columns ? room.width : room.height);
  }
  return all;
}

}  // namespace tsunagi::draw
