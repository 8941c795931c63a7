// SPDX-License-Identifier: Apache-2.0
#include "draw/circle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/fields/writer.hpp"
#include "draw/labels.hpp"
#include "topo/routes/verify.hpp"

namespace tsunagi::draw {
namespace {

using topo::Network;

struct OneRouter {
  config::AnyConfig router;
};
void describe(OneRouter& c, config::Describer& d) { d.any("router", c.router, "device", "a router"); }

/// Whether all routers of a network use the classes of virtual channels that its routes ask for.
bool keeps_classes(const Network& network) {
  const config::ConfigObject* last = nullptr;  // routers of a network mostly share one config
  for (int r = 0; r < network.routers(); ++r) {
    const config::AnyConfig& config = network.router(r).config;
    if (config.empty() || config.object() == last) continue;
    last = config.object();
    OneRouter one{config};
    if (config::resolved(one)["router"].value("deadlock_free", true) == false) return false;
  }
  return true;
}

/// The link at a router's port.
std::size_t link_at(const topo::Graph& graph, const Network& network, topo::RouterPort p) {
  const auto is_router = [&](std::uint32_t node) {
    const std::vector<topo::Place>& places = graph.nodes[node].places;
    return std::any_of(places.begin(), places.end(), [&](const topo::Place& place) {
      return place.network.get() == &network && place.role == topo::Place::Role::router && place.number == p.router;
    });
  };
  const std::string& port = network.port_name(p.router, p.port);
  const auto is_end = [&](const topo::End& e) { return e.port == port && is_router(e.node); };
  const auto it = std::find_if(graph.links.begin(), graph.links.end(),
                               [&](const topo::Link& l) { return is_end(l.a) || is_end(l.b); });
  return static_cast<std::size_t>(it - graph.links.begin());
}

const Pen pen{"#b80f1f", 5, {}};

}  // namespace

void mark_circle(Picture& picture, const std::vector<std::vector<std::size_t>>& links, const topo::Graph& graph) {
  for (const auto& network : graph.networks) {
    const std::vector<topo::RouterPort> circle = topo::verify(*network, keeps_classes(*network)).circle;
    if (circle.empty()) continue;
    std::vector<std::vector<std::string>> texts(picture.lines.size());
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const std::size_t link = link_at(graph, *network, circle[i]);
      for (std::size_t l = 0; l < picture.lines.size(); ++l) {
        if (std::find(links[l].begin(), links[l].end(), link) == links[l].end()) continue;
        picture.lines[l].pen = pen;
        picture.lines[l].faint = false;
        if (texts[l].empty()) texts[l] = {""};
        texts[l].front() += fmt::format("{}{}", texts[l].front().empty() ? "" : ", ", i + 1);
      }
    }
    put_labels(picture, texts, {});
    picture.legend.push_back({"circle of waiting", {}, pen});
    picture.notes.push_back(fmt::format("Packets can wait for each other in a circle of {} links: {}.", circle.size(),
                                        topo::circle_text(*network, circle)));
    return;
  }
  picture.notes.push_back("Packets cannot wait for each other in a circle.");
}

}  // namespace tsunagi::draw
