// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/pcie/tlp.hpp"
#include "models/router/load_bound.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using infiniband::Opcode;
using infiniband::Service;

namespace {

/// What the names of a node's devices begin with, if that is the last part of its card's name.
std::optional<std::string> prefix_of(const std::string& full, const std::string& card) {
  if (full == card) return "";
  const std::string end = "." + card;
  if (full.size() < end.size() || full.compare(full.size() - end.size(), end.size(), end) != 0) return std::nullopt;
  return full.substr(0, full.size() - card.size());
}

/// All of the machine's by the LID of their first rail.
std::vector<VerbsNode> nodes_with_cards(const VerbsConfig& c, Machine& m) {
  const std::string first = parse_rail(c.rails.front())->card;
  std::map<std::uint32_t, VerbsNode> nodes;
  const std::vector<infiniband::Hca*> all = m.all<infiniband::Hca>();
  for (const infiniband::Hca* card : all) {
    const auto prefix = prefix_of(card->name(), first);
    if (!prefix) continue;
    VerbsNode n(c, m, *prefix);
    const std::uint32_t lid = n.lid();
    const auto [at, added] = nodes.emplace(lid, std::move(n));
    if (!added)
      throw config::error_at("/machine", card->name() + " and " + at->second.card().name() +
                                             " have one LID: library verbs runs on one subnet a rail");
  }
  if (!all.empty() && nodes.empty())
    throw config::error_at("/library/rails", "no host channel adapter is called \"" + first + "\"");
  if (nodes.size() < 2)
    throw config::error_at("/library", "library verbs needs a machine with host channel adapters (\"hca\")");
  std::vector<VerbsNode> out;
  out.reserve(nodes.size());
  for (auto& [lid, n] : nodes) out.push_back(std::move(n));
  return out;
}

/// All ports of a rail are in one subnet.
void check_rails(const std::vector<VerbsNode>& nodes) {
  for (int rail = 0; rail < nodes.front().rails(); ++rail) {
    std::map<std::uint32_t, std::string> lids;
    for (const VerbsNode& n : nodes) {
      const std::string card = n.card(rail).name();
      const auto [at, added] = lids.emplace(n.lid(rail), card);
      if (!added || n.network(rail) != nodes.front().network(rail))
        throw config::error_at("/library/rails", "port " + n.port(rail).name() + " of " + card + " and of " +
                                                     (added ? nodes.front().card(rail).name() : at->second) +
                                                     " are not in one subnet");
    }
  }
}

flow::Packet packet_of(Opcode code) {
  flow::Packet p;
  infiniband::Header h;
  h.opcode = static_cast<std::uint32_t>(code);
  p.header<infiniband::Header>() = h;
  return p;
}

/// Payload rate of writes of `size`, cut into packets of up to `mtu`, back to back on a wire.
Rate payload_rate(const net::WireSpec& wire, Bytes mtu, Bytes size) {
  const auto weight = [&](Opcode code, Bytes payload) { return wire.framing->size(packet_of(code), payload).total(); };
  const std::int64_t packets = units_of(size, mtu);
  const Bytes sum = packets == 1
                        ? weight(Opcode::write_only, size)
                        : weight(Opcode::write_first, mtu) + weight(Opcode::write_middle, mtu) * (packets - 2) +
                              weight(Opcode::write_last, size - mtu * (packets - 1));
  return wire.rate.scaled(size.count(), sum.count());
}

/// A network's, by their places.
std::vector<router::PlacedRouter*> routers_of(const Machine& m, const topo::Network* network) {
  std::vector<router::PlacedRouter*> out;
  if (network == nullptr) return out;
  out.resize(static_cast<std::size_t>(network->routers()));
  for (router::PlacedRouter* r : m.all<router::PlacedRouter>())
    if (&r->routing().network() == network) out[static_cast<std::size_t>(r->place())] = r;
  return out;
}

}  // namespace

Verbs::Verbs(const VerbsConfig& c, Machine& m)
    : nodes_(nodes_with_cards(c, m)),
      routers_(routers_of(m, nodes_.front().network())),
      two_sided_(c.service == Service::reliable_connection ? std::make_optional<VerbsMessages>(nodes_, step)
                                                           : std::nullopt),
      queues_(nodes_, step),
      processor_(nodes_) {
  check_rails(nodes_);
  if (two_sided_) two_sided_->connect(nodes_.front().rails_on_card(0) * (ranks() - 1));
  for (VerbsNode& n : nodes_) n.close();
  queues_.preset();
}

std::vector<std::string> Verbs::methods() const {
  std::vector<std::string> out = queues_.methods();
  out.erase(std::remove(out.begin(), out.end(), "read"), out.end());
  return out;
}

void Verbs::send(comm::Fiber& f, int from, int to, const comm::Buffer& b) {
  queues_.run(f, from, to, {b, 0, true, true});
}

void Verbs::get(comm::Fiber& f, int rank, int peer, const comm::Buffer& b) {
  comm::Buffer what = b;
  what.method = "read";
  queues_.run(f, rank, peer, {what, 0, true, false});
}

Rate Verbs::injection_rate(Bytes size) const {
  Rate least =
      payload_rate(nodes_.front().port().channel().wire(), config().mtu, size).scaled(nodes_.front().rails(), 1);
  for (const comm::Ceiling& c : ceilings(0, 1, {})) least = std::min(least, c.rate);
  return least;
}

std::optional<std::int64_t> Verbs::load_bound(const comm::TrafficShares& shares, Bytes size) const {
  const topo::Network* network = nodes_.front().network();
  if (network == nullptr || nodes_.front().rails() > 1 || network->terminals() != ranks()) return std::nullopt;
  return router::load_bound(*network, routers_, shares, injection_rate(size),
                            [&](const net::WireSpec& wire) { return payload_rate(wire, config().mtu, size); });
}

std::vector<comm::Ceiling> Verbs::ceilings(int from, int to, const comm::Buffer& b) const {
  const VerbsNode& me = node(from);
  const VerbsNode& there = node(to);
  // Of packets between the first and the last of a message, which carry an MTU with the least beside it.
  const flow::Packet middle = packet_of(b.method == "send" ? Opcode::send_middle : Opcode::write_middle);
  flow::Packet write;
  write.header<pcie::Tlp>() = pcie::Tlp{};
  write.address = there.user_base();
  Rate link, slot;
  int cards = 0;
  const auto fastest = [](Rate& so_far, Rate r) { so_far = so_far.is_infinite() ? r : std::max(so_far, r); };
  for (int rail = 0; rail < me.rails(); ++rail) {
    fastest(link, net::payload_ceiling(me.port(rail).channel().wire(), middle, config().mtu));
    if (there.earlier_on_card(rail) > 0) continue;
    ++cards;
    const net::WireSpec& wire = there.card(rail).ports().front().channel().wire();
    fastest(slot, net::payload_ceiling(wire, write, wire.max_payload));
  }
  return {{"link payload, " + me.card().name(), link.scaled(me.rails(), 1)},
          {"PCIe writes, " + there.card().name(), slot.scaled(cards, 1)}};
}

std::unique_ptr<comm::Communicator> make_verbs(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<Verbs>(c.as<VerbsConfig>(), m);
}

}  // namespace tsunagi::libraries
