// SPDX-License-Identifier: Apache-2.0
#include "draw/blocks.hpp"
#include "draw/layouts/layouts.hpp"

namespace tsunagi::draw {
namespace {

constexpr double cable_end = 18;  // that part of a cable which is drawn outside the frame

/// Cables that lead out of the frame by its lower border, side by side, each with the name of what it leads to.
void lead_out(Picture& picture, const Inside& inside) {
  std::vector<std::size_t> out;
  for (std::size_t l = 0; l < inside.targets.size(); ++l)
    if (!inside.targets[l].empty()) out.push_back(l);
  const auto device = [&](std::size_t l) -> const Rect& { return picture.boxes[inside.graph.links[l].a.node].at; };
  std::stable_sort(out.begin(), out.end(),
                   [&](std::size_t a, std::size_t b) { return device(a).centre().x < device(b).centre().x; });
  double end = -1e9;
  std::vector<double> places;
  double moved = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double half = label_size({inside.targets[out[i]]}).width / 2 + 2;
    const double x = std::max(device(out[i]).centre().x, end + half);
    moved += x - device(out[i]).centre().x;
    places.push_back(x);
    end = x + half;
  }
  const double bottom = picture.frames.front().at.bottom();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double x = places[i] - moved / static_cast<double>(out.size());
    const Rect& box = device(out[i]);
    const double from = std::clamp(x, box.x + 4, box.right() - 4);
    picture.lines[out[i]].paths = {{{from, box.bottom()}, {x, bottom + cable_end}}};
    const Size size = label_size({inside.targets[out[i]]});
    picture.labels.push_back(
        {around({x, bottom + cable_end + size.height / 2 + 1}, size), {inside.targets[out[i]]}, false});
  }
}

}  // namespace

void place_inside_of(Picture& picture, const Inside& inside, Size room) {
  Blocks blocks(picture, inside.graph, room);
  constexpr int node = 0;
  blocks.fill(node, Side::bottom);
  picture.boxes.back().at = {0, 1e6, 1, 1};  // the outside is no box
  blocks.add_frames();
  Frame& frame = picture.frames.front();
  frame.title = inside.title;
  const double wider = std::max(0.0, text_width(frame.title, frame.font, true) + 16 - frame.at.width);
  frame.at = {frame.at.x - wider / 2, frame.at.y, frame.at.width + wider, frame.at.height};
  for (std::size_t l = 0; l < inside.graph.links.size(); ++l)
    if (inside.targets[l].empty()) picture.lines[l].paths = {blocks.clear_path(inside.graph.links[l], false)};
  lead_out(picture, inside);
  picture.boxes.pop_back();
}

}  // namespace tsunagi::draw
