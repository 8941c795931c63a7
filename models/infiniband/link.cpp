// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/link.hpp"

#include <algorithm>
#include <memory>

namespace tsunagi::infiniband {

namespace {

constexpr std::int64_t number(Speed s) { return static_cast<std::int64_t>(s); }

const std::vector<config::Choice>& speeds() {
  static const std::vector<config::Choice> all = {{"sdr", number(Speed::sdr), "2.5 Gb/s a lane, 8b/10b"},
                                                  {"ddr", number(Speed::ddr), "5 Gb/s a lane, 8b/10b"},
                                                  {"qdr", number(Speed::qdr), "10 Gb/s a lane, 8b/10b"},
                                                  {"fdr10", number(Speed::fdr10), "10.3125 Gb/s a lane, 64b/66b"},
                                                  {"fdr", number(Speed::fdr), "14.0625 Gb/s a lane, 64b/66b"},
                                                  {"edr", number(Speed::edr), "25.78125 Gb/s a lane, 64b/66b"},
                                                  {"hdr", number(Speed::hdr), "53.125 Gb/s a lane, 16/17"},
                                                  {"ndr", number(Speed::ndr), "106.25 Gb/s a lane, 16/17"}};
  return all;
}

/// "4x fdr".
std::string words(Speed s, int width) {
  for (const config::Choice& c : speeds())
    if (c.value == number(s)) return std::to_string(width) + "x " + std::string(c.name);
  return {};
}

/// Of the same names for wires and ports: an ideal wire fits an ideal port alone.
void describe_speed(Speed& speed, int& width, std::string_view of_speed, std::string_view of_width,
                    config::Describer& d) {
  using namespace config;
  d.choice("speed", speed, speeds(), of_speed, ideal(number(Speed::ndr), "InfiniBand speed"));
  d.field("width", width, of_width, one_of({1, 4, 8, 12}), ideal(12, "InfiniBand lanes"));
}

}  // namespace

void describe(PortLimits& c, config::Describer& d) {
  describe_speed(c.speed, c.width, "fastest signalling rate of its network ports", "most lanes of one", d);
}

std::string refusal(const PortLimits& port, const net::WireSpec& wire) {
  const auto* framing = dynamic_cast<const LinkFraming*>(wire.framing.get());
  if (framing == nullptr || (framing->speed() <= port.speed && framing->width() <= port.width)) return {};
  return "is one of up to " + words(port.speed, port.width) + ", the wire there of " +
         words(framing->speed(), framing->width());
}

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  describe_speed(c.speed, c.width, "signalling rate and line code", "lanes", d);
  d.field("mtu", c.mtu, "largest payload of a packet", one_of({256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field("flight", c.flight, "delay of the cable, one way", within(1_ps, 100_us), ideal(1_ps), or_length);
  d.field("virtual_lanes", c.virtual_lanes, "data virtual lanes, each with credits of its own",
          one_of({1, 2, 4, 8, most_virtual_lanes}));
  d.field("credit_updates", c.credit_updates,
          "return credits by flow control packets in the reverse direction (off: credits fly home alone)", ideal(0));
  d.field("update_delay", c.update_delay, "latest time from a release of buffer space to its flow control packet",
          at_most(1_ms), ideal(0_ns));
}

namespace {

struct Signalling {
  Frequency lane;
  std::int64_t data;  // bits, of
  std::int64_t line;  // bits
};

Signalling signalling(Speed s) {
  switch (s) {
    case Speed::sdr:
      return {Frequency(2'500'000'000), 8, 10};
    case Speed::ddr:
      return {Frequency(5'000'000'000), 8, 10};
    case Speed::qdr:
      return {Frequency(10'000'000'000), 8, 10};
    case Speed::fdr10:
      return {Frequency(10'312'500'000), 64, 66};
    case Speed::fdr:
      return {Frequency(14'062'500'000), 64, 66};
    case Speed::edr:
      return {Frequency(25'781'250'000), 64, 66};
    // 256b/257b and Reed-Solomon (544, 514): 256/257 x 514/544.
    case Speed::hdr:
      return {Frequency(53'125'000'000), 16, 17};
    case Speed::ndr:
      break;
  }
  return {Frequency(106'250'000'000), 16, 17};
}

}  // namespace

Rate link_rate(const LinkConfig& c) {
  constexpr std::int64_t second = 1'000'000'000'000'000;
  const Signalling s = signalling(c.speed);
  return Rate::bytes_in(s.lane.hz() * c.width * s.data, 8 * s.line * second);
}

flow::WireSize LinkFraming::size(const flow::Packet& p, Bytes payload) const {
  constexpr Bytes word{4};
  const Header& h = p.header<Header>();
  return {payload, local_route_header + transport_header(h.code()) + (h.datagram != 0 ? datagram_headers : Bytes()),
          word * units_of(payload, word) - payload + checks + delimiters};
}

flow::Credits LinkFraming::cost(const flow::Packet& p, Bytes payload) const {
  return flow::Credits::of(0, units_of(size(p, payload).total() - delimiters, credit_block));
}

std::string_view LinkFraming::class_name(flow::FlowClass c) const {
  constexpr std::string_view names[most_virtual_lanes] = {"VL 0",  "VL 1",  "VL 2",  "VL 3",  "VL 4",
                                                          "VL 5",  "VL 6",  "VL 7",  "VL 8",  "VL 9",
                                                          "VL 10", "VL 11", "VL 12", "VL 13", "VL 14"};
  return names[c];
}

router::Header route_header(int source, int destination, int virtual_lanes, int level) {
  router::Header h = router::header_of(source, destination, virtual_lanes);
  // Routing takes the virtual lane, or that within a class, from the mix without its lowest byte, modulo their number.
  // `step` is a multiple of both, for routes of one, two or three classes. The uppermost bit goes, so that a level
  // fits.
  const auto step = static_cast<std::uint32_t>(virtual_lanes * std::max(1, virtual_lanes / 2));
  const std::uint32_t upper = (h.mix & 0x7fffffff) >> 8;
  h.mix = (upper - upper % step + static_cast<std::uint32_t>(level)) << 8 | (h.mix & 0xff);
  h.vc = router::any_vc(h.mix, virtual_lanes);
  return h;
}

net::WireSpec link_spec(const config::AnyConfig& any) {
  const auto& c = any.as<LinkConfig>();
  const Signalling s = signalling(c.speed);
  net::WireSpec w;
  w.protocol = "infiniband";
  w.framing = std::make_shared<LinkFraming>(c.virtual_lanes, c.speed, c.width);
  w.rate = link_rate(c);
  w.coding_data = s.data;
  w.coding_line = s.line;
  w.flight = c.flight;
  w.max_payload = c.mtu;
  w.link_layer.credit_updates = c.credit_updates;
  // 7.9.4: operand, FCTBS, VL and FCCL in 4 B, CRC 2 B, and the symbols that begin and end it.
  w.link_layer.dllp = 8_B;
  w.link_layer.update_delay = c.update_delay;
  return w;
}

}  // namespace tsunagi::infiniband
