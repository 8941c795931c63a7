// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/infiniband/header.hpp"
#include "models/libraries/verbs/verbs_nodes.hpp"
#include "net/ceilings.hpp"

namespace tsunagi::libraries {

using infiniband::Operation;
using infiniband::WorkRequest;

PmInfiniBand::PmInfiniBand(const PmConfig& c, Machine& m)
    : config_(c), nodes_(verbs_nodes(c, m, "pm")), ends_(nodes_.size()), processor_(nodes_) {
  for (int rank = 0; rank < ranks(); ++rank) make_queues(rank);
  for (int rank = 0; rank < ranks(); ++rank) {
    nodes_[rank].close();
    const auto buffers = buffers_each() * static_cast<int>(ends_[rank].posted.size());
    for (int i = 0; i < buffers; ++i) post_receive(nullptr, rank, i);
  }
}

int PmInfiniBand::buffers_each() const { return static_cast<int>(config_.receive_memory / config_.longest); }

/// The queue pair with peer p has number p, less one behind the rank's own.
void PmInfiniBand::make_queues(int rank) {
  VerbsNode& me = nodes_[rank];
  Ends& e = ends_[rank];
  const int queues = config_.shared_receives ? 1 : ranks() - 1;
  e.sends = me.make_completions(config_.depth * (ranks() - 1) + 1);
  e.receives = me.make_completions(buffers_each() * queues + 1);
  e.incoming = me.take("receive buffers", config_.receive_memory * queues);
  e.outgoing = me.take("send buffers", config_.send_memory);
  for (int i = 0; i < queues; ++i) e.posted.push_back({me.make_receives(buffers_each()), {}});
  if (datagrams()) {
    e.sides.resize(1);
    e.sides.front().queue = me.make_sends();
    return me.connect(e.sides.front().queue, me, 0, e.sends, e.receives, e.posted.front().queue);
  }
  e.sides.resize(static_cast<std::size_t>(ranks()));
  for (int peer = 0; peer < ranks(); ++peer) {
    if (peer == rank) continue;
    QueueEnd& q = e.sides[peer].queue;
    q = me.make_sends();
    const int number = peer < rank ? peer : peer - 1;
    const ReceiveEnd& receives = e.posted[config_.shared_receives ? 0 : static_cast<std::size_t>(number)].queue;
    me.connect(q, nodes_[peer], rank < peer ? rank : rank - 1, e.sends, e.receives, receives);
  }
}

bool PmInfiniBand::room(int rank, int peer) const {
  const QueueEnd& q = side(rank, peer).queue;
  return q.posted - q.completed < static_cast<std::uint64_t>(q.sends.entries);
}

void PmInfiniBand::post(Fiber& f, int rank, int peer, const WorkRequest& w, int buffer) {
  Side& by = side(rank, peer);
  if (datagrams()) by.queue.peer_lid = nodes_[peer].lid();
  nodes_[rank].post(f, by.queue, w);
  by.sent.push_back(buffer);
  ++ends_[rank].under_way;
}

void PmInfiniBand::send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) {
  WorkRequest w;
  w.length = n;
  w.local = address;
  post(f, rank, peer, w, buffer);
}

void PmInfiniBand::write(Fiber& f, int rank, int peer, std::uint64_t local, std::uint64_t remote, Bytes n) {
  WorkRequest w;
  w.operation = Operation::write;
  w.length = n;
  w.local = local;
  w.remote = remote;
  post(f, rank, peer, w, -1);
}

void PmInfiniBand::read(Fiber& f, int rank, int peer, std::uint64_t local, std::uint64_t remote, Bytes n) {
  WorkRequest w;
  w.operation = Operation::read;
  w.length = n;
  w.local = local;
  w.remote = remote;
  post(f, rank, peer, w, -1);
}

std::optional<int> PmInfiniBand::take_done(Fiber& f, int rank) {
  Ends& e = ends_[rank];
  if (e.under_way == 0 || !nodes_[rank].any(e.sends)) return std::nullopt;
  const infiniband::Completion done = nodes_[rank].poll(f, e.sends);
  Side& by = side(rank, peer_of(rank, done.queue_pair));
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
  auto& buffer_of = e.posted[config_.shared_receives ? 0 : done.queue_pair].buffer_of;
  const auto posted = buffer_of.find(done.index);
  r.buffer = posted->second;
  buffer_of.erase(posted);
  r.address = receive_buffer(rank, r.buffer);
  return r;
}

void PmInfiniBand::post_receive(Fiber* f, int rank, int buffer) {
  Receives& to = ends_[rank].posted[queue_of(buffer)];
  to.buffer_of[static_cast<std::uint16_t>(to.queue.posted)] = buffer;
  const std::uint64_t address = receive_buffer(rank, buffer);
  if (f == nullptr) return nodes_[rank].preset_receive(to.queue, address, config_.longest);
  nodes_[rank].post_receive(*f, to.queue, address, config_.longest);
}

void PmInfiniBand::release(Fiber& f, int rank, const Received& r) { post_receive(&f, rank, r.buffer); }

void PmInfiniBand::wait(Fiber& f, int rank) {
  const VerbsNode& me = nodes_[rank];
  std::vector<host::Core::Polled> words{me.next_entry(ends_[rank].receives)};
  if (ends_[rank].under_way > 0) words.push_back(me.next_entry(ends_[rank].sends));
  me.core().poll_any(f, me.memory(), words);
}

std::vector<comm::Ceiling> PmInfiniBand::ceilings(int from, int /*to*/) const {
  flow::Packet middle;
  infiniband::Header h;
  h.opcode = static_cast<std::uint32_t>(infiniband::Opcode::send_middle);
  middle.header<infiniband::Header>() = h;
  const VerbsNode& node = nodes_[from];
  return {
      {"link payload, " + node.card().name(), net::payload_ceiling(node.port().channel().wire(), middle, config_.mtu)}};
}

std::string PmInfiniBand::advice() const {
  std::int64_t lost = 0;
  for (const VerbsNode& n : nodes_) lost += n.card().lost();
  return lost == 0 ? "" : fmt::format("{} packets were lost", lost);
}

}  // namespace tsunagi::libraries
