// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/flow_control.hpp"
#include "net/sending/direction.hpp"
#include "net/sending/hop_report.hpp"
#include "net/sending/send_queues.hpp"
#include "net/sending/transmitter.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// Whose packet is next, and what it weighs.
struct Candidate {
  int source = -1;
  flow::FlowClass c = 0;
  Weight weight;
};

/// What keeps packets that are ready from being granted, and when the first of those that are not will be.
struct Blocked {
  Time ready_at = Time::max();
  bool space = false;  // in the receiver's buffer
  bool replay_space = false;
};

/// Whose packet is next at a port, of those that are ready, may pass the others of their source (the wire's order) and
/// have room to go to. Turns are given by the port's Arbitration. Pure: time is what it is asked for.
class Arbiter {
 public:
  /// All must outlive it.
  Arbiter(const Direction& direction, const PortSpec& tx, const SendQueues& queues, const FlowControl& flow,
          HopReport& report);

  /// No ring of buffers is closed by this wire: sources need not leave anything free (PortSpec::reserve).
  void drop_reserve() { reserves_ = false; }
  /// Who has to leave some free leaves so many packets more.
  void add_reserve(int packets) { more_ = packets; }
  /// Packets that a source leaves free.
  int reserve_of(int source) const {
    const int packets = reserves_ ? tx_.reserve[static_cast<std::size_t>(source)] : 0;
    return packets == 0 ? 0 : packets + more_;
  }
  /// The next packet at `now`, if any may go.
  bool choose(Time now, Candidate& chosen, Blocked& blocked) const {
    if (queues_.busy() == 0) return false;
    // One that waits alone is next by any rule.
    return plain_ || queues_.busy() == 1 ? choose_in_turn(now, chosen, blocked) : choose_by_rank(now, chosen, blocked);
  }
  /// The packet that was chosen, number `i` of its train, goes: the turn passes on.
  void granted(const Candidate& g, const flow::Packet& p, std::int32_t i) {
    last_source_ = static_cast<std::int16_t>(g.source);
    last_class_ = g.c;
    if (turns_ != nullptr) pass_turn(g, p, i);
  }
  /// Source and class of the last grant.
  bool was_last(int source, flow::FlowClass c) const { return source == last_source_ && c == last_class_; }
  int last_source() const { return last_source_; }
  flow::FlowClass last_class() const { return last_class_; }
  const Arbitration& arbitration() const { return tx_.arbitration; }

  /// Size, cost and needs of a packet; what it takes of the transmitter is worked out when it is granted.
  void weigh(int source, const flow::Packet& p, Bytes payload, Weight& w) const;
  /// There is room for the next packet of a queue at `at`, and for what its source must leave free.
  bool has_room(int source, flow::FlowClass c, Time at) const;

 private:
  bool choose_in_turn(Time now, Candidate& chosen, Blocked& blocked) const;
  bool choose_by_rank(Time now, Candidate& chosen, Blocked& blocked) const;
  bool choose_oldest_class(int source, Time now, Candidate& chosen, Blocked& blocked) const;
  bool choose_next_class(int source, Time now, Candidate& chosen, Blocked& blocked) const;
  /// Whether the head of a queue may go at `now`.
  bool may_go(int source, flow::FlowClass c, const Waiting& w, Time now, Weight& weight, Blocked& blocked) const;
  bool overtakes_wrongly(int source, flow::FlowClass c, const Waiting& w) const;
  flow::Credits reserved(int source, const flow::Packet& p) const {
    if (!reserves_) return {};
    const int packets = reserve_of(source);
    if (packets == 0) return {};
    return framing().cost(p, direction_.wire().max_payload) * packets;
  }
  void pass_turn(const Candidate& g, const flow::Packet& p, std::int32_t i);
  /// A place in the order in which takers, and what they choose from, have their turns: the least one is next.
  struct Rank {
    int priority = 0;
    int turn = 0;
    int within = 0;
    std::uint32_t born = 0;
    bool before(const Rank& o) const {
      if (priority != o.priority) return priority > o.priority;
      if (born != o.born) return static_cast<std::int32_t>(born - o.born) < 0;
      return turn != o.turn ? turn < o.turn : within < o.within;
    }
  };
  Rank rank_of(int source, flow::FlowClass c, const flow::Packet& p) const;
  const flow::Framing& framing() const { return *direction_.wire().framing; }
  int taker_of(int source, flow::FlowClass c) const { return tx_.arbitration.by_source() ? source : c; }

  struct Turns {
    std::int16_t last_taker = 0;
    Bytes allowance;                        // what is left of its turn
    std::vector<std::int16_t> last_within;  // of each taker, what it chose: a class, or a source
    std::vector<std::int16_t> holders;      // of each class whose packets must follow each other: the source, -1: none
  };

  const Direction& direction_;
  const PortSpec& tx_;
  const SendQueues& queues_;
  const FlowControl& flow_;
  std::int16_t last_source_ = 0;
  flow::FlowClass last_class_ = 0;
  bool reserves_;
  bool plain_;
  bool rotates_;
  std::unique_ptr<Turns> turns_;  // unless nothing but the last source and class matters
  int more_ = 0;                  // packets that who reserves leaves beside its own
  HopReport& report_;
};

}  // namespace tsunagi::net
