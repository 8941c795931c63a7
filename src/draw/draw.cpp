// SPDX-License-Identifier: Apache-2.0
#include "draw/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "config/fields/writer.hpp"
#include "draw/circle.hpp"
#include "draw/compose.hpp"
#include "draw/condense.hpp"
#include "draw/heat_map.hpp"
#include "draw/labels.hpp"
#include "draw/layouts/layouts.hpp"
#include "topo/grid.hpp"
#include "units/parse.hpp"

namespace tsunagi::draw {
namespace {

constexpr std::size_t most_boxes = 160;  // that a slide shows; more are summarised if they can be

/// Whether there is one network of routers, and nothing else but terminals.
bool is_plain(const topo::Graph& graph) {
  if (graph.networks.size() != 1) return false;
  const topo::Network& network = *graph.networks[0];
  return graph.nodes.size() == static_cast<std::size_t>(network.routers() + network.terminals());
}

const topo::Grid* plain_grid(const topo::Graph& graph) { return is_plain(graph) ? graph.networks[0]->grid() : nullptr; }

/// Whether some network has routers that are not inside the nodes.
bool has_routers(const topo::Graph& graph) {
  return std::any_of(graph.networks.begin(), graph.networks.end(),
                     [](const auto& n) { return n->routers() > 0 && !n->router(0).config.empty(); });
}

void place(Picture& picture, const topo::Graph& graph, Size room) {
  if (place_crossbars(picture, graph)) return;
  const topo::Grid* grid = plain_grid(graph);
  if (grid == nullptr)
    has_routers(graph) ? place_network(picture, graph, room) : place_groups(picture, graph, room);
  else if (grid->dimensions() == 0)
    place_crossbar(picture, graph, room);
  else if (grid->dimensions() == 1 && grid->wraps() && grid->routers() > 1)
    place_ring(picture, graph, room);
  else
    place_mesh(picture, graph, room);
}

/// What is written on lines of a graph that stand for `counts` wires each.
struct Texts {
  std::vector<std::vector<std::string>> middle;
  std::vector<EndTexts> ends;
  Size largest;
};

/// How many wires each line stands for that stands for more than one, if that is the same for all; else 0.
std::size_t common_count(const std::vector<std::size_t>& counts) {
  std::size_t out = 0;
  for (const std::size_t count : counts) {
    if (count > 1 && out > 0 && count != out) return 0;
    if (count > 1) out = count;
  }
  return out;
}

Texts texts_of(const topo::Graph& graph, const std::vector<std::size_t>& counts, const Show& show) {
  Texts out;
  const bool told_once = common_count(counts) > 1;
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const topo::Link& link = graph.links[l];
    std::vector<std::string> text;
    if (show.rates) text = wire_lines(link);
    if (show.lengths)
      if (std::string flight = link.flight ? to_string(*link.flight) : flight_of(link.wire); !flight.empty())
        text.push_back(std::move(flight));
    if (counts[l] > 1 && !told_once) text.push_back(fmt::format("{} wires", counts[l]));
    const Size size = text.empty() ? Size{} : label_size(text);
    out.largest = {std::max(out.largest.width, size.width), std::max(out.largest.height, size.height)};
    out.middle.push_back(std::move(text));
    const bool single = show.ports && counts[l] == 1;
    out.ends.push_back(single ? EndTexts{short_port(link.a), short_port(link.b)} : EndTexts{});
    if (single) {  // both ends' names fit into the room
      const Size name = label_size({out.ends[l].first});
      out.largest = {std::max(out.largest.width, 2 * name.width), std::max(out.largest.height, 2.2 * name.height)};
    }
  }
  return out;
}

std::vector<Remark> remarks_of(const std::vector<std::vector<std::size_t>>& members,
                               const std::vector<std::size_t>& counts, const topo::Graph& machine,
                               const std::vector<std::string>& ranks) {
  std::map<std::string, std::vector<std::size_t>> by_device;
  for (std::size_t r = 0; r < ranks.size(); ++r) by_device[ranks[r]].push_back(r);
  std::vector<Remark> out;
  for (std::size_t n = 0; n < members.size(); ++n) {
    std::vector<std::size_t> here;
    for (const std::size_t device : members[n])
      if (const auto it = by_device.find(machine.nodes[device].name); it != by_device.end())
        here.insert(here.end(), it->second.begin(), it->second.end());
    std::sort(here.begin(), here.end());
    out.push_back({counts[n], ranks_text(here)});
  }
  return out;
}

Picture network_picture(const Condensed& c, const topo::Graph& machine, const Palette& palette, const Show& show,
                        Detail detail) {
  std::vector<std::vector<std::size_t>> members;
  std::vector<std::size_t> counts;
  std::vector<std::size_t> bundles;
  for (const Members& m : c.nodes) {
    members.push_back(m.devices);
    counts.push_back(m.names.size());
  }
  for (const auto& links : c.links) bundles.push_back(links.size());
  const Looks looks(c.graph, palette, detail, remarks_of(members, counts, machine, show.ranks));
  Picture picture = looks.empty_picture();
  const Texts texts = texts_of(c.graph, bundles, show);
  place(picture, c.graph, looks.room(texts.largest));
  if (detail != Detail::dots) put_labels(picture, texts.middle, texts.ends);
  if (const std::size_t each = common_count(bundles); each > 1)
    picture.notes.push_back(fmt::format("Lines at stacks stand for {} wires each.", each));
  return picture;
}

/// With as much said of each device as can be read on a slide.
Picture network_picture(const Condensed& c, const topo::Graph& machine, const Palette& palette, const Show& show) {
  const Detail detail = detail_for(c.graph.nodes.size());
  Picture picture = network_picture(c, machine, palette, show, detail);
  if (detail != Detail::full || !is_tight(picture)) return picture;
  Picture shorter = network_picture(c, machine, palette, show, Detail::names);
  return shorter.frames.empty() ? shorter : picture;
}

Picture detail_picture(const Inside& inside, const topo::Graph& machine, const Palette& palette, const Show& show) {
  std::vector<std::vector<std::size_t>> members;
  for (const std::size_t n : inside.nodes) members.push_back({n});
  members.emplace_back();
  const Looks looks(inside.graph, palette, Detail::full,
                    remarks_of(members, std::vector<std::size_t>(members.size(), 1), machine, show.ranks));
  Picture picture = looks.empty_picture();
  const Texts texts = texts_of(inside.graph, std::vector<std::size_t>(inside.graph.links.size(), 1), show);
  place_inside_of(picture, inside, looks.room(texts.largest));
  put_labels(picture, texts.middle, texts.ends);
  return picture;
}

}  // namespace

Picture draw(const topo::Graph& graph, const std::string& title, const Show& show) {
  if (graph.nodes.size() > most_devices)
    throw std::invalid_argument(
        fmt::format("{} devices are too many for a picture; at most {}", graph.nodes.size(), most_devices));
  Condensed c = show.devices ? unchanged(graph) : condense(graph);
  if (!show.devices && plain_grid(graph) == nullptr) summarise(c, most_boxes);
  const Palette palette(graph);
  Picture picture = network_picture(c, graph, palette, show);
  picture.network_boxes = picture.boxes.size();
  picture.network_lines = picture.lines.size();
  std::vector<Picture> details;
  std::vector<std::vector<std::size_t>> links = c.links;
  for (const Members& m : c.nodes) picture.devices.push_back(m.devices);
  for (const Inside& inside : c.insides) {
    details.push_back(detail_picture(inside, graph, palette, show));
    for (const std::size_t l : inside.links) links.push_back({l});
    for (const std::size_t n : inside.nodes) picture.devices.push_back({n});
  }
  add_details(picture, std::move(details));
  picture.title = title;
  picture.legend = palette.legend();
  if (!c.insides.empty()) picture.legend.insert(picture.legend.begin(), {"node", fill_of("node")});
  if (show.circle) mark_circle(picture, links, graph);
  if (!show.uses.parts.empty()) colour_by_use(picture, links, graph, show.uses);
  picture.wires = std::move(links);
  finish(picture);
  return picture;
}

}  // namespace tsunagi::draw
