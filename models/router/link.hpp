// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/describe.hpp"
#include "flow/framing.hpp"
#include "models/router/header.hpp"
#include "net/specs.hpp"

namespace tsunagi::router {

/// A link between routers: whole flits, virtual channels, credits that fly home beside the data.
struct LinkConfig {
  Rate bandwidth = Rate::bytes_per_second(16'000'000'000);
  Time flight = 5_ns;
  int virtual_channels = 2;
  Bytes header = 8_B;
  Bytes flit = 16_B;
  Bytes max_payload = 256_B;
};
void describe(LinkConfig& c, config::Describer& d);

/// Sizes and classes of packets on a link: header and payload fill whole flits; a class is a virtual
/// channel; a credit is a flit, and one of the packet count. Virtual channels pass each other freely.
class LinkFraming final : public flow::Framing {
 public:
  LinkFraming(Bytes header, Bytes flit, int virtual_channels)
      : header_(header), flit_(flit), virtual_channels_(virtual_channels) {}
  Bytes smallest() const override { return header_; }
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& p) const override { return p.header<Header>().vc; }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override;
  int classes() const override { return virtual_channels_; }
  std::string_view class_name(flow::FlowClass c) const override;
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override { return later != earlier; }

 private:
  Bytes header_;
  Bytes flit_;
  int virtual_channels_;
};

/// Payload rate of messages of `n` bytes (> 0), cut into packets, back to back on a wire of finite rate.
Rate payload_rate(const net::WireSpec& wire, Bytes n);

net::WireSpec link_spec(const config::AnyConfig& c);

}  // namespace tsunagi::router
