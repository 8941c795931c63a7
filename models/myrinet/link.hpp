// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/describe.hpp"
#include "flow/framing.hpp"
#include "models/myrinet/header.hpp"
#include "net/specs.hpp"

namespace tsunagi::myrinet {

/// A Myrinet link: bytes and control symbols in both directions at once; STOP and GO (Boden et al., "Myrinet: a
/// gigabit-per-second local area network", IEEE Micro 15(1), 1995).
struct LinkConfig {
  Rate bandwidth = Rate::bytes_per_second(250'000'000);
  Time flight = 10_ns;
  Time transceivers = 100_ns;
  Bytes stop = 56_B;
  Bytes go = 40_B;
  Time flow_delay = 16_ns;
  Bytes max_payload = 8_KiB;
  int max_route = 8;
  Bytes piece = 16_B;
};
void describe(LinkConfig& c, config::Describer& d);

/// Sizes of pieces of packets on a link: the first has what is left of the route, and the type; the last the check, and
/// the gap behind it, which takes a byte's time but no room in a buffer. Buffers are counted in bytes. There is one
/// class: nothing passes anything.
class LinkFraming final : public flow::Framing {
 public:
  LinkFraming(Bytes piece, int max_route) : piece_(piece), max_route_(max_route) {}
  Bytes smallest() const override { return Bytes(1); }
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& /*p*/) const override { return 0; }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override;
  int classes() const override { return 1; }
  std::string_view class_name(flow::FlowClass /*c*/) const override { return "slack"; }
  bool may_pass(flow::FlowClass /*later*/, flow::FlowClass /*earlier*/) const override { return false; }
  bool in_worms() const override { return true; }
  bool more_follow(const flow::Packet& p, std::int32_t /*i*/) const override { return p.header<Header>().tail == 0; }
  Bytes most_payload(flow::FlowClass /*c*/, Bytes max_payload) const override { return std::min(piece_, max_payload); }

  /// Most bytes of a piece, whatever they are.
  Bytes piece() const { return piece_; }
  /// Route bytes that a packet carries at most.
  int max_route() const { return max_route_; }
  /// The largest piece there is.
  Bytes largest_piece() const { return std::max(piece_, Bytes(max_route_) + type_size); }

 private:
  Bytes piece_;
  int max_route_;
};

/// Bytes of a packet of `n` data bytes on the wire that it leaves its sender by, with the gap.
Bytes packet_size(int route, Bytes n);

/// Bytes that the slack buffer at the end of `wire` must have, so that no byte is lost whatever comes: the mark, the
/// piece that reaches it, all that leaves the sender before it hears of that, and the rest of the piece it is at then.
Bytes slack_needed(const net::WireSpec& wire);
/// Why a port with a buffer of `slack` does not take the wire: empty if it does, or if it is no Myrinet link.
std::string refusal(Bytes slack, const net::WireSpec& wire);

net::WireSpec link_spec(const config::AnyConfig& c);

}  // namespace tsunagi::myrinet
