// SPDX-License-Identifier: Apache-2.0
#include "box/alike.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "box/words.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Where a part lies, and what it is called.
bool is_address(const std::string& field) {
  return field == "base" || field == "name" || field == "window_size" || ends_with(field, "_base");
}

void drop_addresses(Json& part) {
  if (part.is_object()) {
    Json out = Json::object();
    for (auto& [field, value] : part.items())
      if (!is_address(field)) out[field] = std::move(value);
    part = std::move(out);
  }
  if (part.is_structured())
    for (auto& value : part) drop_addresses(value);
}

/// "down" of "down1".
std::string without_number(const std::string& port) {
  std::size_t end = port.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(port[end - 1])) != 0) --end;
  return port.substr(0, end);
}

template <class T>
std::string number_in(const std::vector<T>& all, T one) {
  return std::to_string(std::find(all.begin(), all.end(), one) - all.begin());
}

}  // namespace

const std::string& Alike::part(std::uint32_t node) {
  const auto [at, is_new] = parts_.try_emplace(node);
  if (is_new) {
    Json fields = fields_of(graph_.nodes[node].config, "device");
    drop_addresses(fields);
    at->second = fields.dump();
  }
  return at->second;
}

const std::string& Alike::wire(std::size_t link) {
  const auto [at, is_new] = wires_.try_emplace(link);
  if (is_new) at->second = fields_of(graph_.links[link].wire, "wire").dump();
  return at->second;
}

Alike::Touched Alike::touched(const Pairs& pairs, Reach reach) const {
  Touched out;
  const auto node = [&](std::uint32_t n) {
    if (std::find(out.nodes.begin(), out.nodes.end(), n) == out.nodes.end()) out.nodes.push_back(n);
  };
  const auto link = [&](std::size_t l) {
    if (std::find(out.links.begin(), out.links.end(), l) == out.links.end()) out.links.push_back(l);
  };
  for (const auto& [from, to] : pairs) {
    for (const Place* p : {from, to}) {
      node(p->node);
      if (reach == Reach::nvlink) continue;
      for (const std::size_t l : p->uplink) link(l);  // all: a switch may redirect to the root complex
      node(p->root_complex);
    }
    for (const std::size_t l : way_between(graph_, *from, *to)) link(l);
  }
  for (std::size_t i = 0; i < out.links.size(); ++i) {
    // From the card upwards, however the machine names the ends.
    const topo::Link& l = graph_.links[out.links[i]];
    const bool a_first = std::find(out.nodes.begin(), out.nodes.end(), l.a.node) != out.nodes.end();
    node(a_first ? l.a.node : l.b.node);
    node(a_first ? l.b.node : l.a.node);
  }
  return out;
}

std::string Alike::key(const Pairs& pairs, Reach reach) {
  const Touched all = touched(pairs, reach);
  std::string out;
  for (const auto& [from, to] : pairs) {
    out += number_in(all.nodes, from->node) + " > " + number_in(all.nodes, to->node) + "\n";
    if (reach == Reach::nvlink) continue;
    for (const Place* p : {from, to}) {
      out += number_in(all.nodes, p->root_complex);
      for (const std::size_t l : p->uplink) out += " " + number_in(all.links, l);
      out += "\n";
    }
  }
  for (const std::uint32_t n : all.nodes) {
    out += part(n) + "\n";
    // The process, and the buffers of its driver.
    for (const Server::Core& c : server_.cores)
      if (c.root_complex == n) out += part(c.node) + "\n";
    for (const Place& m : server_.places)
      if (m.kind == Place::Kind::memory && m.root_complex == n) out += "memory " + part(m.node) + "\n";
  }
  for (const std::size_t l : all.links) {
    const topo::Link& link = graph_.links[l];
    std::string a = number_in(all.nodes, link.a.node) + " " + without_number(link.a.port);
    std::string b = number_in(all.nodes, link.b.node) + " " + without_number(link.b.port);
    if (b < a) std::swap(a, b);
    out += a + " - " + b + " " + wire(l) + "\n";
  }
  return out;
}

std::string Alike::renamed(const std::string& text, const Pairs& of, const Pairs& to, Reach reach) const {
  const Touched before = touched(of, reach);
  const Touched after = touched(to, reach);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < std::min(before.nodes.size(), after.nodes.size()); ++i)
    names.emplace(graph_.nodes[before.nodes[i]].name, graph_.nodes[after.nodes[i]].name);
  const auto port = [&](const topo::End& e) { return graph_.nodes[e.node].name + "." + e.port; };
  for (std::size_t i = 0; i < std::min(before.links.size(), after.links.size()); ++i) {
    const topo::Link& x = graph_.links[before.links[i]];
    const topo::Link& y = graph_.links[after.links[i]];
    const bool same_way = names[graph_.nodes[x.a.node].name] == graph_.nodes[y.a.node].name;
    names.emplace(port(x.a), port(same_way ? y.a : y.b));
    names.emplace(port(x.b), port(same_way ? y.b : y.a));
  }
  return with_words(text, [&](const std::string& word) {
    const auto known = names.find(word);
    if (known != names.end()) return known->second;
    // A port at which the machine has no wire: an adapter's.
    const std::size_t dot = std::min(word.rfind('.'), word.size());
    const auto device = names.find(word.substr(0, dot));
    return device == names.end() ? word : device->second + word.substr(dot);
  });
}

}  // namespace tsunagi::box
