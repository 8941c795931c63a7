// SPDX-License-Identifier: Apache-2.0
#include "net/link_layer.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::net {

namespace {

/// A ring in order of `when`, whose newcomers are nearly always the latest.
template <class T>
void push_by_time(flow::Ring<T>& ring, T v) {
  ring.push_back(std::move(v));
  for (std::size_t i = ring.size(); i > 1 && ring[i - 1].when < ring[i - 2].when; --i)
    std::swap(ring[i - 1], ring[i - 2]);
}

}  // namespace

void LinkLayer::sent(Time tail, Bytes size) {
  if (!wire_->link_layer.acks) return;
  unacknowledged_.push_back({tail, size});
  replay_used_ += size;
  ack_due_ = std::min(ack_due_, tail + wire_->link_layer.ack_delay);
}

Time LinkLayer::corrupted(Time tail, Time reverse_free, BitErrors& errors) {
  const LinkLayerSpec& l = wire_->link_layer;
  if (errors.hit(l.dllp)) return tail + l.replay_timer;  // the NAK is lost too
  naks_.push_back(tail);
  return travel(std::max(tail, reverse_free) + wire_->rate.time(l.dllp));
}

void LinkLayer::freed(flow::FlowClass c, flow::Credits credits, const Schedule& when) {
  if (!wire_->link_layer.credit_updates) {
    for (const Span& s : when) return_credits({s.tail + wire_->flight, c, credits, s.tail});
    return;
  }
  Class& k = classes_[c];
  for (const Span& s : when) {
    if (s.tail <= k.latched)
      add_to_update(k, c, credits, s.tail);
    else
      push_by_time(k.freed, Freed{s.tail, credits});
  }
  if (k.freed.empty()) return;
  k.update_due = std::min(k.update_due, k.freed.front().when + wire_->link_layer.update_delay);
  update_due_ = std::min(update_due_, k.update_due);
}

void LinkLayer::add_to_update(const Class& k, flow::FlowClass c, flow::Credits credits, Time when) {
  for (std::size_t i = 0; i < returns_.size(); ++i) {
    CreditReturn& r = returns_[i];
    if (r.c != c || r.latched < when) continue;
    r.credits += credits;
    return;
  }
  return_credits({k.told, c, credits, k.latched});
}

void LinkLayer::return_credits(CreditReturn r) { push_by_time(returns_, r); }

int LinkLayer::settle(Time now, LinkTimeline& reverse, BitErrors* errors, const Ear& ear) {
  for (int placed = 0;; ++placed) {
    Due what = Due::nothing;
    Time due = Time::max();
    flow::FlowClass update = 0;
    if (!naks_.empty()) {
      what = Due::nak;
      due = naks_.front();
    }
    if (ack_due_ < due) {
      what = Due::ack;
      due = ack_due_;
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (classes_[c].update_due >= due) continue;
      what = Due::update;
      due = classes_[c].update_due;
      update = static_cast<flow::FlowClass>(c);
    }
    if (what == Due::nothing || due > now) return placed;
    if (what == Due::nak) ear.overhead(Overhead::nak, reverse.place_dllp(naks_.take_front(), wire_->link_layer.dllp));
    if (what == Due::ack) send_ack(reverse, errors, ear);
    if (what == Due::update) send_update(update, reverse, errors, ear);
  }
}

void LinkLayer::send_ack(LinkTimeline& reverse, BitErrors* errors, const Ear& ear) {
  const LinkLayerSpec& l = wire_->link_layer;
  const Span at = reverse.place_dllp(ack_due_, l.dllp);
  ear.overhead(Overhead::ack, at);
  if (errors != nullptr && errors->hit(l.dllp)) {
    // Nobody hears it: the sender's timer expires, it replays, and the duplicates are acknowledged.
    duplicates_due_ = unacknowledged_.front().tail + l.replay_timer;
    ack_due_ = std::max(at.tail, duplicates_due_) + l.ack_delay;
    return;
  }
  // One ACK covers every packet that is there when it falls due.
  Bytes covered;
  while (!unacknowledged_.empty() && unacknowledged_.front().tail <= ack_due_)
    covered += unacknowledged_.take_front().size;
  acks_.push_back({travel(at.tail), covered});
  ack_due_ = unacknowledged_.empty() ? Time::max() : unacknowledged_.front().tail + l.ack_delay;
}

void LinkLayer::send_update(flow::FlowClass c, LinkTimeline& reverse, BitErrors* errors, const Ear& ear) {
  const LinkLayerSpec& l = wire_->link_layer;
  Class& k = classes_[c];
  const Span at = reverse.place_dllp(k.update_due, l.dllp);
  ear.overhead(Overhead::credit_update, at);
  if (errors != nullptr && errors->hit(l.dllp)) {
    k.update_due = at.tail + l.update_repeat;
    return find_update_due();
  }
  flow::Credits sum;
  k.latched = k.update_due;
  k.told = travel(at.tail);
  while (!k.freed.empty() && k.freed.front().when <= k.latched) sum += k.freed.take_front().credits;
  return_credits({k.told, c, sum, k.latched});
  k.update_due = k.freed.empty() ? Time::max() : k.freed.front().when + l.update_delay;
  find_update_due();
}

void LinkLayer::find_update_due() {
  update_due_ = Time::max();
  for (const Class& k : classes_) update_due_ = std::min(update_due_, k.update_due);
}

void LinkLayer::harvest(Time now, std::vector<flow::CreditAccount>& accounts, const Ear& ear) {
  while (!returns_.empty() && returns_.front().when <= now) {
    const CreditReturn r = returns_.take_front();
    accounts[r.c].refund(r.credits);
    if (ear.listener != nullptr) ear.listener->credits({ear.channel, r.c, r.when, accounts[r.c].free()});
  }
  while (!acks_.empty() && acks_.front().when <= now) replay_used_ -= acks_.take_front().size;
}

bool LinkLayer::has_replay_space(Bytes size) const {
  const Bytes buffer = wire_->link_layer.replay_buffer;
  return buffer == Bytes::zero() || replay_used_ == Bytes::zero() || replay_used_ + size <= buffer;
}

Time LinkLayer::estimate(Time due, const LinkTimeline& reverse) const {
  // Never too late: packets already granted may lie ahead in time with a gap before them.
  return due == Time::max() ? due : travel(due + reverse.duration(wire_->link_layer.dllp));
}

Time LinkLayer::next_credit(const LinkTimeline& reverse) const {
  return std::min(told_credit(), estimate(update_due(), reverse));
}

Time LinkLayer::next_ack(const LinkTimeline& reverse) const {
  return acks_.empty() ? estimate(ack_due_, reverse) : acks_.front().when;
}

Bytes LinkLayer::take_duplicates(Time now) {
  if (duplicates_due_ > now) return Bytes::zero();
  duplicates_due_ = Time::max();
  Bytes sum;
  for (std::size_t i = 0; i < unacknowledged_.size() && unacknowledged_[i].tail <= now; ++i)
    sum += unacknowledged_[i].size;
  return sum;
}

}  // namespace tsunagi::net
