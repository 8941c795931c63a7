// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "net/ceilings.hpp"
#include "topo/graphs/groups.hpp"
#include "units/parse.hpp"

namespace tsunagi {

namespace {

std::string port_list(const net::Device& d, std::vector<net::Port>& ports) {
  std::string s;
  for (const net::Port& p : ports) s += (s.empty() ? "" : ", ") + p.name();
  return d.name() + " has: " + s;
}

/// Number of the port that an end names. Links name a device's ports one after the other, mostly: the search begins at
/// `next`, behind the last one found, so that it does not take longer the more ports there are.
int port_of(net::Device& d, const topo::End& e, std::uint32_t& next, const std::string& pointer) {
  const int i =
      next < d.ports().size() && d.ports()[next].name() == e.port ? static_cast<int>(next) : d.find_port(e.port);
  if (i < 0) throw config::error_at(pointer, "no port \"" + e.port + "\"; " + port_list(d, d.ports()));
  next = static_cast<std::uint32_t>(i) + 1;
  return i;
}

/// Most data in a packet of class `c` that `sender` sends, or `receiver` asks for.
Bytes most_payload(const net::Port& sender, const net::Port& receiver, const net::WireSpec& wire, flow::FlowClass c) {
  Bytes most = wire.framing->most_payload(c, wire.max_payload);
  for (const auto* bounds : {&sender.spec().sends, &receiver.spec().expects})
    if (c < bounds->size()) most = std::min(most, (*bounds)[c]);
  return most;
}

/// Each class of a receiver's buffer must hold the largest packet that can come, and that of plain packets what their
/// sources leave free beside it: else nothing large ever leaves.
void check_room(const net::Device& d, const net::Port& p, const net::Device& from, const net::Port& sender,
                const net::WireSpec& wire, const std::string& pointer) {
  const flow::Packet plain;
  const auto buffers = p.spec().rx.buffers_for(wire.max_payload);
  const auto& reserve = sender.spec().reserve;
  for (std::size_t c = 0; c < buffers.size(); ++c) {
    const auto flow_class = static_cast<flow::FlowClass>(c);
    const Bytes payload = most_payload(sender, p, wire, flow_class);
    int packets = 1;
    if (flow_class == wire.framing->flow_class(plain) && !reserve.empty())
      packets += *std::max_element(reserve.begin(), reserve.end());
    if (!flow::CreditAccount(buffers[c]).exceeds(wire.framing->cost(plain, payload) * packets)) continue;
    throw config::error_at(pointer, fmt::format("the {} buffer of {}.{} does not hold {} of {}, as {}.{} may send",
                                                wire.framing->class_name(flow_class), d.name(), p.name(),
                                                packets == 1 ? "one packet" : fmt::format("{} packets", packets),
                                                to_string(payload), from.name(), sender.name()));
  }
}

/// Behind the mark at which a receiver says stop there must be room for all that is sent before that is heard.
void check_stop_go(const net::Device& d, const net::Port& p, const net::Port& sender, const net::WireSpec& wire,
                   const std::string& pointer) {
  if (wire.flow_control != net::FlowPolicy::stop_go) return;
  const auto [stop, go] = wire.stop_go;
  if (go >= stop)
    throw config::error_at(pointer,
                           fmt::format("a buffer drains to {} before the sender goes on, which is not below {}, at "
                                       "which it stops",
                                       go, stop));
  const flow::Packet plain;
  const auto buffers = p.spec().rx.buffers_for(wire.max_payload);
  for (std::size_t c = 0; c < buffers.size(); ++c) {
    if (buffers[c].data == flow::Credits::infinite) continue;
    const std::int64_t room =
        net::stop_room(wire, sender.spec().tx, plain, most_payload(sender, p, wire, static_cast<flow::FlowClass>(c)));
    if (stop - 1 + room <= buffers[c].data) continue;
    throw config::error_at(pointer,
                           fmt::format("the {} buffer of {}.{} has {} units; its sender stops at {}, and up to {} "
                                       "more may be under way by then",
                                       wire.framing->class_name(static_cast<flow::FlowClass>(c)), d.name(), p.name(),
                                       buffers[c].data, stop, room));
  }
}

void check_fit(const net::Device& a, const net::Port& pa, const net::Device& b, const net::Port& pb,
               const net::WireSpec& wire, const std::string& pointer) {
  for (const auto& [d, p] : {std::pair{&a, &pa}, std::pair{&b, &pb}}) {
    const std::string name = d->name() + "." + p->name();
    if (p->spec().protocol != wire.protocol)
      throw config::error_at(pointer,
                             "port " + name + " speaks " + p->spec().protocol + ", the wire is " + wire.protocol);
  }
  check_room(a, pa, b, pb, wire, pointer);
  check_room(b, pb, a, pa, wire, pointer);
  check_stop_go(a, pa, pb, wire, pointer);
  check_stop_go(b, pb, pa, wire, pointer);
  using net::LinkRole;
  if (pa.spec().role != LinkRole::any && pa.spec().role == pb.spec().role)
    throw config::error_at(
        pointer, "both ends are " +
                     std::string(pa.spec().role == LinkRole::endpoint ? "endpoints" : "root complex ports") + ": " +
                     a.name() + "." + pa.name() + " and " + b.name() + "." + pb.name() +
                     "; a PCIe link needs one of each");
}

/// A part's name in the design hierarchy. What stands for the dots of a link's ends may collide with another name.
sim::ModuleName module_name(const sim::Module& inside, const std::string& name, const char* kind,
                            const std::string& pointer) {
  try {
    return {inside, name, kind};
  } catch (const std::invalid_argument& e) {
    throw config::error_at(pointer, e.what());
  }
}

/// What a device says of the machine is about itself: the error gets the device's place.
template <class F>
auto at_place(const std::string& pointer, F&& f) {
  try {
    return f();
  } catch (const config::ConfigError& e) {
    std::vector<config::Message> messages = e.messages();
    for (config::Message& m : messages)
      if (m.pointer == "/machine") m.pointer = pointer;
    throw config::ConfigError(std::move(messages));
  }
}

}  // namespace

Machine::Machine(sim::Simulation& sim, topo::Graph graph, const ModelCatalog& catalog, std::uint64_t seed,
                 int max_train, const std::string& findings)
    : sim_(sim), seed_(seed), foresight_(sim, findings, max_train > 1 && !has_errors(graph, catalog)) {
  if (!foresight_.ahead()) max_train = 1;
  devices_.resize(graph.nodes.size());
  wires_.resize(graph.links.size());
  next_port_.resize(devices_.size());
  build({graph, catalog, max_train}, topo::group_of(graph), sim.root());
  for (const auto& d : devices_) by_name_.push_back(d.get());
  std::sort(by_name_.begin(), by_name_.end(),
            [](const auto* a, const auto* b) { return a->name_view() < b->name_view(); });
  check_connected(graph);
  for (const auto& network : graph.networks)
    if (box_.empty()) box_ = network->box();
  for (std::size_t i = 0; i < devices_.size(); ++i) at_place(graph.nodes[i].pointer, [&] { devices_[i]->wired(); });
}

/// What lies in `group`, inside its module, which is still being built: a module's parts are made in its construction.
void Machine::build(const Plan& plan, const topo::Group& group, const sim::Module& module) {
  for (const std::uint32_t i : group.nodes) build_device(plan, i, module);
  for (const topo::Group& g : group.groups) {
    const sim::ModuleName name = module_name(module, g.name, "group", "/machine");
    groups_.push_back(std::make_unique<sim::Module>(sim_, name));
    build(plan, g, *groups_.back());
  }
  for (const std::uint32_t i : group.links) wire_up(plan, i, module);
}

void Machine::build_device(const Plan& plan, std::uint32_t i, const sim::Module& module) {
  const topo::Node& n = plan.graph.nodes[i];
  const DeviceKind* kind = nullptr;
  for (const DeviceKind& k : plan.catalog.devices)
    if (k.kind.name == n.config.kind()) kind = &k;
  if (kind == nullptr || !kind->build)
    throw config::error_at(n.pointer, "a " + n.config.kind() + " cannot stand alone");
  devices_[i] = at_place(n.pointer, [&] {
    return kind->build(
        {sim_, pool_, shared_specs_, module_name(module, topo::own_name(n.name), kind->kind.name.c_str(), n.pointer),
         plan.max_train, n.places, seed_},
        n.config);
  });
}

void Machine::check_connected(const topo::Graph& g) const {
  for (std::size_t i = 0; i < devices_.size(); ++i)
    for (const net::Port& p : devices_[i]->ports())
      if (p.spec().needed && !p.connected())
        throw config::error_at(g.nodes[i].pointer,
                               "port " + devices_[i]->name() + "." + p.name() + " is connected to nothing");
}

Machine::~Machine() {
  for (const auto& w : wires_) {
    w->forward().discard();
    w->backward().discard();
  }
  devices_.clear();  // what they hold goes back to wires that still stand
}

bool Machine::has_errors(const topo::Graph& graph, const ModelCatalog& catalog) {
  return std::any_of(graph.links.begin(), graph.links.end(),
                     [&](const topo::Link& l) { return wire_spec(l, catalog)->bit_error_rate > 0; });
}

std::shared_ptr<const net::WireSpec> Machine::wire_spec(const topo::WireUse& use, const ModelCatalog& catalog) {
  const Rate own = use.rate.value_or(Rate());
  auto& spec = specs_[{use.wire.object(), own.num(), own.den(), use.flight.value_or(Time::max())}];
  if (spec != nullptr) return spec;
  for (const WireKind& k : catalog.wires)
    if (k.kind.name == use.wire.kind()) {
      net::WireSpec made = k.build(use.wire);
      if (use.rate && made.link_layer.dllp > Bytes::zero())
        throw config::error_at(use.pointer,
                               "a " + use.wire.kind() + " link's rate follows from its generation and width");
      made.rate = use.rate.value_or(made.rate);
      if (use.flight) made.flight = *use.flight + made.repeaters;
      return spec = std::make_shared<const net::WireSpec>(std::move(made));
    }
  throw std::logic_error("wire kind without a builder: " + use.wire.kind());
}

void Machine::wire_up(const Plan& plan, std::uint32_t i, const sim::Module& module) {
  const topo::Link& l = plan.graph.links[i];
  net::Device& a = *devices_[l.a.node];
  net::Device& b = *devices_[l.b.node];
  const int port_a = port_of(a, l.a, next_port_[l.a.node], l.pointer);
  const int port_b = port_of(b, l.b, next_port_[l.b.node], l.pointer);
  net::Port& pa = a.ports()[static_cast<std::size_t>(port_a)];
  net::Port& pb = b.ports()[static_cast<std::size_t>(port_b)];
  if (&pa == &pb) throw config::error_at(l.pointer, "port " + a.name() + "." + l.a.port + " is wired to itself");
  for (const auto& [port, end] : {std::pair(&pa, &l.a), std::pair(&pb, &l.b)})
    if (port->connected()) throw config::error_at(l.pointer, topo::connected_twice(plan.graph, *end));
  const auto spec = wire_spec(l, plan.catalog);
  check_fit(a, pa, b, pb, *spec, l.pointer);
  const std::uint32_t like = alike_.try_emplace({spec.get(), &pa.spec(), &pb.spec()}, 2 * i).first->second;
  wires_[i] =
      std::make_unique<net::Link>(sim_, module_name(module, topo::link_name(plan.graph, l), "link", l.pointer), *spec,
                                  net::WireEnd{&a, port_a}, net::WireEnd{&b, port_b}, foresight_, 2 * i, like);
  wires_[i]->seed_errors(seed_);
}

net::Device* Machine::find(const std::string& name) const {
  const auto it = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                   [](const net::Device* d, const std::string& n) { return d->name_view() < n; });
  return it == by_name_.end() || (*it)->name_view() != name ? nullptr : *it;
}

void Machine::listen(net::Listener& listener) {
  for (const auto& d : devices_) d->set_listener(listener);
  for (const auto& w : wires_) w->set_listener(listener);
}

std::vector<net::ChannelInfo> Machine::channels() const {
  std::vector<net::ChannelInfo> out;
  out.reserve(2 * wires_.size());
  for (const auto& w : wires_) {
    out.push_back(w->forward().info());
    out.push_back(w->backward().info());
  }
  return out;
}

std::uint64_t Machine::packet_hops() const {
  std::uint64_t n = 0;
  for (const auto& w : wires_)
    n += static_cast<std::uint64_t>(w->forward().counters().packets + w->backward().counters().packets);
  return n;
}

std::vector<std::string> Machine::leftovers() {
  std::vector<std::string> out;
  if (pool_.outstanding() != 0) out.push_back(std::to_string(pool_.outstanding()) + " packets are still under way");
  if (const auto n = pool_.contents().outstanding(); n != 0)
    out.push_back(std::to_string(n) + " blocks of packets' contents are still held");
  for (const auto& w : wires_) {
    for (net::Channel* c : {&w->forward(), &w->backward()}) {
      if (c->busy()) out.push_back("packets are left on " + w->ends());
      if (!c->all_credits_home()) out.push_back("credits are missing on " + w->ends());
    }
  }
  for (const auto& d : devices_)
    if (std::string s = d->leftover(); !s.empty()) out.push_back(d->name() + ": " + s);
  return out;
}

std::vector<std::string> Machine::blocked() const {
  std::vector<std::string> out;
  for (const auto& w : wires_)
    for (const net::Channel* c : {&w->forward(), &w->backward()})
      if (std::string s = c->blocked_on(); !s.empty()) out.push_back(w->ends() + " waits for " + s);
  return out;
}

}  // namespace tsunagi
