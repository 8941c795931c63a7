// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/crossbar.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tsunagi::sr8000 {

CrossbarConfig::CrossbarConfig() {
  clock = Frequency(125'000'000);
  latency = 10;
  virtual_channels = sr8000::virtual_channels;
  buffer_flits = 512;
}

void describe(CrossbarConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the crossbar or relay", within(Frequency(1'000'000), Frequency(100'000'000'000)),
          ideal(Frequency(100'000'000'000)));
  d.field("latency", c.latency, "cycles from a head's arrival to its output", within(0, 10000), ideal(0));
  d.field("buffer_flits", c.buffer_flits, "flits that each port buffers a virtual channel", within(1, 1'000'000),
          ideal(1'000'000));
  d.field("buffer_packets", c.buffer_packets, "packets in such a buffer at most; 0: as many as fit",
          within(0, 1'000'000), ideal(0));
  d.field("serialising", c.serialising,
          "line along the last dimension whose crossbar serialises broadcasts; the same in a whole machine",
          within(0, 1'000'000));
}

namespace {

Ways ways_of(const router::Router& at, const CrossbarConfig& c) {
  const topo::CrossbarsShape* shape = topo::crossbars_shape(at.routing().network());
  if (shape == nullptr)
    throw config::error_at("/machine", at.name() + ": a crossbar takes its place from a topology \"crossbars\"");
  const int lines = shape->lines(shape->crossed().back());
  if (c.serialising >= lines)
    throw config::error_at("/machine", at.name() + ": line " + std::to_string(c.serialising) +
                                           " is to have the serialising crossbar, but there are " +
                                           std::to_string(lines));
  return {*shape, at.place(), c.serialising};
}

std::string nodes_of(const Box& b) { return "nodes " + std::to_string(b.first) + " to " + std::to_string(b.last); }

Box box_of(const Header& h) { return {h.route.destination, h.last}; }

}  // namespace

Crossbar::Crossbar(DeviceArgs args, const CrossbarConfig& c)
    : Router(std::move(args), c, {true, true, "link", "virtual channels", {}, 1 + colours}),
      ways_(ways_of(*this, c)),
      serialising_(c.serialising),
      spreader_(*this, static_cast<Spreader::Outputs&>(*this), simulation().agenda(), Clock(c.clock),
                static_cast<int>(ports().size())),
      copied_(simulation().agenda()) {
  if (!ways_.is_relay()) barrier_.emplace(static_cast<int>(ports().size()));
}

void Crossbar::wired() {
  Router::wired();
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    const auto* other = dynamic_cast<const Crossbar*>(&p.channel().destination());
    if (other != nullptr && other->serialising_ != serialising_)
      throw config::error_at("/machine", name() + " and " + other->name() + " have different serialising crossbars");
  }
}

void Crossbar::receive(int in, net::Delivery&& d) {
  const Header& h = d.packet->header<Header>();
  if (h.purpose == Purpose::remote_dma)
    return pass(in, in, {routing().next(place(), h.route).port, ordinary_channel}, std::move(d));
  if (ways_.is_relay()) return at_relay(in, std::move(d));
  at_crossbar(in, std::move(d));
}

void Crossbar::at_relay(int in, net::Delivery d) {
  switch (d.packet->header<Header>().purpose) {
    case Purpose::broadcast:
      return pass(in, in, {ways_.to_serialising(), ordinary_channel}, std::move(d));
    case Purpose::spreading:
      ways_.spread(box_of(d.packet->header<Header>()), in, copies_);
      if (copies_.size() > 1) return spreader_.take(in, std::move(d));
      return pass(in, in, {copies_.front(), spreading_channel}, std::move(d));
    case Purpose::barrier:
      return pass(in, in, {ways_.up(in), ordinary_channel}, std::move(d));
    default:
      return pass(in, in, {ways_.node_port(), ordinary_channel}, std::move(d));
  }
}

void Crossbar::at_crossbar(int in, net::Delivery d) {
  Header& h = d.packet->header<Header>();
  if (h.purpose == Purpose::barrier) return come(in, std::move(d));
  if (h.purpose == Purpose::broadcast) {
    if (!ways_.serialises()) return pass(in, in, {ways_.to_serialising(), ordinary_channel}, std::move(d));
    if (!ways_.contains(box_of(h), static_cast<int>(h.route.destination)))
      throw std::runtime_error(name() + ": a broadcast to " + nodes_of(box_of(h)) + ", which are no box");
    h.purpose = Purpose::spreading;
  }
  spreader_.take(in, std::move(d));
}

void Crossbar::spread(int in, net::Delivery d) {
  ways_.spread(box_of(d.packet->header<Header>()), ways_.serialises() ? -1 : in, copies_);
  const auto n = static_cast<int>(copies_.size());
  copied_.share(std::move(d.slot), n, 1);
  count_copies(n - 1);
  for (int i = n - 1; i >= 0; --i) {
    net::Delivery copy;
    copy.packet = i > 0 ? pool().clone(*d.packet) : std::move(d.packet);
    copy.schedule = net::Schedule(d.schedule.front());
    copy.slot = copied_.copy(i);
    pass(in, own_source(0), {copies_[static_cast<std::size_t>(i)], spreading_channel}, std::move(copy));
  }
}

void Crossbar::come(int in, net::Delivery d) {
  const Header h = d.packet->header<Header>();
  const Box box = box_of(h);
  const std::string node = "node " + std::to_string(ways_.node(in));
  if (h.field >= colours)
    throw std::runtime_error(name() + ": " + node + " has come to a barrier of colour " + std::to_string(h.field) +
                             ", of which there are " + std::to_string(colours));
  if (!ways_.contains(box, ways_.node(in)))
    throw std::runtime_error(name() + ": " + node + " has come to a barrier of " + nodes_of(box) +
                             ", to which it does not belong");
  if (d.packet->count > 1 || barrier_->has_come(h.field, in))
    throw std::runtime_error(name() + ": " + node + " has come to a barrier of colour " + std::to_string(h.field) +
                             " again before the others came");
  count_copies(-1);
  const Places places = ways_.places(box);
  const auto last = barrier_->come(h.field, box, places, in, {d.schedule.back().tail, d.packet->id});
  d.slot.release(d.schedule);
  if (!last) return;
  count_copies(places.count());
  for (int p = places.first; p <= places.last; ++p) tell_place(p, h, *last);
}

void Crossbar::tell_place(int place, const Header& h, const flow::Cause& last) {
  net::Delivery d = begin(pool().make(), {last.when, last, net::Stage::pipeline, "barrier"}, last.when);
  Header& out = d.packet->header<Header>();
  out = h;
  out.route.source = h.route.destination;  // nobody's in particular: the box's first node
  out.route.vc = ordinary_channel;
  out.purpose = ways_.is_last() ? Purpose::released : Purpose::barrier;
  port(place).send(own_source(1 + h.field), std::move(d));
}

Time Crossbar::next_offer(int port, int source) const {
  if (source == own_source(0)) return next_offer(port);
  return source < own_source(0) ? Router::next_offer(port, source) : Router::next_offer(port);
}

Time Crossbar::next_offer(int port) const { return spreader_.waits() ? now() : Router::next_offer(port); }

std::string Crossbar::leftover() const {
  if (!spreader_.idle()) return "broadcasts have not left";
  if (barrier_)
    if (std::string left = barrier_->leftover(); !left.empty()) return left;
  return Router::leftover();
}

}  // namespace tsunagi::sr8000
