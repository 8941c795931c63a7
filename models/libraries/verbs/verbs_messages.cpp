// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_messages.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Milestone;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

constexpr Bytes queue_entries = 1_MiB;

}  // namespace

VerbsMessages::VerbsMessages(std::vector<VerbsNode>& nodes, const VerbsMessagesConfig& c, const comm::Steps& step)
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
    s.unexpected = n.take("unexpected messages", buffer_size() * config_.unexpected);
    s.queues = n.take("matching queues", queue_entries * 2);
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

void VerbsMessages::connect(int first) {
  first_pair_ = first;
  const int ranks = static_cast<int>(nodes_.size());
  for (int rank = 0; rank < ranks; ++rank)
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank)
        node(rank).connect(pair(rank, peer).queue, node(peer), first + (rank < peer ? rank : rank - 1),
                           state(rank).sends, state(rank).receives, state(rank).shared);
}

int VerbsMessages::peer_of(int rank, std::uint32_t queue_pair) const {
  const int number = static_cast<int>(queue_pair) - first_pair_;
  return number < rank ? number : number + 1;
}

Bytes VerbsMessages::buffer_size() const {
  return 64_B * units_of(std::max(config_.buffer, config_.eager_limit + config_.header), 64_B);
}

bool VerbsMessages::room(int from, int to) const {
  const State& s = state(from);
  const QueueEnd& q = s.pairs[static_cast<std::size_t>(to)].queue;
  return !s.free.empty() && q.posted - q.completed < static_cast<std::uint64_t>(q.sends.entries);
}

void VerbsMessages::check(int rank, const char* call, const comm::Buffer& b) const {
  const bool host = is_host(b.place);
  if (host && b.offset + b.size <= node(rank).user_memory()) return;
  const std::string who = "rank " + std::to_string(rank) + " " + call + ": ";
  if (!host) throw std::runtime_error(who + "two-sided messages move host memory, not \"" + b.place + "\"");
  throw std::runtime_error(who + to_string(b.offset + b.size) + " of " + to_string(node(rank).user_memory()));
}

void VerbsMessages::post_send(comm::Fiber& f, int from, int to, const WorkRequest& w, int buffer, flow::ByteView last,
                              flow::ByteView first) {
  Pair& p = pair(from, to);
  step_(f, from, "post the send", [&] { node(from).post(f, p.queue, w, last, first); });
  p.posted.push_back({buffer, {}});
  ++state(from).under_way;
}

/// Copies bytes into a buffer, and sends them with the header behind.
void VerbsMessages::send(comm::Fiber& f, int from, int to, MessageHeader h, std::uint64_t data, Bytes n) {
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

void VerbsMessages::send_fast(comm::Fiber& f, int from, int to, const MessageHeader& h, Bytes header,
                              std::uint64_t data, Bytes n) {
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

void VerbsMessages::post(comm::Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                         const comm::Request* request) {
  if (b != nullptr) check(from, "sends", *b);
  if (request != nullptr) request->reach(Milestone::started, f.now());
  send(f, from, to, {e, 0, false}, b == nullptr ? 0 : user(from, *b), b == nullptr ? Bytes::zero() : b->size);
  if (request != nullptr) request->reach(Milestone::completed, f.now());
}

std::uint64_t VerbsMessages::expose(comm::Fiber& f, int rank, const comm::Buffer& b) {
  check(rank, "receives", b);
  register_memory(f, rank, user(rank, b), b.size);
  return user(rank, b);
}

void VerbsMessages::register_memory(comm::Fiber& f, int rank, std::uint64_t address, Bytes n) {
  if (config_.register_call == Time::zero() && config_.register_page == Time::zero()) return;
  const auto page = unsigned_of(MemoryPlan::page);
  std::vector<std::uint64_t>& known = state(rank).registered;
  std::int64_t fresh = 0;
  for (std::uint64_t p = address / page; p * page < address + unsigned_of(n); ++p) {
    const auto at = std::lower_bound(known.begin(), known.end(), p);
    if (at != known.end() && *at == p) continue;
    known.insert(at, p);
    ++fresh;
  }
  if (fresh == 0) return;
  step_(f, rank, "register memory",
        [&] { node(rank).core().compute(f, config_.register_call + config_.register_page * fresh); });
}

void VerbsMessages::put(comm::Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                        const comm::Envelope& last, const comm::Request& request) {
  check(from, "sends", b);
  register_memory(f, from, user(from, b), b.size);
  state(from).jobs.push_back({to, b, target, last, request});
  start_jobs(f, from);
}

/// Posts what there is room for: a write, and a send behind it.
void VerbsMessages::start_jobs(comm::Fiber& f, int rank) {
  State& s = state(rank);
  while (!s.jobs.empty()) {
    const Job job = s.jobs.front();
    Pair& p = pair(rank, job.to);
    if (s.free.empty() || p.queue.posted - p.queue.completed + 2 > static_cast<std::uint64_t>(p.queue.sends.entries))
      return;
    s.jobs.pop_front();
    WorkRequest w;
    w.operation = Operation::write;
    w.length = job.what.size;
    w.local = user(rank, job.what);
    w.remote = job.target;
    job.request.reach(Milestone::started, f.now());
    step_.copied(comm::Copier::dma, w.length);
    step_(f, rank, "post the write", [&] { node(rank).post(f, p.queue, w); });
    p.posted.push_back({-1, job.request});
    ++s.under_way;
    send(f, rank, job.to, {job.last, 0, false}, 0, Bytes::zero());
  }
}

void VerbsMessages::visit(comm::Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) {
  const State& s = state(rank);
  step_(f, rank, q == Queue::receives ? "look through the receives" : "look through the messages", [&] {
    for (const std::uint32_t entry : entries)
      node(rank).core().touch(f, node(rank).memory(),
                              s.queues.base + (q == Queue::messages ? unsigned_of(queue_entries) : 0) +
                                  64 * std::uint64_t{entry} % unsigned_of(queue_entries),
                              16_B, "queue entry");
  });
}

void VerbsProcessor::compute(comm::Fiber& f, int rank, Time t) { node(rank).core().compute(f, t); }

void VerbsProcessor::compute(comm::Fiber& f, int rank, const comm::Work& w, const std::string& place) {
  if (!place.empty() && place != "host")
    throw std::runtime_error("rank " + std::to_string(rank) + " computes on \"" + place +
                             "\": library verbs has cores alone");
  node(rank).core().compute(f, w);
}

void VerbsProcessor::copy(comm::Fiber& f, int rank, const comm::Buffer& to, const comm::Buffer& from) {
  const VerbsNode& me = node(rank);
  me.core().copy(f, me.memory(), me.user_base() + unsigned_of(to.offset), me.user_base() + unsigned_of(from.offset),
                 from.size);
}

void VerbsProcessor::combine(comm::Fiber& f, int rank, Bytes n) {
  // One addition of doubles for eight bytes, of which sixteen are read and eight written.
  node(rank).core().compute(f, comm::Work{units_of(n, 8_B), n * 3});
}

}  // namespace tsunagi::libraries
