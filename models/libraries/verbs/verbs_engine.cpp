// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_engine.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::libraries {

using infiniband::Operation;
using infiniband::WorkRequest;

VerbsEngine::VerbsEngine(std::vector<VerbsNode>& nodes, const VerbsMessagesConfig& c, const comm::Steps& step)
    : nodes_(nodes), config_(c), step_(step) {
  const int ranks = static_cast<int>(nodes.size());
  for (int rank = 0; rank < ranks; ++rank) {
    VerbsNode& n = node(rank);
    const Bytes fast = FastPath::area(c.fast_path, ranks);
    const std::uint64_t incoming = fast == Bytes::zero() ? 0 : n.take_for_peers("slots of the fast path", fast).base;
    const std::uint64_t outgoing = fast == Bytes::zero() ? 0 : n.take("copies of those", fast).base;
    states_.push_back(std::make_unique<State>(FastPath(c.fast_path, ranks, incoming, outgoing)));
    State& s = state(rank);
    const int slots = config_.slots;
    s.sends = n.make_completions(node_config().depth * ranks);
    s.receives = n.make_completions(slots + 1);
    s.shared = n.make_receives(slots);
    s.incoming = n.take("receive buffers", buffer_size() * slots);
    s.outgoing = n.take("send buffers", buffer_size() * slots);
    for (int i = 0; i < slots; ++i) {
      s.buffer_of[static_cast<std::uint16_t>(i)] = i;
      s.free.push_back(slots - 1 - i);
      n.preset_receive(s.shared, buffer(s.incoming, i), buffer_size());
    }
    s.pairs.resize(static_cast<std::size_t>(ranks));
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank) pair(rank, peer).queue = n.make_sends();
  }
}

void VerbsEngine::connect(int first) {
  first_pair_ = first;
  const int ranks = static_cast<int>(nodes_.size());
  for (int rank = 0; rank < ranks; ++rank)
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank)
        node(rank).connect(pair(rank, peer).queue, node(peer), first + (rank < peer ? rank : rank - 1),
                           state(rank).sends, state(rank).receives, state(rank).shared);
}

int VerbsEngine::peer_of(int rank, std::uint32_t queue_pair) const {
  const int number = static_cast<int>(queue_pair) - first_pair_;
  return number < rank ? number : number + 1;
}

Bytes VerbsEngine::buffer_size() const {
  return 64_B * units_of(std::max(config_.buffer, config_.eager_limit + config_.header), 64_B);
}

bool VerbsEngine::room(int from, int to, int requests) const {
  const State& s = state(from);
  const QueueEnd& q = s.pairs[static_cast<std::size_t>(to)].queue;
  return !s.free.empty() &&
         q.posted - q.completed + static_cast<unsigned>(requests) < static_cast<std::uint64_t>(q.sends.entries);
}

void VerbsEngine::post_send(comm::Fiber& f, int from, int to, const WorkRequest& w, int buffer, flow::ByteView last,
                            flow::ByteView first) {
  Pair& p = pair(from, to);
  step_(f, from, "post the send", [&] { node(from).post(f, p.queue, w, last, first); });
  p.posted.push_back({buffer, {}});
  ++state(from).under_way;
}

void VerbsEngine::post(comm::Fiber& f, int from, int to, const char* name, const WorkRequest& w, Then then) {
  Pair& p = pair(from, to);
  step_(f, from, name, [&] { node(from).post(f, p.queue, w); });
  p.posted.push_back({-1, std::move(then)});
  ++state(from).under_way;
}

/// Copies bytes into a buffer, and sends them with the header behind.
void VerbsEngine::send(comm::Fiber& f, int from, int to, MessageHeader h, std::uint64_t data, Bytes n) {
  State& s = state(from);
  VerbsNode& me = node(from);
  if (config_.send_cycles > 0)
    step_(f, from, "build the header", [&] { me.core().execute(f, "send", config_.send_cycles); });
  h.credits = s.fast.credits(to);
  s.fast.told(to);
  const bool again = n <= config_.repeated && h.repeats(s.fast.last_sent(to));
  const Bytes header = again ? MessageHeader::repeated : config_.header;
  if (s.fast.takes(to, n + header)) return send_fast(f, from, to, h, header, data, n);
  s.fast.count_sent(to);
  const int i = s.free.back();
  s.free.pop_back();
  const std::uint64_t at = buffer(s.outgoing, i);
  const std::vector<std::uint8_t> said = h.encode(config_.header);
  const flow::ByteView last{said.data(), said.size()};
  if (n > Bytes::zero()) {
    step_.copied(comm::Copier::core, n);
    step_(f, from, "copy into a send buffer", [&] { me.core().copy(f, me.memory(), at, data, n); });
  }
  step_(f, from, "store the envelope", [&] { me.core().store(f, at + unsigned_of(n), last); });
  WorkRequest w;
  w.operation = Operation::send;
  w.length = n + config_.header;
  w.local = at;
  post_send(f, from, to, w, i, last, {});
}

void VerbsEngine::send_fast(comm::Fiber& f, int from, int to, const MessageHeader& h, Bytes header, std::uint64_t data,
                            Bytes n) {
  FastPath& fast = state(from).fast;
  VerbsNode& me = node(from);
  const std::uint64_t number = fast.next_number(to), at = fast.outgoing(to), there = at + unsigned_of(FastPath::word);
  const flow::WordBytes first(FastPath::first_word(number, n + header));
  std::vector<std::uint8_t> said = h.encode(header);
  const flow::WordBytes mark(number);
  said.insert(said.end(), mark.bytes, mark.bytes + 8);
  const flow::ByteView last{said.data(), said.size()};
  if (n > Bytes::zero()) {
    step_.copied(comm::Copier::core, n);
    step_(f, from, "copy into a slot", [&] { me.core().copy(f, me.memory(), there, data, n); });
  }
  step_(f, from, "store the envelope", [&] {
    me.core().store(f, at, flow::ByteView{first.bytes, 8});
    me.core().store(f, there + unsigned_of(n), last);
  });
  WorkRequest w;
  w.operation = Operation::write;
  w.length = n + header + FastPath::word * 2;
  w.local = at;
  w.remote = state(to).fast.incoming(from, number);
  fast.last_sent(to) = h;
  fast.sent(to);
  post_send(f, from, to, w, -1, last, {first.bytes, 8});
}

}  // namespace tsunagi::libraries
