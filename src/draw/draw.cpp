// SPDX-License-Identifier: Apache-2.0
#include "draw/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "draw/layouts.hpp"
#include "topo/grid.hpp"

namespace tsunagi::draw {
namespace {

constexpr double margin = 24;
constexpr double title_font = 17;
constexpr double least_width = 480;

/// Whether there is one network of routers, and nothing else but terminals.
bool is_plain(const topo::Graph& graph) {
  if (graph.networks.size() != 1) return false;
  const topo::Network& network = *graph.networks[0];
  return graph.nodes.size() == static_cast<std::size_t>(network.routers() + network.terminals());
}

/// Whether some network has routers that are not inside the nodes.
bool has_routers(const topo::Graph& graph) {
  return std::any_of(graph.networks.begin(), graph.networks.end(),
                     [](const auto& n) { return n->routers() > 0 && !n->router(0).config.empty(); });
}

void place(Picture& picture, const topo::Graph& graph, Size room) {
  const topo::Grid* grid = is_plain(graph) ? graph.networks[0]->grid() : nullptr;
  if (grid == nullptr)
    has_routers(graph) ? place_network(picture, graph, room) : place_groups(picture, graph, room);
  else if (grid->dimensions() == 0)
    place_crossbar(picture, graph, room);
  else if (grid->dimensions() == 1 && grid->wraps() && grid->routers() > 1)
    place_ring(picture, graph, room);
  else
    place_mesh(picture, graph, room);
}

/// True when nothing that can be read is at `r`, and no line but that of `link` runs there.
bool is_free(const Picture& picture, const Rect& r, std::size_t link) {
  for (const Box& box : picture.boxes)
    if (overlap(r, grown(box.at, 2))) return false;
  for (const Label& label : picture.labels)
    if (overlap(r, label.at)) return false;
  for (const Frame& frame : picture.frames) {
    const Rect title{frame.at.x, frame.at.y, text_width(frame.title, picture.font, true) + 14, 22};
    if (overlap(r, title)) return false;
    const bool inside = frame.at.has({r.x, r.y}) && frame.at.has({r.right(), r.bottom()});
    if (overlap(r, frame.at) && !inside) return false;  // on its border
  }
  for (std::size_t l = 0; l < picture.lines.size(); ++l)
    for (const Path& path : picture.lines[l].paths)
      if (l != link && crosses(path, r)) return false;
  return true;
}

/// A label a link where there is space, in large machines only for cables between nodes; the legend has them all.
void put_labels(Picture& picture, const Looks& looks, const topo::Graph& graph) {
  if (looks.detail() == Detail::dots || (looks.detail() == Detail::names && picture.frames.empty())) return;
  const auto group = [&](const topo::End& end) { return group_of(graph.nodes[end.node].name); };
  for (std::size_t l = 0; l < picture.lines.size(); ++l) {
    if (picture.lines[l].paths.size() != 1) continue;
    if (looks.detail() == Detail::names && group(graph.links[l].a) == group(graph.links[l].b)) continue;
    const Size size = label_size(looks.lines_of_wire(l));
    for (const double part : {0.5, 0.42, 0.58, 0.35, 0.65, 0.25, 0.75}) {
      const Rect r = around(along(picture.lines[l].paths[0], part), size);
      if (!is_free(picture, r, l)) continue;
      const bool framed = std::any_of(picture.frames.begin(), picture.frames.end(),
                                      [&](const Frame& f) { return f.at.has(r.centre()); });
      picture.labels.push_back({r, looks.lines_of_wire(l), framed});
      break;
    }
  }
}

/// What is drawn so far.
Rect extent(const Picture& picture) {
  Rect all = picture.boxes.empty() ? Rect{} : picture.boxes[0].at;
  for (const Box& box : picture.boxes) all = united(all, box.at);
  for (const Frame& frame : picture.frames) all = united(all, frame.at);
  for (const Label& label : picture.labels) all = united(all, label.at);
  for (const Line& line : picture.lines)
    for (const Path& path : line.paths)
      for (const Point p : path) all = united(all, {p.x, p.y, 0, 0});
  return all;
}

void move(Picture& picture, Point by) {
  const auto shift = [by](Rect& r) { r = {r.x + by.x, r.y + by.y, r.width, r.height}; };
  for (Box& box : picture.boxes) shift(box.at);
  for (Frame& frame : picture.frames) shift(frame.at);
  for (Label& label : picture.labels) shift(label.at);
  for (Line& line : picture.lines)
    for (Path& path : line.paths)
      for (Point& p : path) p = p + by;
}

/// Title above, legend and note below; sets the size.
void finish(Picture& picture, const std::string& title) {
  const Rect all = extent(picture);
  picture.title = title;
  const double width =
      std::max({least_width, all.width, text_width(title, title_font, true), text_width(picture.note, label_font)});
  const double top = margin + (title.empty() ? 0 : title_font + margin);
  move(picture, Point{margin + (width - all.width) / 2 - all.x, top - all.y});
  double x = margin;
  double y = top + all.height + margin;
  const auto add = [&](Entry& entry) {
    const double entry_width = 42 + text_width(entry.text, label_font);
    if (x > margin && x + entry_width > margin + width) {
      x = margin;
      y += 20;
    }
    entry.at = {x, y, entry_width - 12, 16};
    x += entry_width;
  };
  for (Entry& entry : picture.devices) add(entry);
  for (Entry& entry : picture.wires) add(entry);
  y += 16 + (picture.note.empty() ? 0 : 22);
  picture.size = {width + 2 * margin, y + margin};
}

}  // namespace

Picture draw(const topo::Graph& graph, const std::string& title) {
  if (graph.nodes.size() > most_devices)
    throw std::invalid_argument(
        fmt::format("{} devices are too many for a picture; at most {}", graph.nodes.size(), most_devices));
  const Looks looks(graph);
  Picture picture = looks.empty_picture();
  place(picture, graph, looks.label_room());
  put_labels(picture, looks, graph);
  finish(picture, title);
  return picture;
}

}  // namespace tsunagi::draw
