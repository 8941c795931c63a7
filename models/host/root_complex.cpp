// SPDX-License-Identifier: Apache-2.0
#include "models/host/root_complex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "flow/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

void describe(SlotConfig& c, config::Describer& d) {
  using namespace config;
  d.field("name", c.name, "name of the port", required);
  d.field("window_base", c.window_base, "first address of the device's window", required, at_least(0_B));
  d.field("window_size", c.window_size, "bytes of the device's window", required, at_least(4_KiB));
}

void describe(RootComplexConfig& c, config::Describer& d) {
  using namespace config;
  d.field("cores", c.cores, "core ports: core0, core1, ...", within(1, 64));
  d.field("memory_size", c.memory_size, "addresses from 0 that belong to the memory port", at_least(1_MiB));
  d.field("posted_latency", c.posted_latency, "from one port to another for a posted write", at_most(10_us),
          ideal(0_ns));
  d.field("read_latency", c.read_latency, "from a slot to the memory for a read request", at_most(10_us), ideal(0_ns));
  d.field("completion_latency", c.completion_latency, "from the memory to a slot for a completion", at_most(10_us),
          ideal(0_ns));
  d.field("completion_size", c.completion_size,
          "largest completion that is built of consecutive cache lines of host memory; the link's max payload bounds "
          "it too",
          one_of({64, 128, 256}), ideal(256));
  d.field("read_completion_boundary", c.read_completion_boundary, "completions end at multiples of this (RCB)",
          one_of({64, 128}));
  d.require(c.read_completion_boundary <= c.completion_size,
            "\"completion_size\" must not be below \"read_completion_boundary\"");
  d.object("buffers", c.buffers, "receive buffer of each slot's port");
  d.list("slots", c.slots, "PCIe slots");
}

RootComplex::RootComplex(DeviceArgs args, const RootComplexConfig& c)
    : Device(args.sim, args.pool, std::move(args.name)), config_(c), max_train_(args.max_train) {
  const int sources = c.cores + 1 + static_cast<int>(c.slots.size());
  const auto add = [&](std::string port_name, const char* protocol) {
    net::PortSpec s;
    s.name = std::move(port_name);
    s.protocol = protocol;
    s.sources = sources;
    if (s.protocol == "pcie") {
      s.role = net::LinkRole::root_complex;
      s.rx.buffers = pcie::buffer_credits(c.buffers);
    }
    add_port(std::move(s));
  };
  for (int i = 0; i < c.cores; ++i) add("core" + std::to_string(i), "on_chip");
  add("memory", "on_chip");
  for (const SlotConfig& s : c.slots) add(s.name, "pcie");
}

void RootComplex::wired() {
  if (!port(memory_port()).connected())
    throw config::error_at("/machine", name() + ": its memory port is not connected");
}

const SlotConfig* RootComplex::slot_of(const net::Device& device) const {
  for (std::size_t i = 0; i < config_.slots.size(); ++i) {
    const net::Port& slot = ports()[static_cast<std::size_t>(slot_port(i))];
    if (slot.connected() && &slot.channel().destination() == &device) return &config_.slots[i];
  }
  return nullptr;
}

int RootComplex::route(std::uint64_t address) const {
  for (std::size_t i = 0; i < config_.slots.size(); ++i) {
    const SlotConfig& s = config_.slots[i];
    if (address - static_cast<std::uint64_t>(s.window_base.count()) < static_cast<std::uint64_t>(s.window_size.count()))
      return slot_port(i);
  }
  if (address < static_cast<std::uint64_t>(config_.memory_size.count())) return memory_port();
  throw std::runtime_error(fmt::format("{}: no device answers at address {:#x}", name(), address));
}

void RootComplex::receive(int in, net::Delivery d) {
  const pcie::TlpType type = d.packet->header<pcie::Tlp>().type;
  if (type == pcie::TlpType::completion_with_data || type == pcie::TlpType::completion)
    return forward_completion(std::move(d));
  const int out = route(d.packet->address);
  if (!port(out).connected())
    throw std::runtime_error(
        fmt::format("{}: nothing is connected to {} for address {:#x}", name(), port(out).name(), d.packet->address));
  if (type == pcie::TlpType::memory_read) return forward_read(in, out, std::move(d));
  pass(d, "posted write", config_.posted_latency);
  port(out).send(in, std::move(d));
}

namespace {

// A request remembers the way back in its requester number: each root complex pushes the port it came in by.
constexpr int port_base = 128;

}  // namespace

void RootComplex::pass(net::Delivery& d, const char* what, Time latency) const {
  tell(d.packet->id, 0, net::Stage::pipeline, what, d.schedule.front().head, d.schedule.front().head + latency);
  for (net::Span& s : d.schedule) s = {s.head + latency, s.tail + latency};
}

void RootComplex::forward_read(int in, int out, net::Delivery d) {
  if (out != memory_port())
    throw std::runtime_error(fmt::format("{}: reads of other devices are not supported", name()));
  const flow::Packet& p = *d.packet;
  const pcie::Tlp& h = p.header<pcie::Tlp>();
  const Time ready = d.schedule.back().tail + config_.read_latency;
  // One request to the memory for each completion that will go back (Base Specification 2.3.1.1: a
  // completion ends at a multiple of RCB unless it is the last).
  Bytes left(h.length);
  const Bytes whole = std::min(config_.completion_size, port(in).max_payload());
  for (std::uint64_t at = p.address; left > Bytes::zero();) {
    const Bytes piece = flow::next_piece(at, left, whole, whole);
    // Whole completions that follow travel as one train.
    const std::int64_t alike = piece == whole ? std::min(left / piece, max_train_) : 1;
    net::Delivery read;
    read.packet = pool().clone(p);
    tell(read.packet->id, p.id, net::Stage::pipeline, "read request", d.schedule.back().tail, ready);
    pcie::set_read(*read.packet, at, static_cast<std::int32_t>(alike), piece);
    pcie::Requester& back = read.packet->header<pcie::Tlp>().requester;
    back.device = static_cast<std::uint16_t>(back.device * port_base + in);
    for (std::int64_t i = 0; i < alike; ++i) read.schedule.push_back({ready, ready});
    port(out).send(in, std::move(read));
    at += static_cast<std::uint64_t>((piece * alike).count());
    left -= piece * alike;
  }
  d.slot.release(net::Schedule::at(ready));
}

void RootComplex::forward_completion(net::Delivery d) {
  pcie::Tlp& h = d.packet->header<pcie::Tlp>();
  const int out = h.requester.device % port_base;
  h.requester.device = static_cast<std::uint16_t>(h.requester.device / port_base);
  pass(d, "completion", config_.completion_latency);
  port(out).send(memory_port(), std::move(d));
}

}  // namespace tsunagi::host
