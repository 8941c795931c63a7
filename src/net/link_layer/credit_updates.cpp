// SPDX-License-Identifier: Apache-2.0
#include "net/link_layer/credit_updates.hpp"

namespace tsunagi::net {

CreditUpdates::CreditUpdates(const WireSpec& wire, int classes, const std::vector<flow::Credits>& buffers)
    : wire_(&wire), classes_(wire.link_layer.credit_updates ? static_cast<std::size_t>(classes) : 0) {
  for (std::size_t c = 0; c < classes_.size() && c < buffers.size(); ++c) {
    const auto& at_once = wire.link_layer.update_at_once;
    const flow::Credits least = c < at_once.size() ? at_once[c] : flow::Credits{};
    Class& k = classes_[c];
    if (buffers[c].headers != flow::Credits::infinite) {
      k.left.headers = buffers[c].headers;
      k.least.headers = least.headers;
    }
    if (buffers[c].data != flow::Credits::infinite) {
      k.left.data = buffers[c].data;
      k.least.data = least.data;
    }
  }
}

void CreditUpdates::spent(Time tail, flow::FlowClass c, flow::Credits cost) {
  if (classes_.empty()) return;
  Class& k = classes_[c];
  k.left -= cost;
  ++k.held;
  k.arriving.push_back({tail, cost});
  if (!k.freed.empty() && k.freed.back().when >= tail) find_update_due(c);  // it may be used up by then
}

Time CreditUpdates::known_until(Time now) const {
  Time until = Time::max();
  for (const Class& k : classes_) {
    if (k.held == 0) continue;
    Time next = std::max(now, k.last_release);
    if (!k.may_be_short()) {
      // What gets free until an update falls due is told by that.
      next = std::max(next, k.freed.empty() ? k.latched : k.update_due) + wire_->link_layer.update_delay;
    }
    until = std::min(until, next);
  }
  return until;
}

Time CreditUpdates::quiet_until(Time now, Time arrival) const {
  constexpr std::int64_t most_looked_at = 1000;  // packets; the rest is far off
  const LinkLayerSpec& l = wire_->link_layer;
  Time until = Time::max();
  for (const Class& k : classes_) {
    if (k.held > 0) until = std::min(until, k.may_be_short() ? now : now + l.update_delay);
    until = std::min(until, arrival + l.update_delay);
    // Packets that arrive take space, at most at the rate of the wire, until what gets free is told at once.
    const std::int64_t headers = std::max(0, k.left.headers - k.least.headers);
    if (k.least.headers > 0)
      until =
          std::min(until, arrival + wire_->rate.time(wire_->framing->smallest()) * std::min(headers, most_looked_at));
    if (k.least.data > 0) {
      const std::int64_t packets = std::max(0, k.left.data - k.least.data) / k.least.data;
      until = std::min(until, arrival + wire_->rate.time(wire_->max_payload) * std::min(packets, most_looked_at));
    }
  }
  return until;
}

Time CreditUpdates::due_of(std::size_t c) const {
  const Class& k = classes_[c];
  Time due = !k.freed.empty() && k.freed.front().when <= k.lost ? k.repeat : Time::max();
  std::size_t there = k.arriving.size();  // packets of `arriving` that are there when something gets free
  flow::Credits left = k.left;            // then
  for (std::size_t i = 0; i < k.freed.size(); ++i) {
    const Freed& f = k.freed[i];
    if (f.when <= k.lost) continue;
    due = std::min(due, f.when + wire_->link_layer.update_delay);
    if (f.when >= due || !k.may_be_short()) return due;
    while (there > 0 && k.arriving[there - 1].when > f.when) left += k.arriving[--there].credits;
    while (there < k.arriving.size() && k.arriving[there].when <= f.when) left -= k.arriving[there++].credits;
    const bool header = f.credits.headers > 0 && left.headers < k.least.headers;
    if (header || (f.credits.data > 0 && left.data < k.least.data)) return f.when;
  }
  return due;
}

void CreditUpdates::freed(flow::FlowClass c, flow::Credits credits, Spans when) {
  if (!wire_->link_layer.credit_updates) {
    for (const Span& s : when) flow::push_by_time(returns_, Return{s.tail + wire_->flight, c, credits, s.tail});
    return;
  }
  Class& k = classes_[c];
  k.held -= static_cast<std::int64_t>(when.size());
  k.last_release = std::max(k.last_release, when.back().tail);
  for (const Span& s : when) {
    if (s.tail <= k.latched) {
      add_to_update(k, c, credits, s.tail);
      continue;
    }
    if (s.tail <= k.lost) k.left += credits;  // told, but in vain
    flow::push_by_time(k.freed, Freed{s.tail, credits});
  }
  if (k.freed.empty()) return;
  if (k.may_be_short() || k.lost >= Time::zero()) return find_update_due(c);
  k.update_due = std::min(k.update_due, k.freed.front().when + wire_->link_layer.update_delay);
  update_due_ = std::min(update_due_, k.update_due);
}

void CreditUpdates::add_to_update(Class& k, flow::FlowClass c, flow::Credits credits, Time when) {
  k.left += credits;
  for (std::size_t i = 0; i < returns_.size(); ++i) {
    Return& r = returns_[i];
    if (r.c != c || r.latched < when) continue;
    r.credits += credits;
    return;
  }
  flow::push_by_time(returns_, Return{k.told, c, credits, k.latched});
}

void CreditUpdates::send_next(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer) {
  const LinkLayerSpec& l = wire_->link_layer;
  flow::FlowClass c = 0;
  while (classes_[c].update_due != update_due_) ++c;
  Class& k = classes_[c];
  const Span at = reverse.place_dllp(k.update_due, l.dllp);
  observer.overhead(Overhead::credit_update, at);
  const Time due = k.update_due;
  while (!k.arriving.empty() && k.arriving.front().when <= due) k.arriving.pop_front();
  if (errors != nullptr && errors->hit_link_layer(*wire_)) {
    for (std::size_t i = 0; i < k.freed.size() && k.freed[i].when <= due; ++i)
      if (k.freed[i].when > k.lost) k.left += k.freed[i].credits;
    k.lost = due;
    k.repeat = at.tail + l.update_repeat;
    return find_update_due(c);
  }
  flow::Credits sum;
  flow::Credits told_in_vain;
  for (; !k.freed.empty() && k.freed.front().when <= due; k.freed.pop_front()) {
    sum += k.freed.front().credits;
    if (k.freed.front().when <= k.lost) told_in_vain += k.freed.front().credits;
  }
  k.left += sum;
  k.left -= told_in_vain;
  k.lost = Time::from_fs(-1);
  k.latched = due;
  k.told = wire_->told_at(at.tail);
  flow::push_by_time(returns_, Return{k.told, c, sum, k.latched});
  find_update_due(c);
}

void CreditUpdates::find_update_due(std::size_t changed) {
  classes_[changed].update_due = due_of(changed);
  update_due_ = Time::max();
  for (const Class& k : classes_) update_due_ = std::min(update_due_, k.update_due);
}

void CreditUpdates::harvest(Time now, flow::CreditAccount* accounts, const LinkObserver& observer) {
  while (!returns_.empty() && returns_.front().when <= now) {
    const Return r = returns_.take_front();
    accounts[r.c].refund(r.credits);
    if (observer.listener != nullptr) observer.listener->credits({observer.channel, r.c, r.when, accounts[r.c].free()});
  }
}

}  // namespace tsunagi::net
