// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_queues.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using infiniband::Operation;
using infiniband::Service;
using infiniband::WorkRequest;

namespace {

/// Room that a receive of a datagram has in front of the data for a global route header (verbs).
constexpr Bytes global_header{40};

Operation operation_of(const std::string& method) {
  if (method == "send") return Operation::send;
  return method == "read" ? Operation::read : Operation::write;
}

}  // namespace

VerbsQueues::VerbsQueues(comm::ByRank<VerbsNode>& nodes, const comm::Steps& step)
    : nodes_(nodes), step_(step), ends_(nodes.size()), arrivals_(nodes.size()) {
  for (int rank = 0; rank < ranks(); ++rank) {
    ends_[rank].pairs.resize(static_cast<std::size_t>(ranks()));
    for (int rail = 0; rail < rails(); ++rail) connect(rank, rail);
  }
}

/// The queue pairs of a rank and rail; that for peer p has number p, less one behind the rank's own, behind those of
/// the card's earlier rails.
void VerbsQueues::connect(int rank, int rail) {
  VerbsNode& me = nodes_[rank];
  const int n = ranks();
  const int entries = std::max(depth(), receive_depth()) * (n - 1) + 1;
  const CompletionEnd sends = me.make_completions(entries, rail);
  const CompletionEnd receives = me.make_completions(entries, rail);
  for (int peer = 0; peer < n; ++peer) {
    if (peer == rank) continue;
    Side s;
    s.queue = me.make_sends(rail);
    s.receives = me.make_receives(receive_depth(), rail);
    const int number = nodes_[peer].earlier_on_card(rail) * (n - 1) + (rank < peer ? rank : rank - 1);
    me.connect(s.queue, nodes_[peer], number, sends, receives, s.receives);
    pair(rank, peer).rails.push_back(std::move(s));
  }
  ends_[rank].sends.rails.push_back(sends);
  ends_[rank].receives.rails.push_back(receives);
}

void VerbsQueues::close() {
  least_ = half(0);
  for (int rank = 1; rank < ranks(); ++rank) least_ = std::min(least_, half(rank));
}

void VerbsQueues::preset_receives(int rank, int peer) {
  for (Side& s : pair(rank, peer).rails)
    while (s.receives.posted < static_cast<unsigned>(receive_depth())) post_receive(nullptr, rank, s);
}

void VerbsQueues::post_receive(Fiber* f, int rank, Side& side) {
  const bool datagrams = config().service == Service::unreliable_datagram;
  const std::uint64_t to = arriving(rank) - (datagrams ? unsigned_of(global_header) : 0);
  const Bytes n = datagrams ? config().mtu + global_header : half(rank);
  if (f == nullptr) return nodes_[rank].preset_receive(side.receives, to, n);
  step_(*f, rank, "post a receive", [&] { nodes_[rank].post_receive(*f, side.receives, to, n); });
}

std::vector<std::string> VerbsQueues::methods() const {
  if (config().service == Service::unreliable_datagram) return {"send"};
  return {"write", "send", "read"};
}

void VerbsQueues::check(int rank, int peer, const comm::Buffer& b) const {
  const auto refuse = [](const std::string& why) { throw config::error_at("/scenario", why); };
  const bool sends = operation_of(b.method.empty() ? methods().front() : b.method) == Operation::send;
  for (const auto& [at, place] : {std::pair(rank, b.place), std::pair(peer, b.target)})
    if (!comm::is_host(place) && !sends && windows_)
      windows_(at, place, b);
    else if (!comm::is_host(place))
      refuse("library verbs moves host memory, not \"" + place + "\", but by writes and reads that are posted");
  if (config().service == Service::unreliable_datagram && b.size > config().mtu)
    refuse("a datagram has one packet, " + to_string(config().mtu) + " at most, not " + to_string(b.size));
  for (const int r : {rank, peer})
    if (b.offset + b.size > half(r))
      refuse(to_string(b.offset + b.size) + " of " + nodes_[r].memory().name() + ", of which programs have " +
             to_string(half(r)) + " to send from, and as much for what arrives");
}

void VerbsQueues::check_start(const comm::Buffer& b) const {
  if (b.offset + b.size > largest_started())
    throw config::error_at("/scenario", "a message of " + to_string(b.offset + b.size) +
                                            " is started, and nodes have room for " + to_string(largest_started()) +
                                            " from each queue pair of others");
}

void VerbsQueues::post(Fiber& f, int rank, Side& side, const WorkRequest& w, flow::ByteView last,
                       const comm::Request& request) {
  step_(f, rank, "post the work request", [&] { nodes_[rank].post(f, side.queue, w, last); });
  side.told.push_back(request);
}

void VerbsQueues::post(Fiber& f, int rank, int peer, const comm::PostedTransfer& t) {
  const comm::Buffer& b = t.what;
  step_.sent(b.size);
  step_.copied(comm::Copier::dma, b.size);
  WorkRequest w;
  w.operation = b.method.empty() ? operation_of(methods().front()) : operation_of(b.method);
  w.signalled = t.signalled;
  w.length = b.size;
  w.local = comm::is_host(b.place) ? address(rank, b) : windows_(rank, b.place, b);
  w.remote = !comm::is_host(b.target)         ? windows_(peer, b.target, b)
             : w.operation == Operation::read ? address(peer, b)
                                              : arriving(peer, b.offset);
  Side& side = pair(rank, peer).rails[static_cast<std::size_t>(t.queue)];
  if (w.operation == Operation::send) preset_receives(peer, rank);
  if (w.operation != Operation::write || !t.awaited) return post(f, rank, side, w, {}, {});
  const Bytes width = Marks::width(b.size);
  const flow::WordBytes mark(Marks::of(++pair(rank, peer).sent.last(b.size).sent, width));
  const flow::ByteView last{mark.bytes, static_cast<std::size_t>(width.count())};
  step_(f, rank, "write the last word",
        [&] { nodes_[rank].core().store(f, w.local + unsigned_of(b.size - width), last); });
  post(f, rank, side, w, last, {});
}

VerbsQueues::Entry VerbsQueues::next(Fiber& f, int rank, Completions& c) const {
  const VerbsNode& me = nodes_[rank];
  if (c.rails.size() > 1) {
    std::vector<host::Core::Polled> words;  // from the rail behind the last one on
    for (std::size_t i = 1; i <= c.rails.size(); ++i)
      words.push_back(me.next_entry(c.rails[(c.last + i) % c.rails.size()]));
    c.last = (c.last + 1 + me.core().poll_any(f, me.memory(), words)) % c.rails.size();
  }
  Entry e;
  e.what = nodes_[rank].poll(f, c.rails[c.last]);
  e.rail = static_cast<int>(c.last);
  const int number = static_cast<int>(e.what.queue_pair) % (ranks() - 1);
  e.peer = number < rank ? number : number + 1;
  return e;
}

comm::WorkQueues::Done VerbsQueues::poll(Fiber& f, int rank) {
  Done done;
  step_(f, rank, "poll the completion queue", [&] {
    const Entry e = next(f, rank, ends_[rank].sends);
    Side& side = pair(rank, e.peer).rails[static_cast<std::size_t>(e.rail)];
    // It stands for all before it.
    done = {e.peer, e.rail,
            static_cast<std::uint16_t>(e.what.index - static_cast<std::uint16_t>(side.queue.completed)) + 1};
    side.queue.completed += static_cast<unsigned>(done.transfers);
    for (int i = 0; i < done.transfers; ++i) {
      const comm::Request r = side.told.take_front();
      if (r.valid()) r.reach(comm::Milestone::completed, f.now());
    }
  });
  return done;
}

void VerbsQueues::run(Fiber& f, int rank, int peer, comm::PostedTransfer t) {
  t.queue = next_rail(rank, peer);
  post(f, rank, peer, t);
  const QueueEnd& queue = pair(rank, peer).rails[static_cast<std::size_t>(t.queue)].queue;
  while (queue.completed != queue.posted) poll(f, rank);
}

void VerbsQueues::receive(Fiber& f, int to, int from, const comm::Buffer& b) {
  VerbsNode& me = nodes_[to];
  Pair& p = pair(to, from);
  if (operation_of(b.method.empty() ? methods().front() : b.method) != Operation::send) {
    const Bytes width = Marks::width(b.size);
    const std::uint64_t number = ++p.marked.last(b.size).received;
    step_(f, to, "poll the last word", [&] {
      me.core().poll(f, me.memory(), arriving(to, b.offset) + unsigned_of(b.size), width,
                     [=](std::uint64_t said) { return Marks::says(said, width, number); });
    });
    return;
  }
  step_(f, to, "poll the completion queue", [&] {
    while (p.came.empty()) {
      const Entry e = next(f, to, ends_[to].receives);
      pair(to, e.peer).came.push_back(e.rail);
    }
  });
  post_receive(&f, to, p.rails[static_cast<std::size_t>(p.came.take_front())]);
}

comm::Request VerbsQueues::start(Fiber& f, int from, int to, const comm::Buffer& b) {
  check_start(b);
  const comm::Request request = requests_.make(f.now());
  const int rail = next_rail(from, to);
  Side& side = pair(from, to).rails[static_cast<std::size_t>(rail)];
  while (side.queue.posted - side.queue.completed == static_cast<unsigned>(depth())) poll(f, from);
  auto& there = arrivals_[to];
  if (there == nullptr) {
    there = std::make_unique<VerbsArrivals>(arriving(to), largest_started(), (ranks() - 1) * rails());
    nodes_[to].memory().set_listener(*there);
  }
  const int place = (from < to ? from : from - 1) * rails() + rail;
  step_.sent(b.size);
  step_.copied(comm::Copier::dma, b.size);
  WorkRequest w;
  w.operation = Operation::write;
  w.length = b.size;
  w.local = address(from, b);
  w.remote = arriving(to, largest_started() * place + b.offset);
  there->expect(place, static_cast<std::uint32_t>(side.queue.posted + 1), b.size, request);
  post(f, from, side, w, {}, request);
  request.reach(comm::Milestone::started, f.now());
  return request;
}

}  // namespace tsunagi::libraries
