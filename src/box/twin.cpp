// SPDX-License-Identifier: Apache-2.0
#include "box/twin.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "box/words.hpp"
#include "topo/graphs/explicit.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* cabled_port = "port1";

std::string with_dot(const std::string& node) { return node.empty() ? "" : node + "."; }

/// Adds one server to a machine; `name_of` calls its devices anew.
template <class NameOf>
void add(topo::GroupConfig& to, const topo::Graph& graph, const Server& server, const Twin& twin, const NameOf& name_of,
         std::vector<std::size_t>& numbers, bool is_own) {
  const std::string prefix = with_dot(server.node);
  std::set<std::uint32_t> devices;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string& name = graph.nodes[n].name;
    if (name.compare(0, prefix.size(), prefix) != 0 || name.find('.', prefix.size()) != std::string::npos) continue;
    devices.insert(n);
    to.devices.emplace_back(name_of(name.substr(prefix.size())), graph.nodes[n].config);
  }
  const auto port = [&](const topo::End& e) {
    return name_of(graph.nodes[e.node].name.substr(prefix.size())) + "." + e.port;
  };
  const auto is_cabled = [&](const topo::End& e) {
    const std::string& name = graph.nodes[e.node].name;
    return e.port == cabled_port &&
           (name == prefix + twin.adapter ||
            std::any_of(twin.more.begin(), twin.more.end(), [&](const std::string& a) { return name == prefix + a; }));
  };
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const topo::Link& link = graph.links[l];
    if (devices.count(link.a.node) == 0 || devices.count(link.b.node) == 0 || is_cabled(link.a) || is_cabled(link.b))
      continue;
    topo::LinkConfig c;
    c.ends = {port(link.a), port(link.b)};
    c.wire = link.wire;
    if (link.rate) c.rate = *link.rate;
    if (link.flight) c.length = Length(link.flight->fs() / signal_time(Length(1)).fs());
    to.links.push_back(std::move(c));
    numbers.push_back(is_own ? l : TwoServers::theirs);
  }
}

std::string swapped(const Twin& twin, const std::string& name) {
  for (const auto& [a, b] : twin.swapped) {
    if (name == a) return b;
    if (name == b) return a;
  }
  return name;
}

}  // namespace

std::string twin_prefix(const Server& server) { return server.node == "other" ? "other_server." : "other."; }

int own_rank(const Server& server, const std::string& adapter) {
  return with_dot(server.node) + adapter < twin_prefix(server) + adapter ? 0 : 1;  // as LIDs of a cable's ends
}

Json cable_of(const topo::Graph& graph, const Place& adapter) {
  for (const topo::Link& l : graph.links)
    for (const topo::End* e : {&l.a, &l.b}) {
      if (e->node != adapter.node || e->port != cabled_port || l.wire.kind() != "infiniband") continue;
      Json out = fields_of(l.wire, "wire");
      if (l.flight) out["flight"] = to_string(*l.flight);
      return out;
    }
  const Json card = fields_of(graph.nodes[adapter.node].config, "device");
  const std::string speed = card.value("speed", "qdr");
  const bool is_new = speed == "edr" || speed == "hdr" || speed == "ndr";  // as the parts of these wires
  return {{"$use", "infiniband_qdr_4x"},
          {"speed", speed},
          {"width", card.value("width", 4)},
          {"mtu", is_new ? "4 KiB" : "2 KiB"},
          {"virtual_lanes", card.value("virtual_lanes", 1)}};
}

TwoServers two_servers(const topo::Graph& graph, const topo::Graph& others, const Twin& twin,
                       const config::AnyConfig& wire) {
  TwoServers out;
  const Server server = server_of(graph);
  const std::string own = with_dot(server.node);
  const std::string other = twin_prefix(server);
  auto topology = std::make_shared<config::ConfigHolder<topo::ExplicitConfig>>();
  topo::GroupConfig& all = topology->value.all;
  add(
      all, graph, server, twin, [&](const std::string& name) { return own + name; }, out.links, true);
  add(
      all, others, server, twin, [&](const std::string& name) { return other + swapped(twin, name); }, out.links,
      false);
  std::vector<std::string> adapters{twin.adapter};
  adapters.insert(adapters.end(), twin.more.begin(), twin.more.end());
  for (const std::string& adapter : adapters) {
    topo::LinkConfig cable;
    for (const std::string& prefix : {own, other}) cable.ends.push_back(prefix + adapter + "." + cabled_port);
    cable.wire = wire;
    all.links.push_back(std::move(cable));
    out.links.push_back(graph.links.size() + static_cast<std::size_t>(&adapter - adapters.data()));
  }
  out.machine.name = "two_servers";
  out.machine.topology = config::AnyConfig("explicit", topology);
  return out;
}

std::string told_of_twin(const std::string& text, const Server& server, const Twin& twin) {
  const std::string prefix = twin_prefix(server);
  return with_words(text, [&](const std::string& word) {
    if (word.compare(0, prefix.size(), prefix) != 0) return word;
    const std::string name = word.substr(prefix.size());
    const std::size_t dot = std::min(name.find('.'), name.size());
    return with_dot(server.node) + swapped(twin, name.substr(0, dot)) + name.substr(dot) + " of the other server";
  });
}

}  // namespace tsunagi::box
