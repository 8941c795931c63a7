// SPDX-License-Identifier: Apache-2.0
#include "draw/layouts/geometry.hpp"

namespace tsunagi::draw {
namespace {

/// The part (0..1) of the segment from `a` inside `r` to `b` at which it leaves `r`; > 1 if it does not.
double leaves(Point a, Point b, const Rect& r) {
  double part = 2;
  const auto border = [&](double from, double to, double low, double high) {
    if (to > high) part = std::min(part, (high - from) / (to - from));
    if (to < low) part = std::min(part, (low - from) / (to - from));
  };
  border(a.x, b.x, r.x, r.right());
  border(a.y, b.y, r.y, r.bottom());
  return part;
}

Path without_start(const Path& path, const Rect& r) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (r.has(path[i + 1])) continue;
    Path out{path.begin() + static_cast<std::ptrdiff_t>(i), path.end()};
    if (r.has(path[i])) out.front() = between(path[i], path[i + 1], leaves(path[i], path[i + 1], r));
    return out;
  }
  return path;
}

}  // namespace

bool crosses(Point a, Point b, const Rect& r) {
  double from = 0;
  double to = 1;
  const auto clip = [&](double start, double step, double low, double high) {
    if (step == 0) {
      if (start < low || start > high) to = -1;
      return;
    }
    const double in = (low - start) / step;
    const double out = (high - start) / step;
    from = std::max(from, std::min(in, out));
    to = std::min(to, std::max(in, out));
  };
  clip(a.x, b.x - a.x, r.x, r.right());
  clip(a.y, b.y - a.y, r.y, r.bottom());
  return from <= to;
}

bool crosses(const Path& path, const Rect& r) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    if (crosses(path[i], path[i + 1], r)) return true;
  return false;
}

Path cut(const Path& path, const Rect& first, const Rect& last) {
  Path out = without_start(path, first);
  std::reverse(out.begin(), out.end());
  out = without_start(out, last);
  std::reverse(out.begin(), out.end());
  return out;
}

Point along(const Path& path, double part) {
  double total = 0;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) total += length(path[i + 1] - path[i]);
  double left = total * part;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const double step = length(path[i + 1] - path[i]);
    if (left <= step && step > 0) return between(path[i], path[i + 1], left / step);
    left -= step;
  }
  return path.back();
}

}  // namespace tsunagi::draw
