// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_messages.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/libraries/envelope_line.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Milestone;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

constexpr std::uint64_t first_place_aside = 1 << 20;  // of handles; below: buffers of the receive queue
constexpr Bytes queue_entries = 1_MiB;

}  // namespace

VerbsMessages::VerbsMessages(std::vector<VerbsNode>& nodes, const comm::Steps& step)
    : nodes_(nodes), step_(step), states_(nodes.size()) {
  const int ranks = static_cast<int>(nodes.size());
  for (int rank = 0; rank < ranks; ++rank) {
    VerbsNode& n = node(rank);
    State& s = state(rank);
    const int slots = config().slots;
    s.sends = n.make_completions(config().depth * ranks);
    s.receives = n.make_completions(slots + 1);
    s.shared = n.make_receives(slots);
    s.incoming = n.take("receive buffers", buffer_size() * slots);
    s.outgoing = n.take("send buffers", buffer_size() * slots);
    s.unexpected = n.take("unexpected messages", buffer_size() * config().unexpected);
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

Bytes VerbsMessages::buffer_size() const { return 64_B * units_of(config().eager_limit, 64_B) + EnvelopeLine::size; }

bool VerbsMessages::room(int from, int to) const {
  const State& s = state(from);
  const QueueEnd& q = s.pairs[static_cast<std::size_t>(to)].queue;
  return !s.free.empty() && q.posted - q.completed < static_cast<std::uint64_t>(q.sends.entries);
}

void VerbsMessages::check(int rank, const char* call, const comm::Buffer& b) const {
  const bool host = is_host(b.place);
  if (host && b.offset + b.size <= node(rank).user_memory()) return;
  const std::string who = "rank " + std::to_string(rank) + " " + call + ": ";
  if (!host) throw std::runtime_error(who + "library verbs moves host memory, not \"" + b.place + "\"");
  throw std::runtime_error(who + to_string(b.offset + b.size) + " of " + to_string(node(rank).user_memory()));
}

/// Copies bytes into a buffer, and sends them with the envelope behind.
void VerbsMessages::send(comm::Fiber& f, int from, int to, const comm::Envelope& e, std::uint64_t data, Bytes n,
                         const comm::Request& request) {
  State& s = state(from);
  VerbsNode& me = node(from);
  Pair& p = pair(from, to);
  const int i = s.free.back();
  s.free.pop_back();
  const std::uint64_t at = buffer(s.outgoing, i);
  const EnvelopeLine line(e, p.queue.posted + 1);
  if (n > Bytes::zero()) {
    step_.copied(comm::Copier::core, n);
    step_(f, from, "copy into a send buffer", [&] { me.core().copy(f, me.memory(), at, data, n); });
  }
  step_(f, from, "store the envelope", [&] { me.core().store(f, at + unsigned_of(n), line.bytes()); });
  WorkRequest w;
  w.operation = Operation::send;
  w.length = n + EnvelopeLine::size;
  w.local = at;
  step_(f, from, "post the send", [&] { me.post(f, p.queue, w, line.bytes()); });
  p.posted.push_back({i, request});
  ++s.under_way;
}

void VerbsMessages::post(comm::Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                         const comm::Request* request) {
  if (b != nullptr) check(from, "sends", *b);
  if (request != nullptr) request->reach(Milestone::started, f.now());
  send(f, from, to, e, b == nullptr ? 0 : user(from, *b), b == nullptr ? Bytes::zero() : b->size, {});
  if (request != nullptr) request->reach(Milestone::completed, f.now());
}

std::uint64_t VerbsMessages::expose(comm::Fiber&, int rank, const comm::Buffer& b) {
  check(rank, "receives", b);
  return user(rank, b);
}

void VerbsMessages::put(comm::Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                        const comm::Envelope& last, const comm::Request& request) {
  check(from, "sends", b);
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
    send(f, rank, job.to, job.last, 0, Bytes::zero(), {});
  }
}

/// Takes a completion of a send queue.
void VerbsMessages::completed(comm::Fiber& f, int rank) {
  State& s = state(rank);
  const infiniband::Completion c = node(rank).poll(f, s.sends);
  Pair& p = pair(rank, peer_of(rank, c.queue_pair));
  ++p.queue.completed;
  --s.under_way;
  const Posted done = p.posted.take_front();
  if (done.buffer >= 0) s.free.push_back(done.buffer);
  if (done.request.valid()) done.request.reach(Milestone::completed, f.now());
}

std::optional<comm::Arrival> VerbsMessages::next(comm::Fiber& f, int rank) {
  State& s = state(rank);
  VerbsNode& me = node(rank);
  while (me.any(s.sends)) step_(f, rank, "poll a send's completion", [&] { completed(f, rank); });
  start_jobs(f, rank);
  if (!std::exchange(s.polled, false))
    me.core().execute(f, "look at the completion queue", me.core().config().poll_cycles);
  if (!me.any(s.receives)) return std::nullopt;
  const Time since = me.memory().word_ending_at(me.next_entry(s.receives).end, 8_B).since;
  infiniband::Completion c;
  step_(f, rank, "poll a receive's completion", [&] { c = me.poll(f, s.receives); });
  const auto posted = s.buffer_of.find(c.index);
  const int i = posted->second;
  s.buffer_of.erase(posted);
  const std::uint64_t end = buffer(s.incoming, i) + unsigned_of(c.length);
  comm::Arrival a;
  a.envelope = EnvelopeLine::decode(me.memory().bytes(end - unsigned_of(EnvelopeLine::size), EnvelopeLine::size));
  a.handle = static_cast<std::uint64_t>(i);
  a.at = since;
  return a;
}

void VerbsMessages::wait(comm::Fiber& f, int rank, const std::vector<comm::Event*>&, Time) {
  State& s = state(rank);
  VerbsNode& me = node(rank);
  std::vector<host::Core::Polled> words{me.next_entry(s.receives)};
  if (s.under_way > 0) words.push_back(me.next_entry(s.sends));
  step_(f, rank, "poll the completion queues", [&] { me.core().poll_any(f, me.memory(), words); });
  s.polled = true;
}

void VerbsMessages::post_again(comm::Fiber& f, int rank, int i) {
  State& s = state(rank);
  s.buffer_of[static_cast<std::uint16_t>(s.shared.posted)] = i;
  step_(f, rank, "post a receive", [&] { node(rank).post_receive(f, s.shared, buffer(s.incoming, i), buffer_size()); });
}

std::uint64_t VerbsMessages::place_of(int rank, const comm::Arrival& a) const {
  const State& s = state(rank);
  return a.handle >= first_place_aside ? buffer(s.unexpected, static_cast<int>(a.handle - first_place_aside))
                                       : buffer(s.incoming, static_cast<int>(a.handle));
}

void VerbsMessages::take(comm::Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) {
  const Bytes n = a.envelope.kind == comm::Envelope::Kind::eager ? a.envelope.size : Bytes::zero();
  if (n > Bytes::zero()) {
    check(rank, "receives", b);
    step_.copied(comm::Copier::core, n);
    step_(f, rank, "copy the message",
          [&] { node(rank).core().copy(f, node(rank).memory(), user(rank, b), place_of(rank, a), n); });
  }
  if (a.handle >= first_place_aside)
    state(rank).aside.give_back(static_cast<std::uint32_t>(a.handle - first_place_aside));
  else
    post_again(f, rank, static_cast<int>(a.handle));
}

void VerbsMessages::set_aside(comm::Fiber& f, int rank, comm::Arrival& a) {
  State& s = state(rank);
  const std::uint64_t place = s.aside.take();
  if (place >= static_cast<std::uint64_t>(config().unexpected))
    throw std::runtime_error("rank " + std::to_string(rank) + " keeps " + std::to_string(config().unexpected) +
                             " messages that nobody has posted a receive for, and has no memory for more");
  const Bytes n = a.envelope.size;
  if (n > Bytes::zero()) {
    step_.copied(comm::Copier::core, n);
    step_(f, rank, "copy the message aside", [&] {
      node(rank).core().copy(f, node(rank).memory(), buffer(s.unexpected, static_cast<int>(place)), place_of(rank, a),
                             n);
    });
  }
  const int i = static_cast<int>(a.handle);
  a.handle = first_place_aside + place;
  post_again(f, rank, i);
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
