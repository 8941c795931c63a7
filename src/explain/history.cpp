// SPDX-License-Identifier: Apache-2.0
#include "explain/history.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::explain {
namespace {

Time end_of(const net::StageEvent& e) { return e.end; }
Time end_of(const net::Hop& h) { return h.arrived.tail; }
Time end_of(const net::OverheadEvent& e) { return e.wire.tail; }
Time end_of(const NumberedCall& c) { return c.call.end; }
Time end_of(const comm::Step& s) { return s.end; }
Time end_of(const comm::Wait& w) { return w.end; }
Time end_of(const comm::Together& t) { return t.end; }

template <class T, class Order>
void sort_into(std::vector<const T*>& out, const std::deque<T>& events, Order order) {
  out.clear();
  out.reserve(events.size());
  for (const T& e : events) out.push_back(&e);
  std::stable_sort(out.begin(), out.end(), [&](const T* a, const T* b) { return order(*a) < order(*b); });
}

/// Those of the events, sorted by `key` first, that have this value of it.
template <class T, class Key>
Range<T> equal(const std::vector<const T*>& sorted, Key T::*key, Key value) {
  const auto first = std::partition_point(sorted.begin(), sorted.end(), [&](const T* e) { return e->*key < value; });
  const auto last = std::partition_point(first, sorted.end(), [&](const T* e) { return e->*key == value; });
  return {sorted.data() + (first - sorted.begin()), sorted.data() + (last - sorted.begin())};
}

}  // namespace

History::History(std::vector<net::ChannelInfo> channels, std::size_t limit)
    : channels_(std::move(channels)), limit_(limit) {
  for (const net::ChannelInfo& c : channels_) wires_.push_back(c.name());
}

template <class T>
void History::keep(std::deque<T>& kind, T event) {
  const std::size_t kept = stages_.size() + hops_.size() + overheads_.size() + calls_.size() + steps_.size() +
                           waits_.size() + together_.size();
  if (kept >= limit_) {
    drop_older_half(stages_);
    drop_older_half(hops_);
    drop_older_half(overheads_);
    drop_older_half(calls_);
    drop_older_half(steps_);
    drop_older_half(waits_);
    drop_older_half(together_);
  }
  kind.push_back(std::move(event));
  indexed_ = false;
}

template <class T>
void History::drop_older_half(std::deque<T>& kind) {
  const auto end = kind.begin() + static_cast<std::ptrdiff_t>((kind.size() + 1) / 2);
  for (auto e = kind.begin(); e != end; ++e) complete_since_ = std::max(complete_since_, end_of(*e));
  kind.erase(kind.begin(), end);
}

void History::stage(const net::StageEvent& e) { keep(stages_, e); }
void History::hop(const net::Hop& h) { keep(hops_, h); }
void History::overhead(const net::OverheadEvent& e) { keep(overheads_, e); }
void History::step(const comm::Step& s) { keep(steps_, s); }
void History::wait(const comm::Wait& w) { keep(waits_, w); }
void History::together(const comm::Together& t) { keep(together_, t); }
void History::call(const comm::Call& c) {
  keep(calls_, NumberedCall{c, numbers_[{c.kind, c.rank, c.peer, c.size.count(), c.method}]++});
}

void History::index() const {
  if (indexed_) return;
  sort_into(stages_by_item_, stages_, [](const net::StageEvent& e) { return e.item; });
  sort_into(hops_by_item_, hops_, [](const net::Hop& h) { return h.item; });
  sort_into(hops_by_channel_, hops_, [](const net::Hop& h) { return std::pair(h.channel, h.granted); });
  sort_into(overheads_by_channel_, overheads_,
            [](const net::OverheadEvent& e) { return std::pair(e.channel, e.wire.head); });
  indexed_ = true;
}

Range<net::StageEvent> History::stages_of(std::uint64_t item) const {
  index();
  return equal(stages_by_item_, &net::StageEvent::item, item);
}

Range<net::Hop> History::hops_of(std::uint64_t item) const {
  index();
  return equal(hops_by_item_, &net::Hop::item, item);
}

Range<net::Hop> History::hops_on(std::uint32_t channel) const {
  index();
  return equal(hops_by_channel_, &net::Hop::channel, channel);
}

Range<net::OverheadEvent> History::overheads_on(std::uint32_t channel) const {
  index();
  return equal(overheads_by_channel_, &net::OverheadEvent::channel, channel);
}

}  // namespace tsunagi::explain
