// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "topo/graphs/box.hpp"
#include "topo/network.hpp"

namespace tsunagi::topo {

/// One device of a machine, by its full name ("node0.peach2").
struct Node {
  std::string name;
  config::AnyConfig config;
  std::string pointer;  // where the machine's config says so
  /// In the machine's networks; a device may stand in several. Empty: the topology does not place it.
  std::vector<Place> places = {};
};

/// A port of a node.
struct End {
  std::uint32_t node = 0;
  std::string port;
};

/// Two ends and what is between them; `pointer` is the whole place in the machine's config.
struct Link : WireUse {
  End a;
  End b;
};

/// A machine as a value: what is there and what is wired to what.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<std::shared_ptr<const Network>> networks;
};

struct NodeParts;

/// A topology kind (pure): how its config becomes a network, and what stands at the terminals; or, of those that are
/// more than one network, how it becomes a machine.
struct Topology {
  config::Kind kind;
  std::function<Network(const config::AnyConfig&)> network;
  std::function<const NodeParts&(const config::AnyConfig&)> nodes;
  std::function<Graph(const config::AnyConfig&)> machine;
};

/// A topology that makes a network of a config C, whose `parts` are what it is made of. Its routers may be boxes.
template <class C>
Topology of_network(const char* name, const char* doc, Network (*build)(const C&)) {
  return {config::kind<C>(name, doc),
          [build](const config::AnyConfig& c) { return unboxed(build(c.as<C>())); },
          [](const config::AnyConfig& c) -> const NodeParts& { return c.as<C>().parts; },
          {}};
}

/// One that makes a whole machine.
template <class C>
Topology of_machine(const char* name, const char* doc, Graph (*build)(const C&)) {
  return {config::kind<C>(name, doc), {}, {}, [build](const config::AnyConfig& c) { return build(c.as<C>()); }};
}

/// All topologies, listed by hand in catalog.cpp.
const std::vector<Topology>& catalog();
/// The one of that config.
const Topology& topology_of(const config::AnyConfig& topology);

/// The network of a config inside another one, at `pointer`: what is wrong with it is told there, not at the place of a
/// machine's only network.
Network network_at(const std::string& pointer, const Topology& t, const config::AnyConfig& config);

/// The graph of a machine's topology. Throws config::ConfigError for what is wrong with it; `refused`: not for routes
/// that can deadlock, whose network then says so itself.
Graph build(const config::AnyConfig& topology, bool refused = false);

}  // namespace tsunagi::topo
