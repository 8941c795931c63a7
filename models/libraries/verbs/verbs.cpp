// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/verbs/verbs_ceilings.hpp"
#include "models/router/load_bound.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using infiniband::Service;

namespace {

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
    : nodes_(verbs_nodes(c, m, "verbs")),
      routers_(routers_of(m, nodes_.front().network())),
      two_sided_(c.service == Service::reliable_connection ? std::make_optional<VerbsMessages>(nodes_, c.messages, step)
                                                           : std::nullopt),
      queues_(nodes_, step),
      processor_(nodes_) {
  if (two_sided_) two_sided_->connect(nodes_.front().rails_on_card(0) * (ranks() - 1));
  for (VerbsNode& n : nodes_) n.close();
  queues_.preset();
  add_facet<comm::Protocols>(*this);
  add_facet<comm::WorkQueues>(queues_);
  if (!two_sided_) return;  // these, too, are of reliable connections
  add_facet<comm::Transport>(*two_sided_);
  add_facet<comm::NonBlockingSends>(*this);
  add_facet<comm::Gets>(*this);
}

std::vector<std::string> Verbs::methods() const {
  std::vector<std::string> out = queues_.methods();
  out.erase(std::remove(out.begin(), out.end(), "read"), out.end());
  return out;
}

std::vector<Bytes> Verbs::limits() const {
  std::vector<Bytes> out{config().inline_limit};
  if (two_sided_)
    for (const Bytes limit : two_sided_->limits()) out.push_back(limit);
  return out;
}

comm::Protocol Verbs::protocol(int /*from*/, int /*to*/, const comm::Buffer& b) const {
  if (b.method.empty() && two_sided_) return two_sided_->protocol(b);
  comm::Protocol p{b.method == "send" ? "send" : "RDMA write", 0, 1, {}, {}};
  const bool in_request = b.size <= config().inline_limit;
  p.name += in_request ? ", inline" : "";
  p.because = (in_request ? "bytes are written into the work request: \"inline_limit\" is "
                          : "the card reads them: longer than \"inline_limit\", ") +
              to_string(config().inline_limit);
  return p;
}

void Verbs::send(Fiber& f, int from, int to, const comm::Buffer& b) { queues_.run(f, from, to, {b, 0, true, true}); }

void Verbs::get(Fiber& f, int rank, int peer, const comm::Buffer& b) {
  comm::Buffer what = b;
  what.method = "read";
  queues_.run(f, rank, peer, {what, 0, true, false});
}

Rate Verbs::injection_rate(Bytes size) const {
  const VerbsNode& n = nodes_.front();
  Rate least = Rate::infinite();  // rails have turns
  for (int rail = 0; rail < n.rails(); ++rail)
    least = std::min(least, verbs_payload_rate(n.port(rail).channel().wire(), config().mtu, size).scaled(n.rails(), 1));
  for (const comm::Ceiling& c : ceilings(0, 1, {})) least = std::min(least, c.rate);
  return least;
}

std::optional<std::int64_t> Verbs::load_bound(const comm::TrafficShares& shares, Bytes size) const {
  const topo::Network* network = nodes_.front().network();
  if (network == nullptr || nodes_.front().rails() > 1 || network->terminals() != ranks()) return std::nullopt;
  return router::load_bound(*network, routers_, shares, injection_rate(size),
                            [&](const net::WireSpec& wire) { return verbs_payload_rate(wire, config().mtu, size); });
}

std::vector<comm::Ceiling> Verbs::ceilings(int from, int to, const comm::Buffer& b) const {
  return verbs_ceilings(node(from), node(to), node(from).rails(), b.method);
}

std::string Verbs::advice() const {
  std::int64_t lost = 0;
  for (const VerbsNode& n : nodes_)
    for (int rail = 0; rail < n.rails(); ++rail)
      if (n.earlier_on_card(rail) == 0) lost += n.card(rail).lost();
  if (lost == 0) return {};
  const std::string many = std::to_string(lost) + (lost == 1 ? " packet was lost" : " packets were lost");
  if (!reliable()) return many + "; nobody sends datagrams again (\"service\")";
  return config().timeout_code == 0 ? many + "; \"timeout_code\" 0 never sends anything again by itself" : "";
}

std::unique_ptr<comm::Communicator> make_verbs(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<Verbs>(c.as<VerbsConfig>(), m);
}

}  // namespace tsunagi::libraries
