// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/library.hpp"
#include "comm/messages/message_order.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/libraries/datagram/datagram_multicast.hpp"
#include "models/router/deadlock.hpp"
#include "models/router/link.hpp"
#include "models/router/placed_router.hpp"
#include "models/router/terminal.hpp"

namespace tsunagi::libraries {

/// What becomes of a message that wires without flow control drop a packet of.
enum class Loss : std::uint8_t { error, count };

struct DatagramConfig {
  std::string network;
  Loss loss = Loss::error;
  bool multicast = false;
};
void describe(DatagramConfig& c, config::Describer& d);

/// Messages between terminals without any software cost: a rank a terminal of one network, in the order of their
/// places. A message becomes packets at once; it starts with the grant of the first, completes when the last has left
/// the sender and is delivered when all have arrived. Where routes are adaptive, messages that somebody receives are
/// delivered in the order in which they were sent. Nothing is recovered: where wires drop packets a message of which
/// one is dropped is lost.
class Datagram final : public comm::Library,
                       private comm::Transport,
                       private comm::NonBlockingSends,
                       private comm::Protocols,
                       private router::Terminal::Sink,
                       private net::DropListener {
 public:
  Datagram(const DatagramConfig& c, Machine& m);
  ~Datagram() override;
  std::string place(int rank) const override { return terminal(rank).name(); }
  int ranks() const override { return static_cast<int>(terminals_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  bool delivers() const override { return !loses_; }
  Bytes largest_message() const override { return Bytes(std::int64_t{1} << 40); }
  void check(int from, int to, const comm::Buffer& b) const override;
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  bool holds_back() const override { return !order_.empty(); }
  void expect_no_recv() override { receives_ = false; }
  Rate injection_rate(Bytes size) const override;
  std::optional<std::int64_t> load_bound(const comm::TrafficShares& shares, Bytes size) const override;
  std::string advice() const override { return router::deadlock_advice(routers_); }

 private:
  class Message;
  std::vector<Bytes> limits() const override { return {}; }
  comm::Protocol protocol(int, int, const comm::Buffer&) const override {
    return {"packets at once", 0, 0, {}, "library datagram costs no software, and keeps what arrives for any receive"};
  }
  comm::Request isend(Fiber& f, int from, int to, const comm::Buffer& b) override;
  /// Messages that arrived at a rank and that nobody received yet.
  struct Messages : Inbox {
    std::deque<comm::Arrival> envelopes;  // of two-sided ones
  };
  // Two-sided messages travel as they are, whatever their length; who sends none sends a byte.
  Bytes eager_limit() const override { return largest_message(); }
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override;
  Message& launch(int from, int to, Bytes size, const comm::Request& request, bool in_order);
  void arrived(const flow::Packet& p, Time tail) override;
  /// Where nobody receives, an arrival is nothing but a time, which may lie ahead. A terminal's packets come by one
  /// wire: of what it is told last the tail is the latest. But what is lost of a message may be so before that.
  bool hears_ahead() const override { return !receives_ && !loses_; }
  void dropped(const flow::Packet& p) override;
  /// So many bytes of it have arrived or are lost by `t`.
  void settle(Message& m, Bytes n, Time t);
  /// Calls `f(wire)` for each wire of the network that drops what a buffer has no room for.
  template <class F>
  void for_lossy_wires(const Machine& m, F&& f) const;
  void deliver(Message& m, Time tail);
  router::Terminal& terminal(int rank) const { return *terminals_[rank]; }

  comm::ByRank<router::Terminal*> terminals_;
  std::vector<router::PlacedRouter*> routers_;
  comm::ByRank<Messages> inboxes_;
  bool loses_ = false;                                // the network may
  bool receives_ = true;                              // somebody may
  comm::ByRank<comm::MessageOrder<Message*>> order_;  // by rank, where packets can overtake each other
  comm::RequestPool requests_;
  std::unique_ptr<DatagramMulticast> multicast_;  // null: not asked for
  UnderWay<Message> messages_;
};

}  // namespace tsunagi::libraries
