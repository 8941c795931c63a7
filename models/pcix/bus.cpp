// SPDX-License-Identifier: Apache-2.0
#include "models/pcix/bus.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "config/error_at.hpp"
#include "models/pcie/refusal.hpp"
#include "models/pcie/tlp.hpp"
#include "models/pcie/way_back.hpp"
#include "units/parse.hpp"

namespace tsunagi::pcix {

namespace {

constexpr std::size_t most_slots = 16;

}  // namespace

void describe(BusConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "of the bus, in mode 1", within(Frequency(33'000'000), Frequency(133'333'334)),
          ideal(Frequency(133'333'334)));
  d.field("width", c.width, "bits of data that move in a clock", one_of({32, 64}), ideal(64));
  d.field("decode", c.decode,
          "clocks from the attribute phase to the response of targets (1, 2, 3: decode speeds A, B, C)", within(1, 3),
          ideal(1));
  d.field("arbitration", c.arbitration,
          "clocks from a request at an idle bus to its address phase; behind another transaction they are hidden",
          within(0, 8), ideal(0));
  d.list("slots", c.slots, "slots, with the addresses of the card in each; the bridge's port is called \"host\"");
  d.require(c.slots.size() <= most_slots, fmt::format("a bus has at most {} slots", most_slots));
  std::set<std::string> names{"host"};
  std::vector<pcie::Window> windows;
  for (const pcie::SlotConfig& s : c.slots) {
    if (!names.insert(s.name).second) d.require(false, "two ports are called \"" + s.name + "\"");
    windows.push_back(window_of(s));
  }
  check_windows(windows, d);
}

Bus::Bus(DeviceArgs args, const BusConfig& c) : SharedBus(args, Clock(c.clock), c.arbitration), config_(c) {
  if (c.slots.empty()) throw config::error_at("/machine", name() + ": a bus has at least one slot (\"slots\")");
  timing_.width = Bytes(c.width / 8);
  timing_.decode = c.decode;
  const auto spec = [] {
    net::PortSpec s;
    s.protocol = "pcix";
    s.in_order = true;
    s.rx.buffers.assign(pcie::tlp_classes, {1, flow::Credits::infinite});
    return s;
  };
  ports().reserve(c.slots.size() + 1);
  add_port("host", args.specs.of(c, 0, spec));
  for (const pcie::SlotConfig& s : c.slots) add_port(s.name, args.specs.of(c, 0, spec));
}

void Bus::wired() {
  SharedBus::wired();
  if (!ports()[host_port].connected())
    throw config::error_at("/machine", name() + ": nothing is connected to its port \"host\"");
}

const net::Port* Bus::port_for(int in, Address address) const {
  const int slot = pcie::slot_with(config_.slots, address);
  const int out = slot < 0 ? host_port : 1 + slot;
  return out == in ? nullptr : &ports()[static_cast<std::size_t>(out)];
}

int Bus::route(int in, const flow::Packet& p) const {
  if (pcie::tlp_class(p) == pcie::completion) {
    std::uint32_t way = p.header<pcie::Tlp>().requester.device;
    return pcie::pop_port(way, port_count());
  }
  const int slot = pcie::slot_with(config_.slots, Address(p.address));
  const int out = slot < 0 ? host_port : 1 + slot;
  return out == in ? -1 : out;
}

Clocks Bus::clocks(int /*in*/, int /*last*/, const flow::Packet& p) const {
  switch (pcie::tlp_class(p)) {
    case pcie::posted:
      return timing_.burst(p.address, p.payload);
    case pcie::non_posted:
      return timing_.request(p.address);
    default:
      break;
  }
  // A split completion message is one word.
  return timing_.completion(p.address, std::max(p.payload, Bytes(4)));
}

void Bus::pass(int in, int /*out*/, flow::Packet& p) {
  std::uint32_t& way = p.header<pcie::Tlp>().requester.device;
  if (pcie::tlp_class(p) == pcie::non_posted) pcie::push_port(way, in, port_count());
  if (pcie::tlp_class(p) == pcie::completion) pcie::pop_port(way, port_count());
}

void Bus::nobody(int in, net::Delivery d) {
  if (pcie::tlp_class(*d.packet) == pcie::completion)
    throw std::runtime_error(name() + ": a completion came for nobody's read");
  const std::string why =
      fmt::format("no device answers at address {} (master abort)", to_string(Address(d.packet->address)));
  pcie::refuse(*this, in, 0, std::move(d), Time::zero(), why);
}

}  // namespace tsunagi::pcix
