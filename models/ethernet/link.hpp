// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/describe.hpp"
#include "flow/framing.hpp"
#include "models/ethernet/frame.hpp"
#include "net/device.hpp"
#include "net/specs.hpp"

namespace tsunagi::ethernet {

/// Bit rate of a wire, in each direction.
enum class Speed : std::uint8_t { fast, gigabit, ten_gigabit };

/// Largest payload of a frame by the standard, and with jumbo frames, of which there is none.
constexpr Bytes standard_mtu{1500};
constexpr Bytes jumbo_mtu{9000};

/// What a device's ports can be: a wire up to these fits.
struct PortLimits {
  Speed speed = Speed::ten_gigabit;
  Bytes largest_frame = frame_size(standard_mtu);
};
/// Of the same name for wires and ports: an ideal wire fits an ideal port alone.
void describe(PortLimits& c, config::Describer& d);

/// A full-duplex Ethernet link.
struct LinkConfig {
  Speed speed = Speed::gigabit;
  Bytes mtu = standard_mtu;
  bool jumbo = false;
  Time flight = 25_ns;
  bool pause = false;
};
void describe(LinkConfig& c, config::Describer& d);

/// Bytes a second of frames, preambles and gaps: what is left when the line code is off.
Rate link_rate(Speed s);

/// Sizes and classes of frames (IEEE 802.3 clauses 3 and 4.4.2): preamble and start delimiter 8 B, header 14 B, payload
/// padded to 46 B, FCS 4 B, and a gap of 12 B: 38 B around it. Two classes, client's frames and MAC control; the latter
/// pass the others.
class Framing final : public flow::Framing {
 public:
  explicit Framing(Speed s) : speed_(s) {}
  Bytes smallest() const override { return preamble + frame_size({}) + gap; }
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& p) const override {
    return p.header<Header>().pause ? control_frames : data_frames;
  }
  /// Frames, and the bytes that a device keeps of them.
  flow::Credits cost(const flow::Packet& /*p*/, Bytes payload) const override {
    return flow::Credits::of(1, frame_size(payload).count());
  }
  int classes() const override { return 2; }
  std::string_view class_name(flow::FlowClass c) const override { return c == data_frames ? "frames" : "MAC control"; }
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override {
    return later == control_frames && earlier == data_frames;
  }
  std::optional<Bytes> pause(const flow::Packet& p) const override {
    const auto& h = p.header<Header>();
    return h.pause ? std::optional(quantum * h.quanta) : std::nullopt;
  }
  Speed speed() const { return speed_; }

 private:
  Speed speed_;
};

net::WireSpec link_spec(const config::AnyConfig& c);

/// MAC control goes before client's frames.
net::Arbitration control_first();

/// Throws config::ConfigError if a port of `d` does not take the Ethernet wire that is connected to it.
void check_ports(const net::Device& d, const PortLimits& limits);

}  // namespace tsunagi::ethernet
