// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/link.hpp"

#include <memory>

#include "config/error_at.hpp"
#include "units/parse.hpp"

namespace tsunagi::ethernet {

namespace {

constexpr std::int64_t number(Speed s) { return static_cast<std::int64_t>(s); }

const std::vector<config::Choice>& speeds() {
  static const std::vector<config::Choice> all = {
      {"fast", number(Speed::fast), "Fast Ethernet, 100 Mb/s, 4B/5B"},
      {"gigabit", number(Speed::gigabit), "Gigabit Ethernet, 1 Gb/s"},
      {"ten_gigabit", number(Speed::ten_gigabit), "10 Gigabit Ethernet, 10 Gb/s, 64B/66B"}};
  return all;
}

std::string words(Speed s) {
  for (const config::Choice& c : speeds())
    if (c.value == number(s)) return "\"" + std::string(c.name) + "\"";
  return {};
}

void describe_speed(Speed& s, std::string_view doc, config::Describer& d) {
  d.choice("speed", s, speeds(), doc, config::ideal(number(Speed::ten_gigabit), "Ethernet speed"));
}

}  // namespace

void describe(PortLimits& c, config::Describer& d) {
  using namespace config;
  describe_speed(c.speed, "fastest wire of a port", d);
  d.field("largest_frame", c.largest_frame, "longest frame that a port takes, from the destination address to the FCS",
          within(frame_size(least_payload), frame_size(jumbo_mtu)), ideal(frame_size(jumbo_mtu), "Ethernet frame"));
}

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  describe_speed(c.speed, "bit rate, each way", d);
  d.field("mtu", c.mtu, "largest payload of a frame", within(least_payload, jumbo_mtu));
  d.field("jumbo", c.jumbo, "frames may be longer than the standard's 1,518 B");
  d.field("flight", c.flight, "delay of the cable, one way", within(1_ps, 100_us), ideal(1_ps), or_length);
  d.field("pause", c.pause, "both ends obey PAUSE frames (IEEE 802.3 annex 31B)");
  d.require(c.jumbo || c.mtu <= standard_mtu,
            "\"mtu\" of " + to_string(c.mtu) + " is above the 1,500 B of a standard frame; \"jumbo\": true allows it");
}

Rate link_rate(Speed s) {
  constexpr std::int64_t fast = 100'000'000 / 8;
  return Rate::bytes_per_second(s == Speed::fast ? fast : s == Speed::gigabit ? fast * 10 : fast * 100);
}

flow::WireSize Framing::size(const flow::Packet& /*p*/, Bytes payload) const {
  return {payload, frame_header, preamble + frame_size(payload) - frame_header - payload + gap};
}

net::Delivery pause_frame(flow::PacketPool& pool, std::uint16_t quanta, Time now) {
  net::Delivery d;
  d.packet = pool.make();
  Header& h = d.packet->header<Header>();
  h.pause = true;
  h.quanta = quanta;
  d.schedule = net::Schedule::at(now);
  return d;
}

net::WireSpec link_spec(const config::AnyConfig& any) {
  const auto& c = any.as<LinkConfig>();
  net::WireSpec w;
  w.protocol = "ethernet";
  w.framing = std::make_shared<Framing>(c.speed);
  w.rate = link_rate(c.speed);
  if (c.speed == Speed::fast) w.coding_data = 4, w.coding_line = 5;
  if (c.speed == Speed::ten_gigabit) w.coding_data = 64, w.coding_line = 66;
  w.flight = c.flight;
  w.gap = gap;
  w.held = c.pause;
  w.flow_control = net::FlowPolicy::none;
  w.max_payload = c.mtu;
  return w;
}

net::Arbitration control_first() {
  net::Arbitration a;
  a.takers = net::Arbitration::Takers::classes;
  a.priorities = {0, 1};
  return a;
}

void check_ports(const net::Device& d, const PortLimits& limits) {
  for (const net::Port& p : d.ports()) {
    if (!p.connected()) continue;
    const net::WireSpec& wire = p.channel().wire();
    const auto* framing = dynamic_cast<const Framing*>(wire.framing.get());
    if (framing == nullptr) continue;
    if (framing->speed() > limits.speed)
      throw config::error_at("/machine", d.name() + ": " + p.name() + " is one of up to " + words(limits.speed) +
                                             ", the wire there is " + words(framing->speed()));
    if (frame_size(wire.max_payload) > limits.largest_frame)
      throw config::error_at("/machine", d.name() + ": " + p.name() + " takes frames of up to " +
                                             to_string(limits.largest_frame) + ", the wire's MTU of " +
                                             to_string(wire.max_payload) + " makes them " +
                                             to_string(frame_size(wire.max_payload)));
  }
}

}  // namespace tsunagi::ethernet
