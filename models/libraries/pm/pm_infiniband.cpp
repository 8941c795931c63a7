// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/infiniband/header.hpp"
#include "models/libraries/verbs/verbs_nodes.hpp"
#include "net/ceilings.hpp"

namespace tsunagi::libraries {

using infiniband::Command;
using infiniband::Operation;
using infiniband::WorkRequest;

PmInfiniBand::PmInfiniBand(const PmInfiniBandConfig& c, Machine& m)
    : config_(c), nodes_(verbs_nodes(c, m, "pm")), ends_(nodes_.size()), processor_(nodes_) {
  const bool commanded = !datagrams() && nodes_.front().card().context_size() > Bytes::zero();
  for (int rank = 0; rank < ranks(); ++rank) {
    take_memory(rank);
    if (commanded) commands_.push_back(CardCommands(nodes_[rank], queues(), c.driver_cycles));
    nodes_[rank].close();
  }
}

void PmInfiniBand::take_memory(int rank) {
  VerbsNode& me = nodes_[rank];
  Ends& e = ends_[rank];
  const int pairs = datagrams() ? 1 : ranks() - 1;
  e.sends = me.make_completions(config_.depth * pairs + 1);
  e.receives = me.make_completions(buffers_each() * receive_queues() + 1);
  e.incoming = me.take("receive buffers", config_.receive_memory * receive_queues());
  e.outgoing = me.take("send buffers", config_.send_memory);
  e.send_queues = me.take("send queues", me.send_queue_size() * pairs);
  e.receive_queues = me.take("receive queues", me.receive_queue_size(buffers_each()) * receive_queues());
  e.posted.resize(static_cast<std::size_t>(receive_queues()));
}

PmInfiniBand::Receives& PmInfiniBand::receives(int rank, int peer) {
  const int queue = config_.shared_receives ? 0 : place(rank, peer);
  Receives& r = ends_[rank].posted[static_cast<std::size_t>(queue)];
  if (r.queue.number >= 0) return r;
  const Bytes size = nodes_[rank].receive_queue_size(buffers_each());
  r.queue = nodes_[rank].make_receives_at(ends_[rank].receive_queues.base + unsigned_of(size * queue), buffers_each());
  for (int i = 0; i < buffers_each(); ++i) post_receive(nullptr, rank, queue * buffers_each() + i);
  return r;
}

void PmInfiniBand::make_side(int rank, int peer) {
  VerbsNode& me = nodes_[rank];
  Ends& e = ends_[rank];
  const ReceiveEnd& receives_of = receives(rank, peer).queue;
  const int at = datagrams() ? 0 : place(rank, peer);
  QueueEnd& q = e.sides[datagrams() ? 0 : peer].queue;
  q = me.make_sends_at(e.send_queues.base + unsigned_of(me.send_queue_size() * at));
  me.connect(q, nodes_[peer], datagrams() ? 0 : place(peer, rank), e.sends, e.receives, receives_of, at);
}

void PmInfiniBand::connect(int rank, int peer) {
  for (const int r : {rank, peer}) ends_[r].sides.resize(datagrams() ? 1 : static_cast<std::size_t>(ranks()));
  if (datagrams()) {
    for (const int r : {rank, peer})
      if (ends_[r].sides.front().queue.number < 0) make_side(r, r);
    return;
  }
  if (ends_[rank].sides[peer].queue.number >= 0) return;
  make_side(rank, peer);
  make_side(peer, rank);
}

PmInfiniBand::Side& PmInfiniBand::side(int rank, int peer) {
  connect(rank, peer);
  return ends_[rank].sides[datagrams() ? 0 : peer];
}

bool PmInfiniBand::room(int rank, int peer) const {
  if (ends_[rank].sides.empty()) return true;
  const QueueEnd& q = side(rank, peer).queue;
  if (q.number < 0) return true;
  return q.posted - q.completed < static_cast<std::uint64_t>(q.sends.entries);
}

void PmInfiniBand::post(Fiber& f, int rank, int peer, const WorkRequest& w, const Done& posted) {
  Side& by = side(rank, peer);
  if (datagrams()) by.queue.peer_lid = nodes_[peer].lid();
  nodes_[rank].post(f, by.queue, w);
  by.sent.push_back(posted);
  ++ends_[rank].under_way;
}

void PmInfiniBand::send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) {
  WorkRequest w;
  w.length = n;
  w.local = address;
  post(f, rank, peer, w, {Done::What::message, buffer});
}

void PmInfiniBand::transfer(Fiber& f, int rank, int peer, Transfer t, std::uint64_t local, std::uint64_t remote,
                            Bytes n, int number) {
  WorkRequest w;
  w.operation = t == Transfer::write ? Operation::write : Operation::read;
  w.length = n;
  w.local = local;
  w.remote = remote;
  post(f, rank, peer, w, t == Transfer::write ? Done{Done::What::write, number} : Done{Done::What::read});
}

std::optional<PmNetwork::Done> PmInfiniBand::take_done(Fiber& f, int rank) {
  Ends& e = ends_[rank];
  if (e.under_way == 0 || !nodes_[rank].any(e.sends)) return std::nullopt;
  const infiniband::Completion done = nodes_[rank].poll(f, e.sends);
  Side& by = e.sides[datagrams() ? 0 : peer_at(rank, static_cast<int>(done.queue_pair))];
  ++by.queue.completed;
  --e.under_way;
  return by.sent.take_front();
}

/// Ranks are in the order of their LIDs.
int PmInfiniBand::rank_of(std::uint32_t lid) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), lid,
                                   [](const VerbsNode& n, std::uint32_t l) { return n.lid() < l; });
  return static_cast<int>(at - nodes_.begin());
}

std::optional<PmNetwork::Received> PmInfiniBand::take_received(Fiber& f, int rank) {
  Ends& e = ends_[rank];
  if (!nodes_[rank].any(e.receives)) return std::nullopt;
  const infiniband::Completion done = nodes_[rank].poll(f, e.receives);
  Received r;
  r.peer = rank_of(done.source);
  r.size = done.length;
  auto& buffer_of = receives(rank, r.peer).buffer_of;
  const auto posted = buffer_of.find(done.index);
  r.buffer = posted->second;
  buffer_of.erase(posted);
  r.address = receive_buffer(rank, r.buffer);
  return r;
}

void PmInfiniBand::post_receive(Fiber* f, int rank, int buffer) {
  Receives& to = ends_[rank].posted[config_.shared_receives ? 0 : static_cast<std::size_t>(buffer / buffers_each())];
  to.buffer_of[static_cast<std::uint16_t>(to.queue.posted)] = buffer;
  const std::uint64_t address = receive_buffer(rank, buffer);
  if (f == nullptr) return nodes_[rank].preset_receive(to.queue, address, config_.longest);
  nodes_[rank].post_receive(*f, to.queue, address, config_.longest);
}

void PmInfiniBand::wait(Fiber& f, int rank, Time deadline) {
  const VerbsNode& me = nodes_[rank];
  std::vector<host::Core::Polled> words{me.next_entry(ends_[rank].receives)};
  if (ends_[rank].under_way > 0) words.push_back(me.next_entry(ends_[rank].sends));
  me.core().poll_any(f, me.memory(), words, deadline);
}

void PmInfiniBand::command(Fiber& f, int rank, Command::Code code, Command::Of of, int n, int place) {
  Command c;
  c.code = code;
  c.of = of;
  c.count = static_cast<std::uint32_t>(config_.commands == Commanded::range ? n : 1);
  for (; static_cast<int>(c.first) < n; c.first += c.count)
    commands_[rank].run(f, c, place + static_cast<int>(c.first));
}

void PmInfiniBand::send_stable(Fiber& f, int rank) {
  for (int peer = 0; peer < ranks(); ++peer)
    if (peer != rank) connect(rank, peer);  // as PM does for all when it begins
  const int pairs = ranks() - 1;
  command(f, rank, Command::Code::stop, Command::Of::queue_pairs, pairs, 0);
  const int step = config_.commands == Commanded::range ? pairs : 1;
  for (int i = 0; i < pairs; i += step) commands_[rank].await_stable(f, i);
}

void PmInfiniBand::resume(Fiber& f, int rank) {
  command(f, rank, Command::Code::start, Command::Of::queue_pairs, ranks() - 1, 0);
}

void PmInfiniBand::for_all_queues(Fiber& f, int rank, Command::Code code) {
  const int pairs = ranks() - 1;
  command(f, rank, code, Command::Of::queue_pairs, pairs, 0);
  command(f, rank, code, Command::Of::receive_queues, receive_queues(), pairs);
  command(f, rank, code, Command::Of::completion_queues, completion_queues, pairs + receive_queues());
}

Bytes PmInfiniBand::saved(int rank) const { return nodes_[rank].card().context_size() * queues(); }

std::vector<comm::Ceiling> PmInfiniBand::ceilings(int from, int /*to*/) const {
  flow::Packet middle;
  infiniband::Header h;
  h.opcode = static_cast<std::uint32_t>(infiniband::Opcode::send_middle);
  middle.header<infiniband::Header>() = h;
  const VerbsNode& node = nodes_[from];
  return {
      {"link payload, " + node.card().name(), net::payload_ceiling(node.port().channel().wire(), middle, config_.mtu)}};
}

std::int64_t PmInfiniBand::lost() const {
  std::int64_t out = 0;
  for (const VerbsNode& n : nodes_) out += n.card().lost();
  return out;
}

std::string PmInfiniBand::advice() const { return lost() == 0 ? "" : fmt::format("{} packets were lost", lost()); }

}  // namespace tsunagi::libraries
