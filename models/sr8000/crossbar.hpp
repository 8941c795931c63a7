// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "models/router/router.hpp"
#include "models/sr8000/barrier.hpp"
#include "models/sr8000/header.hpp"
#include "models/sr8000/spreader.hpp"
#include "models/sr8000/ways.hpp"

namespace tsunagi::sr8000 {

struct CrossbarConfig : router::RouterConfig {
  /// Line along the last dimension whose crossbar is the serialising one.
  int serialising = 0;
  CrossbarConfig();
};
void describe(CrossbarConfig& c, config::Describer& d);

/// A crossbar, or a relay, of the SR8000's network, which a topology `crossbars` makes of them (paper 002, 4). Data for
/// one node pass as through router::Router, on the ordinary virtual channel.
///
/// Broadcasts (4.2, figure 4) go to the serialising crossbar of the machine, in dimension order as everything else; it
/// copies them, one packet after the other, to the relays of the box that are on its line. Each copies it to its node
/// and to its crossbars of lower dimensions, which copy it to the other relays of their lines, down to the nodes: so no
/// wire takes a broadcast twice, also not one that brought it to the serialising crossbar. From the serialising
/// crossbar on they are Purpose::spreading on a virtual channel of its own: packets on the ordinary one may wait for
/// it, and it waits for nothing but the nodes, so no circle of waiting closes.
///
/// The copies of a packet are granted together, when every output can take one (Spreader). A wire may still be busy
/// with a packet of the ordinary channel, with which it takes turns; then that copy leaves later than the others. To
/// keep such wires free, as a crossbar without buffers at its outputs has to, packets that are granted would have to be
/// held back. The copies hold the packet's place in the input buffer until the last of them has left.
///
/// Barriers (4.3, figure 5): a crossbar waits until all nodes of its line that belong to the box have come, then says
/// so to all crossbars of the next dimension that are on its line, in parallel; those of the last dimension release the
/// nodes. A barrier's packet ends at the crossbar that counts it, with its last byte, and those that this makes wait
/// for nothing but wires.
class Crossbar final : public router::Router, private Spreader::Outputs {
 public:
  /// Throws config::ConfigError if no topology `crossbars` placed it, or that has no such serialising line.
  Crossbar(DeviceArgs args, const CrossbarConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  Time next_offer(int port, int source) const override;
  Time next_offer(int port) const override;
  std::string leftover() const override;

 private:
  /// Of what is not simply passed on, at every output: 0 has copies, 1 and up barriers by colour. Each is a source of
  /// its own, because packets of one that are ready together leave in the order in which they were known.
  int own_source(int i) const { return static_cast<int>(ports().size()) + i; }
  void at_relay(int in, net::Delivery d);
  void at_crossbar(int in, net::Delivery d);
  void spread(int in, net::Delivery d) override;
  /// Node or line at `in` has come to a barrier.
  void come(int in, net::Delivery d);
  /// Tells a place of the line that all have.
  void tell_place(int place, const Header& h, const flow::Cause& last);

  Ways ways_;
  int serialising_;
  Spreader spreader_;
  std::optional<Barrier> barrier_;  // of a crossbar
  net::SharedSlot copied_;          // gives back to the spreader: goes before it
  std::vector<int> copies_;         // ports by which a broadcast that spreads leaves
};

}  // namespace tsunagi::sr8000
