// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "config/describe.hpp"
#include "flow/framing.hpp"
#include "models/router/header.hpp"
#include "net/specs.hpp"

namespace tsunagi::router {

/// What a receiver's buffer must have room for before anything is sent, a packet or a flit of one, and whether a router
/// sends a packet on before all of it has come (Dally and Towles, "Principles and Practices of Interconnection
/// Networks", chapter 13: packet-buffer and flit-buffer flow control). Links know the first alone.
enum class Switching : std::uint8_t { cut_through, wormhole, store_and_forward };
/// The field "switching" of a router or a link.
void describe_switching(Switching& s, std::string_view doc, config::Describer& d);

/// A link between routers: whole flits, virtual channels, credits that fly home beside the data.
struct LinkConfig {
  Rate bandwidth = Rate::bytes_per_second(16'000'000'000);
  Time flight = 5_ns;
  int virtual_channels = 2;
  Bytes header = 8_B;
  Bytes flit = 16_B;
  Bytes max_payload = 256_B;
  Switching switching = Switching::cut_through;
  net::FlowPolicy flow_control = net::FlowPolicy::credits;
  int stop_flits = 24;
  int go_flits = 12;
};
void describe(LinkConfig& c, config::Describer& d);

/// Sizes and classes of packets on a link: header and payload fill whole flits; a class is a virtual
/// channel; a credit is a flit, and one of the packet count. Virtual channels pass each other freely.
class LinkFraming final : public flow::Framing {
 public:
  /// `worms`: packets travel as pieces, the head with the header and a flit each behind it, on a virtual channel that
  /// nobody else uses between head and tail.
  LinkFraming(Bytes header, Bytes flit, int virtual_channels, bool worms = false)
      : header_(header), flit_(flit), virtual_channels_(virtual_channels), worms_(worms) {}
  Bytes smallest() const override { return header_; }
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& p) const override { return p.header<Header>().vc; }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override;
  int classes() const override { return virtual_channels_; }
  std::string_view class_name(flow::FlowClass c) const override;
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override { return later != earlier; }
  /// Of what terminals sent.
  std::uint32_t born(const flow::Packet& p) const override { return p.header<AgedHeader>().born; }
  bool in_worms() const override { return worms_; }
  bool more_follow(const flow::Packet& p, std::int32_t /*i*/) const override { return more_follows(p); }
  Bytes most_payload(flow::FlowClass /*c*/, Bytes max_payload) const override {
    return worms_ ? std::min(head_payload(), max_payload) : max_payload;
  }
  /// Data beside the header of a worm, in whole flits.
  Bytes head_payload() const {
    const Bytes room = flit_ * units_of(header_, flit_) - header_;
    return room > Bytes::zero() ? room : flit_;
  }
  Bytes flit() const { return flit_; }
  /// Pieces of a packet of `payload` bytes, of which the head is one; 1 unless it travels as a worm.
  std::int64_t pieces(Bytes payload) const {
    return worms_ && payload > head_payload() ? 1 + units_of(payload - head_payload(), flit_) : 1;
  }

 private:
  Bytes header_;
  Bytes flit_;
  int virtual_channels_;
  bool worms_;
};

/// Payload rate of messages of `n` bytes (> 0), cut into packets, back to back on a wire of finite rate.
Rate payload_rate(const net::WireSpec& wire, Bytes n);

net::WireSpec link_spec(const config::AnyConfig& c);

}  // namespace tsunagi::router
