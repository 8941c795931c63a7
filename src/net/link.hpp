// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "net/channel.hpp"
#include "net/sending/direction.hpp"
#include "sim/module.hpp"

namespace tsunagi::net {

/// A full-duplex wire between two ports: both directions, each of which carries what the other one's packets are owed.
class Link final : public sim::Module {
 public:
  /// Its directions are `number` and `number` + 1 to observers, to the foresight `like` and `like` + 1: what it finds
  /// out of one of them holds for all that are numbered so. The ports' and the wire's specs must outlive it.
  Link(sim::Simulation& sim, const sim::ModuleName& name, const WireSpec& wire, WireEnd a, WireEnd b,
       Foresight& foresight, std::uint32_t number, std::uint32_t like);

  /// "node0.peach2.e - node1.peach2.w", put together when somebody asks.
  std::string ends() const { return backward_.end_name() + " - " + forward_.end_name(); }
  Channel& forward() { return forward_; }
  Channel& backward() { return backward_; }
  const Channel& forward() const { return forward_; }
  const Channel& backward() const { return backward_; }
  /// Gives both directions their own streams of bit errors, if the wire has any.
  void seed_errors(std::uint64_t seed);
  void set_listener(Listener& listener);

 private:
  Direction there_;
  Channel forward_;  // first end to second
  Direction back_;
  Channel backward_;  // second end to first
};

}  // namespace tsunagi::net
