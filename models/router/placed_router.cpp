// SPDX-License-Identifier: Apache-2.0
#include "models/router/placed_router.hpp"

#include <algorithm>
#include <utility>

#include "models/router/terminal.hpp"
#include "units/parse.hpp"

namespace tsunagi::router {

void describe(RouterConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the router", within(Frequency(1'000'000), Frequency(100'000'000'000)),
          ideal(Frequency(100'000'000'000)));
  d.field("latency", c.latency, "cycles from a head's arrival to its output", within(0, 10000), ideal(0));
  d.field("virtual_channels", c.virtual_channels, "as on the wires", within(1, most_virtual_channels));
  d.field("buffer_flits", c.buffer_flits, "flits that each port buffers a virtual channel", within(1, 1'000'000),
          ideal(1'000'000));
  d.field("buffer_packets", c.buffer_packets, "packets in such a buffer at most; 0: as many as fit",
          within(0, 1'000'000), ideal(0));
  d.field("deadlock_free", c.deadlock_free,
          "use virtual channels in the classes that the routes ask for (datelines of rings); without, packets can "
          "deadlock");
  describe_switching(c.switching, "when a packet leaves, and into what room", d);
  d.choice("turns", c.turns,
           {{"inputs", static_cast<std::int64_t>(Turns::inputs),
             "one of each input; of an input's virtual channels the packet that came first"},
            {"channels", static_cast<std::int64_t>(Turns::channels),
             "one of each virtual channel of the output; each gives turns to the inputs"},
            {"in_transit", static_cast<std::int64_t>(Turns::in_transit),
             "of inputs from routers before those from terminals (rotary rule)"},
            {"oldest", static_cast<std::int64_t>(Turns::oldest), "the packet whose message was posted first"},
            {"oldest_in_transit", static_cast<std::int64_t>(Turns::oldest_in_transit),
             "the same, what comes from routers before what comes from terminals"}},
           "who goes first of the packets that want one output");
}

namespace {

const topo::Place& place_of(const std::string& name, const DeviceArgs& args) {
  const topo::Place* place = topo::place_as(topo::Place::Role::router, args.places);
  if (place == nullptr)
    throw config::error_at(
        "/machine",
        name + ": a router takes its place from a topology; in an explicit one, from its " + "\"networks\"");
  return *place;
}

/// Routers, their wires and who sends on these have the same number of channels.
std::string what_to_write(const PlacedRouter::Inside& inside, int classes) {
  std::string field = inside.channels;
  std::replace(field.begin(), field.end(), ' ', '_');
  const auto least = std::find_if(inside.counts.begin(), inside.counts.end(), [&](auto n) { return n >= classes; });
  const std::string number = std::to_string(least == inside.counts.end() ? classes : *least);
  return "; write \"" + field + "\": " + number + " at the routers" +
         (inside.cards ? ", their wires and the cards" : " and their wires") + ", or --set '**/" + field + "=" +
         number + "'";
}

/// Of the outputs of a router with one source an input, or an input's virtual channel.
net::Arbitration arbitration_of(Turns turns, const std::vector<int>& from_routers, int sources_an_input) {
  net::Arbitration a;
  if (turns == Turns::channels) a.takers = net::Arbitration::Takers::classes;
  a.oldest_first = by_age(turns);
  if (prefers_transit(turns))
    for (const int from_router : from_routers)
      a.priorities.insert(a.priorities.end(), static_cast<std::size_t>(sources_an_input), from_router);
  return a;
}

}  // namespace

PlacedRouter::PlacedRouter(DeviceArgs args, const RouterConfig& c, const Inside& inside)
    : Device(args.sim, args.pool, args.name),
      place_(place_of(name(), args).number),
      virtual_channels_(c.virtual_channels),
      worms_(c.switching == Switching::wormhole),
      ages_(by_age(c.turns)),
      channels_(inside.channels),
      routing_(place_of(name(), args).network, c.virtual_channels, c.deadlock_free) {
  const topo::Network& network = routing_.network();
  const int classes = network.routes().classes();
  const int count = network.ports(place_);
  if (c.deadlock_free && c.virtual_channels < classes)
    throw config::error_at("/machine", name() + ": the routes need " + std::to_string(classes) + " " + channels_ +
                                           " to be free of deadlock, not " + std::to_string(c.virtual_channels) +
                                           what_to_write(inside, classes));
  const bool takes_turns = inside.source_an_input && c.turns != Turns::inputs;
  std::vector<int> from_routers;
  for (int i = 0; takes_turns && i < count; ++i) from_routers.push_back(in_transit(i) ? 1 : 0);
  const auto make = [&] {
    net::PortSpec p;
    p.protocol = inside.protocol;
    const int sources_an_input = worms_ ? c.virtual_channels : 1;
    p.sources = (inside.source_an_input ? count * sources_an_input : 1) + inside.own_sources;
    p.arbitration = takes_turns ? arbitration_of(c.turns, from_routers, sources_an_input) : inside.arbitration;
    p.rx.store_and_forward = c.switching == Switching::store_and_forward;
    p.rx.trains = inside.trains && !routing_.adaptive();
    if (inside.stores) return p;
    p.rx.pipeline = {Clock(c.clock), c.latency, Time::zero()};
    p.rx.buffers.assign(static_cast<std::size_t>(c.virtual_channels),
                        {c.buffer_packets == 0 ? flow::Credits::infinite : c.buffer_packets, c.buffer_flits});
    return p;
  };
  const auto spec = args.specs.of(c, count, make, from_routers);
  ports().reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) add_port(network.port_name(place_, i), spec);
}

bool PlacedRouter::in_transit(int i) const {
  return routing_.network().peer(place_, i).kind == topo::Network::Peer::Kind::router;
}

void PlacedRouter::check_ages() const {
  for (int i = 0; i < static_cast<int>(ports().size()); ++i) {
    const net::Port& p = ports()[static_cast<std::size_t>(i)];
    if (!p.connected() || in_transit(i)) continue;
    if (dynamic_cast<const Terminal*>(&p.channel().destination()) == nullptr)
      throw config::error_at(
          "/machine", name() + ": the oldest packet cannot go first, because " + p.channel().destination().name() +
                          " does not write into packets when they set out; take turns \"in_transit\"");
  }
}

void PlacedRouter::wired() {
  check_packets();
  if (ages_) check_ages();
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    if (const int have = p.channel().wire().framing->classes(); have != virtual_channels_)
      throw config::error_at("/machine", name() + " has " + std::to_string(virtual_channels_) + " " + channels_ +
                                             ", the wire at " + p.name() + " " + std::to_string(have));
    if (p.channel().wire().framing->in_worms() != worms_)
      throw config::error_at("/machine", name() + (worms_ ? " switches worms, the wire at " + p.name() + " packets"
                                                          : " switches packets, the wire at " + p.name() + " worms"));
  }
  if (routing_.adaptive()) watch_outputs();
}

void PlacedRouter::watch_outputs() {
  if (worms_)
    throw config::error_at("/machine", name() + ": adaptive routes choose for whole packets, not for worms; " +
                                           "take switching \"cut_through\", or other routes");
  for (int i = 0; i < static_cast<int>(ports().size()); ++i) {
    net::Port& p = port(i);
    if (!p.connected() || routing_.network().peer(place_, i).kind != topo::Network::Peer::Kind::router) continue;
    if (p.channel().wire().flow_control != net::FlowPolicy::credits)
      throw config::error_at("/machine", name() +
                                             ": adaptive routes look at the credits that are out, but the wire at " +
                                             p.name() + " has none; take flow_control \"credits\", or other routes");
    p.count_backlog();
  }
}

std::string PlacedRouter::leftover() const {
  std::int64_t came = 0, left = 0;
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    came += p.incoming().counters().packets - p.incoming().counters().dropped;
    left += p.channel().counters().packets;
  }
  if (came + copies_ == left) return {};
  return std::to_string(came) + " packets came and " + std::to_string(copies_) + " copies were made, but " +
         std::to_string(left) + " packets left";
}

Hop PlacedRouter::make_copy(Header& h, const Header& whole, int i) const {
  h = whole;
  h.destination = static_cast<std::uint32_t>(routing_.terminal_of_copy(whole, i));
  h.copies = 1;
  const Hop hop = routing_.next(place_, h);
  h.vc = hop.vc;
  return hop;
}

void PlacedRouter::check_packets() const {
  const topo::Network& network = routing_.network();
  Bytes least = 1_GiB;
  for (const net::Port& out : ports())
    if (out.connected()) least = std::min(least, out.max_payload());
  for (int i = 0; i < network.ports(place_); ++i) {
    const net::Port& in = ports()[static_cast<std::size_t>(i)];
    if (!in.connected() || network.peer(place_, i).kind != topo::Network::Peer::Kind::terminal ||
        in.max_payload() <= least)
      continue;
    for (const net::Port& out : ports())
      if (out.connected() && out.max_payload() < in.max_payload())
        throw config::error_at("/machine", name() + ": packets of up to " + to_string(in.max_payload()) + " come by " +
                                               in.name() + " from " + in.channel().destination().name() +
                                               ", but the wire at " + out.name() + " to " +
                                               out.channel().destination().name() + " carries " +
                                               to_string(out.max_payload()) + "; routers cut no packets");
  }
}

}  // namespace tsunagi::router
