// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/link.hpp"

#include <memory>

#include "units/parse.hpp"

namespace tsunagi::myrinet {

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  d.field("bandwidth", c.bandwidth, "bytes a second in each direction", at_least(Rate::bytes_per_second(1'000'000)));
  d.field("flight", c.flight, "delay of the cable, one way, also of STOP and GO", within(1_fs, 100_us), ideal(1_fs),
          or_length);
  d.field("transceivers", c.transceivers, "delay of the transceivers at both ends together, beside the cable's",
          at_most(10_us), ideal(0_ns));
  d.field("stop", c.stop, "bytes in a receiver's slack buffer at which it says STOP", within(1_B, 1_MiB));
  d.field("go", c.go, "bytes down to which it has drained when it says GO", within(0_B, 1_MiB));
  d.field("flow_delay", c.flow_delay, "from a STOP or GO at the sender to its effect", within(1_fs, 10_us),
          ideal(1_fs));
  d.field("max_payload", c.max_payload, "most data of a packet", within(1_B, 1_MiB));
  d.field("max_route", c.max_route, "route bytes that a packet may carry at most", within(1, most_route));
  d.field("piece", c.piece, "bytes that move as one: how finely a packet stops, resolution of the model",
          within(8_B, 256_B));
  d.require(c.go < c.stop, "\"go\" is not below \"stop\": a sender that was told to go on would be stopped again");
}

flow::WireSize LinkFraming::size(const flow::Packet& p, Bytes payload) const {
  const Header& h = p.header<Header>();
  return {payload, h.head != 0 ? Bytes(h.left()) + type_size : Bytes::zero(),
          h.tail != 0 ? crc_size + gap_size : Bytes::zero()};
}

flow::Credits LinkFraming::cost(const flow::Packet& p, Bytes payload) const {
  const Bytes gap = p.header<Header>().tail != 0 ? gap_size : Bytes::zero();
  return flow::Credits::of(0, (size(p, payload).total() - gap).count());
}

Bytes packet_size(int route, Bytes n) { return Bytes(route) + type_size + n + crc_size + gap_size; }

Bytes slack_needed(const net::WireSpec& wire) {
  const auto& framing = static_cast<const LinkFraming&>(*wire.framing);
  const Time deaf = wire.told_at({}) + wire.flight;
  // Pieces leave one behind the other, of whatever size: those that begin before the sender hears it, but for the last
  // one, have left by then. What has begun exactly then has not.
  const Time each = wire.rate.time(1_B);
  Bytes left = each == Time::zero() ? Bytes::zero() : Bytes((deaf - Time::from_fs(1)) / each);
  while (each > Time::zero() && wire.rate.time(left + 1_B) < deaf) left += 1_B;  // `each` is rounded
  return Bytes(wire.stop_go.stop - 1) + framing.largest_piece() + left + framing.largest_piece();
}

std::string refusal(Bytes slack, const net::WireSpec& wire) {
  if (dynamic_cast<const LinkFraming*>(wire.framing.get()) == nullptr) return {};
  const Bytes needed = slack_needed(wire);
  if (slack >= needed) return {};
  return "has a slack buffer of " + to_string(slack) + ", but a sender that is told to stop at " +
         to_string(Bytes(wire.stop_go.stop)) + " can fill " + to_string(needed) +
         " before it has stopped: a lower mark (\"stop\"), a larger \"slack\" or a shorter cable";
}

net::WireSpec link_spec(const config::AnyConfig& any) {
  const auto& c = any.as<LinkConfig>();
  net::WireSpec w;
  w.protocol = "myrinet";
  w.framing = std::make_shared<LinkFraming>(c.piece, c.max_route);
  w.flow_control = net::FlowPolicy::stop_go;
  w.stop_go = {c.stop.count(), c.go.count()};
  w.link_layer.process = c.flow_delay;
  w.rate = c.bandwidth;
  w.flight = c.flight + c.transceivers;
  w.max_payload = c.max_payload;
  return w;
}

}  // namespace tsunagi::myrinet
