// SPDX-License-Identifier: Apache-2.0
#include "comm/messages/messages.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "comm/messages/who.hpp"
#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

bool completed(const Request& r, Time now) { return r.at(Milestone::completed) <= now; }

}  // namespace

Messages::Messages(Transport& transport, Processor& processor, int ranks, Accounts& accounts)
    : transport_(transport), processor_(processor), accounts_(accounts), ends_(static_cast<std::size_t>(ranks)) {}

Messages::End& Messages::end(int rank) {
  std::unique_ptr<End>& e = ends_[static_cast<std::size_t>(rank)];
  if (e == nullptr) e = std::make_unique<End>();
  return *e;
}

Request Messages::isend(Fiber& f, int from, int to, int context, int tag, const Buffer& b) {
  const Time begin = f.now();
  Request request = requests_.make(begin);
  End& me = end(from);
  pass(f, from);
  Envelope e;
  e.source = from;
  e.context = context;
  e.tag = tag;
  e.size = b.size;
  e.sequence = me.order.next(to);
  carried_.leaves(e, to, b);
  accounts_.sent(b.size);
  witness_.begins(e, to, request);
  if (to == from) {
    own_.emplace(std::pair(from, e.sequence), Sending{to, b, request});
    me.own.push_back({e, 0, begin});
  } else if (b.size <= transport_.eager_limit() && transport_.eager_from(b)) {
    post(f, from, to, {e, b, request});
  } else {
    e.kind = Envelope::Kind::ready_to_send;
    e.target = transport_.offer(f, from, b);
    e.send = me.sends.add({to, b, request});
    post(f, from, to, {e, std::nullopt, {}});
  }
  witness_.sent(e, to, b.method, request, f.now());
  return request;
}

void Messages::post(Fiber& f, int from, int to, Outbox::Outgoing o) {
  End& me = end(from);
  if (me.outbox.has(to) || !transport_.room(from, to))
    me.outbox.push(to, std::move(o));
  else
    hand_over(f, from, to, o);
}

void Messages::hand_over(Fiber& f, int from, int to, const Outbox::Outgoing& o) {
  witness_.handed(o.envelope, from, to, o.request, f.now());
  transport_.post(f, from, to, o.envelope, o.bytes ? &*o.bytes : nullptr, o.request.valid() ? &o.request : nullptr);
}

void Messages::flush(Fiber& f, int rank) {
  end(rank).outbox.flush([&](int to) { return transport_.room(rank, to); },
                         [&](int to, const Outbox::Outgoing& o) {
                           witness_.has_room(rank, to);
                           hand_over(f, rank, to, o);
                         });
}

bool Messages::can_flush(int rank) const {
  return ends_[static_cast<std::size_t>(rank)]->outbox.can_flush([&](int to) { return transport_.room(rank, to); });
}

Request Messages::irecv(Fiber& f, int rank, const Pattern& p, const Buffer& b) {
  End& me = end(rank);
  PostedReceive r{p, b, requests_.make(f.now())};
  Request request = r.request;
  pass(f, rank);
  std::optional<Arrival> there = me.matching.match(p);
  visit(f, rank, Transport::Queue::messages);
  if (there)
    begin_receive(f, rank, *there, std::move(r));
  else
    me.matching.post(std::move(r));
  return request;
}

bool Messages::handle(Fiber& f, int rank) {
  flush(f, rank);
  End& me = end(rank);
  if (!me.own.empty()) {
    const Arrival a = me.own.front();
    me.own.pop_front();
    in_order(f, rank, a);
    return true;
  }
  const std::optional<Arrival> a = transport_.next(f, rank);
  if (!a) return can_flush(rank);  // room may have come while it looked
  const bool answer = a->envelope.kind == Envelope::Kind::clear_to_send || a->envelope.kind == Envelope::Kind::fetched;
  witness_.found(rank, answer ? me.sends.at(a->envelope.send).to : a->envelope.source, *a);
  switch (a->envelope.kind) {
    case Envelope::Kind::eager:
    case Envelope::Kind::ready_to_send:
      in_order(f, rank, *a);
      break;
    case Envelope::Kind::clear_to_send:
      send_bytes(f, rank, *a);
      break;
    case Envelope::Kind::finished:
      end_receive(f, rank, *a);
      break;
    case Envelope::Kind::fetched:
      end_send(f, rank, *a);
  }
  return true;
}

void Messages::in_order(Fiber& f, int rank, Arrival a) {
  // What waits for an earlier one must not keep it out.
  if (end(rank).order.early(a.envelope.source, a.envelope.sequence) && transport_.needs_place(rank, a))
    transport_.set_aside(f, rank, a);
  end(rank).order.arrived(a.envelope.source, a.envelope.sequence, a,
                          [&](const Arrival& next) { accept(f, rank, next); });
}

void Messages::accept(Fiber& f, int rank, Arrival a) {
  End& me = end(rank);
  const bool bytes_here = a.envelope.kind == Envelope::Kind::eager;
  if (!bytes_here) transport_.take(f, rank, a, {});
  std::optional<PostedReceive> r = me.matching.match(a.envelope);
  visit(f, rank, Transport::Queue::receives);
  if (r) return begin_receive(f, rank, a, std::move(*r));
  if (bytes_here && a.envelope.source != rank) transport_.set_aside(f, rank, a);
  me.matching.keep(a);
}

void Messages::check_size(int rank, const Envelope& e, const PostedReceive& r) const {
  if (e.size > r.into.size)
    throw std::runtime_error("truncated: rank " + std::to_string(rank) + " receives " + to_string(r.into.size) +
                             " of " + who(r.pattern) + ", but the message of " + who(e) + " has " + to_string(e.size));
}

void Messages::begin_receive(Fiber& f, int rank, const Arrival& a, PostedReceive r) {
  const Envelope& e = a.envelope;
  check_size(rank, e, r);
  if (e.source == rank) {
    const Sending s = own_.at({rank, e.sequence});
    own_.erase({rank, e.sequence});
    Buffer into = r.into;
    into.size = e.size;
    const Time begin = f.now();
    processor_.copy(f, rank, into, s.bytes);
    accounts_.copied(Copier::core, e.size);
    witness_.step(rank, "copy", begin, f.now());
    complete(f, rank, e, r, f.now());
    for (const Milestone m : {Milestone::started, Milestone::delivered, Milestone::completed})
      s.request.reach(m, f.now());
    return;
  }
  if (e.kind == Envelope::Kind::eager) {
    transport_.take(f, rank, a, r.into);
    return complete(f, rank, e, r, a.at);
  }
  ask_for_bytes(f, rank, e, std::move(r));
}

void Messages::complete(Fiber& f, int rank, const Envelope& e, const PostedReceive& r, Time delivered) {
  carried_.arrives(e, rank, r.into);
  Request request = r.request;
  request.set_status({e.source, e.tag, e.size});
  request.reach(Milestone::started, delivered);
  request.reach(Milestone::delivered, delivered);
  request.reach(Milestone::completed, f.now());
  witness_.received(e, rank, r.into.method, request.at(Milestone::posted), f.now());
}

void Messages::visit(Fiber& f, int rank, Transport::Queue q) {
  const std::vector<std::uint32_t>& visited = end(rank).matching.visited();
  if (!visited.empty()) transport_.visit(f, rank, q, visited);
}

void Messages::pass(Fiber& f, int rank) { transport_.pass(f, rank, end(rank).matching.pending()); }

bool Messages::turn(Fiber& f, int rank) {
  const bool found = handle(f, rank);
  pass(f, rank);
  return found || can_flush(rank);
}

template <class Done>
void Messages::progress(Fiber& f, int rank, const std::vector<Request>& waited, Done&& done) {
  while (!done()) {
    if (turn(f, rank)) continue;
    if (done()) break;
    Time until = Time::max();
    std::vector<Event*> events;
    for (const Request& r : waited) {
      const Time t = r.at(Milestone::completed);
      if (t == Time::max())
        events.push_back(&r.told());
      else if (t > f.now())
        until = std::min(until, t);
    }
    const Time begin = f.now();
    transport_.wait(f, rank, events, until);
    witness_.idle(rank, begin, f.now());
  }
  witness_.left(rank, waited, f.now());
}

bool Messages::test(Fiber& f, int rank, const Request& r) {
  if (!completed(r, f.now())) {
    handle(f, rank);
    pass(f, rank);
  }
  return completed(r, f.now());
}

void Messages::wait_all(Fiber& f, int rank, const std::vector<Request>& all) {
  // One after the other: who waits for thousands does not look at all of them each time that one completes.
  for (const Request& r : all) progress(f, rank, {r}, [&] { return completed(r, f.now()); });
}

std::size_t Messages::wait_any(Fiber& f, int rank, const std::vector<Request>& all) {
  auto first = all.end();
  progress(f, rank, all, [&] {
    first = std::find_if(all.begin(), all.end(), [&](const Request& r) { return completed(r, f.now()); });
    return first != all.end();
  });
  return static_cast<std::size_t>(first - all.begin());
}

void Messages::progress_until(Fiber& f, int rank, const std::vector<Request>& waited,
                              const std::function<bool()>& done) {
  progress(f, rank, waited, done);
}

std::optional<Status> Messages::find(int rank, const Pattern& p) {
  const Arrival* a = end(rank).matching.find(p);
  if (a == nullptr) return std::nullopt;
  return Status{a->envelope.source, a->envelope.tag, a->envelope.size};
}

std::optional<Status> Messages::probe(Fiber& f, int rank, const Pattern& p) {
  const auto look = [&] {
    const std::optional<Status> found = find(rank, p);
    visit(f, rank, Transport::Queue::messages);
    return found;
  };
  std::optional<Status> found = look();
  if (found) return found;
  const bool came = handle(f, rank);
  pass(f, rank);
  return came ? look() : found;
}

Status Messages::wait_probe(Fiber& f, int rank, const Pattern& p) {
  std::optional<Status> found;
  progress(f, rank, {}, [&] {
    found = find(rank, p);
    return found.has_value();
  });
  return *found;
}

}  // namespace tsunagi::comm
