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
  /// What bounds the bandwidth from one rank to another by a method; a run that beats one fails.
  virtual std::vector<Ceiling> ceilings(int /*from*/, int /*to*/, const std::string& /*method*/) const { return {}; }
  /// Largest message that `send` takes (window or buffer), at offset 0.
  virtual Bytes largest_message() const = 0;
  /// Sends `b` of rank `from` to the same place of rank `to`; returns when `b` may be reused.
  virtual void send(Fiber& f, int from, int to, const Buffer& b) = 0;
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
  void set_listener(Listener& listener) { listener_ = &listener; }
  Listener* listener() const { return listener_; }

 protected:
  /// Does a step of a rank that observers know by `name`, a literal.
  template <class F>
  void step(const Fiber& f, int rank, const char* name, F&& body) {
    const Time begin = f.now();
    body();
    if (listener_ != nullptr) listener_->step({rank, name, begin, f.now()});
  }

 private:
  Listener* listener_ = nullptr;
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
  void get(int peer, const Buffer& b) { communicator_.get(fiber_, id_, peer, b); }
  /// Cables that the last received message has crossed; -1: not known.
  int hops() const { return communicator_.hops(id_); }
  /// Prepared puts (`Communicator::puts` must not be null): write their descriptors, start them, wait until they are
  /// sent, wait for those of a peer.
  int prepare(const std::vector<Put>& puts, const std::string& method) {
    return communicator_.puts()->prepare(fiber_, id_, puts, method);
  }
  void start(int number) { communicator_.puts()->start(fiber_, id_, number); }
  void finish() { communicator_.puts()->finish(fiber_, id_); }
  void await(int peer) { communicator_.puts()->await(fiber_, id_, peer); }
  Request isend(int peer, const Buffer& b) { return communicator_.isend(fiber_, id_, peer, b); }
  /// Whether the request has reached the milestone by now.
  bool test(const Request& r, Milestone m = Milestone::completed) const { return r.at(m) <= fiber_.now(); }
  /// Blocks until it has. (A real sender never learns of `delivered`: for measurements.)
  void wait(const Request& r, Milestone m = Milestone::completed) { r.wait(fiber_, m); }
  /// Blocks until `t`; returns at once if it has passed.
  void wait_until(Time t) { fiber_.wait_until(t); }
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

  Communicator& communicator_;
  Fiber& fiber_;
  int id_;
};

}  // namespace tsunagi::comm
