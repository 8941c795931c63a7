// SPDX-License-Identifier: Apache-2.0
#include "draw/inner_layout.hpp"

#include <map>

namespace tsunagi::draw {
namespace {

using Layer = std::vector<std::uint32_t>;

/// The links of one group.
struct Inside {
  std::map<std::uint32_t, std::vector<std::uint32_t>> neighbours;
  Layer outward;  // devices with links to other groups
};

Inside inside(const topo::Graph& graph, const Groups& groups, int group) {
  Inside out;
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

/// Devices by distance from the first layer; what no link reaches comes last.
std::vector<Layer> layers_of(const Inside& links, const Group& group) {
  Layer layer = links.outward.empty() ? Layer{group.nodes.front()} : links.outward;
  std::vector<Layer> layers;
  std::map<std::uint32_t, bool> seen;
  for (const auto n : layer) seen[n] = true;
  while (!layer.empty()) {
    layers.push_back(layer);
    Layer next;
    for (const auto n : layer)
      if (const auto it = links.neighbours.find(n); it != links.neighbours.end())
        for (const auto m : it->second)
          if (!seen[m]) {
            seen[m] = true;
            next.push_back(m);
          }
    layer = next;
  }
  for (const auto n : group.nodes)
    if (!seen[n]) layer.push_back(n);
  if (!layer.empty()) layers.push_back(layer);
  return layers;
}

bool linked(const Inside& links, std::uint32_t a, std::uint32_t b) {
  const auto it = links.neighbours.find(a);
  return it != links.neighbours.end() && std::find(it->second.begin(), it->second.end(), b) != it->second.end();
}

}  // namespace

Rect place_inside(Picture& picture, const topo::Graph& graph, const Groups& groups, int group, Side side, Size room,
                  Point& front) {
  const Inside links = inside(graph, groups, group);
  const bool columns = side == Side::left || side == Side::right;
  const double sign = side == Side::left || side == Side::top ? 1 : -1;
  double depth = 0;  // of the layer's front
  Rect all;
  bool first = true;
  for (const Layer& layer : layers_of(links, groups.all[static_cast<std::size_t>(group)])) {
    double thickness = 0;
    double total = 0;
    std::vector<double> starts;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const Rect& box = picture.boxes[layer[i]].at;
      thickness = std::max(thickness, columns ? box.width : box.height);
      const bool close = i > 0 && linked(links, layer[i - 1], layer[i]);
      if (i > 0) total += close ? (columns ? room.height : room.width) : 24;
      starts.push_back(total);
      total += columns ? box.height : box.width;
    }
    for (std::size_t i = 0; i < layer.size(); ++i) {
      Rect& box = picture.boxes[layer[i]].at;
      const double across = starts[i] - total / 2 + (columns ? box.height : box.width) / 2;
      const double along = sign * (depth + thickness / 2);
      box = around(columns ? Point{along, across} : Point{across, along}, {box.width, box.height});
      all = first ? box : united(all, box);
      if (first) front = columns ? Point{along, 0} : Point{0, along};
      first = false;
    }
    depth += thickness + (columns ? room.width : room.height);
  }
  return all;
}

}  // namespace tsunagi::draw
