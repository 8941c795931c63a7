// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

/// Whether that is the last part of its name.
bool is_called(const infiniband::Hca& card, const std::string& name) {
  const std::string full = "." + card.name(), end = "." + name;
  return full.size() >= end.size() && full.compare(full.size() - end.size(), end.size(), end) == 0;
}

void check_port(const infiniband::Hca& card, int port) {
  if (port > card.config().ports)
    throw config::error_at("/library/port", card.name() + " has " + std::to_string(card.config().ports) + " port");
  if (!card.ports()[static_cast<std::size_t>(port)].connected())
    throw config::error_at("/machine", card.name() + ": nothing is connected to port" + std::to_string(port));
}

/// The cards by LID.
std::vector<VerbsNode> nodes_with_cards(const VerbsConfig& c, Machine& m) {
  std::map<std::uint32_t, infiniband::Hca*> cards;
  const std::vector<infiniband::Hca*> all = m.all<infiniband::Hca>();
  for (infiniband::Hca* card : all) {
    if (!is_called(*card, c.hca)) continue;
    check_port(*card, c.port);
    if (!cards.emplace(card->lid(c.port), card).second)
      throw config::error_at("/machine", card->name() + " and " + cards[card->lid(c.port)]->name() +
                                             " have one LID: library verbs runs on one subnet");
  }
  if (!all.empty() && cards.empty())
    throw config::error_at("/library/hca", "no host channel adapter is called \"" + c.hca + "\"");
  if (cards.size() < 2)
    throw config::error_at("/library", "library verbs needs a machine with host channel adapters (\"hca\")");
  std::vector<VerbsNode> out;
  out.reserve(cards.size());
  for (const auto& [lid, card] : cards) out.emplace_back(c, m, *card);
  return out;
}

}  // namespace

Verbs::Verbs(const VerbsConfig& c, Machine& m)
    : nodes_(nodes_with_cards(c, m)), ends_(nodes_.size()), two_sided_(nodes_, step), processor_(nodes_) {
  connect();
  two_sided_.connect(ranks() - 1);
  for (VerbsNode& n : nodes_) n.close();
  for (int rank = 0; rank < ranks(); ++rank)
    for (int peer = 0; peer < ranks(); ++peer)
      for (int i = 0; peer != rank && i < c.depth; ++i)
        node(rank).preset_receive(pair(rank, peer).receives, arriving(rank, {}), half(rank));
}

/// A queue pair for each two ranks; its number at rank r for peer p is p, less one behind the rank's own.
void Verbs::connect() {
  const int n = ranks();
  for (int rank = 0; rank < n; ++rank) {
    Ends& e = ends_[static_cast<std::size_t>(rank)];
    const int entries = node(rank).config().depth * (n - 1) + 1;
    e.sends = node(rank).make_completions(entries);
    e.receives = node(rank).make_completions(entries);
    e.pairs.resize(static_cast<std::size_t>(n));
    const auto number = [](int at, int peer) { return peer < at ? peer : peer - 1; };
    for (int peer = 0; peer < n; ++peer) {
      if (peer == rank) continue;
      Pair& p = pair(rank, peer);
      p.queue = node(rank).make_sends();
      p.receives = node(rank).make_receives(node(rank).config().depth);
      node(rank).connect(p.queue, node(peer), number(peer, rank), e.sends, e.receives, p.receives);
    }
  }
}

void Verbs::check(int from, int to, const comm::Buffer& b) const {
  const auto refuse = [](const std::string& why) { throw config::error_at("/scenario", why); };
  for (const std::string& place : {b.place, b.target})
    if (!place.empty() && place != "host") refuse("library verbs moves host memory, not \"" + place + "\"");
  for (const int rank : {from, to})
    if (b.offset + b.size > half(rank))
      refuse(to_string(b.offset + b.size) + " of " + node(rank).memory().name() + ", of which programs have " +
             to_string(half(rank)) + " to send from, and as much for what arrives");
}

void Verbs::run(comm::Fiber& f, int rank, int peer, WorkRequest w, flow::ByteView last) {
  Pair& p = pair(rank, peer);
  step(f, rank, "post the work request", [&] { node(rank).post(f, p.queue, w, last); });
  step(f, rank, "poll the completion queue", [&] {
    node(rank).poll(f, ends_[static_cast<std::size_t>(rank)].sends);
    ++p.queue.completed;
  });
}

void Verbs::send(comm::Fiber& f, int from, int to, const comm::Buffer& b) {
  step.sent(b.size);
  step.copied(comm::Copier::dma, b.size);
  WorkRequest w;
  w.operation = b.method == "send" ? Operation::send : Operation::write;
  w.length = b.size;
  w.local = address(from, b);
  w.remote = arriving(to, b);
  if (w.operation == Operation::send) return run(f, from, to, w, {});
  const Bytes width = Marks::width(b.size);
  const flow::WordBytes mark(Marks::of(++pair(from, to).sent.last(b.size).sent, width));
  const flow::ByteView last{mark.bytes, static_cast<std::size_t>(width.count())};
  step(f, from, "write the last word",
       [&] { node(from).core().store(f, w.local + unsigned_of(b.size - width), last); });
  run(f, from, to, w, last);
}

void Verbs::recv(comm::Fiber& f, int to, int from, const comm::Buffer& b) {
  VerbsNode& n = node(to);
  Pair& p = pair(to, from);
  if (b.method != "send") {
    const Bytes width = Marks::width(b.size);
    const std::uint64_t number = ++p.received.last(b.size).received;
    step(f, to, "poll the last word", [&] {
      n.core().poll(f, n.memory(), arriving(to, b) + unsigned_of(b.size), width,
                    [=](std::uint64_t said) { return Marks::says(said, width, number); });
    });
    return;
  }
  Ends& e = ends_[static_cast<std::size_t>(to)];
  step(f, to, "poll the completion queue", [&] {
    while (p.came == 0) {
      const auto number = static_cast<int>(n.poll(f, e.receives).queue_pair);
      ++e.pairs[static_cast<std::size_t>(number < to ? number : number + 1)].came;
    }
    --p.came;
  });
  step(f, to, "post a receive", [&] { n.post_receive(f, p.receives, arriving(to, {}), half(to)); });
}

void Verbs::get(comm::Fiber& f, int rank, int peer, const comm::Buffer& b) {
  step.sent(b.size);
  step.copied(comm::Copier::dma, b.size);
  WorkRequest w;
  w.operation = Operation::read;
  w.length = b.size;
  w.local = address(rank, b);
  w.remote = address(peer, b);
  run(f, rank, peer, w, {});
}

std::vector<comm::Ceiling> Verbs::ceilings(int from, int, const comm::Buffer& b) const {
  const VerbsNode& n = node(from);
  const net::Port& port = n.card().ports()[static_cast<std::size_t>(n.config().port)];
  const net::WireSpec& wire = port.channel().wire();
  // The shortest packet that carries an MTU.
  flow::Packet p;
  infiniband::Header h;
  h.opcode = static_cast<std::uint32_t>(b.method == "send" ? infiniband::Opcode::send_middle
                                                           : infiniband::Opcode::write_middle);
  p.header<infiniband::Header>() = h;
  return {{"link payload, " + n.card().name(), net::payload_ceiling(wire, p, n.config().mtu)}};
}

std::unique_ptr<comm::Communicator> make_verbs(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<Verbs>(c.as<VerbsConfig>(), m);
}

}  // namespace tsunagi::libraries
