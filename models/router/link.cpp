// SPDX-License-Identifier: Apache-2.0
#include "models/router/link.hpp"

#include <memory>

namespace tsunagi::router {

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  d.field("bandwidth", c.bandwidth, "bytes a second in each direction", at_least(Rate::bytes_per_second(1'000'000)));
  d.field("flight", c.flight, "delay of the cable or trace, one way; also of a credit on its way home",
          within(1_fs, 100_us), ideal(1_fs));
  d.field("virtual_channels", c.virtual_channels, "virtual channels, each with credits of its own",
          within(1, most_virtual_channels));
  d.field("header", c.header, "bytes of a packet's header, in the first flit", within(0_B, 256_B), ideal(0_B));
  d.field("flit", c.flit, "bytes of a flit, the unit of buffers and credits", within(1_B, 4_KiB));
  d.field("max_payload", c.max_payload, "largest payload of a packet", within(1_B, 1_MiB));
}

flow::WireSize LinkFraming::size(const flow::Packet&, Bytes payload) const {
  const Bytes used = header_ + payload;
  return {payload, header_, flit_ * units_of(used, flit_) - used};
}

flow::Credits LinkFraming::cost(const flow::Packet&, Bytes payload) const {
  return {1, units_of(header_ + payload, flit_)};
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
  w.framing = std::make_shared<LinkFraming>(c.header, c.flit, c.virtual_channels);
  w.rate = c.bandwidth;
  w.flight = c.flight;
  w.max_payload = c.max_payload;
  return w;
}

}  // namespace tsunagi::router
