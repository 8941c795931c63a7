// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "flow/credits.hpp"
#include "flow/framing.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"
#include "net/stop_go.hpp"

namespace tsunagi::net {

/// What the sender of one direction knows of the receiver's buffers, and whether a packet may go: the wire's policy.
class FlowControl {
 public:
  /// `buffers`: what the receiver offers of each class; none beyond its end: without bounds.
  FlowControl(const WireSpec& wire, int classes, const std::vector<flow::Credits>& buffers)
      : policy_(wire.flow_control),
        classes_(static_cast<std::uint8_t>(classes)),
        far_(classes_ > near_accounts ? std::make_unique<flow::CreditAccount[]>(classes_) : nullptr),
        accounts_(far_ == nullptr ? near_ : far_.get()) {
    for (std::size_t c = 0; c < classes_; ++c) {
      accounts()[c] = flow::CreditAccount(c < buffers.size() ? buffers[c] : unbounded());
      if (policy_ == FlowPolicy::stop_go) stops().emplace_back(wire.stop_go.stop, wire.stop_go.go, wire.told_at({}));
    }
  }

  FlowControl(const FlowControl&) = delete;  // knows where its accounts are
  FlowControl& operator=(const FlowControl&) = delete;

  /// Whether a packet that needs so much of a class's buffer may be granted at `at`, as far as is known.
  // Forced: whether the linker inlines it hung on how many other callers there are (docs/decisions.md).
  [[gnu::always_inline]] bool may_go(flow::FlowClass c, flow::Credits needs, Time at) const {
    return policy_ == FlowPolicy::credits ? account(c).covers(needs) : may_go_on(c, at);
  }
  /// Where nothing else keeps packets: those of class `c`, and no others, may not go before `until`.
  void hold(flow::FlowClass c, Time until) {
    held_class_ = c;
    held_until_ = until;
  }
  /// The class has a buffer with bounds, so that packets hold space there.
  bool counts(flow::FlowClass c) const { return account(c).finite(); }
  bool by_credits() const { return policy_ == FlowPolicy::credits; }
  bool drops() const { return policy_ == FlowPolicy::none; }

  /// A packet was granted that takes `cost` of a buffer that counts, and arrives at `tail`.
  void spend(flow::FlowClass c, flow::Credits cost, Time tail) {
    if (policy_ == FlowPolicy::credits) accounts()[c].spend(cost);
    if (policy_ == FlowPolicy::stop_go) (*stops_)[c].arrives(tail, cost.data);
  }
  /// Space gets free at the tail of each span; credits come home by `CreditUpdates`.
  void freed(flow::FlowClass c, flow::Credits per_packet, Spans when) {
    if (policy_ != FlowPolicy::stop_go) return;
    for (const Span& s : when) (*stops_)[c].leaves(s.tail, per_packet.data);
  }
  /// When a class that counts may send, as far as is known, from `t` on.
  Time next_open(flow::FlowClass c, Time t) const {
    return stops_ == nullptr ? std::max(t, held_until_) : (*stops_)[c].next_open(t);
  }
  /// When the first of the classes that are stopped may send again, as far as is known, from `t` on; max: nothing is
  /// known.
  Time next_open(Time t) const {
    Time next = Time::max();
    if (stops_ == nullptr) return held_until_ > t ? held_until_ : next;
    for (const StopGo& s : *stops_) next = std::min(next, s.open(t) ? Time::max() : s.next_open(t));
    return next;
  }
  void forget_before(Time t) {
    if (stops_ == nullptr) return;
    for (StopGo& s : *stops_) s.forget(t);
  }
  /// After the run, all that was on its way being there.
  bool all_home() const {
    return std::all_of(accounts(), accounts() + classes_, [](const auto& a) { return !a.finite() || a.all_home(); }) &&
           (stops_ == nullptr ||
            std::all_of(stops_->begin(), stops_->end(), [](const StopGo& s) { return s.empty(); }));
  }
  /// By class.
  flow::CreditAccount* accounts() { return accounts_; }
  const flow::CreditAccount* accounts() const { return accounts_; }
  const flow::CreditAccount& account(flow::FlowClass c) const { return accounts()[c]; }

 private:
  bool may_go_on(flow::FlowClass c, Time at) const {
    if (policy_ == FlowPolicy::none) return c != held_class_ || at >= held_until_;
    return !counts(c) || (*stops_)[c].open(at);
  }
  static flow::Credits unbounded() { return {flow::Credits::infinite, flow::Credits::infinite}; }
  std::vector<StopGo>& stops() {
    if (stops_ == nullptr) stops_ = std::make_unique<std::vector<StopGo>>();
    return *stops_;
  }
  FlowPolicy policy_;
  std::uint8_t classes_;
  flow::FlowClass held_class_ = 0;
  /// As many classes as PCI Express has of a virtual channel; who has more pays with a line of the cache.
  static constexpr std::uint8_t near_accounts = 3;
  flow::CreditAccount near_[near_accounts];
  std::unique_ptr<flow::CreditAccount[]> far_;  // of all, where there are more
  flow::CreditAccount* accounts_;
  std::unique_ptr<std::vector<StopGo>> stops_;  // by class; none for other policies
  Time held_until_;
};

}  // namespace tsunagi::net
