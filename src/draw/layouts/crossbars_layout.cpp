// SPDX-License-Identifier: Apache-2.0
#include "draw/layouts/layouts.hpp"
#include "topo/crossbars_shape.hpp"

namespace tsunagi::draw {
namespace {

using topo::Place;

constexpr double near = 12;  // between a box and the bus beside it

/// Crossbars along the rows and columns of a plane: the relays stand in it, each above its node; a crossbar stands at
/// the start of its line and is drawn as a bus along it. Crossbars across several planes, which are drawn as one, stand
/// beside their relays.
class Plane {
 public:
  Plane(Picture& picture, const topo::Graph& graph, const topo::CrossbarsShape& shape)
      : picture_(picture), graph_(graph), shape_(shape) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Rect& box = picture.boxes[n].at;
      largest_ = {std::max(largest_.width, box.width), std::max(largest_.height, box.height)};
      router_.push_back(number(n, Place::Role::router));
    }
    const double across = shape.crossed().size() > 2 ? largest_.width + near : 0;
    cell_ = {largest_.width + across + 2 * near + 6, 2 * largest_.height + 3 * near + 8};
  }

  void place() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const int r = router_[n];
      Point at = r < 0 ? relay(number(n, Place::Role::terminal)) + Point{0, largest_.height + near} : Point{};
      if (r >= 0 && r < shape_.nodes()) at = relay(r);
      if (r >= shape_.nodes()) at = is_row(r) ? start_of_row(r) : start_of_column(r);
      if (is_across(r)) at = relay(r - shape_.first_crossbar(2)) + Point{largest_.width + near, 0};
      Rect& box = picture_.boxes[n].at;
      box = around(at, {box.width, box.height});
    }
    for (std::size_t l = 0; l < graph_.links.size(); ++l) join(l);
  }

 private:
  int number(std::size_t n, Place::Role role) const {
    const Place* place = topo::place_as(role, graph_.nodes[n].places);
    return place == nullptr ? -1 : place->number;
  }
  bool is_row(int router) const { return router < shape_.first_crossbar(1); }
  bool is_across(int router) const { return shape_.crossed().size() > 2 && router >= shape_.first_crossbar(2); }
  Point relay(int node) const {
    return {shape_.coordinate(node, 0) * cell_.width, shape_.coordinate(node, 1) * cell_.height};
  }
  double above() const { return largest_.height / 2 + near; }
  double left() const { return largest_.width / 2 + near; }
  Point start_of_row(int router) const {
    const int node = shape_.node(0, router - shape_.first_crossbar(0), 0);
    return relay(node) + Point{-2 * left() - largest_.width / 2, -above()};
  }
  Point start_of_column(int router) const {
    const int node = shape_.node(1, router - shape_.first_crossbar(1), 0);
    return relay(node) + Point{-left(), -2 * above() - largest_.height / 2};
  }

  void join(std::size_t l) {
    std::uint32_t a = graph_.links[l].a.node;
    std::uint32_t b = graph_.links[l].b.node;
    const bool turned = router_[a] >= shape_.nodes();  // from the crossbar to the relay
    if (turned) std::swap(a, b);
    const Rect& from = picture_.boxes[a].at;
    const Rect& to = picture_.boxes[b].at;
    Line& line = picture_.lines[l];
    if (router_[b] < shape_.nodes() || is_across(router_[b]))
      line.paths = {bowed(from, to, 0)};
    else if (is_row(router_[b]))
      line.paths = {{{from.centre().x, from.y}, {from.centre().x, to.centre().y}, {to.right(), to.centre().y}}};
    else
      line.paths = {{{from.x, from.centre().y}, {to.centre().x, from.centre().y}, {to.centre().x, to.bottom()}}};
    if (turned) std::reverse(line.paths[0].begin(), line.paths[0].end());
    line.corner = 6;
  }

  Picture& picture_;
  const topo::Graph& graph_;
  const topo::CrossbarsShape& shape_;
  Size largest_;
  Size cell_;
  std::vector<int> router_;  // number of each node's router; -1: it is none
};

/// Whether every node of the graph is one box of a plane of crossbars, or one of equal planes.
const topo::CrossbarsShape* plane_of(const topo::Graph& graph) {
  if (graph.networks.size() != 1) return nullptr;
  const topo::CrossbarsShape* shape = topo::crossbars_shape(*graph.networks[0]);
  if (shape == nullptr || !shape->has_relays() || shape->size(0) == 1 || shape->size(1) == 1) return nullptr;
  const int plane = shape->size(0) * shape->size(1);
  const int across = shape->crossed().size() > 2 ? plane : 0;
  const int boxes = 2 * plane + shape->size(0) + shape->size(1) + across;
  return graph.nodes.size() == static_cast<std::size_t>(boxes) ? shape : nullptr;
}

}  // namespace

bool place_crossbars(Picture& picture, const topo::Graph& graph) {
  const topo::CrossbarsShape* shape = plane_of(graph);
  if (shape != nullptr) Plane(picture, graph, *shape).place();
  return shape != nullptr;
}

}  // namespace tsunagi::draw
