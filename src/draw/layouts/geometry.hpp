// SPDX-License-Identifier: Apache-2.0
// Points and rectangles of a picture, in pixels; y grows downwards.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace tsunagi::draw {

struct Point {
  double x = 0;
  double y = 0;
};
inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(Point a, double f) { return {a.x * f, a.y * f}; }
inline Point between(Point a, Point b, double part) { return a + (b - a) * part; }
inline double length(Point a) { return std::hypot(a.x, a.y); }

struct Size {
  double width = 0;
  double height = 0;
};
inline double diagonal(Size s) { return std::hypot(s.width, s.height); }

struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
  bool has(Point p) const { return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom(); }
};
inline Rect around(Point centre, Size s) {
  return {centre.x - s.width / 2, centre.y - s.height / 2, s.width, s.height};
}
inline Rect grown(const Rect& r, double by) { return {r.x - by, r.y - by, r.width + 2 * by, r.height + 2 * by}; }
inline bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}
/// The smallest rectangle that holds both.
inline Rect united(const Rect& a, const Rect& b) {
  const double x = std::min(a.x, b.x);
  const double y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

/// A polyline of at least two points.
using Path = std::vector<Point>;

/// True when the segment touches the rectangle.
bool crosses(Point a, Point b, const Rect& r);
bool crosses(const Path& path, const Rect& r);

/// The part of `path` outside `first`, which its first point lies in, and `last`, which its last point lies in.
/// Unchanged if nothing would be left.
Path cut(const Path& path, const Rect& first, const Rect& last);

/// The point at a part (0..1) of the path's length.
Point along(const Path& path, double part);

}  // namespace tsunagi::draw
