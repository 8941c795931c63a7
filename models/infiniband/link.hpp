// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/describe.hpp"
#include "flow/framing.hpp"
#include "models/infiniband/header.hpp"
#include "net/specs.hpp"

namespace tsunagi::infiniband {

/// Signalling rate and line coding of a lane.
enum class Speed : std::uint8_t { sdr, ddr, qdr, fdr10, fdr, edr, hdr, ndr };

/// Data virtual lanes of a port at most; VL 15 is management's, which is not modelled.
constexpr int most_virtual_lanes = 15;

/// What a device's ports can be: a wire of any speed and width up to these fits.
struct PortLimits {
  Speed speed = Speed::ndr;
  int width = 12;
};
void describe(PortLimits& c, config::Describer& d);

/// An InfiniBand link: 1, 4, 8 or 12 lanes, data virtual lanes with credits of their own.
struct LinkConfig {
  static constexpr Bytes most_mtu = 4_KiB;  // InfiniBand Architecture Specification, volume 1, 7.7
  Speed speed = Speed::qdr;
  int width = 4;
  Bytes mtu = 2_KiB;
  Time flight = 10_ns;
  int virtual_lanes = 1;
  bool credit_updates = true;
  Time update_delay = 256_ns;
};
void describe(LinkConfig& c, config::Describer& d);

/// Bytes a second after the line code, exact: lanes x signalling rate x 8/10, 64/66 or, with forward error correction,
/// 16/17 / 8 bits.
Rate link_rate(const LinkConfig& c);

/// Sizes and classes of packets on a link (InfiniBand Architecture Specification, volume 1, 5.2 and 7.7): local route
/// header, transport headers, data in whole 4 B, invariant and variant CRC, and a symbol each that begins and ends the
/// packet. A class is a virtual lane; lanes pass each other freely. A credit is 64 B of the packet without those
/// symbols (7.9.4: flow control counts blocks); packets are not counted.
///
/// What a packet weighs depends on its opcode. All packets of a train have the opcode of its header: first, middle and
/// last packets of a message travel in trains of their own.
class LinkFraming final : public flow::Framing {
 public:
  static constexpr Bytes local_route_header{8};
  static constexpr Bytes datagram_headers{12};  // of reliable datagrams: RDETH 4, DETH 8
  static constexpr Bytes checks{6};             // ICRC 4, VCRC 2
  static constexpr Bytes delimiters{2};         // SDP or SLP, EGP
  static constexpr Bytes credit_block{64};

  explicit LinkFraming(int virtual_lanes, Speed speed = Speed::qdr, int width = 4)
      : virtual_lanes_(virtual_lanes), speed_(speed), width_(width) {}
  Bytes smallest() const override {
    return local_route_header + transport_header(Opcode::send_only) + checks + delimiters;
  }
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& p) const override { return p.header<Header>().route.vc; }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override;
  int classes() const override { return virtual_lanes_; }
  std::string_view class_name(flow::FlowClass c) const override;
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override { return later != earlier; }
  Speed speed() const { return speed_; }
  int width() const { return width_; }

 private:
  int virtual_lanes_;
  Speed speed_;
  int width_;
};

/// Route header of a packet of service level `level` from one terminal to another, on wires with so many virtual lanes:
/// a service level is a virtual lane, the same on every wire. Where a network's routes need classes of virtual lanes to
/// be free of deadlock (rings), there are as many service levels as lanes a class. Beside the level, the header is that
/// of router::header_of; all packets of a pair and level take one way and keep their order.
router::Header route_header(int source, int destination, int virtual_lanes, int level = 0);

net::WireSpec link_spec(const config::AnyConfig& c);

/// Why a port does not take a wire: it is faster or wider. Empty if it does, or is no InfiniBand one.
std::string refusal(const PortLimits& port, const net::WireSpec& wire);

}  // namespace tsunagi::infiniband
