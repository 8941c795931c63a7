// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/messages/verbs_engine.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::libraries {

using infiniband::Operation;
using infiniband::WorkRequest;

VerbsEngine::VerbsEngine(comm::ByRank<VerbsNode>& nodes, const MessageMemory& memory, const VerbsMessagesConfig& c,
                         const comm::Steps& step)
    : nodes_(nodes),
      memory_(memory),
      config_(c),
      step_(step),
      rails_(nodes, c.all_rails ? nodes.front().rails() : 1, c.rail_policy, c.slots) {
  const int ranks = static_cast<int>(nodes.size());
  for (int rank = 0; rank < ranks; ++rank) {
    VerbsNode& n = node(rank);
    const Bytes fast = FastPath::area(c.fast_path, ranks);
    const std::uint64_t incoming = fast == Bytes::zero() ? 0 : n.take_for_peers("slots of the fast path", fast).base;
    const std::uint64_t outgoing = fast == Bytes::zero() ? 0 : n.take("copies of those", fast).base;
    states_.push_back(std::make_unique<State>(FastPath(c.fast_path, ranks, incoming, outgoing)));
    State& s = state(rank);
    const int slots = config_.slots;
    s.incoming = n.take("receive buffers", buffer_size() * slots * rails_.cards());
    s.outgoing = n.take("send buffers", buffer_size() * slots);
    for (int i = 0; i < slots; ++i) s.free.push_back(slots - 1 - i);
    for (int i = 0; i < slots * rails_.cards(); ++i)
      rails_.preset_receive(rank, i / slots, i, buffer(s.incoming, i), buffer_size());
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank && s.fast.polls(peer)) s.polled_peers.push_back(peer);  // from the first message on
  }
}

std::vector<VerbsEngine::Share> VerbsEngine::shares(Bytes n, int rail) const {
  if (!cut(n)) return {{rail, Bytes::zero(), n}};
  std::vector<Share> out;
  const Bytes each(n.count() / rails());
  for (int i = 0; i < rails(); ++i) out.push_back({i, each * i, i + 1 < rails() ? each : n - each * i});
  return out;
}

Bytes VerbsEngine::buffer_size() const {
  return 64_B * units_of(std::max({config_.buffer, config_.eager_limit + config_.header, config_.control}), 64_B);
}

void VerbsEngine::post(Fiber& f, int from, int to, int rail, const char* name, const WorkRequest& w, Then then,
                       flow::ByteView last) {
  step_(f, from, name, [&] { rails_.post(f, from, to, rail, w, {-1, std::move(then)}, last); });
}

void VerbsEngine::prepare(Fiber& f, int from, int to, MessageHeader& h) {
  FastPath& fast = state(from).fast;
  if (config_.send_cycles > 0)
    step_(f, from, "build the header", [&] { node(from).core().execute(f, "send", config_.send_cycles); });
  ++headers_;
  h.credits = fast.credits(to);
  fast.told(to);
}

Bytes VerbsEngine::size_of(const MessageHeader& h) const {
  using Kind = comm::Envelope::Kind;
  const bool control = h.notice == MessageHeader::Notice::blocks ||
                       (h.notice == MessageHeader::Notice::none &&
                        (h.envelope.kind == Kind::ready_to_send || h.envelope.kind == Kind::clear_to_send));
  return control ? std::max({config_.control, config_.header, h.needed()}) : config_.header;
}

void VerbsEngine::send(Fiber& f, int from, int to, MessageHeader h, const comm::Buffer* b, Then then) {
  FastPath& fast = state(from).fast;
  prepare(f, from, to, h);
  const Bytes n = b == nullptr ? Bytes::zero() : b->size;
  const bool again = n <= config_.repeated && h.repeats(fast.last_sent(to));
  const Bytes header = again ? MessageHeader::repeated : size_of(h);
  if (fast.takes(to, n + header)) return send_fast(f, from, to, h, header, b, std::move(then));
  send_plain(f, from, to, rails_.take_turn(from), h, b, std::move(then));
}

void VerbsEngine::send_behind(Fiber& f, int from, int to, int rail, MessageHeader h, Then then) {
  prepare(f, from, to, h);
  send_plain(f, from, to, rail, h, nullptr, std::move(then));
}

void VerbsEngine::send_plain(Fiber& f, int from, int to, int rail, const MessageHeader& h, const comm::Buffer* b,
                             Then then) {
  State& s = state(from);
  VerbsNode& me = node(from);
  const Bytes n = b == nullptr ? Bytes::zero() : b->size, whole = size_of(h);
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
  step_(f, from, "post the send", [&] { rails_.post(f, from, to, rail, w, {i, std::move(then)}, last); });
}

void VerbsEngine::send_fast(Fiber& f, int from, int to, const MessageHeader& h, Bytes header, const comm::Buffer* b,
                            Then then) {
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
  const int rail = rails_.take_turn(from);
  step_(f, from, "post the send", [&] {
    rails_.post(f, from, to, rail, w, {-1, std::move(then)}, last, {first.bytes, 8});
  });
}

}  // namespace tsunagi::libraries
