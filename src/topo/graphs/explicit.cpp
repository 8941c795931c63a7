// SPDX-License-Identifier: Apache-2.0
#include "topo/graphs/explicit.hpp"

#include <map>

#include "config/error_at.hpp"
#include "config/suggest.hpp"

namespace tsunagi::topo {

void describe(LinkConfig& c, config::Describer& d) {
  d.field("ends", c.ends, "the two ports, each as device.port", config::required);
  d.any("wire", c.wire, "wire", "what they are joined by", config::required);
  describe(static_cast<CableConfig&>(c), d);
  d.require(c.ends.size() == 2, "a link has two ends");
}

void describe(GroupConfig& c, config::Describer& d) {
  d.any_map("devices", c.devices, "device", "the parts by name", config::required);
  d.list("links", c.links, "how they are wired");
}

void describe(ExplicitConfig& c, config::Describer& d) {
  describe(c.all, d);
  d.list("networks", c.networks, "networks of the devices that are routers");
}

namespace {

End find_end(const std::map<std::string, std::uint32_t>& by_name, const std::string& text, const std::string& prefix,
             const std::string& pointer) {
  const auto dot = text.rfind('.');
  if (dot == std::string::npos) throw config::error_at(pointer, "\"" + text + "\" is not device.port");
  const std::string device = prefix + text.substr(0, dot);
  const auto it = by_name.find(device);
  if (it == by_name.end()) {
    std::vector<std::string> known;
    for (const auto& [name, index] : by_name) {
      (void)index;
      known.push_back(name);
    }
    throw config::error_at(pointer, no_device(device, known));
  }
  return {it->second, text.substr(dot + 1)};
}

}  // namespace

std::string no_device(const std::string& name, const std::vector<std::string>& known) {
  const std::string hint = config::detail::did_you_mean(name, known);
  if (!hint.empty()) return "no device \"" + name + "\"" + hint;
  std::vector<std::string> some;
  for (std::size_t length = 0; some.size() < known.size() && length < 200; length += some.back().size() + 2)
    some.push_back(known[some.size()]);
  return "no device \"" + name + "\"; devices: " + config::detail::listed(some);
}

void add_group(Graph& g, const GroupConfig& group, const std::string& prefix, const std::string& pointer) {
  const std::size_t first = g.nodes.size();
  for (const auto& [name, device] : group.devices) {
    const std::string here = pointer + "/devices/" + name;
    if (device.kind() == "group")
      add_group(g, device.as<GroupConfig>(), prefix + name + ".", here);
    else
      g.nodes.push_back({prefix + name, device, here});
  }
  std::map<std::string, std::uint32_t> by_name;
  for (std::size_t i = first; i < g.nodes.size(); ++i) by_name[g.nodes[i].name] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < group.links.size(); ++i) {
    const LinkConfig& l = group.links[i];
    const std::string here = pointer + "/links/" + std::to_string(i);
    g.links.push_back({cabled({l.wire, here}, l), find_end(by_name, l.ends[0], prefix, here),
                       find_end(by_name, l.ends[1], prefix, here)});
  }
}

Graph build_explicit(const ExplicitConfig& c) {
  Graph g;
  add_group(g, c.all, "", "/machine/topology");
  add_networks(g, c.networks, "/machine/topology/networks");
  return g;
}

Topology explicit_topology() { return of_machine("explicit", "every device and link listed by name", build_explicit); }

}  // namespace tsunagi::topo
