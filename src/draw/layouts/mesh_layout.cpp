// SPDX-License-Identifier: Apache-2.0
#include "draw/layouts/layouts.hpp"
#include "topo/grid.hpp"

namespace tsunagi::draw {
namespace {

/// Where routers and terminals of a mesh or torus stand.
class Mesh {
 public:
  Mesh(Picture& picture, const topo::Graph& graph, Size room)
      : picture_(picture), graph_(graph), grid_(*graph.networks[0]->grid()) {
    const auto routers = static_cast<std::size_t>(grid_.routers());
    router_ = largest(picture, 0, routers);
    terminal_ = largest(picture, routers, static_cast<std::size_t>(grid_.terminals()));
    flat_ = grid_.dimensions() <= 2;
    measure(room);
  }

  void place() {
    for (int r = 0; r < grid_.routers(); ++r) put(router(r), centre(r));
    for (int t = 0; t < grid_.terminals(); ++t) put(terminal(t), terminal_centre(t));
    for (std::size_t l = 0; l < graph_.links.size(); ++l) join(l);
  }

 private:
  Box& router(int r) { return picture_.boxes[static_cast<std::size_t>(r)]; }
  Box& terminal(int t) { return picture_.boxes[static_cast<std::size_t>(grid_.routers() + t)]; }
  static void put(Box& box, Point at) { box.at = around(at, {box.at.width, box.at.height}); }

  /// The step of each dimension: right, down, into the depth; then further pictures, right and down in turn.
  void measure(Size room) {
    gap_ = {room.width, room.height};
    // A terminal stands below and right of its router, clear of the links right and down.
    below_ = router_.height / 2 + terminal_.height / 2 + 8;
    const double terminals = terminal_.width * grid_.terminals_each();
    const double beside = flat_ ? 2 * loop_reach() + 8 : 14;  // room of a column's loop
    const double width = router_.width + terminals + 4 + beside;
    const int depth = grid_.dimensions() > 2 ? grid_.size(2) : 1;
    const Size cell{std::max(width, flat_ ? router_.width + room.width : 0),
                    router_.height + terminal_.height + 8 + (flat_ ? room.height : 12)};
    steps_.assign(static_cast<std::size_t>(grid_.dimensions()), {});
    Point extent{cell.width * depth, cell.height * depth};
    for (std::size_t d = 0; d < steps_.size(); ++d) {
      const int size = grid_.size(static_cast<int>(d));
      const bool rightwards = d == 0 || (d > 2 && d % 2 == 1);
      if (d == 2)
        steps_[d] = {cell.width, -cell.height};
      else if (rightwards)
        steps_[d] = {extent.x + (d > 2 ? cell.width : 0), 0};
      else
        steps_[d] = {0, extent.y + (d > 2 ? cell.height : 0)};
      if (d != 2) extent = rightwards ? Point{steps_[d].x * size, extent.y} : Point{extent.x, steps_[d].y * size};
    }
  }

  Point centre(int r) const {
    Point at;
    for (int d = 0; d < grid_.dimensions(); ++d) at = at + steps_[static_cast<std::size_t>(d)] * grid_.coordinate(r, d);
    return at;
  }

  Point terminal_centre(int t) const {
    const double right = router_.width / 2 + terminal_.width * (t % grid_.terminals_each()) + terminal_.width / 2;
    return centre(grid_.router_of(t)) + Point{right + 4, below_};
  }

  void join(std::size_t l) {
    const topo::Link& link = graph_.links[l];
    Line& line = picture_.lines[l];
    const Rect& a = picture_.boxes[link.a.node].at;
    const Rect& b = picture_.boxes[link.b.node].at;
    const int from = static_cast<int>(link.a.node);
    if (from >= grid_.routers()) {  // a terminal
      line.paths = {bowed(a, b, 0)};
      return;
    }
    const int d = dimension(link);
    const bool wraps = grid_.coordinate(from, d) + 1 == grid_.size(d);
    if (!wraps && d < 3)
      line.paths = {bowed(a, b, 0)};
    else if (flat_)
      line.paths = {loop(a, b, d)};
    else
      line.paths = {stub(a, d, 1), stub(b, d, -1)};
    line.faint = wraps && flat_;
    line.corner = 10;
  }

  /// A link's end a is the port "d<dimension>+" of a router.
  int dimension(const topo::Link& link) const {
    for (int d = 0; d < grid_.dimensions(); ++d)
      if (grid_.port_name(topo::Grid::port(d, true)) == link.a.port) return d;
    return 0;
  }

  double loop_reach() const { return std::min(gap_.width, gap_.height) * 0.4; }

  /// Out of the row's end, back above the row (left of the column), in at its start.
  Path loop(const Rect& a, const Rect& b, int d) const {
    const double out = loop_reach();
    const double in = out / 2;  // loops of rows and columns do not run on each other
    const Point from = a.centre();
    const Point to = b.centre();
    if (d == 0) {
      const double y = from.y - router_.height / 2 - out;
      const double x = a.right() + out;
      return {{a.right(), from.y}, {x, from.y}, {x, y}, {b.x - in, y}, {b.x - in, to.y}, {b.x, to.y}};
    }
    const double x = from.x - router_.width / 2 - out;
    const double y = a.bottom() + out / 2;
    return {{from.x, a.bottom()}, {from.x, y}, {x, y}, {x, b.y - in}, {to.x, b.y - in}, {to.x, b.y}};
  }

  Path stub(const Rect& box, int d, int sign) const {
    const Point step = steps_[static_cast<std::size_t>(d)];
    const double reach = d == 2 ? 0.75 * diagonal(router_) : 14 + (step.x != 0 ? router_.width : router_.height) / 2;
    const Point out = step * (sign * reach / length(step));
    return cut({box.centre(), box.centre() + out}, box, {box.centre().x + out.x, box.centre().y + out.y, 0, 0});
  }

  Picture& picture_;
  const topo::Graph& graph_;
  const topo::Grid& grid_;
  Size router_;
  Size terminal_;
  Size gap_;
  bool flat_ = true;
  double below_ = 0;
  std::vector<Point> steps_;
};

}  // namespace

void place_mesh(Picture& picture, const topo::Graph& graph, Size room) {
  Mesh(picture, graph, room).place();
  const topo::Grid& grid = *graph.networks[0]->grid();
  if (grid.dimensions() < 3) return;
  if (grid.wraps() && grid.dimensions() == 3)
    picture.notes = {"The third dimension runs into the depth. Stubs are links from a row's end to its start."};
  else if (grid.wraps() || grid.dimensions() > 3)
    picture.notes = {
        "The third dimension runs into the depth. Stubs are links to a row's other end or to the same "
        "place of the next block."};
  else
    picture.notes = {"The third dimension runs into the depth."};
}

}  // namespace tsunagi::draw
