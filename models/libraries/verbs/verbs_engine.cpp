// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_engine.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::libraries {

using infiniband::Operation;
using infiniband::WorkRequest;

VerbsEngine::VerbsEngine(std::vector<VerbsNode>& nodes, const MessageMemory& memory, const VerbsMessagesConfig& c,
                         const comm::Steps& step)
    : nodes_(nodes), memory_(memory), config_(c), step_(step) {
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
  return 64_B * units_of(std::max({config_.buffer, config_.eager_limit + config_.header, config_.control}), 64_B);
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

void VerbsEngine::post(comm::Fiber& f, int from, int to, const char* name, const WorkRequest& w, Then then,
                       flow::ByteView last) {
  Pair& p = pair(from, to);
  step_(f, from, name, [&] { node(from).post(f, p.queue, w, last); });
  p.posted.push_back({-1, std::move(then)});
  ++state(from).under_way;
}

Bytes VerbsEngine::size_of(const MessageHeader& h) const {
  using Kind = comm::Envelope::Kind;
  const bool control = h.notice == MessageHeader::Notice::blocks ||
                       (h.notice == MessageHeader::Notice::none &&
                        (h.envelope.kind == Kind::ready_to_send || h.envelope.kind == Kind::clear_to_send));
  return control ? std::max(config_.control, config_.header) : config_.header;
}

void VerbsEngine::send(comm::Fiber& f, int from, int to, MessageHeader h, const comm::Buffer* b) {
  State& s = state(from);
  VerbsNode& me = node(from);
  const Bytes n = b == nullptr ? Bytes::zero() : b->size;
  if (config_.send_cycles > 0)
    step_(f, from, "build the header", [&] { me.core().execute(f, "send", config_.send_cycles); });
  h.credits = s.fast.credits(to);
  s.fast.told(to);
  const bool again = n <= config_.repeated && h.repeats(s.fast.last_sent(to));
  const Bytes whole = size_of(h), header = again ? MessageHeader::repeated : whole;
  if (s.fast.takes(to, n + header)) return send_fast(f, from, to, h, header, b);
  s.fast.count_sent(to);
  const int i = s.free.back();
  s.free.pop_back();
  const std::uint64_t at = buffer(s.outgoing, i);
  const std::vector<std::uint8_t> said = h.encode(whole);
  const flow::ByteView last{said.data(), said.size()};
  if (n > Bytes::zero()) memory_.copy_out(f, from, "copy into a send buffer", *b, at);
  step_(f, from, "store the envelope", [&] { me.core().store(f, at + unsigned_of(n), last); });
  WorkRequest w;
  w.operation = Operation::send;
  w.length = n + whole;
  w.local = at;
  post_send(f, from, to, w, i, last, {});
}

void VerbsEngine::send_fast(comm::Fiber& f, int from, int to, const MessageHeader& h, Bytes header,
                            const comm::Buffer* b) {
  const Bytes n = b == nullptr ? Bytes::zero() : b->size;
  FastPath& fast = state(from).fast;
  VerbsNode& me = node(from);
  const std::uint64_t number = fast.next_number(to), at = fast.outgoing(to), there = at + unsigned_of(FastPath::word);
  const flow::WordBytes first(FastPath::first_word(number, n + header));
  std::vector<std::uint8_t> said = h.encode(header);
  const flow::WordBytes mark(number);
  said.insert(said.end(), mark.bytes, mark.bytes + 8);
  const flow::ByteView last{said.data(), said.size()};
  if (n > Bytes::zero()) memory_.copy_out(f, from, "copy into a slot", *b, there);
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
