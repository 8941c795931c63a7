// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "flow/credits.hpp"
#include "flow/framing.hpp"
#include "flow/ring.hpp"
#include "net/link_layer/bit_errors.hpp"
#include "net/link_layer/link_timeline.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// Buffer space of one direction's receiver on its way home to the sender: by UpdateFC DLLPs (PCI Express Base
/// Specification 2.6.1, 3.4), by class, in the reverse direction, or, where the wire has none, by themselves. Pure
/// arithmetic, evaluated when somebody looks; also ahead of time: what an update tells is latched when it is due, and
/// space whose release gets known later is added to the update that will tell it.
class CreditUpdates {
 public:
  /// `buffers`: what the receiver offers of each class; none beyond its end: without bounds.
  CreditUpdates(const WireSpec& wire, int classes, const std::vector<flow::Credits>& buffers);

  /// A packet that will have arrived at `tail` takes `cost` of the buffer of its class.
  void spent(Time tail, flow::FlowClass c, flow::Credits cost);
  /// Buffer space of a class gets free, `credits` at the tail of each span.
  void freed(flow::FlowClass c, flow::Credits credits, Spans when);

  /// When the next update falls due as far as is known; max: none.
  Time next_due() const { return update_due_; }
  /// Puts the one that `next_due` tells on the reverse wire; `errors`: of that wire, if any.
  void send_next(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer);

  /// Credits that have reached the sender by `now`.
  void harvest(Time now, flow::CreditAccount* accounts, const LinkObserver& observer = {});
  /// When the next credit that was sent reaches the sender; max: none is under way.
  Time told() const { return returns_.empty() ? Time::max() : returns_.front().when; }
  /// The first time after `t` at which one that was sent does; max: none is known.
  Time told_after(Time t) const {
    for (std::size_t i = 0; i < returns_.size(); ++i)
      if (returns_[i].when > t) return returns_[i].when;
    return Time::max();
  }
  /// Credits of a class that reach the sender by `t`.
  flow::Credits told_by(Time t, flow::FlowClass c) const {
    flow::Credits sum;
    for (std::size_t i = 0; i < returns_.size() && returns_[i].when <= t; ++i)
      if (returns_[i].c == c) sum += returns_[i].credits;
    return sum;
  }
  /// Whether all credits that reach the sender by `t` are of that class.
  bool tells_only(Time t, flow::FlowClass c) const {
    for (std::size_t i = 0; i < returns_.size() && returns_[i].when <= t; ++i)
      if (returns_[i].c != c) return false;
    return true;
  }
  /// Earliest time at which one may; max: none is on its way.
  Time next_told(const LinkTimeline& reverse) const {
    if (update_due_ == Time::max()) return told();
    // Never too late: packets already granted may lie ahead in time with a gap before them.
    return std::min(told(), wire_->told_at(update_due_ + reverse.duration(wire_->link_layer.dllp)));
  }
  /// Until when all that falls due is known, `now` being the time: a release that is not known yet is told within the
  /// limit, and at once where its class is short of space.
  Time known_until(Time now) const;
  /// No update that `next_due` does not tell yet falls due before; packets that are sent from `now` on arrive from
  /// `arrival` on.
  Time quiet_until(Time now, Time arrival) const;

 private:
  /// Buffer space that comes home.
  struct Return {
    Time when;
    flow::FlowClass c = 0;
    flow::Credits credits;
    /// The update tells what was free by then.
    Time latched;
  };
  struct Freed {
    Time when;
    flow::Credits credits;
  };
  static constexpr std::int32_t unbounded = 1 << 30;  // more than ever is under way
  struct Class {
    /// Whether something may be told at once: of the packets sent so far are all there.
    bool may_be_short() const { return left.headers < least.headers || left.data < least.data; }
    flow::Ring<Freed> freed;  // by time, not told by any update yet
    Time update_due = Time::max();
    Time latched;  // of the last update
    Time told;     // when the sender has it
    /// The receiver's view of what the sender may still send: offered, and not taken by any packet sent so far.
    flow::Credits left{unbounded, unbounded};
    flow::Credits least;            // with fewer left of a kind, what gets free of it is told at once; 0: never
    flow::Ring<Freed> arriving;     // those packets, by when they are there
    std::int64_t held = 0;          // packets that no release is known of
    Time last_release;              // of those that are known
    Time lost = Time::from_fs(-1);  // an update that fell due then was lost,
    Time repeat = Time::max();      // which the next one makes good, or that timer
  };

  void add_to_update(Class& k, flow::FlowClass c, flow::Credits credits, Time when);
  /// When an update of a class falls due, by all that is known.
  Time due_of(std::size_t c) const;
  void find_update_due(std::size_t changed);

  const WireSpec* wire_;
  flow::Ring<Return> returns_;
  std::vector<Class> classes_;
  Time update_due_ = Time::max();  // the earliest of all classes
};

}  // namespace tsunagi::net
