// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "flow/credits.hpp"
#include "flow/framing.hpp"
#include "flow/ring.hpp"
#include "net/bit_errors.hpp"
#include "net/link_timeline.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// Buffer space that comes home to a sender.
struct CreditReturn {
  Time when;
  flow::FlowClass c = 0;
  flow::Credits credits;
  /// The update tells what was free by then.
  Time latched;
};

/// What the two ends of one direction owe each other: acknowledgements of packets and updates of
/// credits, which travel as link-layer packets (DLLPs) in the reverse direction, and the sender's
/// replay buffer. Pure arithmetic, evaluated when somebody looks: `settle` places on the reverse
/// wire what is due by a time, also ahead of time: what an update tells is latched when it is due, and
/// space whose release gets known later is added to the update that will tell it.
class LinkLayer {
 public:
  /// `buffers`: what the receiver offers of each class; none beyond its end: without bounds.
  LinkLayer(const WireSpec& wire, int classes, const std::vector<flow::Credits>& buffers);

  /// A packet of `size` bytes was sent and will have arrived at `tail`.
  void sent(Time tail, Bytes size);
  /// It takes `cost` of the buffer of its class.
  void spent(Time tail, flow::FlowClass c, flow::Credits cost);
  /// A packet arrived corrupted at `tail`: a NAK is due at once. Returns when the sender can replay,
  /// the reverse wire being free from `reverse_free` on.
  Time corrupted(Time tail, Time reverse_free, BitErrors& errors);
  /// Buffer space of a class gets free, `credits` at the tail of each span.
  void freed(flow::FlowClass c, flow::Credits credits, const Schedule& when);

  /// Places everything due by `now` on the reverse wire, in the order of due times, and tells `observer`. Returns how
  /// many.
  int settle(Time now, LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer = {});
  /// When the next link-layer packet is due on the reverse wire; max: none.
  Time next_due() const {
    const Time due = std::min(ack_due_, update_due_);
    return naks_.empty() ? due : std::min(naks_.front(), due);
  }
  /// Credits and acknowledgements that have reached the sender by `now`.
  void harvest(Time now, std::vector<flow::CreditAccount>& accounts, const LinkObserver& observer = {});
  /// Room for a packet of `size` in the replay buffer.
  bool has_replay_space(Bytes size) const;

  /// When the next credit, or acknowledgement, that was sent reaches the sender; max: none is under way.
  Time told_credit() const { return returns_.empty() ? Time::max() : returns_.front().when; }
  Time told_ack() const { return acks_.empty() ? Time::max() : acks_.front().when; }
  /// When the next UpdateFC, or ACK, falls due as far as is known; max: none.
  Time update_due() const { return update_due_; }
  Time ack_due() const { return ack_due_; }
  /// Until when all that falls due is known, `now` being the time: a release that is not known yet is told within the
  /// limit, and at once where its class is short of space.
  Time known_until(Time now) const;
  /// No link-layer packet that `next_due` does not tell yet falls due before; packets that are sent from `now` on
  /// arrive from `arrival` on.
  Time quiet_until(Time now, Time arrival) const;
  /// Earliest time at which a credit, or an acknowledgement, may reach the sender; max: none is on its way.
  Time next_credit(const LinkTimeline& reverse) const;
  Time next_ack(const LinkTimeline& reverse) const;
  Time duplicates_due() const { return duplicates_due_; }
  /// Duplicates that the sender puts on the wire because an ACK was lost: due by `now`, in bytes (0: none).
  Bytes take_duplicates(Time now);

 private:
  struct Freed {
    Time when;
    flow::Credits credits;
  };
  struct Unacknowledged {
    Time tail;
    Bytes size;
  };
  struct Ack {
    Time when;
    Bytes size;
  };
  static constexpr std::int64_t unbounded = std::int64_t{1} << 62;
  struct Class {
    /// Whether something may be told at once: of the packets sent so far are all there.
    bool may_be_short() const { return left.headers < least.headers || left.data < least.data; }
    flow::Ring<Freed> freed;  // by time, not told by any update yet
    Time update_due = Time::max();
    Time latched;  // of the last update
    Time told;     // when the sender has it
    /// The receiver's view of what the sender may still send: offered, and not taken by any packet sent so far.
    flow::Credits left{unbounded, unbounded};
    flow::Credits least;            // with fewer left of a kind, what gets free of it is told at once
    flow::Ring<Freed> arriving;     // those packets, by when they are there
    std::int64_t held = 0;          // packets that no release is known of
    Time last_release;              // of those that are known
    Time lost = Time::from_fs(-1);  // an update that fell due then was lost,
    Time repeat = Time::max();      // which the next one makes good, or that timer
  };
  enum class Due : std::uint8_t { nothing, ack, nak, update };

  Time travel(Time sent_tail) const { return sent_tail + wire_->flight + wire_->link_layer.process; }
  Time estimate(Time due, const LinkTimeline& reverse) const;
  void return_credits(CreditReturn r);
  void add_to_update(Class& k, flow::FlowClass c, flow::Credits credits, Time when);
  void send_ack(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer);
  /// When an update of a class falls due, by all that is known.
  Time due_of(std::size_t c) const;
  void find_update_due(std::size_t changed);
  void send_update(flow::FlowClass c, LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer);

  const WireSpec* wire_;
  std::vector<Class> classes_;
  flow::Ring<CreditReturn> returns_;
  flow::Ring<Unacknowledged> unacknowledged_;
  flow::Ring<Ack> acks_;
  flow::Ring<Time> naks_;
  Time ack_due_ = Time::max();
  Time update_due_ = Time::max();  // the earliest of all classes
  Time duplicates_due_ = Time::max();
  Bytes replay_used_;
};

}  // namespace tsunagi::net
