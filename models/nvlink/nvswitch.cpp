// SPDX-License-Identifier: Apache-2.0
#include "models/nvlink/nvswitch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/error_at.hpp"
#include "models/pcie/refusal.hpp"
#include "models/pcie/tlp.hpp"
#include "models/pcie/way_back.hpp"
#include "net/cut_through.hpp"

namespace tsunagi::nvlink {

std::vector<Behind> wired_to(const net::Device& device, int first) {
  std::vector<Behind> out;
  for (int i = first; i < static_cast<int>(device.ports().size()); ++i) {
    const net::Port& p = device.ports()[static_cast<std::size_t>(i)];
    if (!p.connected()) continue;
    const net::Device& there = p.channel().destination();
    const auto* end = dynamic_cast<const Endpoint*>(&there);
    if (end == nullptr) continue;
    auto at = std::find_if(out.begin(), out.end(), [&](const Behind& b) { return b.device == &there; });
    if (at == out.end()) at = out.insert(out.end(), {&there, end->nvlink_window(), {}});
    at->ports.push_back(i);
  }
  return out;
}

void describe(NvSwitchConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ports", c.ports, "links that it has", within(2, 128));
  d.field("latency", c.latency, "from a packet's head coming in to its head leaving", at_most(10_us), ideal(0_ns));
  d.object("buffers", c.buffers, "receive buffer of each port; a data credit is a flit of 16 B");
}

NvSwitch::NvSwitch(DeviceArgs args, const NvSwitchConfig& c) : Device(args.sim, args.pool, args.name) {
  const auto spec = [&] {
    net::PortSpec s;
    s.protocol = "nvlink";
    s.sources = c.ports;
    s.rx.trains = true;
    s.rx.store_and_forward = false;
    s.rx.pipeline.delay = c.latency;
    s.rx.buffers = pcie::buffer_credits(c.buffers);
    return s;
  };
  ports().reserve(static_cast<std::size_t>(c.ports));
  for (int i = 0; i < c.ports; ++i) add_port(fmt::format("port{}", i), args.specs.of(c, 1, spec));
}

void NvSwitch::wired() {
  bundles_ = wired_to(*this, 0);
  place_.assign(ports().size(), 0);
  for (const net::Port& p : ports()) {
    least_latency_ = std::min(least_latency_, p.least_latency());
    if (p.connected() && dynamic_cast<const Endpoint*>(&p.channel().destination()) == nullptr)
      throw config::error_at("/machine", fmt::format("{}: port \"{}\" is wired to {}; links between switches are not "
                                                     "modelled",
                                                     name(), p.name(), p.channel().destination().name()));
  }
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    for (std::size_t k = 0; k < bundles_[i].ports.size(); ++k)
      place_[static_cast<std::size_t>(bundles_[i].ports[k])] = static_cast<int>(k);
    for (std::size_t k = 0; k < i; ++k)
      if (bundles_[i].window.overlaps(bundles_[k].window))
        throw config::error_at("/machine", fmt::format("{}: {}, overlap {}", name(), bundles_[k].window.text(),
                                                       bundles_[i].window.text()));
  }
}

int NvSwitch::port_to(int in, std::uint64_t address) const {
  for (const Behind& b : bundles_)
    if (b.has(address)) return b.ports[static_cast<std::size_t>(place_[static_cast<std::size_t>(in)]) % b.ports.size()];
  return -1;
}

void NvSwitch::receive(int in, net::Delivery&& d) {
  int out = -1;
  if (pcie::tlp_class(*d.packet) == pcie::completion) {
    out = pcie::pop_port(d.packet->header<pcie::Tlp>().requester.device, port_count());
  } else {
    out = port_to(in, d.packet->address);
    if (out < 0 || out == in) {
      const std::string why = fmt::format("no GPU answers at address {:#x} on NVLink", d.packet->address);
      return pcie::refuse(*this, in, in, std::move(d), Time::zero(), why);
    }
    if (!pcie::is_write(*d.packet)) pcie::push_port(d.packet->header<pcie::Tlp>().requester.device, in, port_count());
  }
  net::await_tail(*this, port(out), d);
  port(out).send(in, std::move(d));
}

}  // namespace tsunagi::nvlink
