// SPDX-License-Identifier: Apache-2.0
#include "draw/labels.hpp"

#include <algorithm>

#include "draw/looks.hpp"

namespace tsunagi::draw {
namespace {

/// True when nothing that can be read is at `r`, and, if `lines`, no line but `own` runs there.
bool is_free(const Picture& picture, const Rect& r, std::size_t own, bool lines) {
  for (const Box& box : picture.boxes)
    if (overlap(r, grown(box.at, 2))) return false;
  for (const Label& label : picture.labels)
    if (overlap(r, label.at)) return false;
  for (const Frame& frame : picture.frames) {
    const Rect title{frame.at.x, frame.at.y, text_width(frame.title, frame.font, true) + 14, 22};
    if (overlap(r, title)) return false;
    const bool inside = frame.at.has({r.x, r.y}) && frame.at.has({r.right(), r.bottom()});
    if (overlap(r, frame.at) && !inside) return false;  // on its border
  }
  for (std::size_t l = 0; lines && l < picture.lines.size(); ++l)
    for (const Path& path : picture.lines[l].paths)
      if (l != own && crosses(path, r)) return false;
  return true;
}

/// Puts a label of these lines at the first of `places` where there is space.
void put(Picture& picture, std::size_t line, const std::vector<std::string>& text, const std::vector<Point>& places,
         bool clear_of_lines) {
  const Size size = label_size(text);
  for (const Point& place : places) {
    const Rect r = around(place, size);
    if (!is_free(picture, r, line, clear_of_lines)) continue;
    const bool framed =
        std::any_of(picture.frames.begin(), picture.frames.end(), [&](const Frame& f) { return f.at.has(r.centre()); });
    picture.labels.push_back({r, text, framed});
    return;
  }
}

/// Places on a path near its first point, the nearest first, for a text of that size.
std::vector<Point> near_start(const Path& path, Size text) {
  double all = 0;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) all += length(path[i + 1] - path[i]);
  const Point step = path[1] - path[0];
  const double far = length(step);
  if (far == 0 || all == 0) return {};
  // So far that the text begins where the device ends.
  const double reach = std::min(text.width / 2 / std::max(1e-9, std::abs(step.x) / far),
                                text.height / 2 / std::max(1e-9, std::abs(step.y) / far)) +
                       4;
  std::vector<Point> out;
  for (const double more : {0.0, 6.0, 14.0, 24.0, 36.0})
    if (reach + more < all / 2) out.push_back(along(path, (reach + more) / all));
  return out;
}

}  // namespace

void put_labels(Picture& picture, const std::vector<std::vector<std::string>>& texts,
                const std::vector<EndTexts>& ends) {
  for (std::size_t l = 0; l < picture.lines.size(); ++l) {
    const auto& paths = picture.lines[l].paths;
    if (l < ends.size() && !paths.empty())
      for (const bool first : {true, false}) {
        const std::string& text = first ? ends[l].first : ends[l].last;
        if (text.empty()) continue;
        Path path = first ? paths.front() : paths.back();
        if (!first && paths.size() == 1) std::reverse(path.begin(), path.end());
        put(picture, l, {text}, near_start(path, label_size({text})), false);
      }
  }
  for (std::size_t l = 0; l < picture.lines.size(); ++l) {
    if (l >= texts.size() || texts[l].empty() || picture.lines[l].paths.size() != 1) continue;
    std::vector<Point> places;
    for (const double part : {0.5, 0.42, 0.58, 0.35, 0.65, 0.25, 0.75})
      places.push_back(along(picture.lines[l].paths[0], part));
    put(picture, l, texts[l], places, true);
  }
}

}  // namespace tsunagi::draw
