// SPDX-License-Identifier: Apache-2.0
#include "topo/edge_list.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "config/error_at.hpp"
#include "config/suggest.hpp"
#include "topo/graph.hpp"
#include "topo/routes/catalog.hpp"
#include "topo/routes/listed_routes.hpp"
#include "topo/spring_layout.hpp"
#include "units/parse.hpp"
#include "units/unit_table.hpp"

namespace tsunagi::topo {

void describe(EdgeListConfig& c, config::Describer& d) {
  using namespace config;
  d.field(
      "edges", c.edges,
      "\"id id\", the routers that a cable joins, behind them its rate, and its length or delay: \"0 1 8 GB/s 3 m\", "
      "\"0 1 25 Gbps 15 ns\"",
      required);
  d.field("routers", c.routers, "how many routers the edges name; 0: as many as they do", within(0, 1'000'000));
  d.field("ports", c.ports, "ports that a router has at most; 0: as many as it needs",
          within(0, RouteTable::most_ports));
  d.field("terminals", c.terminals, "terminals at each router that \"terminals_at\" does not name", within(0, 4096));
  d.field("terminals_at", c.terminals_at, "\"id number\": terminals at one router");
  d.any("routes", c.routes, "routes", "how packets find their ways", required);
  describe_network(c.parts, d);
  d.require(!c.edges.empty(), "\"edges\" is empty");
}

namespace {

const char* const whole = "/machine/topology";

std::string edge_at(std::size_t i) { return std::string(whole) + "/edges/" + std::to_string(i); }

std::string name_of(const std::string& id) { return is_number(id) ? "router" + id : id; }

/// Numbers in their order.
bool is_less(const std::string& a, const std::string& b) {
  const auto digits = [](const std::string& s) { return s.substr(std::min(s.find_first_not_of('0'), s.size())); };
  const std::string x = digits(a), y = digits(b);
  if (x.size() != y.size()) return x.size() < y.size();
  return x != y ? x < y : a < b;
}

/// What an edge says of its cable.
struct Cable {
  std::optional<Rate> rate;
  std::optional<Time> flight;
};

/// Whether the text ends with a unit of the table.
bool has_unit(const std::string& text, const units::UnitTable& table) {
  const std::string unit = text.substr(std::min(text.find_last_of("0123456789. ") + 1, text.size()));
  return std::any_of(table.units.begin(), table.units.end(), [&](const units::Unit& u) { return u.name == unit; });
}

/// Reads one quantity into `out`. Throws UnitError, std::invalid_argument.
void take_quantity(const std::string& text, Cable& out) {
  const bool is_rate = text.find('/') != std::string::npos || has_unit(text, units::rate_units());
  const bool is_time = !is_rate && has_unit(text, units::time_units());
  if (!is_rate && !is_time && !has_unit(text, units::length_units()))
    throw std::invalid_argument("\"" + text +
                                "\" is no rate, length or delay of a cable; write for example \"8 GB/s\", "
                                "\"25 Gbps\", \"3 m\" or \"15 ns\"");
  if (is_rate ? out.rate.has_value() : out.flight.has_value())
    throw std::invalid_argument(std::string("a second ") +
                                (is_rate   ? "rate"
                                 : is_time ? "delay"
                                           : "length") +
                                ", \"" + text + "\"");
  if (is_rate) {
    out.rate = parse_rate(text);
    if (out.rate->bytes_per_second() < slowest_cable.bytes_per_second())
      throw std::invalid_argument("a rate of " + text + "; links have at least " + to_string(slowest_cable));
  } else if (is_time) {
    out.flight = parse_time(text);
    if (signal_time(longest_cable) < *out.flight)
      throw std::invalid_argument("a delay of " + text + "; cables have up to " +
                                  to_string(signal_time(longest_cable)));
  } else {
    const Length length = parse_length(text);
    if (length == Length::zero() || longest_cable < length)
      throw std::invalid_argument("a length of " + text + "; cables have up to " + to_string(longest_cable));
    out.flight = signal_time(length);
  }
}

/// The quantities behind an edge's ids, each a number and a unit, with or without a blank between them.
Cable cable_of(const std::vector<std::string>& words, const std::string& pointer) {
  Cable out;
  for (std::size_t i = 2; i < words.size(); ++i) {
    std::string text = words[i];
    if (text.find_first_not_of("0123456789.") == std::string::npos && i + 1 < words.size()) text += " " + words[++i];
    try {
      take_quantity(text, out);
    } catch (const std::invalid_argument& e) {
      throw config::error_at(pointer, e.what());
    }
  }
  return out;
}

/// The graph, its routers in the order of the list at first.
class Graphing {
 public:
  explicit Graphing(const EdgeListConfig& c) : c_(c) {
    edges_.reserve(c.edges.size());
    for (std::size_t i = 0; i < c.edges.size(); ++i) read(i);
    if (c.routers != 0 && static_cast<int>(ids_.size()) < c.routers)
      throw config::error_at(whole, "the edges name " + std::to_string(ids_.size()) + " routers, but \"routers\" is " +
                                        std::to_string(c.routers));
    sort();
    count_terminals();
  }

  Network network() const {
    Network net;
    add_routers(net);
    std::vector<int> next(ids_.size());
    const auto port = [&](int router) { return RouterPort{router, next[static_cast<std::size_t>(router)]++}; };
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const RouterPort a = port(edges_[i].a);
      net.join(a, port(edges_[i].b), wire(i));
    }
    for (int r = 0; r < net.routers(); ++r)
      for (int t = 0; t < terminals_[static_cast<std::size_t>(r)]; ++t) net.attach(port(r), c_.parts.to_terminals());
    return net;
  }

 private:
  struct Edge {
    int a;
    int b;
    Cable cable;
  };

  void read(std::size_t i) {
    const std::vector<std::string> words = words_of(c_.edges[i]);
    if (words.size() < 2)
      throw config::error_at(edge_at(i),
                             "\"" + c_.edges[i] + "\" is no edge: it must name the two routers that it joins");
    const int a = number(words[0], i);
    const int b = number(words[1], i);
    if (a == b) throw config::error_at(edge_at(i), "an edge from " + name_of(words[0]) + " to itself");
    edges_.push_back({a, b, cable_of(words, edge_at(i))});
  }

  /// Of the router with that id.
  int number(const std::string& id, std::size_t edge) {
    const auto [it, is_new] = numbers_.emplace(id, static_cast<int>(ids_.size()));
    if (!is_new) return it->second;
    const auto fail = [&](const std::string& text) { throw config::error_at(edge_at(edge), text); };
    if (id.find('.') != std::string::npos || id.front() == '$') fail("\"" + id + "\" is no name of a router");
    if (const auto [other, is_only] = names_.emplace(name_of(id), id); !is_only)
      fail("ids \"" + other->second + "\" and \"" + id + "\" are both " + name_of(id));
    const std::string terminal = terminal_prefix();
    if (id.rfind(terminal, 0) == 0 && is_number(id.substr(terminal.size())))
      fail("\"" + id + "\" is what terminals are called: no router can be");
    if (c_.routers != 0 && static_cast<int>(ids_.size()) == c_.routers)
      fail("router \"" + id + "\" is one too many: \"routers\" is " + std::to_string(c_.routers));
    ids_.push_back(id);
    return it->second;
  }

  std::string terminal_prefix() const { return c_.parts.terminal.empty() ? "node" : "terminal"; }

  /// Numbers first, in their order.
  void sort() {
    std::vector<int> order(ids_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      const std::string& a = ids_[static_cast<std::size_t>(x)];
      const std::string& b = ids_[static_cast<std::size_t>(y)];
      return is_number(a) && (!is_number(b) || is_less(a, b));
    });
    std::vector<int> place(ids_.size());
    std::vector<std::string> ids(ids_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
      ids[i] = std::move(ids_[static_cast<std::size_t>(order[i])]);
    }
    ids_ = std::move(ids);
    for (auto& [id, number] : numbers_) number = place[static_cast<std::size_t>(number)];
    for (Edge& e : edges_) {
      e.a = place[static_cast<std::size_t>(e.a)];
      e.b = place[static_cast<std::size_t>(e.b)];
    }
  }

  void count_terminals() {
    terminals_.assign(ids_.size(), c_.terminals);
    std::vector<bool> said(ids_.size());
    for (std::size_t i = 0; i < c_.terminals_at.size(); ++i) {
      const auto [router, terminals] = terminals_at(i);
      if (said[router])
        throw config::error_at(std::string(whole) + "/terminals_at/" + std::to_string(i),
                               "the terminals at \"" + ids_[router] + "\" were said before");
      said[router] = true;
      terminals_[router] = terminals;
    }
    const std::int64_t all = std::accumulate(terminals_.begin(), terminals_.end(), std::int64_t{0});
    if (all > most_terminals) throw config::error_at(whole, too_many_terminals());
    if (all == 0) throw config::error_at(whole, "the network has no terminals");
  }

  /// What an entry says: a router and its terminals.
  std::pair<std::size_t, int> terminals_at(std::size_t i) const {
    const std::string pointer = std::string(whole) + "/terminals_at/" + std::to_string(i);
    const std::vector<std::string> words = words_of(c_.terminals_at[i]);
    if (words.size() != 2 || !is_number(words[1]) || words[1].size() > 4)
      throw config::error_at(pointer, "\"" + c_.terminals_at[i] + "\" is not \"id number\", with up to 9999 terminals");
    const auto it = numbers_.find(words[0]);
    if (it == numbers_.end())
      throw config::error_at(pointer,
                             "no edge names \"" + words[0] + "\"" + config::detail::did_you_mean(words[0], ids_));
    return {static_cast<std::size_t>(it->second), std::stoi(words[1])};
  }

  void add_routers(Network& net) const {
    std::vector<int> edges(ids_.size());
    for (const Edge& e : edges_)
      for (const int r : {e.a, e.b}) ++edges[static_cast<std::size_t>(r)];
    std::map<std::pair<int, int>, Network::PortNames> shared;
    for (std::size_t r = 0; r < ids_.size(); ++r) {
      if (c_.ports != 0 && edges[r] + terminals_[r] > c_.ports)
        throw config::error_at(whole, "router \"" + ids_[r] + "\" has " + std::to_string(edges[r]) + " edges and " +
                                          std::to_string(terminals_[r]) + " terminals, but \"ports\" is " +
                                          std::to_string(c_.ports));
      Network::PortNames& names = shared[{edges[r], terminals_[r]}];
      if (names == nullptr) names = ports(edges[r], terminals_[r]);
      net.add_router(c_.parts.router, names, "/router", name_of(ids_[r]));
    }
  }

  static Network::PortNames ports(int edges, int terminals) {
    std::vector<std::string> names;
    for (int p = 0; p < edges; ++p) names.push_back("p" + std::to_string(p));
    for (int t = 0; t < terminals; ++t) names.push_back("t" + std::to_string(t));
    return port_names(std::move(names));
  }

  /// An edge that says something of its own is where its wire's faults are.
  WireUse wire(std::size_t i) const {
    WireUse use = c_.parts.between_routers();
    const Cable& cable = edges_[i].cable;
    if (cable.rate) use.rate = cable.rate;
    if (cable.flight) use.flight = cable.flight;
    if (use.rate || use.flight) use.pointer = "/edges/" + std::to_string(i);
    return use;
  }

  const EdgeListConfig& c_;
  std::vector<Edge> edges_;
  std::vector<std::string> ids_;                        // by router
  std::unordered_map<std::string, int> numbers_;        // by id
  std::unordered_map<std::string, std::string> names_;  // ids by name; looked up only
  std::vector<int> terminals_;                          // by router
};

}  // namespace

Network edge_list_network(const EdgeListConfig& c) {
  Network net = Graphing(c).network();
  std::vector<std::string> terminals;
  for (int t = 0; t < net.terminals(); ++t)
    terminals.push_back((c.parts.terminal.empty() ? "node" : "terminal") + std::to_string(c.parts.first_node + t));
  net.set_spots(spring_layout(net));
  set_routes(net, terminals, c.routes, std::string(whole) + "/routes");
  return net;
}

Topology edge_list_topology() {
  return of_network("edge_list", "routers and cables of any graph, as its edges", edge_list_network);
}

}  // namespace tsunagi::topo
