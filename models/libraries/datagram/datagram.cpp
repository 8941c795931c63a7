// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/datagram/datagram.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "config/suggest.hpp"
#include "models/libraries/catalog.hpp"
#include "models/process/node_part.hpp"
#include "models/router/load_bound.hpp"

namespace tsunagi::libraries {

/// One message under way.
class Datagram::Message final : public Leaving {
 public:
  using Leaving::Leaving;
  int sender = 0;
  int receiver = 0;
  Bytes missing;                          // at the receiver, and not lost
  bool lost = false;                      // some of it
  std::optional<std::uint32_t> sequence;  // of those of its pair that are delivered in order
  std::optional<comm::Envelope> envelope;
};

namespace {

/// The terminals of one network by their places, and its routers by theirs.
using Parts = std::pair<std::vector<router::Terminal*>, std::vector<router::PlacedRouter*>>;

const topo::Network& network_of(const std::vector<router::Terminal*>& terminals, const std::string& name) {
  std::vector<std::string> known;
  for (const router::Terminal* t : terminals) {
    const std::string& each = t->network().name();
    if (each == name) return t->network();
    if (std::find(known.begin(), known.end(), each) == known.end()) known.push_back(each);
  }
  if (terminals.empty()) throw config::error_at("/library", "library datagram needs a machine with terminals");
  if (known.size() == 1 && name.empty()) return terminals.front()->network();
  if (name.empty())
    throw config::error_at("/library", "the machine has several networks, of which \"network\" must name one: " +
                                           config::detail::listed(known));
  if (known.size() == 1 && known.front().empty())
    throw config::error_at("/library/network", "the machine's only network has no name: leave out \"network\"");
  throw config::error_at("/library/network",
                         "no network \"" + name + "\" with terminals; there are: " + config::detail::listed(known));
}

Parts parts_of(const Machine& m, const std::string& name) {
  const std::vector<router::Terminal*> terminals = m.all<router::Terminal>();
  const topo::Network& network = network_of(terminals, name);
  Parts out{std::vector<router::Terminal*>(static_cast<std::size_t>(network.terminals())),
            std::vector<router::PlacedRouter*>(static_cast<std::size_t>(network.routers()))};
  for (router::Terminal* t : terminals)
    if (&t->network() == &network) out.first[static_cast<std::size_t>(t->place())] = t;
  for (router::PlacedRouter* r : m.all<router::PlacedRouter>())
    if (&r->routing().network() == &network) out.second[static_cast<std::size_t>(r->place())] = r;
  for (int i = 0; i < network.terminals(); ++i)
    if (out.first[static_cast<std::size_t>(i)] == nullptr)
      throw config::error_at(
          "/library", "library datagram needs devices of kind \"terminal\" at all places of the network, but place " +
                          std::to_string(i) + " has another one");
  return out;
}

}  // namespace

void describe(DatagramConfig& c, config::Describer& d) {
  d.field("network", c.network, "name of the network that carries the messages; none: the machine has only one");
  d.choice("loss", c.loss,
           {{"error", static_cast<std::int64_t>(Loss::error), "networks that may drop packets are refused"},
            {"count", static_cast<std::int64_t>(Loss::count), "messages of which a packet is dropped are counted"}},
           "what becomes of messages where links have no flow control");
  d.field("multicast", c.multicast, "broadcasts are hardware's: routers copy packets to several of their terminals");
  d.require(!c.multicast || c.loss == Loss::error, "\"multicast\" needs a network that loses nothing");
}

Datagram::Datagram(const DatagramConfig& c, Machine& m) {
  std::tie(terminals_, routers_) = parts_of(m, c.network);
  for (router::Terminal* t : terminals_) {
    process::claim(*t);
    t->set_sink(*this);
  }
  for_lossy_wires(m, [&](net::Link& wire) {
    if (c.loss == Loss::error)
      throw config::error_at("/library", "library datagram recovers nothing, but the wire " + wire.ends() +
                                             " drops what a buffer has no room for; \"loss\": \"count\" in the "
                                             "library counts the messages that this loses");
    for (net::Channel* way : {&wire.forward(), &wire.backward()}) way->tell_drops(*this);
    loses_ = true;
  });
  inboxes_ = std::vector<Messages>(terminals_.size());
  if (terminals_.front()->network().routes().adaptive() != nullptr) order_.resize(terminals_.size());
  add_facet<comm::Protocols>(*this);
  add_facet<comm::Transport>(*this);
  add_facet<comm::NonBlockingSends>(*this);
  if (!c.multicast) return;
  multicast_ = std::make_unique<DatagramMulticast>(terminals_);
  add_facet<comm::HardwareCollectives>(*multicast_);
}

Datagram::~Datagram() = default;

template <class F>
void Datagram::for_lossy_wires(const Machine& m, F&& f) const {
  const std::set<const net::Device*> ours = [this] {
    std::set<const net::Device*> out(terminals_.begin(), terminals_.end());
    out.insert(routers_.begin(), routers_.end());
    return out;
  }();
  for (const auto& wire : m.wires())
    if (wire->forward().wire().flow_control == net::FlowPolicy::none && ours.count(&wire->forward().destination()) != 0)
      f(*wire);
}

Datagram::Message& Datagram::launch(int from, int to, Bytes size, const comm::Request& request, bool in_order) {
  Message& m = messages_.take(terminal(from), size, request);
  m.sender = from;
  m.receiver = to;
  m.missing = size;
  m.lost = false;
  m.envelope.reset();
  m.sequence.reset();
  if (in_order && !order_.empty()) m.sequence = order_[from].next(to);
  m.from->send(to, size, m.number, m);
  return m;
}

comm::Request Datagram::isend(Fiber& f, int from, int to, const comm::Buffer& b) {
  if (b.size <= Bytes::zero()) throw std::runtime_error("a datagram has at least one byte");
  step.sent(b.size);
  comm::Request request = requests_.make(f.now());
  launch(from, to, b.size, request, receives_);
  return request;
}

void Datagram::post(Fiber&, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                    const comm::Request* request) {
  // Whoever reads envelopes restores their order.
  launch(from, to, std::max(b->size, 1_B), *request, false).envelope = e;
}

void Datagram::arrived(const flow::Packet& p, Time tail) {
  if (p.origin >= DatagramMulticast::first_origin) return multicast_->arrived(p, tail);
  settle(messages_[p.origin], p.total_payload(), tail);
}

void Datagram::dropped(const flow::Packet& p) {
  Message& m = messages_[p.origin];
  m.lost = true;
  settle(m, p.total_payload(), m.slot_now());
}

void Datagram::settle(Message& m, Bytes n, Time tail) {
  m.missing -= n;
  if (m.missing > Bytes::zero()) return;
  if (!m.sequence) return deliver(m, tail);
  order_[m.receiver].arrived(m.sender, *m.sequence, &m, [this, tail](Message* next) { deliver(*next, tail); });
}

void Datagram::deliver(Message& m, Time tail) {
  Messages& inbox = inboxes_[m.receiver];
  if (m.lost) {
    // Nobody hears of it but who measures.
  } else if (m.envelope) {
    inbox.envelopes.push_back({*m.envelope, 0, tail});
    inbox.changed.notify();
  } else if (receives_) {
    inbox.waiting.emplace(m.sender, tail);
    inbox.changed.notify();
  }
  m.request.reach(m.lost ? comm::Milestone::lost : comm::Milestone::delivered, tail);
  m.request = {};
  messages_.give_back(m);
}

std::optional<comm::Arrival> Datagram::next(Fiber& f, int rank) {
  terminal(rank).simulation().settle(f);
  std::deque<comm::Arrival>& there = inboxes_[rank].envelopes;
  // Of a train the end is known before it is there.
  if (there.empty() || there.front().at > f.now()) return std::nullopt;
  const comm::Arrival a = there.front();
  there.pop_front();
  return a;
}

void Datagram::wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) {
  Messages& inbox = inboxes_[rank];
  std::vector<Event*> all = events;
  all.push_back(&inbox.changed);
  if (!inbox.envelopes.empty()) until = std::min(until, inbox.envelopes.front().at);
  f.wait_any(all, until, "a message");
}

void Datagram::check(int from, int to, const comm::Buffer& b) const {
  for (const auto& [rank, place] : {std::pair(from, b.place), std::pair(to, b.target)})
    if (!comm::is_host(place))
      throw config::error_at("/scenario", terminal(rank).name() + " has one memory and no \"" + place + "\"");
}

void Datagram::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  isend(f, from, to, b).wait(f, comm::Milestone::completed);
}

void Datagram::recv(Fiber& f, int to, int from, const comm::Buffer&) {
  if (!receives_) throw std::logic_error("no recv was expected");
  inboxes_[to].take(f, from, "a message");
}

Rate Datagram::injection_rate(Bytes size) const { return router::payload_rate(terminals_.front()->wire(), size); }

std::optional<std::int64_t> Datagram::load_bound(const comm::TrafficShares& shares, Bytes size) const {
  return router::load_bound(terminals_.front()->network(), routers_, shares, injection_rate(size),
                            [size](const net::WireSpec& wire) { return router::payload_rate(wire, size); });
}

std::vector<comm::Ceiling> Datagram::ceilings(int from, int to, const comm::Buffer&) const {
  if (from == to) return {};
  return {{"link payload, " + terminal(from).name(), injection_rate(terminal(from).wire().max_payload)}};
}

LibraryKind datagram_library() {
  return library<Datagram, DatagramConfig>("datagram", "messages between terminals, without any software cost");
}

}  // namespace tsunagi::libraries
