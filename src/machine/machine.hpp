// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "config/error_at.hpp"
#include "config/suggest.hpp"
#include "net/device.hpp"
#include "net/link.hpp"
#include "sim/module.hpp"
#include "sim/simulation.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/groups.hpp"

namespace tsunagi {

/// Port specs that equal devices have in common: of ten thousand routers with one config, one.
class SharedSpecs {
 public:
  /// The spec of the ports that `which` and `more` stand for (their kind, or how many there are, and what they are
  /// wired to) of devices with config `c`; `make` returns it for the first of them.
  template <class Config, class Make>
  std::shared_ptr<const net::PortSpec> of(const Config& c, int which, Make&& make, const std::vector<int>& more = {}) {
    auto& spec = specs_[{&c, which, more}];
    if (spec == nullptr) spec = std::make_shared<const net::PortSpec>(make());
    return spec;
  }

 private:
  std::map<std::tuple<const void*, int, std::vector<int>>, std::shared_ptr<const net::PortSpec>> specs_;
};

/// What a device is built from.
struct DeviceArgs {
  sim::Simulation& sim;
  flow::PacketPool& pool;
  SharedSpecs& specs;
  /// As part of the design hierarchy, which the device is in construction.
  sim::ModuleName name;
  /// Packets of one transfer that may travel as one train; 1: the reference mode.
  int max_train = 1;
  /// Where the topology placed the device in the machine's networks; empty: it did not.
  std::vector<topo::Place> places = {};
  /// Starts every random stream; each has a name of its own (stats::RandomStream).
  std::uint64_t seed = 1;
};

/// One line of the device catalog.
struct DeviceKind {
  config::Kind kind;
  std::function<std::unique_ptr<net::Device>(DeviceArgs, const config::AnyConfig&)> build;
};

/// One line of the wire catalog.
struct WireKind {
  config::Kind kind;
  std::function<net::WireSpec(const config::AnyConfig&)> build;
};

/// What machines are made of; models/catalog.cpp fills it.
struct ModelCatalog {
  std::vector<DeviceKind> devices;
  std::vector<WireKind> wires;
};

/// Devices and wires, built from a graph.
class Machine {
 public:
  /// `seed` starts every random stream; devices make trains of up to `max_train` packets, as far as the `findings`
  /// of a refuted attempt allows. Throws config::ConfigError for ports that do not exist, do not fit or are wired
  /// twice.
  Machine(sim::Simulation& sim, topo::Graph graph, const ModelCatalog& catalog, std::uint64_t seed = 1,
          int max_train = 1, const std::string& findings = {});
  /// A run may end in an error with packets everywhere: they let go of their buffers first.
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// The device of that full name and type; throws config::ConfigError if there is none.
  template <class D>
  D& get(const std::string& name) const {
    auto* d = dynamic_cast<D*>(find(name));
    if (d != nullptr) return *d;
    std::vector<std::string> known;
    for (const auto& other : devices_)
      if (dynamic_cast<D*>(other.get()) != nullptr) known.push_back(other->name());
    throw config::error_at("/machine", "no device \"" + name + "\" of the kind that is needed here" +
                                           config::detail::did_you_mean(name, known));
  }
  /// All devices of a type, in the order of the graph.
  template <class D>
  std::vector<D*> all() const {
    std::vector<D*> out;
    for (const auto& d : devices_)
      if (auto* p = dynamic_cast<D*>(d.get())) out.push_back(p);
    return out;
  }
  const std::vector<std::unique_ptr<net::Link>>& wires() const { return wires_; }
  /// The box in which the first of its networks that lies in one has its routers; empty: none does.
  const std::vector<std::int64_t>& box() const { return box_; }
  sim::Simulation& simulation() const { return sim_; }
  /// Starts every random stream of who lives in the machine; each has a name of its own.
  std::uint64_t seed() const { return seed_; }
  flow::PacketPool& pool() { return pool_; }
  const net::Foresight& foresight() const { return foresight_; }

  /// Tells everything that happens from now on to `listener`. For machines that were built with a max_train of 1.
  void listen(net::Listener& listener);
  /// What the channels in a listener's events are, by their numbers.
  std::vector<net::ChannelInfo> channels() const;

  /// Packets that crossed a wire so far.
  std::uint64_t packet_hops() const;
  /// What did not come home: packets, credits, device state. Empty if all is well.
  std::vector<std::string> leftovers();
  /// Wires with packets that wait, and what for.
  std::vector<std::string> blocked() const;

 private:
  net::Device* find(const std::string& name) const;
  void check_connected(const topo::Graph& g) const;
  struct Plan {
    const topo::Graph& graph;
    const ModelCatalog& catalog;
    int max_train;
  };
  void build(const Plan& plan, const topo::Group& group, const sim::Module& module);
  void build_device(const Plan& plan, std::uint32_t i, const sim::Module& module);
  void wire_up(const Plan& plan, std::uint32_t i, const sim::Module& module);
  /// Which packet an error hits depends on the order in which everything passes the wires: nothing is granted ahead.
  bool has_errors(const topo::Graph& graph, const ModelCatalog& catalog);
  std::shared_ptr<const net::WireSpec> wire_spec(const topo::WireUse& use, const ModelCatalog& catalog);

  sim::Simulation& sim_;
  std::uint64_t seed_;
  /// By config, rate and flight.
  using WireKey = std::tuple<const config::ConfigObject*, std::int64_t, std::int64_t, Time>;
  std::map<WireKey, std::shared_ptr<const net::WireSpec>> specs_;
  net::Foresight foresight_;
  /// The first link of those with one wire spec between ports of one spec each: looked up only.
  std::map<std::tuple<const net::WireSpec*, const net::PortSpec*, const net::PortSpec*>, std::uint32_t> alike_;
  flow::PacketPool pool_;
  SharedSpecs shared_specs_;
  std::vector<std::unique_ptr<sim::Module>> groups_;
  std::vector<std::unique_ptr<net::Device>> devices_;
  std::vector<net::Device*> by_name_;     // sorted
  std::vector<std::uint32_t> next_port_;  // by device: behind the last one that was wired up
  std::vector<std::unique_ptr<net::Link>> wires_;
  std::vector<std::int64_t> box_;
};

}  // namespace tsunagi
