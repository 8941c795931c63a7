// SPDX-License-Identifier: Apache-2.0
#include "draw/blocks.hpp"
#include "draw/layouts/layouts.hpp"

namespace tsunagi::draw {
namespace {

/// Places groups as their links suggest.
class GroupLayout {
 public:
  GroupLayout(Picture& picture, const topo::Graph& graph, Size room)
      : picture_(picture),
        graph_(graph),
        room_(room),
        blocks_(picture, graph, room),
        groups_(blocks_.groups()),
        plan_(arrange(groups_)) {}

  void place() {
    if (plan_.shape == Shape::line)
      place_line();
    else if (plan_.shape == Shape::layers)
      place_layers();
    else if (plan_.shape == Shape::rings)
      place_rings();
    else
      place_circle();
    blocks_.add_frames();
    join();
  }

 private:
  void fill(int group, Side side) { blocks_.fill(group, side); }
  void move(int group, Point by) { blocks_.move(group, by); }
  const Rect& outline(int group) const { return blocks_.outline(group); }

  /// Two face each other; more stand in a row, their links below.
  void place_line() {
    double x = 0;
    for (std::size_t i = 0; i < plan_.order.size(); ++i) {
      const int g = plan_.order[i];
      fill(g, plan_.order.size() > 2 ? Side::bottom : i == 0 ? Side::right : Side::left);
      move(g, {x - outline(g).x, -blocks_.front(g).y});
      x = outline(g).right() + room_.width;
    }
  }

  /// A row each, facing each other; between them is room for the links that close the rings.
  void place_rings() {
    const std::size_t length = plan_.order.size() / 2;
    for (std::size_t i = 0; i < plan_.order.size(); ++i) fill(plan_.order[i], i < length ? Side::bottom : Side::top);
    double x = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const int above = plan_.order[i];
      const int below = plan_.order[i + length];
      const Rect& a = outline(above);
      const Rect& b = outline(below);
      const double left = std::max(blocks_.front(above).x - a.x, blocks_.front(below).x - b.x);
      move(above, Point{x + left, 0} - Point{blocks_.front(above).x, a.bottom()});
      move(below, Point{x + left, ring_gap()} - Point{blocks_.front(below).x, b.y});
      x = std::max(a.right(), b.right()) + std::max(room_.width, 100.0);  // a label fits
    }
  }

  double ring_gap() const { return 4 * std::max(room_.height, 30.0); }

  /// Between the rows, back from the last to the first of its ring.
  Path closing(const topo::Link& link) const {
    const Rect& a = picture_.boxes[link.a.node].at;
    const Rect& b = picture_.boxes[link.b.node].at;
    const bool upper = a.centre().y < 0;
    const double y = ring_gap() * (upper ? 0.25 : 0.75);
    const double inwards = (a.x < b.x ? 1 : -1) * std::min(a.width, b.width) / 4;  // beside the link to the other ring
    const auto edge = [upper](const Rect& box) { return upper ? box.bottom() : box.y; };
    const double from = a.centre().x + inwards;
    const double to = b.centre().x - inwards;
    return {{from, edge(a)}, {from, y}, {to, y}, {to, edge(b)}};
  }

  bool closes_ring(const topo::Link& link) const {
    if (plan_.shape != Shape::rings) return false;
    const int length = static_cast<int>(plan_.order.size() / 2);
    return std::abs(groups_.of_node[link.a.node] - groups_.of_node[link.b.node]) == length - 1;
  }

  /// Everybody on a circle, the hub in its middle.
  void place_circle() {
    const std::size_t count = plan_.order.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Point p = place_on_circle(1, i);
      const bool flat = std::abs(p.x) > 2 * std::abs(p.y);
      fill(plan_.order[i], flat ? (p.x > 0 ? Side::left : Side::right) : (p.y > 0 ? Side::top : Side::bottom));
    }
    if (plan_.hub >= 0) {
      fill(plan_.hub, Side::top);
      move(plan_.hub, Point{} - outline(plan_.hub).centre());
    }
    const double radius = circle_radius();
    for (std::size_t i = 0; i < count; ++i)
      move(plan_.order[i], place_on_circle(radius, i) - outline(plan_.order[i]).centre());
  }

  /// Even numbers have nobody on top: their circle is flatter.
  Point place_on_circle(double radius, std::size_t i) const {
    const std::size_t count = plan_.order.size();
    return on_circle(radius, static_cast<double>(i) + (count % 2 == 0 ? 0.5 : 0), static_cast<double>(count));
  }

  /// The smallest one at which there is room for a label between any two; for many groups a safe one.
  double circle_radius() const {
    const double count = static_cast<double>(plan_.order.size());
    if (count < 2) return 0;
    double widest = 0;
    for (std::size_t g = 0; g < groups_.all.size(); ++g) {
      const Rect& r = outline(static_cast<int>(g));
      widest = std::max(widest, diagonal({r.width, r.height}));
    }
    const double safe = (widest + room_.width) / 2 / std::sin(3.14159265358979 / count) + (plan_.hub < 0 ? 0 : widest);
    double radius = count > 64 ? safe : 20;
    while (radius < safe && is_tight(radius)) radius += 10;
    return radius;
  }

  bool is_tight(double radius) const {
    std::vector<Rect> placed;
    if (plan_.hub >= 0) placed.push_back(outline(plan_.hub));
    for (std::size_t i = 0; i < plan_.order.size(); ++i) {
      const Rect& r = outline(plan_.order[i]);
      const Rect here = around(place_on_circle(radius, i), {r.width + room_.width, r.height + 1.5 * room_.height});
      for (const Rect& other : placed)
        if (overlap(here, other)) return true;
      placed.push_back(around(here.centre(), {r.width, r.height}));
    }
    return false;
  }

  /// Rows, level 0 at the bottom; each group in the middle above those it is linked to.
  void place_layers() {
    const int top = *std::max_element(plan_.levels.begin(), plan_.levels.end());
    std::vector<double> wish(groups_.all.size(), 0);
    double x = 0;
    for (const int g : plan_.order) {
      fill(g, Side::top);
      if (!has_lower(g)) {
        wish[at(g)] = x + outline(g).width / 2;
        x += outline(g).width + layer_gap();
      }
    }
    double y = 0;
    for (int level = 0; level <= top; ++level) {
      std::vector<int> row;
      double height = 0;
      for (const int g : plan_.order) {
        if (plan_.levels[at(g)] != level) continue;
        if (has_lower(g)) wish[at(g)] = mean_of_lower(g, wish);
        row.push_back(g);
        height = std::max(height, outline(g).height);
      }
      spread(row, wish);
      for (const int g : row) move(g, Point{wish[at(g)] - outline(g).centre().x, y - outline(g).bottom()});
      y -= height + 2 * room_.height;
    }
  }

  double layer_gap() const { return std::min(24.0, room_.width); }

  bool has_lower(int g) const {
    const auto& next = groups_.all[at(g)].neighbours;
    return std::any_of(next.begin(), next.end(), [&](int n) { return plan_.levels[at(n)] < plan_.levels[at(g)]; });
  }

  double mean_of_lower(int g, const std::vector<double>& x) const {
    double sum = 0;
    int count = 0;
    for (const int n : groups_.all[at(g)].neighbours) {
      if (plan_.levels[at(n)] >= plan_.levels[at(g)]) continue;
      sum += x[at(n)];
      ++count;
    }
    return sum / count;
  }

  /// Moves wishes of one row apart until nothing overlaps; their mean stays.
  void spread(std::vector<int>& row, std::vector<double>& wish) const {
    std::stable_sort(row.begin(), row.end(), [&](int a, int b) { return wish[at(a)] < wish[at(b)]; });
    double moved = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const double least = wish[at(row[i - 1])] + layer_gap() + (outline(row[i - 1]).width + outline(row[i]).width) / 2;
      moved += std::max(0.0, least - wish[at(row[i])]);
      wish[at(row[i])] = std::max(wish[at(row[i])], least);
    }
    for (const int g : row) wish[at(g)] -= moved / static_cast<double>(row.size());
  }

  /// Straight lines where nothing is in the way, else bowed ones.
  void join() {
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const topo::Link& link = graph_.links[l];
      Line& line = picture_.lines[l];
      if (closes_ring(link)) {
        line.paths = {closing(link)};
        line.corner = 10;
      } else {
        line.paths = {blocks_.clear_path(link, changes_level(link))};
      }
    }
  }

  bool changes_level(const topo::Link& link) const {
    return plan_.shape == Shape::layers &&
           plan_.levels[at(groups_.of_node[link.a.node])] != plan_.levels[at(groups_.of_node[link.b.node])];
  }

  Picture& picture_;
  const topo::Graph& graph_;
  Size room_;
  Blocks blocks_;
  const Groups& groups_;
  Arrangement plan_;
};

}  // namespace

void place_groups(Picture& picture, const topo::Graph& graph, Size room) { GroupLayout(picture, graph, room).place(); }

}  // namespace tsunagi::draw
