// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/error_at.hpp"
#include "models/pcie/refusal.hpp"
#include "models/pcie/tlp.hpp"
#include "models/pcie/way_back.hpp"
#include "net/cut_through.hpp"
#include "units/parse.hpp"

namespace tsunagi::pcie {

namespace {

// Ways back through switches: twice that (from one card to another) and two root complexes, 128 ports each, fit 32
// bits.
constexpr std::int64_t most_ways = 1 << 16;
constexpr std::size_t most_downstream = 126;

}  // namespace

void describe(SwitchConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("forwarding", c.forwarding,
           {{"cut_through", static_cast<std::int64_t>(Forwarding::cut_through), "a packet leaves while it comes in"},
            {"store_and_forward", static_cast<std::int64_t>(Forwarding::store_and_forward),
             "a packet leaves when all of it is there"}},
           "when a packet starts to leave", ideal(static_cast<std::int64_t>(Forwarding::cut_through)));
  d.field("latency", c.latency, "from a packet's head (store and forward: its tail) coming in to its head leaving",
          at_most(10_us), ideal(0_ns));
  d.field("max_payload_size", c.max_payload_size, "largest TLP payload that its ports can be set to",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field(
      "acs_redirect", c.acs_redirect,
      "requests from a downstream port go up whatever their address (access control services: P2P request redirect)");
  d.object("buffers", c.buffers, "receive buffer of each port");
  d.list("downstream", c.downstream, "downstream ports; the upstream one is called \"up\"");
  d.require(c.downstream.size() <= most_downstream, fmt::format("a switch has at most {} ports", most_downstream + 1));
  std::set<std::string> names{"up"};
  std::vector<Window> windows;
  for (const SlotConfig& s : c.downstream) {
    if (!names.insert(s.name).second) d.require(false, "two ports are called \"" + s.name + "\"");
    windows.push_back(window_of(s));
  }
  check_windows(windows, d);
}

Switch::Switch(DeviceArgs args, const SwitchConfig& c) : Device(args.sim, args.pool, args.name), config_(c) {
  if (c.downstream.empty())  // a part file names none
    throw config::error_at("/machine", name() + ": a switch has at least one downstream port (\"downstream\")");
  const auto spec = [&](int kind) {
    net::PortSpec s;
    s.protocol = "pcie";
    s.role = kind == up ? net::LinkRole::endpoint : net::LinkRole::root_complex;
    s.needed = true;
    s.sources = static_cast<int>(c.downstream.size()) + 1;
    s.rx.trains = true;
    s.rx.store_and_forward = c.forwarding == Forwarding::store_and_forward;
    s.rx.pipeline.delay = c.latency;
    s.rx.buffers = buffer_credits(c.buffers);
    return s;
  };
  ports().reserve(c.downstream.size() + 1);
  add_port("up", args.specs.of(c, up, [&] { return spec(up); }));
  for (const SlotConfig& s : c.downstream) add_port(s.name, args.specs.of(c, 1, [&] { return spec(1); }));
}

void Switch::wired() {
  for (const net::Port& p : ports()) least_latency_ = std::min(least_latency_, p.least_latency());
  check_payloads();
  check_depth();
  const SlotConfig* above = slot_above(*this);
  if (above == nullptr) return;
  for (const SlotConfig& s : config_.downstream)
    if (!window_of(*above).holds(window_of(s)))
      throw config::error_at("/machine",
                             fmt::format("{}: {}, are not all within what {} of {} shows, {} from {}", name(),
                                         window_of(s).text(), above->name, port(up).channel().destination().name(),
                                         to_string(above->window_size), to_string(above->window_base)));
}

void Switch::check_payloads() const {
  const Bytes set = ports().front().max_payload();
  if (set > config_.max_payload_size)
    throw config::error_at("/machine",
                           fmt::format("{} carries packets of at most {} (\"max_payload_size\"), but that of "
                                       "the link at \"up\" is {}",
                                       name(), to_string(config_.max_payload_size), to_string(set)));
  for (const net::Port& p : ports())
    if (p.max_payload() != set)
      throw config::error_at(
          "/machine", fmt::format("{}: packets pass a switch whole, but max_payload_size is {} at \"up\" and {} at "
                                  "\"{}\"",
                                  name(), to_string(set), to_string(p.max_payload()), p.name()));
}

void Switch::check_depth() const {
  std::int64_t ways = 1;
  for (const Switch* s = this; s != nullptr;
       s = dynamic_cast<const Switch*>(&s->ports().front().channel().destination())) {
    if (s == this && ways > 1)
      throw config::error_at("/machine", name() + ": its port \"up\" leads to one of its own downstream ports");
    ways *= s->port_count();
    if (ways > most_ways)
      throw config::error_at("/machine", fmt::format("{}: too many switches are above each other: the product of their "
                                                     "numbers of ports may be {} at most",
                                                     name(), most_ways));
  }
}

const net::Port* Switch::port_for(int in, Address address) const {
  const int out = port_to(in, address);
  return out == in ? nullptr : &ports()[static_cast<std::size_t>(out)];
}

void Switch::receive(int in, net::Delivery&& d) {
  if (tlp_class(*d.packet) == completion) {
    const int out = pop_port(d.packet->header<Tlp>().requester.device, port_count());
    return forward(in, out, std::move(d));
  }
  // A train whose packets belong to several ports is no train here.
  while (d.packet->count > 1) {
    const flow::Packet& p = *d.packet;
    const std::int64_t together = units_of(same_slot_for(config_.downstream, Address(p.address)), p.stride);
    if (together >= p.count) break;
    forward_request(in, net::split_front(d, static_cast<std::int32_t>(together)));
  }
  forward_request(in, std::move(d));
}

void Switch::forward_request(int in, net::Delivery d) {
  const Address address(d.packet->address);
  const int out = port_to(in, address);
  if (out == in)
    return refuse(*this, in, in, std::move(d), Time::zero(),
                  fmt::format("no device answers at address {}", to_string(address)));
  if (!is_write(*d.packet)) push_port(d.packet->header<Tlp>().requester.device, in, port_count());
  forward(in, out, std::move(d));
}

void Switch::forward(int in, int out, net::Delivery d) {
  if (config_.forwarding == Forwarding::cut_through) net::await_tail(*this, port(out), d);
  port(out).send(in, std::move(d));
}

const net::Channel* link_above_switches(const net::Device& card) {
  const net::Port* port = &card.ports().front();
  while (port->connected()) {
    const auto* above = dynamic_cast<const Switch*>(&port->channel().destination());
    if (above == nullptr) return &port->channel();
    port = &above->ports()[Switch::up];
  }
  return nullptr;
}

}  // namespace tsunagi::pcie
