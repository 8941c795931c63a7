// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/router/link.hpp"
#include "models/router/routing.hpp"

namespace tsunagi::router {

/// Who goes first of the packets that want one output at a time.
enum class Turns : std::uint8_t {
  inputs,             // one of each input; of its virtual channels the packet that came first
  channels,           // one of each virtual channel of the output; each gives turns to inputs
  in_transit,         // inputs, but what comes from a terminal only where nothing from a router may go
  oldest,             // the packet whose message was posted first
  oldest_in_transit,  // the same, but what comes from a terminal only where nothing from a router may go
};
inline bool by_age(Turns t) { return t == Turns::oldest || t == Turns::oldest_in_transit; }
inline bool prefers_transit(Turns t) { return t == Turns::in_transit || t == Turns::oldest_in_transit; }

/// What every router is configured by.
struct RouterConfig {
  Frequency clock{1'000'000'000};
  int latency = 3;
  int virtual_channels = 2;
  int buffer_flits = 32;
  /// Packets in such a buffer; 0: as many as fit.
  int buffer_packets = 0;
  bool deadlock_free = true;
  Switching switching = Switching::cut_through;
  Turns turns = Turns::inputs;
};
void describe(RouterConfig& c, config::Describer& d);

/// A router of a network: its ports, routes and what can be checked before the run.
class PlacedRouter : public net::Device {
 public:
  /// `inside` of a port: how many sources queue for its output, whether it takes trains, which wires fit and what they
  /// call virtual channels, whose turn it is. Throws config::ConfigError if the topology did not place the router.
  struct Inside {
    bool source_an_input = true;  // an input is a source at every output, each of its virtual channels where packets
                                  // travel as worms; else a port has one source
    bool trains = false;
    const char* protocol = "link";
    const char* channels = "virtual channels";
    net::Arbitration arbitration = {};
    int own_sources = 0;                    // at every output, behind the inputs: of packets that the router makes
    std::vector<std::int64_t> counts = {};  // of virtual channels that there may be, ascending; none: any
    bool cards = false;                     // what is wired to routers says itself how many it has
    bool stores = false;                    // it keeps what comes in memory of its own, and tells its latency itself
  };
  PlacedRouter(DeviceArgs args, const RouterConfig& c, const Inside& inside);
  void wired() override;
  /// Packets that came by wires, and copies that were made of them, are those that left by wires.
  std::string leftover() const override;
  const Routing& routing() const { return routing_; }
  /// Its number in the network.
  int place() const { return place_; }
  /// Packets beyond those that came: a multicast to n outputs makes n - 1.
  std::int64_t copies() const { return copies_; }

 protected:
  int virtual_channels() const { return virtual_channels_; }
  bool worms() const { return worms_; }
  /// What comes by port `i` was sent by a router.
  bool in_transit(int i) const;
  /// Where a packet goes on that is here now. Adaptive routes choose by what their outputs had to do before this
  /// instant, and note it in the packet.
  Hop route(flow::Packet& p) {
    if (!routing_.adaptive()) return routing_.next(place_, p.header<Header>());
    return routing_.choose(place_, p.header<AdaptiveHeader>(),
                           [this](int port) { return ports()[static_cast<std::size_t>(port)].channel().backlog(); });
  }
  /// Makes `h` the header of copy `i` of the packet with header `whole`, on its way; returns where that leads.
  Hop make_copy(Header& h, const Header& whole, int i) const;
  void count_copies(std::int64_t n) { copies_ += n; }

 private:
  /// What terminals send fits all wires.
  void check_packets() const;
  /// Terminals tell the age of what they send, if anybody asks.
  void check_ages() const;
  /// Adaptive routes can be followed: throws config::ConfigError if not.
  void watch_outputs();
  int place_;
  int virtual_channels_;
  bool worms_;
  bool ages_;  // are looked at
  const char* channels_;
  Routing routing_;
  std::int64_t copies_ = 0;
};

}  // namespace tsunagi::router
