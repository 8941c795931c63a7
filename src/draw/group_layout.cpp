// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "draw/groups.hpp"
#include "draw/inner_layout.hpp"
#include "draw/layouts.hpp"

namespace tsunagi::draw {
namespace {

constexpr double border = 14;  // between a frame and its devices
constexpr double title = 18;   // height of a frame's title

/// Places groups as wholes; a group's frame and devices move together.
class GroupLayout {
 public:
  GroupLayout(Picture& picture, const topo::Graph& graph, Size room)
      : picture_(picture), graph_(graph), room_(room), groups_(groups_of(graph)), plan_(arrange(groups_)) {}

  void place() {
    const std::size_t count = groups_.all.size();
    outlines_.resize(count);
    fronts_.resize(count);
    if (plan_.shape == Shape::line)
      place_line();
    else if (plan_.shape == Shape::layers)
      place_layers();
    else if (plan_.shape == Shape::rings)
      place_rings();
    else
      place_circle();
    for (std::size_t g = 0; g < count; ++g)
      if (groups_.all[g].framed) picture_.frames.push_back({outlines_[g], groups_.all[g].name});
    join();
  }

 private:
  /// Lays out a group's inside; what leads out of it stands on `side`.
  void fill(int group, Side side) {
    Rect r = place_inside(picture_, graph_, groups_, group, side, room_, fronts_[at(group)]);
    if (groups_.all[at(group)].framed) {
      const double least = text_width(groups_.all[at(group)].name, picture_.font, true) + 16;
      const double wider = std::max(0.0, least - r.width - 2 * border) / 2;
      r = {r.x - border - wider, r.y - border - title, r.width + 2 * (border + wider), r.height + 2 * border + title};
    }
    outlines_[at(group)] = r;
  }

  void move(int group, Point by) {
    Rect& outline = outlines_[at(group)];
    outline = {outline.x + by.x, outline.y + by.y, outline.width, outline.height};
    fronts_[at(group)] = fronts_[at(group)] + by;
    for (const auto n : groups_.all[at(group)].nodes) {
      Rect& box = picture_.boxes[n].at;
      box = {box.x + by.x, box.y + by.y, box.width, box.height};
    }
  }

  /// Two face each other; more stand in a row, their links below.
  void place_line() {
    double x = 0;
    for (std::size_t i = 0; i < plan_.order.size(); ++i) {
      const int g = plan_.order[i];
      fill(g, plan_.order.size() > 2 ? Side::bottom : i == 0 ? Side::right : Side::left);
      move(g, {x - outlines_[at(g)].x, -fronts_[at(g)].y});
      x = outlines_[at(g)].right() + room_.width;
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
      const Rect& a = outlines_[at(above)];
      const Rect& b = outlines_[at(below)];
      const double left = std::max(fronts_[at(above)].x - a.x, fronts_[at(below)].x - b.x);
      move(above, Point{x + left, 0} - Point{fronts_[at(above)].x, a.bottom()});
      move(below, Point{x + left, ring_gap()} - Point{fronts_[at(below)].x, b.y});
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
      move(plan_.hub, Point{} - outlines_[at(plan_.hub)].centre());
    }
    const double radius = circle_radius();
    for (std::size_t i = 0; i < count; ++i)
      move(plan_.order[i], place_on_circle(radius, i) - outlines_[at(plan_.order[i])].centre());
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
    for (const Rect& r : outlines_) widest = std::max(widest, diagonal({r.width, r.height}));
    const double safe = (widest + room_.width) / 2 / std::sin(3.14159265358979 / count) + (plan_.hub < 0 ? 0 : widest);
    double radius = count > 64 ? safe : 20;
    while (radius < safe && is_tight(radius)) radius += 10;
    return radius;
  }

  bool is_tight(double radius) const {
    std::vector<Rect> placed;
    if (plan_.hub >= 0) placed.push_back(outlines_[at(plan_.hub)]);
    for (std::size_t i = 0; i < plan_.order.size(); ++i) {
      const Rect& r = outlines_[at(plan_.order[i])];
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
        wish[at(g)] = x + outlines_[at(g)].width / 2;
        x += outlines_[at(g)].width + 24;
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
        height = std::max(height, outlines_[at(g)].height);
      }
      spread(row, wish);
      for (const int g : row) move(g, Point{wish[at(g)] - outlines_[at(g)].centre().x, y - outlines_[at(g)].bottom()});
      y -= height + 2 * room_.height;
    }
  }

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
      const double least =
          wish[at(row[i - 1])] + 24 + (outlines_[at(row[i - 1])].width + outlines_[at(row[i])].width) / 2;
      moved += std::max(0.0, least - wish[at(row[i])]);
      wish[at(row[i])] = std::max(wish[at(row[i])], least);
    }
    for (const int g : row) wish[at(g)] -= moved / static_cast<double>(row.size());
  }

  /// Straight lines where nothing is in the way, else bowed ones.
  void join() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> parallel;
    const bool avoid = graph_.nodes.size() <= 256;
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const topo::Link& link = graph_.links[l];
      if (closes_ring(link)) {
        picture_.lines[l].paths = {closing(link)};
        picture_.lines[l].corner = 10;
        continue;
      }
      const int earlier = parallel[std::minmax(link.a.node, link.b.node)]++;
      Path path = path_of(link, earlier * 16.0);
      for (double bow = 30; avoid && is_blocked(path, link) && bow <= 300; bow = bow > 0 ? -bow : 30 - bow)
        path = path_of(link, bow + earlier * 16.0);
      if (avoid && is_blocked(path, link)) path = path_of(link, earlier * 16.0);
      picture_.lines[l].paths = {path};
    }
  }

  Path path_of(const topo::Link& link, double bow) const {
    const Rect& a = picture_.boxes[link.a.node].at;
    const Rect& b = picture_.boxes[link.b.node].at;
    if (bow == 0 && changes_level(link)) {  // from below the upper one to above the lower one
      const bool down = a.y < b.y;
      return {{a.centre().x, down ? a.bottom() : a.y}, {b.centre().x, down ? b.y : b.bottom()}};
    }
    return bowed(a, b, bow);
  }

  bool changes_level(const topo::Link& link) const {
    return plan_.shape == Shape::layers &&
           plan_.levels[at(groups_.of_node[link.a.node])] != plan_.levels[at(groups_.of_node[link.b.node])];
  }

  bool is_blocked(const Path& path, const topo::Link& link) const {
    for (std::uint32_t n = 0; n < picture_.boxes.size(); ++n)
      if (n != link.a.node && n != link.b.node && crosses(path, grown(picture_.boxes[n].at, 4))) return true;
    for (std::size_t g = 0; g < groups_.all.size(); ++g) {
      const bool own =
          groups_.of_node[link.a.node] == static_cast<int>(g) || groups_.of_node[link.b.node] == static_cast<int>(g);
      if (!own && groups_.all[g].framed && crosses(path, outlines_[g])) return true;
    }
    return false;
  }

  Picture& picture_;
  const topo::Graph& graph_;
  Size room_;
  Groups groups_;
  Arrangement plan_;
  std::vector<Rect> outlines_;
  std::vector<Point> fronts_;
};

}  // namespace

void place_groups(Picture& picture, const topo::Graph& graph, Size room) { GroupLayout(picture, graph, room).place(); }

}  // namespace tsunagi::draw
