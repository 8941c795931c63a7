// SPDX-License-Identifier: Apache-2.0
#include "draw/blocks.hpp"

#include "draw/layouts/layouts.hpp"

namespace tsunagi::draw {
namespace {

constexpr double frame_border = 14;  // between a frame and its devices
constexpr double frame_title = 18;   // height of a frame's title

}  // namespace

Blocks::Blocks(Picture& picture, const topo::Graph& graph, Size room)
    : picture_(picture), graph_(graph), room_(room), groups_(groups_of(graph)) {
  outlines_.resize(groups_.all.size());
  fronts_.resize(groups_.all.size());
}

void Blocks::fill(int group, Side side) {
  Rect r = place_inside(picture_, graph_, groups_, group, side, room_, fronts_[at(group)]);
  if (groups_.all[at(group)].framed) {
    const double least = text_width(groups_.all[at(group)].name, Frame{}.font, true) + 16;
    const double wider = std::max(0.0, least - r.width - 2 * frame_border) / 2;
    r = {r.x - frame_border - wider, r.y - frame_border - frame_title, r.width + 2 * (frame_border + wider),
         r.height + 2 * frame_border + frame_title};
  }
  outlines_[at(group)] = r;
}

void Blocks::move(int group, Point by) {
  Rect& outline = outlines_[at(group)];
  outline = {outline.x + by.x, outline.y + by.y, outline.width, outline.height};
  fronts_[at(group)] = fronts_[at(group)] + by;
  for (const auto n : groups_.all[at(group)].nodes) {
    Rect& box = picture_.boxes[n].at;
    box = {box.x + by.x, box.y + by.y, box.width, box.height};
  }
}

void Blocks::widen(int group, double width) {
  Rect& box = picture_.boxes[groups_.all[at(group)].nodes.front()].at;
  box = around(box.centre(), {width, box.height});
  outlines_[at(group)] = box;
}

void Blocks::add_frames() {
  for (std::size_t g = 0; g < groups_.all.size(); ++g)
    if (groups_.all[g].framed) picture_.frames.push_back({outlines_[g], groups_.all[g].name});
}

namespace {

Path path_between(const Rect& a, const Rect& b, double bow, bool upright) {
  if (bow != 0 || !upright) return bowed(a, b, bow);
  const bool down = a.y < b.y;
  return {{a.centre().x, down ? a.bottom() : a.y}, {b.centre().x, down ? b.y : b.bottom()}};
}

}  // namespace

Path Blocks::clear_path(const topo::Link& link, bool upright) {
  const Rect& a = picture_.boxes[link.a.node].at;
  const Rect& b = picture_.boxes[link.b.node].at;
  const double beside = parallel_[std::minmax(link.a.node, link.b.node)]++ * 16.0;
  const Path straight = path_between(a, b, beside, upright);
  if (upright || graph_.nodes.size() > 256) return straight;
  Path path = straight;
  const double most = graph_.nodes.size() > 64 ? 60 : 300;  // in a crowd long detours only confuse
  for (double bow = 30; is_blocked(path, link) && bow <= most; bow = bow > 0 ? -bow : 30 - bow)
    path = path_between(a, b, bow + beside, upright);
  return is_blocked(path, link) ? straight : path;
}

bool Blocks::is_blocked(const Path& path, const topo::Link& link) const {
  for (std::uint32_t n = 0; n < picture_.boxes.size(); ++n)
    if (n != link.a.node && n != link.b.node && crosses(path, grown(picture_.boxes[n].at, 4))) return true;
  for (std::size_t g = 0; g < groups_.all.size(); ++g) {
    const bool own =
        groups_.of_node[link.a.node] == static_cast<int>(g) || groups_.of_node[link.b.node] == static_cast<int>(g);
    if (!own && groups_.all[g].framed && crosses(path, outlines_[g])) return true;
  }
  return false;
}

}  // namespace tsunagi::draw
