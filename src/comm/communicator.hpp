// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/ceiling.hpp"
#include "comm/fiber.hpp"
#include "comm/listener.hpp"
#include "comm/puts.hpp"
#include "comm/request.hpp"
#include "comm/start_line.hpp"
#include "comm/steps.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// Where the messages of all ranks go: `weight(from, to)` of `whole` parts of what rank `from` sends.
struct TrafficShares {
  std::function<std::int64_t(int, int)> weight;
  std::int64_t whole = 1;
};

/// A communication library: its steps, on the cores and devices of a machine. Calls block the
/// fiber that they are handed and take simulated time.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int ranks() const = 0;
  /// Ways to move a message that `Buffer::method` may name ("pio", "dma"); the first is the default.
  virtual std::vector<std::string> methods() const { return {}; }
  /// What bounds the bandwidth from one rank to another of messages like `b`, by its method and places; a run that
  /// beats one fails.
  virtual std::vector<Ceiling> ceilings(int /*from*/, int /*to*/, const Buffer& /*b*/) const { return {}; }
  /// Largest message that `send` takes (window or buffer), at offset 0.
  virtual Bytes largest_message() const = 0;
  /// Sends `b` of rank `from` to the same place of rank `to`; returns when `b` may be reused.
  virtual void send(Fiber& f, int from, int to, const Buffer& b) = 0;
  /// No rank is going to call `recv`: what arrives need not be kept for it. Before time 0.
  virtual void expect_no_recv() {}
  /// Whether `isend` works.
  virtual bool nonblocking() const { return false; }
  /// Starts to send `b` and returns when the caller may go on; the request tells how far it got.
  virtual Request isend(Fiber& /*f*/, int /*from*/, int /*to*/, const Buffer& /*b*/) {
    throw std::logic_error("this library has no non-blocking send");
  }
  /// Payload rate of a rank that sends messages of `size` back to back and meets nobody; infinite: not known.
  virtual Rate injection_rate(Bytes /*size*/) const { return Rate::infinite(); }
  /// The load that no rank can exceed when all send messages of `size` alike, because some wire on their routes is
  /// full then; in a million parts of `injection_rate`, rounded down. None: not known.
  virtual std::optional<std::int64_t> load_bound(const TrafficShares& /*shares*/, Bytes /*size*/) const {
    return std::nullopt;
  }
  /// Throws config::ConfigError if rank `from` cannot send `b` to rank `to`: a place that is not there or not
  /// reached. Before time 0.
  virtual void check(int /*from*/, int /*to*/, const Buffer& /*b*/) const {}
  /// Whether `get` works.
  virtual bool gets() const { return false; }
  /// Throws config::ConfigError if rank `rank` cannot fetch `b` of rank `peer`. Before time 0.
  virtual void check_get(int /*rank*/, int /*peer*/, const Buffer& /*b*/) const {}
  /// Fetches `b` of rank `peer`, at its place and offset, to `b`'s target at rank `rank`; returns when it is there.
  virtual void get(Fiber& /*f*/, int /*rank*/, int /*peer*/, const Buffer& /*b*/) {
    throw std::logic_error("this library reads nothing from other ranks");
  }
  /// Where cards in the node of rank `at` find `b` of rank `of`: an address on that node's bus. Throws
  /// config::ConfigError if they do not. Before time 0.
  virtual std::uint64_t address(int /*at*/, int /*of*/, const Buffer& /*b*/) const {
    throw std::logic_error("this library shows cards no addresses");
  }
  /// Prepared puts; null: the library has none.
  virtual Puts* puts() { return nullptr; }
  /// Cables that the message which a rank received last has crossed, as counted on its way; -1: not known.
  virtual int hops(int /*rank*/) const { return -1; }
  /// What might help when no message moves any more; empty: no idea.
  virtual std::string advice() const { return {}; }
  /// Returns when the next message of rank `from` into `b` has arrived at rank `to`.
  virtual void recv(Fiber& f, int to, int from, const Buffer& b) = 0;
  /// Full name of the device that runs a rank: a core, or what stands for one.
  virtual std::string place(int rank) const = 0;

  /// Who hears of calls and steps from now on.
  void set_listener(Listener& listener) { step.set_listener(listener); }
  Listener* listener() const { return step.listener(); }

 protected:
  Steps step;
};

/// One rank's program sees this and nothing below it.
class Rank {
 public:
  Rank(Communicator& c, Fiber& f, int id) : communicator_(c), fiber_(f), id_(id) {}
  int id() const { return id_; }
  int size() const { return communicator_.ranks(); }
  Time now() const { return fiber_.now(); }
  void send(int peer, const Buffer& b) {
    const Time begin = now();
    communicator_.send(fiber_, id_, peer, b);
    tell(Call::Kind::send, peer, b, begin);
  }
  void recv(int peer, const Buffer& b) {
    const Time begin = now();
    communicator_.recv(fiber_, id_, peer, b);
    tell(Call::Kind::receive, peer, b, begin);
  }
  void get(int peer, const Buffer& b) {
    const Time begin = now();
    communicator_.get(fiber_, id_, peer, b);
    // To observers a message to itself: it begins here and ends here.
    tell(Call::Kind::send, id_, b, begin);
    tell(Call::Kind::receive, id_, b, begin);
  }
  /// Cables that the last received message has crossed; -1: not known.
  int hops() const { return communicator_.hops(id_); }
  /// Prepared puts (`Communicator::puts` must not be null): writes the descriptors; the result is what `start` takes.
  /// To observers they are one message, of the first put's size, that goes to those who wait for it; to the rank itself
  /// if nobody else does.
  int prepare(const std::vector<Put>& puts, const std::string& method) {
    const int number = communicator_.puts()->prepare(fiber_, id_, puts, method);
    prepared_.resize(static_cast<std::size_t>(number) + 1);
    prepared_.back().what = {puts.front().source.offset, puts.front().size, puts.front().source.place, method};
    for (const Put& p : puts)
      if (p.notify) prepared_.back().notified.push_back(p.peer);
    return number;
  }
  /// Starts prepared puts.
  void start(int number) {
    const Time begin = now();
    started_ = number;
    communicator_.puts()->start(fiber_, id_, number);
    const Prepared& p = prepared_[static_cast<std::size_t>(number)];
    if (p.notified.empty()) tell(Call::Kind::send, id_, p.what, begin);
    for (const int peer : p.notified) tell(Call::Kind::send, peer, p.what, begin);
  }
  /// Waits until the puts started last have been sent.
  void finish() {
    const Time begin = now();
    communicator_.puts()->finish(fiber_, id_);
    const Prepared& p = prepared_[static_cast<std::size_t>(started_)];
    tell(p.notified.empty() ? Call::Kind::receive : Call::Kind::finish, id_, p.what, begin);
  }
  /// Waits for the next put of `peer` that notifies; `b` is what it brings, for observers.
  void await(int peer, const Buffer& b) {
    const Time begin = now();
    communicator_.puts()->await(fiber_, id_, peer);
    tell(Call::Kind::receive, peer, b, begin);
  }
  /// Gives back what all prepared puts occupy; their numbers are void.
  void forget() {
    communicator_.puts()->forget(id_);
    prepared_.clear();
  }
  Request isend(int peer, const Buffer& b) { return communicator_.isend(fiber_, id_, peer, b); }
  /// Whether the request has reached the milestone by now.
  bool test(const Request& r, Milestone m = Milestone::completed) const { return r.at(m) <= fiber_.now(); }
  /// Blocks until it has. (A real sender never learns of `delivered`: for measurements.)
  void wait(const Request& r, Milestone m = Milestone::completed) { r.wait(fiber_, m); }
  /// Blocks until `t`; returns at once if it has passed.
  void wait_until(Time t) { fiber_.wait_until(t); }
  /// Blocks until the event is notified; `why` is shown when nothing can move any more.
  void wait(Event& e, std::string why) { fiber_.wait(e, std::move(why)); }
  /// Blocks until all ranks are at the line; the last to come first does `before`.
  template <class F>
  void meet(StartLine& line, F&& before) {
    line.meet(fiber_, communicator_.ranks(), before);
  }
  /// Spends `t` on computation.
  void compute(Time t) { fiber_.wait_for(t); }

 private:
  void tell(Call::Kind kind, int peer, const Buffer& b, Time begin) const {
    if (Listener* l = communicator_.listener()) l->call({id_, kind, peer, b.size, b.method, begin, now()});
  }

  /// What observers are told of prepared puts.
  struct Prepared {
    Buffer what;
    std::vector<int> notified;
  };

  Communicator& communicator_;
  Fiber& fiber_;
  int id_;
  std::vector<Prepared> prepared_;
  int started_ = -1;
};

}  // namespace tsunagi::comm
