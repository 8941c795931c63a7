// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "plot/page.hpp"

namespace tsunagi::plot {
namespace {

struct Spot {
  double x = 0;
  double y = 0;
};

/// From values to pixels.
class Map {
 public:
  Map(const Plot& plot, const Panel& panel, const Box& at)
      : x_(x_shown(plot)), y_(y_shown(plot, panel)), log_x_(plot.x.logarithmic), log_y_(panel.y.logarithmic), at_(at) {}
  Spot of(double x, double y) const {
    return {at_.left + at_.width * part(x, x_, log_x_), at_.bottom() - at_.height * part(y, y_, log_y_)};
  }

 private:
  static double part(double v, Range r, bool logarithmic) {
    return logarithmic ? std::log(v / r.low) / std::log(r.high / r.low) : (v - r.low) / (r.high - r.low);
  }
  Range x_;
  Range y_;
  bool log_x_;
  bool log_y_;
  Box at_;
};

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}
bool holds(const Box& b, Spot p) { return p.x > b.left && p.x < b.right() && p.y > b.top && p.y < b.bottom(); }

/// What a text should not hide: points weigh more than the lines between them.
struct Ink {
  std::vector<Spot> points;
  std::vector<Spot> lines;
};

Ink ink_of(const Panel& panel, const Map& map) {
  Ink out;
  const auto run = [&](Spot a, Spot b) {
    const int steps = 1 + static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / 5);
    for (int i = 0; i <= steps; ++i)
      out.lines.push_back({a.x + (b.x - a.x) * i / steps, a.y + (b.y - a.y) * i / steps});
  };
  for (const Series& s : panel.series)
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      out.points.push_back(map.of(s.points[i].x, s.points[i].y));
      if (i > 0 && !s.scattered) run(out.points[out.points.size() - 2], out.points.back());
    }
  for (const Published& p : panel.published) {
    out.points.push_back(map.of(p.x, p.y));
    if (p.upper > p.y) run(map.of(p.x, p.y), map.of(p.x, p.upper));
  }
  return out;
}

/// Places texts one after the other where they hide least.
class Placer {
 public:
  Placer(Ink ink, const Box& panel) : ink_(std::move(ink)), panel_(panel) {}

  /// At the first of the places where it hides least; the later ones count as worse. Left out if all of them are out of
  /// the panel or on another text.
  void put(PlacedText text, const std::vector<Box>& places) {
    double best = hopeless;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double cost = cost_of(places[i]) + 0.8 * static_cast<double>(i);
      if (cost >= best) continue;
      best = cost;
      text.at = places[i];
      const Box near{text.x - 14, text.y - 14, 28, 28};
      text.far = !overlap(near, places[i]);
    }
    if (best < hopeless) placed_.push_back(std::move(text));
  }
  void keep_clear(const Box& box) { clear_.push_back(box); }
  std::vector<PlacedText> take() { return std::move(placed_); }

 private:
  static constexpr double hopeless = 1e5;

  double cost_of(const Box& b) const {
    if (b.left < panel_.left + 3 || b.right() > panel_.right() - 3 || b.top < panel_.top + 3 ||
        b.bottom() > panel_.bottom() - 3)
      return hopeless;
    for (const PlacedText& other : placed_)
      if (overlap(b, other.at)) return hopeless;
    double cost = 0;
    for (const Box& box : clear_) cost += overlap(b, box) ? 100 : 0;
    for (const Spot p : ink_.points) cost += holds({b.left - 5, b.top - 5, b.width + 10, b.height + 10}, p) ? 60 : 0;
    for (const Spot p : ink_.lines) cost += holds(b, p) ? 4 : 0;
    return cost;
  }

  Ink ink_;
  Box panel_;
  std::vector<PlacedText> placed_;
  std::vector<Box> clear_;
};

/// "0.9 us" and "(id)" of "0.9 us (id)".
std::vector<std::string> two_lines(const std::string& label) {
  const auto at = label.find(" (");
  if (at == std::string::npos) return {label};
  return {label.substr(0, at), label.substr(at + 1)};
}

/// The first line is larger than the others.
Box size_of(const std::vector<std::string>& lines) {
  double width = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    width = std::max(width, 0.53 * (Page::small_font - (i == 0 ? 0 : 2)) * static_cast<double>(letters_of(lines[i])));
  return {0, 0, width + 4, (Page::small_font + 3) * static_cast<double>(lines.size()) + 2};
}

/// Places around a point, the nearest first.
std::vector<Box> around(Spot p, Box size) {
  std::vector<Box> out;
  const double aside = 10;
  for (const double reach : {12.0, 26.0, 44.0, 70.0, 100.0, 140.0, 190.0}) {
    for (const double dy : {-reach - size.height, reach})
      for (const double dx : {aside, -aside - size.width, -size.width / 2})
        out.push_back({p.x + dx, p.y + dy, size.width, size.height});
    for (const double dx : {reach, -reach - size.width})
      out.push_back({p.x + dx, p.y - size.height / 2, size.width, size.height});
  }
  return out;
}

}  // namespace

std::vector<PlacedText> place_texts(const Plot& plot, const Panel& panel, const Box& at) {
  const Map map(plot, panel, at);
  Placer placer(ink_of(panel, map), at);
  for (const Ceiling& c : panel.ceilings)
    placer.keep_clear({at.left, map.of(x_shown(plot).low, c.y).y - 2, at.width, 4});
  for (const Published& p : panel.published) {
    const Spot spot = map.of(p.x, p.y);
    PlacedText text{two_lines(p.label), {}, false, spot.x, spot.y};
    placer.put(text, around(spot, size_of(text.lines)));
  }
  for (const Ceiling& c : panel.ceilings) {
    const double y = map.of(x_shown(plot).low, c.y).y;
    PlacedText text{{c.name}, {}, false, at.left, y};
    const Box size = size_of(text.lines);
    std::vector<Box> places;
    for (const double above : {-size.height - 1, 3.0})
      for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
        places.push_back({at.left + 6 + part * (at.width - size.width - 12), y + above, size.width, size.height});
    placer.put(text, places);
  }
  std::vector<PlacedText> out = placer.take();
  for (PlacedText& text : out)  // a ceiling's line is where its text is
    text.far = text.far && text.lines.size() > 1;
  return out;
}

}  // namespace tsunagi::plot
