// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "comm/facets/stream_collectives.hpp"
#include "comm/group.hpp"
#include "comm/library.hpp"
#include "comm/world.hpp"
#include "comm/world/start_line.hpp"

namespace tsunagi::comm {

/// One rank's program sees this and nothing below it.
class Rank {
 public:
  Rank(World& w, Fiber& f, int id) : world_(w), library_(w.library()), fiber_(f), id_(id) {}
  int id() const { return id_; }
  int size() const { return library_.ranks(); }
  Time now() const { return fiber_.now(); }
  /// All ranks as a group: two-sided messages, collectives.
  Group world() { return {world_, fiber_, world_.groups().everybody(), id_}; }
  /// Ranks 0 .. n - 1 as a group, of which this is one. Nobody has to say so to anybody: it takes no time.
  Group first(int n) { return {world_, fiber_, world_.groups().first(n), id_}; }
  /// The rank as halo exchanges see it (World::halo).
  Rank halo() const { return {world_.halo(), fiber_, id_}; }
  /// What the rank has to send leaves: before it waits by the other one of two libraries.
  void change_library() {
    if (library_.halo() != nullptr) world_.finish(fiber_, id_);
  }
  /// Who keeps which bytes lie where; null: nobody.
  Ledger* ledger() const { return world_.ledger(); }
  /// Copies `from` to `to`, both in its own memory and equally long, of any shape.
  void copy(const Buffer& to, const Buffer& from) { world_.copy(fiber_, id_, to, from); }
  /// Without a tag: the library's own way to move a message to the same place at the peer, which waits by `recv`.
  void send(int peer, const Buffer& b) {
    if (!library_.direct()) return world().send(peer, 0, b);
    world_.check_shape(id_, b);
    const Time begin = now();
    library_.send(fiber_, id_, peer, b);
    tell(Call::Kind::send, peer, b, begin);
  }
  void recv(int peer, const Buffer& b) {
    if (!library_.direct()) {
      world().recv(peer, 0, {b.offset, b.size, b.target, {}, {}, b.block, b.every});
      return;
    }
    const Time begin = now();
    library_.recv(fiber_, id_, peer, b);
    tell(Call::Kind::receive, peer, b, begin);
  }
  void get(int peer, const Buffer& b) {
    const Time begin = now();
    library_.required<Gets>().get(fiber_, id_, peer, b);
    // To observers a message to itself: it begins here and ends here.
    tell(Call::Kind::send, id_, b, begin);
    tell(Call::Kind::receive, id_, b, begin);
  }
  /// Has `c` copied by the library's `DeviceCopies`, which it must have; what that's timer says. To observers a
  /// message to itself.
  Time copy(const DeviceCopy& c) {
    const Time begin = now();
    const Time taken = library_.required<DeviceCopies>().copy(fiber_, id_, c);
    const Buffer b{c.source.offset, c.size, c.source.place, {}, c.target.place};
    tell(Call::Kind::send, id_, b, begin);
    tell(Call::Kind::receive, id_, b, begin);
    return taken;
  }
  /// Starts an operation of its card (the library must have `Dma`).
  Request start(const DmaOperation& o) { return library_.required<Dma>().start(fiber_, o); }
  /// The same, and waits until it is done. To observers a message to itself.
  void transfer(const DmaOperation& o) {
    const Time begin = now();
    start(o).wait(fiber_, Milestone::completed);
    const Buffer b{o.offset, o.size, {}, library_.required<Dma>().methods()[static_cast<std::size_t>(o.method)]};
    tell(Call::Kind::send, id_, b, begin);
    tell(Call::Kind::receive, id_, b, begin);
  }
  /// What `post` posts to (the library must have `WorkQueues`).
  WorkQueues& work_queues() { return library_.required<WorkQueues>(); }
  /// Posts a transfer. To observers a message if somebody awaits it.
  void post(int peer, const PostedTransfer& t) {
    const Time begin = now();
    work_queues().post(fiber_, id_, peer, t);
    if (t.awaited) tell(Call::Kind::send, peer, t.what, begin);
  }
  /// Waits until some of the posted transfers are done.
  WorkQueues::Done poll_done() { return work_queues().poll(fiber_, id_); }
  /// Messages in the library's buffers (which must have them), as this rank calls for them.
  class Buffered {
   public:
    explicit Buffered(Rank& r) : all_(r.library_.required<BufferedMessages>()), rank_(r) {}
    Bytes longest() const { return all_.longest(); }
    bool get_buffer(int peer, Bytes n) { return all_.get_buffer(rank_.fiber_, rank_.id_, peer, n); }
    void send_buffer() { all_.send_buffer(rank_.fiber_, rank_.id_); }
    /// Whether a message is there.
    std::optional<BufferedMessages::Received> look() { return all_.receive(rank_.fiber_, rank_.id_); }
    void release(const BufferedMessages::Received& r) { all_.release(rank_.fiber_, rank_.id_, r); }
    bool write(int peer, Bytes offset, Bytes n) { return all_.write(rank_.fiber_, rank_.id_, peer, offset, n); }
    bool read(int peer, Bytes offset, Bytes n) { return all_.read(rank_.fiber_, rank_.id_, peer, offset, n); }
    int pending() { return all_.pending(rank_.fiber_, rank_.id_); }
    void wait(Time deadline = Time::max()) { all_.wait(rank_.fiber_, rank_.id_, deadline); }
    std::int64_t sending_reads() const { return all_.sending_reads(rank_.id_); }
    Bytes receive_memory() const { return all_.receive_memory(rank_.id_); }

    /// Sends a message of `n` bytes as soon as there is a buffer.
    void send(int peer, Bytes n) {
      const Time begin = rank_.now();
      while (!get_buffer(peer, n)) wait();
      send_buffer();
      rank_.tell(Call::Kind::send, peer, {Bytes::zero(), n, {}, {}, {}}, begin);
    }
    /// The next message, as soon as there is one.
    BufferedMessages::Received receive() {
      const Time begin = rank_.now();
      std::optional<BufferedMessages::Received> m;
      while (!(m = look())) wait();
      rank_.tell(Call::Kind::receive, m->peer, {Bytes::zero(), m->size, {}, {}, {}}, begin);
      return *m;
    }
    /// A write, or a read, alone, until it is done. To observers a message to itself.
    void transfer(bool writes, int peer, Bytes n) {
      const Time begin = rank_.now();
      while (!(writes ? write(peer, Bytes::zero(), n) : read(peer, Bytes::zero(), n))) wait();
      while (pending() > 0) wait();
      for (const Call::Kind kind : {Call::Kind::send, Call::Kind::receive})
        rank_.tell(kind, rank_.id_, {Bytes::zero(), n, {}, {}, {}}, begin);
    }

   private:
    BufferedMessages& all_;
    Rank& rank_;
  };
  Buffered buffered() { return Buffered(*this); }
  // Its network at rest (the library must have `Checkpoints`):
  void send_stable() { library_.required<Checkpoints>().send_stable(fiber_, id_); }
  void resume() { library_.required<Checkpoints>().resume(fiber_, id_); }
  void save_contexts() { library_.required<Checkpoints>().save(fiber_, id_); }
  void reset_contexts() { library_.required<Checkpoints>().reset(fiber_, id_); }
  void restore_contexts() { library_.required<Checkpoints>().restore(fiber_, id_); }
  Bytes saved_contexts() const { return library_.required<Checkpoints>().saved(id_); }
  /// Cables that the last received message has crossed; -1: not known.
  int hops() const { return library_.hops(id_); }
  /// Prepared puts (the library must have `Puts`): writes the descriptors; the result is what `start` takes.
  /// To observers they are one message, of the first put's size, that goes to those who wait for it; to the rank itself
  /// if nobody else does. Throws std::runtime_error if two of them notify the same rank, which would see one notice.
  int prepare(const std::vector<Put>& puts, const std::string& method) {
    Prepared its{puts, {puts.front().source.offset, puts.front().size, puts.front().source.place, method}, {}};
    for (const Put& p : puts) {
      if (!p.notify) continue;
      if (std::find(its.notified.begin(), its.notified.end(), p.peer) != its.notified.end())
        throw std::runtime_error("rank " + std::to_string(id_) + ": two puts that are started together notify rank " +
                                 std::to_string(p.peer));
      its.notified.push_back(p.peer);
    }
    const int number = library_.required<Puts>().prepare(fiber_, id_, puts, method);
    prepared_.resize(static_cast<std::size_t>(number) + 1);
    prepared_.back() = std::move(its);
    return number;
  }
  /// Stores to the device that preparing them took.
  std::int64_t stores(int number) const { return library_.required<Puts>().stores(id_, number); }
  /// Starts prepared puts.
  void start(int number) {
    const Time begin = started_at_ = now();
    started_ = number;
    const Prepared& p = prepared_[static_cast<std::size_t>(number)];
    world_.noticed_puts().started(id_, p.puts);
    for (const int peer : p.notified) world_.noticed_puts().notifies(id_, peer, p.bytes_to(peer), begin);
    library_.required<Puts>().start(fiber_, id_, number);
    if (p.notified.empty()) tell(Call::Kind::send, id_, p.what, begin);
    for (const int peer : p.notified) tell(Call::Kind::send, peer, p.what, begin);
  }
  /// Waits until the puts started last have been sent.
  void finish() {
    const Time begin = now();
    const Time left = library_.required<Puts>().finish(fiber_, id_);
    const Prepared& p = prepared_[static_cast<std::size_t>(started_)];
    world_.noticed_puts().waited_to_leave({id_, Wait::For::leaving, p.one_peer(), begin, now(),
                                           Envelope::Kind::finished, 0, p.bytes(), started_at_, std::min(left, now())});
    tell(p.notified.empty() ? Call::Kind::receive : Call::Kind::finish, id_, p.what, begin);
  }
  /// Waits for the next put of `peer` that notifies; `b` is what it brings, for observers.
  void await(int peer, const Buffer& b) {
    const Time begin = now();
    const Calls::Scope call(world_.calls(), id_, {"await of a put", peer, any_tag, {}, true});
    const Time there = library_.required<Puts>().await(fiber_, id_, peer);
    world_.noticed_puts().arrived(id_, peer);
    world_.noticed_puts().waited_for_notice(
        {id_, Wait::For::envelope, peer, begin, now(), Envelope::Kind::finished, 0, {}, {}, std::min(there, now())});
    tell(Call::Kind::receive, peer, b, begin);
  }
  /// Gives back what all prepared puts occupy; their numbers are void.
  void forget() {
    library_.required<Puts>().forget(id_);
    prepared_.clear();
  }
  /// Some are not started any more. What they occupy is given back when all are forgotten.
  void forget(int number) {
    prepared_[static_cast<std::size_t>(number)].puts.clear();
    if (std::all_of(prepared_.begin(), prepared_.end(), [](const Prepared& p) { return p.puts.empty(); })) forget();
  }
  // Streams of GPUs (the library must have `Streams`):
  StreamEvent launch(const Stream& s, const Work& kernel) {
    return library_.required<Streams>().launch(fiber_, id_, s, kernel);
  }
  /// For the ledger the copy is done at once.
  void copy(const Stream& s, const DeviceCopy& c) {
    if (Ledger* l = ledger())
      l->write(id_, {c.target.offset, c.size, c.target.place, {}},
               l->read(id_, {c.source.offset, c.size, c.source.place, {}}));
    library_.required<Streams>().copy(fiber_, id_, s, c);
  }
  StreamEvent record(const Stream& s) { return library_.required<Streams>().record(fiber_, id_, s); }
  /// What the stream is given from now on begins when the event is over.
  void wait(const Stream& s, const StreamEvent& e) { library_.required<Streams>().wait(fiber_, id_, s, e); }
  /// When the event was over; max: it is not. (A real program never learns of that: for measurements.)
  Time since(const StreamEvent& e) const { return library_.required<Streams>().since(id_, e); }
  bool query(const StreamEvent& e) { return library_.required<Streams>().query(fiber_, id_, e); }
  /// Waits until the event is over.
  void synchronise(const StreamEvent& e) {
    const Calls::Scope call(world_.calls(), id_, {"the wait for an event", -1, any_tag, {}, false});
    library_.required<Streams>().synchronise(fiber_, id_, e);
  }
  /// Queues a collective of all ranks in its GPU's stream (the library must have `StreamCollectives`, and `Streams`).
  StreamEvent enqueue(const QueuedCollective& c) {
    return library_.required<StreamCollectives>().enqueue(fiber_, id_, c);
  }
  Request isend(int peer, const Buffer& b) {
    world_.check_shape(id_, b);
    return library_.required<NonBlockingSends>().isend(fiber_, id_, peer, b);
  }
  /// Whether the request has reached the milestone by now.
  bool test(const Request& r, Milestone m = Milestone::completed) const { return r.at(m) <= fiber_.now(); }
  /// Blocks until it has. (A real sender never learns of `delivered`: for measurements.)
  void wait(const Request& r, Milestone m = Milestone::completed) { r.wait(fiber_, m); }
  /// Blocks until it is known to be delivered, or lost.
  void wait_settled(const Request& r) { r.wait_settled(fiber_); }
  /// Blocks until `t`; returns at once if it has passed.
  void wait_until(Time t) { fiber_.wait_until(t); }
  /// Blocks until the event is notified; `why` is shown when nothing can move any more.
  void wait(Event& e, std::string why) { fiber_.wait(e, std::move(why)); }
  /// Blocks until all ranks are at the line; the last to come first does `before`. What the rank has to send leaves
  /// first; while it waits it does no more than what others need to come there.
  template <class F>
  void meet(StartLine& line, F&& before) {
    meet(line, library_.ranks(), before);
  }
  /// The same for `ranks` of them.
  template <class F>
  void meet(StartLine& line, int ranks, F&& before) {
    world_.finish(fiber_, id_);
    line.meet(ranks, before, [this](Event& told, const auto& over) { world_.stand_by(fiber_, id_, told, over); });
  }
  /// Something is wrong with the program, though it may go on.
  void complain(std::string what) { world_.complain(std::move(what)); }
  /// Spends `t` on computation.
  void compute(Time t) {
    world_.step(fiber_, id_, "compute", [&] { library_.processor().compute(fiber_, id_, t); });
  }
  /// Computes that much, on its core or on a GPU of its node ("gpu0").
  void compute(const Work& w, const std::string& place = {}) {
    world_.step(fiber_, id_, "compute", [&] { library_.processor().compute(fiber_, id_, w, place); });
  }

 private:
  void tell(Call::Kind kind, int peer, const Buffer& b, Time begin) const {
    if (Listener* l = library_.listener()) l->call({id_, kind, peer, b.size, b.method, begin, now()});
  }

  /// Prepared puts, and what observers are told of them.
  struct Prepared {
    std::vector<Put> puts;  // none: forgotten
    Buffer what;
    std::vector<int> notified;
    /// Who gets them; -1: several do.
    int one_peer() const {
      const bool one = !puts.empty() &&
                       std::all_of(puts.begin(), puts.end(), [&](const Put& p) { return p.peer == puts.front().peer; });
      return one ? puts.front().peer : -1;
    }
    Bytes bytes() const {
      Bytes n;
      for (const Put& p : puts) n += p.size;
      return n;
    }
    Bytes bytes_to(int peer) const {
      Bytes n;
      for (const Put& p : puts)
        if (p.peer == peer) n += p.size;
      return n;
    }
  };

  World& world_;
  Library& library_;
  Fiber& fiber_;
  int id_;
  std::vector<Prepared> prepared_;
  int started_ = -1;
  Time started_at_;
};

}  // namespace tsunagi::comm
