// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi::topo {

class Grid;

/// A well-mixed number of a pair of terminals (the finaliser of MurmurHash3 over both).
constexpr std::uint32_t mix_of(std::uint32_t source, std::uint32_t destination) {
  std::uint32_t x = source * 0x9e3779b1u ^ (destination + 0x7f4a7c15u) * 0x85ebca6bu;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// One of `n` numbers, 0 .. n-1, by a well-mixed one.
constexpr std::uint32_t pick_of(std::uint32_t n, std::uint32_t mix) {
  return static_cast<std::uint32_t>((std::uint64_t{mix} * n) >> 32);
}

/// What routes may look at: two terminals, and a number that spreads pairs, of adaptive routes packets, over ways that
/// are equally good.
struct Trip {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t mix = 0;
  /// What adaptive routes have decided on the way; 0: nothing yet. They alone know what it means.
  std::uint32_t via = 0;
};
inline Trip trip_of(int source, int destination) {
  const auto s = static_cast<std::uint32_t>(source);
  const auto d = static_cast<std::uint32_t>(destination);
  return {s, d, mix_of(s, d), 0};
}

/// Where a packet leaves a router, and on which class of the virtual channels there.
struct Hop {
  static constexpr int any_class = -1;
  int port = 0;
  /// 0 .. Routes::classes() - 1, or any.
  int channel_class = any_class;
};

class Network;
class AdaptiveRoutes;
/// What goes from one terminal to another.
using Weight = std::function<std::int64_t(int, int)>;

/// The routes of a network: pure, and unless they are adaptive the same for all packets of a pair of terminals, which
/// therefore stay in order.
class Routes {
 public:
  virtual ~Routes() = default;
  /// The way on from `router`, to the port of the terminal in the end.
  virtual Hop next(int router, const Trip& trip) const = 0;
  /// The same for a packet that remembers in its trip what adaptive routes have decided.
  virtual Hop pass(int router, Trip& trip) const { return next(router, trip); }
  /// The way on depends on the destination alone: all packets to a terminal go one tree of ways.
  virtual bool by_destination() const { return false; }
  /// Classes of virtual channels that keep packets from waiting for each other in a circle; 1: no need of them.
  virtual int classes() const { return 1; }
  /// These routes, if they leave routers a choice or draw for each packet: packets of a pair can then overtake each
  /// other.
  virtual const AdaptiveRoutes* adaptive() const { return nullptr; }
  /// What passes each port of `network`, whose routes these are, by its index there. Walks all pairs; routes that know
  /// better do better.
  virtual std::vector<std::int64_t> loads(const Network& network, const Weight& weight) const;
};

struct RouterPort {
  int router = -1;
  int port = -1;
};

/// What a link is made of, and where the machine's config says so: "/wire", behind the network's own place.
struct WireUse {
  config::AnyConfig wire;
  std::string pointer = "/wire";
  /// In place of the wire's own; none: as the wire says.
  std::optional<Rate> rate = {};
  std::optional<Time> flight = {};
};

/// One network of a machine as a value: routers, what their ports lead to, where terminals are attached, and the
/// routes. Routers, their ports and terminals are numbered from 0 in the order in which they are added. One object is
/// shared by all parts of a machine.
class Network {
 public:
  using PortNames = std::shared_ptr<const std::vector<std::string>>;
  struct Router {
    config::AnyConfig config;  // empty: it is a device of the node whose terminal it has
    PortNames ports;
    std::string pointer;
    std::string name;  // empty: "router<number>"
  };
  struct Cable {
    RouterPort a;
    RouterPort b;
    WireUse wire;
  };
  struct Attachment {
    RouterPort at;
    WireUse wire;
  };
  /// What a port of a router leads to.
  struct Peer {
    enum class Kind : std::uint8_t { nothing, router, terminal };
    Kind kind = Kind::nothing;
    bool first = false;  // of a cable's ends, the one it was joined by first
    int number = -1;     // of the router or terminal
    int port = -1;       // of the router
  };
  /// Where a picture may show a router, in steps to the right and down.
  struct Spot {
    double x = 0;
    double y = 0;
  };

  int add_router(config::AnyConfig config, PortNames ports, std::string pointer = "/router", std::string name = {});
  /// Joins two free ports. Throws std::logic_error if one is not.
  void join(RouterPort a, RouterPort b, WireUse wire);
  /// The next terminal, at a free port; returns its number.
  int attach(RouterPort at, WireUse wire);
  void set_routes(std::shared_ptr<const Routes> routes) { routes_ = std::move(routes); }
  /// By its name in the machine; empty if the machine has only one. `pointer` is its place in the machine's config.
  void set_name(std::string name, std::string pointer) {
    name_ = std::move(name);
    pointer_ = std::move(pointer);
  }
  /// Why no machine with these routes runs, and where its config says them: what is wrong shows in a picture alone.
  struct Refusal {
    std::string pointer;
    std::string why;
  };
  void refuse(Refusal refusal) { refusal_ = std::move(refusal); }
  /// If it is one: pictures show it so.
  void set_grid(std::shared_ptr<const Grid> grid) { grid_ = std::move(grid); }
  /// If its terminals lie in a box, router by router: sizes in routers, the first dimension running fastest.
  void set_box(std::vector<std::int64_t> sizes) { box_ = std::move(sizes); }
  /// One a router; none: a picture finds places itself.
  void set_spots(std::vector<Spot> spots) { spots_ = std::move(spots); }

  const std::string& name() const { return name_; }
  const std::string& pointer() const { return pointer_; }
  int routers() const { return static_cast<int>(routers_.size()); }
  int terminals() const { return static_cast<int>(attachments_.size()); }
  const Router& router(int r) const { return routers_[static_cast<std::size_t>(r)]; }
  std::string router_name(int r) const;
  int ports(int r) const { return static_cast<int>(router(r).ports->size()); }
  const std::string& port_name(int r, int port) const { return (*router(r).ports)[static_cast<std::size_t>(port)]; }
  const Peer& peer(int r, int port) const {
    return peers_[first_peer_[static_cast<std::size_t>(r)] + static_cast<std::size_t>(port)];
  }
  RouterPort attachment(int terminal) const { return attachments_[static_cast<std::size_t>(terminal)].at; }
  int router_of(int terminal) const { return attachment(terminal).router; }
  const std::vector<Cable>& cables() const { return cables_; }
  const std::vector<Attachment>& attachments() const { return attachments_; }
  const Routes& routes() const { return *routes_; }
  const std::optional<Refusal>& refusal() const { return refusal_; }
  const Grid* grid() const { return grid_.get(); }
  const std::vector<std::int64_t>& box() const { return box_; }
  const std::vector<Spot>& spots() const { return spots_; }

  /// Number of a router's port, counted over all routers before it: for tables of what is known of each.
  std::size_t port_index(int r, int port) const {
    return first_peer_[static_cast<std::size_t>(r)] + static_cast<std::size_t>(port);
  }
  std::size_t all_ports() const { return peers_.size(); }

  /// Calls `visit(router, hop)` for every router on the way from a terminal to another; of adaptive routes, where
  /// nothing waits anywhere. Throws std::runtime_error for routes that lead nowhere, or round and round.
  template <class Visit>
  void walk(int source, int destination, Visit&& visit) const {
    Trip trip = trip_of(source, destination);
    int at = router_of(source);
    for (int hops = 0; hops <= routers() + most_revisits; ++hops) {
      const Hop hop = routes_->pass(at, trip);
      if (hop.port < 0 || hop.port >= ports(at)) break;
      const Peer& p = peer(at, hop.port);
      if (p.kind == Peer::Kind::nothing || (p.kind == Peer::Kind::terminal && p.number != destination)) break;
      visit(at, hop);
      if (p.kind == Peer::Kind::terminal) return;
      at = p.number;
    }
    lost(source, destination, at);
  }

 private:
  /// Routes over an intermediate router may pass one twice.
  static constexpr int most_revisits = 64;
  Peer& claim(RouterPort p);
  [[noreturn]] void lost(int source, int destination, int at) const;

  std::string name_;
  std::string pointer_ = "/machine/topology";
  std::vector<Router> routers_;
  std::vector<std::size_t> first_peer_;  // by router
  std::vector<Peer> peers_;
  std::vector<Cable> cables_;
  std::vector<Attachment> attachments_;
  std::shared_ptr<const Routes> routes_;
  std::optional<Refusal> refusal_;
  std::shared_ptr<const Grid> grid_;
  std::vector<std::int64_t> box_;
  std::vector<Spot> spots_;
};

/// Port names that routers share: those of `names` in a row.
Network::PortNames port_names(std::vector<std::string> names);

/// Where a topology has put a device.
struct Place {
  enum class Role : std::uint8_t { router, terminal };
  std::shared_ptr<const Network> network;
  Role role = Role::terminal;
  int number = -1;   // of the network's routers or terminals
  std::string port;  // by which a terminal is attached
};

/// The first of `places` in that role, or null.
const Place* place_as(Place::Role role, const std::vector<Place>& places);

}  // namespace tsunagi::topo
