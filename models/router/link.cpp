// SPDX-License-Identifier: Apache-2.0
#include "models/router/link.hpp"

#include <memory>

namespace tsunagi::router {

void describe_switching(Switching& s, std::string_view doc, config::Describer& d) {
  d.choice("switching", s,
           {{"cut_through", static_cast<std::int64_t>(Switching::cut_through),
             "virtual cut-through: a packet goes when the next buffer has room for all of it, and leaves that while it "
             "still comes in"},
            {"wormhole", static_cast<std::int64_t>(Switching::wormhole),
             "flit by flit: buffers may be smaller than a packet, which then occupies several and the wires between"},
            {"store_and_forward", static_cast<std::int64_t>(Switching::store_and_forward),
             "a packet goes when the next buffer has room for all of it, and leaves that when all of it is there"}},
           doc, config::ideal(static_cast<std::int64_t>(Switching::cut_through), "switching"));
}

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  d.field("bandwidth", c.bandwidth, "bytes a second in each direction", at_least(Rate::bytes_per_second(1'000'000)));
  d.field("flight", c.flight, "delay of the cable or trace, one way; also of a credit on its way home",
          within(1_fs, 100_us), ideal(1_fs), or_length);
  d.field("virtual_channels", c.virtual_channels, "virtual channels, each with credits of its own",
          within(1, most_virtual_channels));
  d.field("header", c.header, "bytes of a packet's header, in the first flit", within(0_B, 256_B), ideal(0_B));
  d.field("flit", c.flit, "bytes of a flit, the unit of buffers and credits", within(1_B, 4_KiB));
  d.field("max_payload", c.max_payload, "largest payload of a packet", within(1_B, 1_MiB));
  describe_switching(c.switching, "as at the routers: what the next buffer must have room for", d);
  d.choice("flow_control", c.flow_control,
           {{"credits", static_cast<std::int64_t>(net::FlowPolicy::credits), "send what there is room for"},
            {"stop_go", static_cast<std::int64_t>(net::FlowPolicy::stop_go), "send until told to stop (Myrinet)"},
            {"none", static_cast<std::int64_t>(net::FlowPolicy::none), "send; a full buffer drops (Ethernet)"}},
           "how a sender is kept from flooding a buffer");
  d.field("stop_flits", c.stop_flits, "flits in a buffer at which the receiver says stop", within(1, 1'000'000));
  d.field("go_flits", c.go_flits, "flits down to which it has drained when it says go", within(0, 1'000'000));
}

flow::WireSize LinkFraming::size(const flow::Packet& p, Bytes payload) const {
  const Bytes header = p.header<Header>().body ? Bytes::zero() : header_;
  const Bytes used = header + payload;
  return {payload, header, flit_ * units_of(used, flit_) - used};
}

flow::Credits LinkFraming::cost(const flow::Packet& p, Bytes payload) const {
  const bool body = p.header<Header>().body;
  return flow::Credits::of(body ? 0 : 1, units_of((body ? Bytes::zero() : header_) + payload, flit_));
}

std::string_view LinkFraming::class_name(flow::FlowClass c) const {
  constexpr std::string_view names[most_virtual_channels] = {"VC 0",  "VC 1",  "VC 2",  "VC 3", "VC 4",  "VC 5",
                                                             "VC 6",  "VC 7",  "VC 8",  "VC 9", "VC 10", "VC 11",
                                                             "VC 12", "VC 13", "VC 14", "VC 15"};
  return names[c];
}

Rate payload_rate(const net::WireSpec& wire, Bytes n) {
  const flow::Packet p;
  const std::int64_t full = n / wire.max_payload;
  const Bytes rest = n - wire.max_payload * full;
  Bytes sum = full > 0 ? wire.framing->size(p, wire.max_payload).total() * full : Bytes::zero();
  if (rest > Bytes::zero()) sum += wire.framing->size(p, rest).total();
  return wire.rate.scaled(n.count(), sum.count());
}

net::WireSpec link_spec(const config::AnyConfig& any) {
  const auto& c = any.as<LinkConfig>();
  net::WireSpec w;
  w.protocol = "link";
  w.framing = std::make_shared<LinkFraming>(c.header, c.flit, c.virtual_channels, c.switching == Switching::wormhole);
  w.flow_control = c.flow_control;
  w.stop_go = {c.stop_flits, c.go_flits};
  w.rate = c.bandwidth;
  w.flight = c.flight;
  w.max_payload = c.max_payload;
  return w;
}

}  // namespace tsunagi::router
