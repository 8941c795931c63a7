// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/crossbar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/myrinet/link.hpp"

namespace tsunagi::myrinet {

void describe(CrossbarConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ports", c.ports, "that it has", within(2, 128));
  d.field("latency", c.latency, "from a byte's arrival to its leaving by a free output", at_most(10_us), ideal(0_ns));
  d.field("slack", c.slack, "slack buffer of each port", within(16_B, 1_MiB), ideal(1_MiB));
}

namespace {

const topo::Place& place_of(const std::string& name, const DeviceArgs& args) {
  const topo::Place* place = topo::place_as(topo::Place::Role::router, args.places);
  if (place == nullptr)
    throw config::error_at("/machine", name +
                                           ": a Myrinet crossbar takes its place from a topology; in an explicit "
                                           "one, from its \"networks\"");
  return *place;
}

}  // namespace

Crossbar::Crossbar(DeviceArgs args, const CrossbarConfig& c)
    : Device(args.sim, args.pool, args.name),
      place_(place_of(name(), args).number),
      network_(place_of(name(), args).network),
      slack_(c.slack) {
  const int count = network_->ports(place_);
  if (count > c.ports)
    throw config::error_at("/machine",
                           fmt::format("{} has {} ports, the network uses {} of it", name(), c.ports, count));
  const auto spec = args.specs.of(c, count, [&] {
    net::PortSpec p;
    p.protocol = "myrinet";
    p.sources = count;
    p.rx.pipeline = {std::nullopt, 0, c.latency};
    p.rx.store_and_forward = false;
    p.rx.trains = true;
    p.rx.buffers = {flow::Credits::of(flow::Credits::infinite, c.slack.count())};
    return p;
  });
  ports().reserve(static_cast<std::size_t>(count));
  inputs_ = std::vector<Input>(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    add_port(network_->port_name(place_, i), spec);
    inputs_[static_cast<std::size_t>(i)].crossbar = this;
    inputs_[static_cast<std::size_t>(i)].number = i;
  }
}

void Crossbar::wired() {
  for (const net::Port& p : ports()) {
    least_latency_ = std::min(least_latency_, p.least_latency());
    if (!p.connected()) continue;
    if (const std::string why = refusal(slack_, p.incoming().wire()); !why.empty())
      throw config::error_at("/machine", name() + "." + p.name() + " " + why);
  }
}

void Crossbar::receive(int port, net::Delivery&& d) {
  Input& in = inputs_[static_cast<std::size_t>(port)];
  const bool head = d.packet->header<Header>().head != 0;
  if (in.waiting.empty() && !(head && in.output != none)) return pass(in, std::move(d));
  if (in.waiting.empty()) ++waiting_inputs_;
  in.waiting.push_back(std::move(d));
}

int Crossbar::take_route_byte(Input& in, Header& h) {
  const std::string& from = port(in.number).name();
  if (h.left() == 0)
    throw std::runtime_error(fmt::format("{}: a packet came by {} whose route has ended before", name(), from));
  const int output = h.route.bytes[h.taken++] & ~route_mark;
  if (output >= static_cast<int>(ports().size()) || !port(output).connected())
    throw std::runtime_error(
        fmt::format("{}: a packet that came by {} is to leave by port {}{}, at which nothing is connected", name(),
                    from, output, output < static_cast<int>(ports().size()) ? " (" + port(output).name() + ")" : ""));
  return output;
}

void Crossbar::pass(Input& in, net::Delivery d) {
  Header& h = d.packet->header<Header>();
  if (h.head != 0) in.output = take_route_byte(in, h);
  wait_behind(in, d);
  if (h.tail != 0) {
    in.tail = std::move(d.slot);
    d.slot = net::Slot(in, 0, {0, 0}, 1);
  }
  port(in.output).send(in.number, std::move(d));
}

void Crossbar::wait_behind(const Input& in, net::Delivery& d) const {
  const Time first = d.schedule.front().head;
  if (first >= in.free_since) return;
  tell(d.packet->id, 0, net::Stage::buffer, "behind a packet at its input", first, in.free_since);
  for (net::Span& s : d.schedule) s = {std::max(s.head, in.free_since), std::max(s.tail, in.free_since)};
}

void Crossbar::Input::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  output = none;
  free_since = when.back().tail;
  tail.release(when, packet);
  tail = {};
  crossbar->go_on(*this);
}

void Crossbar::go_on(Input& in) {
  if (in.waiting.empty()) return;
  while (!in.waiting.empty() && !(in.output != none && in.waiting.front().packet->header<Header>().head != 0)) {
    pass(in, in.waiting.take_front());
  }
  if (in.waiting.empty()) --waiting_inputs_;
}

std::string Crossbar::leftover() const {
  for (const Input& in : inputs_)
    if (in.output != none)
      return fmt::format("a packet that came by {} is on its way to {}",
                         ports()[static_cast<std::size_t>(in.number)].name(),
                         ports()[static_cast<std::size_t>(in.output)].name());
  std::int64_t came = 0, left = 0;
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    came += p.incoming().counters().packets;
    left += p.channel().counters().packets;
  }
  return came == left ? "" : fmt::format("{} pieces came, but {} left", came, left);
}

}  // namespace tsunagi::myrinet
