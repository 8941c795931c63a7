// SPDX-License-Identifier: Apache-2.0
#include "import/network_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tsunagi::importing {

namespace {

// What edge lists hold (src/topo/edge_list.cpp, src/topo/routes/route_table.hpp).
constexpr std::size_t most_terminals = 30'000, most_at_one = 4096, most_entries = std::size_t{1} << 26,
                      most_router_ports = 65'535;

std::size_t terminals_of(const FileNetwork& n) {
  std::size_t out = 0;
  for (const FileNetwork::Router& r : n.routers) out += r.terminals.size();
  return out;
}

void check_sizes(const FileNetwork& n, Findings& findings) {
  const std::size_t terminals = terminals_of(n);
  const config::Place& first = n.routers.front().place;
  if (terminals < 2) findings.fail(first, "a network of fewer than two hosts");
  if (terminals > most_terminals)
    findings.fail(first, fmt::format("{} hosts; machines have up to {}", terminals, most_terminals));
  if (n.routers.size() * terminals > most_entries)
    findings.fail(
        first, fmt::format("{} switches and {} hosts are too many for tables of routes", n.routers.size(), terminals));
  std::vector<std::size_t> cables(n.routers.size());
  for (const FileNetwork::Cable& c : n.cables) ++cables[c.a], ++cables[c.b];
  for (std::size_t i = 0; i < n.routers.size(); ++i) {
    const FileNetwork::Router& r = n.routers[i];
    if (r.terminals.size() > most_at_one)
      findings.fail(r.place, fmt::format("{} hosts at one switch; up to {}", r.terminals.size(), most_at_one));
    if (cables[i] + r.terminals.size() > most_router_ports)
      findings.fail(r.place,
                    fmt::format("{} cables at one switch; with its hosts up to {}", cables[i], most_router_ports));
  }
}

/// All routers hang together.
void check_connected(const FileNetwork& n, Findings& findings) {
  std::vector<std::vector<std::size_t>> next(n.routers.size());
  for (const FileNetwork::Cable& c : n.cables) {
    next[c.a].push_back(c.b);
    next[c.b].push_back(c.a);
  }
  std::vector<bool> seen(n.routers.size());
  std::vector<std::size_t> open{0};
  seen[0] = true;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t r : next[at])
      if (!seen[r]) {
        seen[r] = true;
        open.push_back(r);
      }
  }
  const auto cut = std::find(seen.begin(), seen.end(), false);
  if (cut == seen.end()) return;
  const FileNetwork::Router& r = n.routers[static_cast<std::size_t>(cut - seen.begin())];
  findings.fail(r.place, fmt::format("no cables lead from {} to {}", comment(n.routers.front().id), comment(r.id)));
}

/// Where up*/down* begins: of those with the fewest terminals, the one with most cables.
std::size_t root_of(const FileNetwork& n) {
  std::vector<std::size_t> cables(n.routers.size());
  for (const FileNetwork::Cable& c : n.cables) ++cables[c.a], ++cables[c.b];
  std::size_t best = 0;
  for (std::size_t r = 1; r < n.routers.size(); ++r) {
    const std::size_t mine = n.routers[r].terminals.size(), least = n.routers[best].terminals.size();
    if (mine < least || (mine == least && cables[r] > cables[best])) best = r;
  }
  return best;
}

/// "line 3: "leaf 1"; node0 host a, node1 host b".
std::string told(const FileNetwork::Router& r, std::size_t first_terminal) {
  constexpr std::size_t most_told = 64;
  std::string out = fmt::format("line {}: {}", r.place.line, r.said.empty() ? r.id : comment(r.said));
  for (std::size_t i = 0; i < std::min(r.terminals.size(), most_told); ++i)
    out += fmt::format("{} {} is {}", i == 0 ? ";" : ",", first_terminal + i, comment(r.terminals[i]));
  if (r.terminals.size() > most_told) out += ", ...";
  return out;
}

std::string edges_text(const FileNetwork& n) {
  std::string out = "    \"edges\": [\n";
  for (std::size_t i = 0; i < n.cables.size(); ++i) {
    const FileNetwork::Cable& c = n.cables[i];
    out += fmt::format("      \"{} {}{}{}\"{}  // line {}\n", n.routers[c.a].id, n.routers[c.b].id,
                       c.more.empty() ? "" : " ", c.more, i + 1 < n.cables.size() ? "," : "", c.place.line);
  }
  return out + "    ],\n";
}

std::string terminals_text(const FileNetwork& n) {
  std::string out = "    \"terminals\": 0,\n    \"terminals_at\": [\n";
  std::size_t first = 0;
  const std::size_t all = terminals_of(n);
  for (const FileNetwork::Router& r : n.routers) {
    if (r.terminals.empty()) continue;
    out += "      // " + told(r, first) + "\n";
    first += r.terminals.size();
    out += fmt::format("      \"{} {}\"{}\n", r.id, r.terminals.size(), first < all ? "," : "");
  }
  return out + "    ],\n";
}

std::string text_of(const FileNetwork& n, const Request& request, const std::string& routes,
                    const std::string& why_routes) {
  std::string out = fmt::format("// From {} by `tsunagi import`.\n", comment(request.file));
  for (const std::string& note : n.notes) out += "// " + note + "\n";
  out += fmt::format(
      "{{\n  \"name\": \"{}\",\n  \"title\": \"{}, imported: {} switches, {} cables between them, {} hosts\",\n"
      "  \"topology\": {{\n",
      request.name, request.name, n.routers.size(), n.cables.size(), terminals_of(n));
  if (n.cables.empty()) {
    out += "    // " + told(n.routers.front(), 0) + "\n";
    out += fmt::format("    \"kind\": \"crossbar\",\n    \"terminals\": {},\n", terminals_of(n));
  } else {
    out += "    \"kind\": \"edge_list\",\n" + edges_text(n) + terminals_text(n);
    out += fmt::format("    // {}\n    \"routes\": {},\n", why_routes, routes);
  }
  out += fmt::format("    \"router\": {},\n    \"wire\": {},\n", n.router, n.wire);
  if (!n.terminal_wire.empty()) out += fmt::format("    \"terminal_wire\": {},\n", n.terminal_wire);
  return out + fmt::format("    {}\n  }}\n}}\n", n.terminal);
}

/// Edge lists number terminals in the order of their routers: numbers in their order, then names as edges name them.
FileNetwork in_order(const FileNetwork& n) {
  std::vector<std::size_t> order;
  std::vector<bool> named(n.routers.size());
  const auto take = [&](std::size_t r) {
    if (!named[r]) order.push_back(r);
    named[r] = true;
  };
  for (const FileNetwork::Cable& c : n.cables) take(c.a), take(c.b);
  for (std::size_t r = 0; r < n.routers.size(); ++r) take(r);
  const auto number = [&](std::size_t r) {
    long out = 0;
    return parse_number(n.routers[r].id, 10, 0, 1'000'000'000'000L, out) ? out : -1;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const long x = number(a), y = number(b);
    return x >= 0 && (y < 0 || x < y);
  });
  std::vector<std::size_t> place(order.size());
  FileNetwork out = n;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    out.routers[i] = n.routers[order[i]];
  }
  for (FileNetwork::Cable& c : out.cables) c.a = place[c.a], c.b = place[c.b];
  return out;
}

}  // namespace

std::string part(const Request& request, const std::string& name, const std::string& more) {
  return fmt::format("{{\"$use\": \"{}/{}.json\"{}{}}}", request.parts, name, more.empty() ? "" : ", ", more);
}

Imported network_text(const FileNetwork& network, const Request& request, Findings& findings) {
  check_sizes(network, findings);
  check_connected(network, findings);
  if (findings.failed()) return {};
  const FileNetwork n = in_order(network);
  Imported out;
  out.machine = text_of(n, request, R"({"kind": "shortest"})",
                        "assumed: shortest routes, in which packets cannot wait for each other in a circle here");
  if (!n.cables.empty())
    out.otherwise =
        text_of(n, request, fmt::format("{{\"kind\": \"up_down\", \"root\": \"{}\"}}", n.routers[root_of(n)].id),
                "assumed: up*/down*, because packets on shortest routes could wait for each other in a circle");
  return out;
}

}  // namespace tsunagi::importing
