// SPDX-License-Identifier: Apache-2.0
#include "models/router/terminal.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tsunagi::router {

void describe(TerminalConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the network interface", within(Frequency(1'000'000), Frequency(100'000'000'000)));
  d.field("send_latency", c.send_latency, "cycles from a message's posting to its head on the wire", within(0, 100000),
          ideal(0));
  d.field("receive_latency", c.receive_latency, "cycles from a packet's tail to its delivery", within(0, 100000),
          ideal(0));
}

Terminal::Terminal(DeviceArgs args, const TerminalConfig& c)
    : Device(args.sim, args.pool, args.name), max_train_(args.max_train) {
  const topo::Place* place = topo::place_as(topo::Place::Role::terminal, args.places);
  if (place == nullptr)
    throw config::error_at("/machine", name() +
                                           ": a terminal takes its place from a topology; in an explicit one, from " +
                                           "the \"networks\" that it is wired to");
  place_ = place->number;
  network_ = place->network;
  adaptive_ = network_->routes().adaptive() != nullptr;
  add_port("net", args.specs.of(c, 1, [&] {
    net::PortSpec p;
    p.protocol = "link";
    p.needed = true;
    p.tx.pipeline = {Clock(c.clock), c.send_latency, Time::zero()};
    p.rx.pipeline = {Clock(c.clock), c.receive_latency, Time::zero()};
    p.rx.trains = true;
    return p;
  }));
}

void Terminal::receive(int, net::Delivery d) {
  if (sink_ == nullptr) throw std::logic_error(name() + " has no library that takes packets");
  d.slot.release(d.schedule);
  sink_->arrived(*d.packet, d.schedule.back().tail);
}

void Terminal::send(int to, Bytes n, std::uint32_t origin, net::SlotOwner& owner) {
  send(header_of(place_, to, wire().framing->classes()), n, origin, owner);
}

void Terminal::multicast(int first, int copies, Bytes n, std::uint32_t origin, net::SlotOwner& owner) {
  if (copies < 1) throw std::runtime_error(name() + ": a multicast goes to somebody");
  for (int i = 0; i < copies; ++i)
    if (i == network_->terminals() ||
        network_->router_of((first + i) % network_->terminals()) != network_->router_of(first))
      throw std::runtime_error(name() + ": a multicast goes to terminals of one router, each once");
  Header h = header_of(place_, first, wire().framing->classes());
  h.copies = static_cast<std::uint16_t>(copies);
  send(h, n, origin, owner);
}

std::int64_t Terminal::packets_of(Bytes n) const {
  const Bytes largest = ports().front().max_payload();
  const std::int64_t whole = n / largest;
  const Bytes rest = n - largest * whole;
  return whole * framing().pieces(largest) + (rest > Bytes::zero() ? framing().pieces(rest) : 0);
}

void Terminal::send(const Header& h, Bytes n, std::uint32_t origin, net::SlotOwner& owner) {
  const Bytes largest = port(0).max_payload();
  Message m{h, origin, owner, {}};
  if (framing().in_worms()) {
    while (m.done < n) send_worm(m, std::min(n - m.done, largest));
  } else {
    const std::int64_t packets = units_of(n, largest);
    post(m, packets, largest, n - largest * (packets - 1));
  }
}

void Terminal::send_worm(Message& m, Bytes n) {
  const Bytes head = std::min(n, framing().head_payload());
  const Bytes flit = framing().flit();
  const std::int64_t behind = framing().pieces(n) - 1;
  m.header.body = false;
  m.header.more = behind > 0;
  post(m, 1, head, head);
  if (behind == 0) return;
  m.header.body = true;
  if (behind > 1) post(m, behind - 1, flit, flit);
  m.header.more = false;
  const Bytes last = n - head - flit * (behind - 1);
  post(m, 1, last, last);
}

void Terminal::draw(Header& h) {
  const Header drawn = header_of(place_, static_cast<int>(h.destination), wire().framing->classes(), packets_++);
  h.mix = drawn.mix;
  h.vc = drawn.vc;
}

void Terminal::post(Message& m, std::int64_t count, Bytes each, Bytes last) {
  while (count > 0) {
    const auto now_sent = static_cast<std::int32_t>(std::min<std::int64_t>(count, adaptive_ ? 1 : max_train_));
    if (adaptive_) draw(m.header);
    count -= now_sent;
    const Bytes end = count == 0 ? last : each;
    net::Delivery d;
    d.packet = pool().make();
    d.packet->set_train(now_sent, now_sent == 1 ? end : each, end);
    d.packet->origin = m.origin;
    d.packet->origin_offset = static_cast<std::uint64_t>(m.done.count());
    d.packet->header<Header>() = m.header;
    m.done += d.packet->total_payload();
    for (std::int32_t i = 0; i < now_sent; ++i) d.schedule.push_back({now(), now()});
    d.slot = net::Slot(m.owner, m.header.vc, {1, 0}, now_sent);
    port(0).send(0, std::move(d));
  }
}

}  // namespace tsunagi::router
