// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "comm/listener.hpp"
#include "net/listener.hpp"
#include "units/time.hpp"

namespace tsunagi::explain {

/// Events of one item or one channel, as pointers.
template <class T>
class Range {
 public:
  Range(const T* const* first, const T* const* last) : first_(first), last_(last) {}
  const T* const* begin() const { return first_; }
  const T* const* end() const { return last_; }
  bool empty() const { return first_ == last_; }

 private:
  const T* const* first_;
  const T* const* last_;
};

/// A call and which one it is (0, 1, …) of the calls with the same kind, ranks, size and method, in order of their
/// ends.
struct NumberedCall {
  comm::Call call;
  std::uint64_t number = 0;
};

/// Records a run in which packets travel alone. Keeps at most `limit` events (about 200 bytes each): when it is full,
/// the older half of each kind is dropped.
/// Recording comes first, questions afterwards: what they return is valid until the next event.
class History final : public net::Listener, public comm::Listener {
 public:
  static constexpr std::size_t default_limit = 2'000'000;

  explicit History(std::vector<net::ChannelInfo> channels, std::size_t limit = default_limit);

  void stage(const net::StageEvent& e) override;
  void hop(const net::Hop& h) override;
  void overhead(const net::OverheadEvent& e) override;
  void credits(const net::CreditEvent&) override {}  // no explanation needs them
  void call(const comm::Call& c) override;
  void step(const comm::Step& s) override;
  void wait(const comm::Wait& w) override;
  void together(const comm::Together& t) override;

  /// All that happened from then on is here; zero as long as nothing was dropped.
  Time complete_since() const { return complete_since_; }
  std::size_t limit() const { return limit_; }

  const std::vector<net::ChannelInfo>& channels() const { return channels_; }
  const std::string& wire(std::uint32_t channel) const { return wires_[channel]; }

  // In the order in which they were told.
  const std::deque<net::StageEvent>& stages() const { return stages_; }
  const std::deque<net::Hop>& hops() const { return hops_; }
  const std::deque<NumberedCall>& calls() const { return calls_; }
  const std::deque<comm::Step>& steps() const { return steps_; }
  const std::deque<comm::Wait>& waits() const { return waits_; }
  const std::deque<comm::Together>& together() const { return together_; }

  Range<net::StageEvent> stages_of(std::uint64_t item) const;
  Range<net::Hop> hops_of(std::uint64_t item) const;
  /// In the order of their grants.
  Range<net::Hop> hops_on(std::uint32_t channel) const;
  /// In the order of their times on the wire.
  Range<net::OverheadEvent> overheads_on(std::uint32_t channel) const;

 private:
  template <class T>
  void keep(std::deque<T>& kind, T event);
  template <class T>
  void drop_older_half(std::deque<T>& kind);
  void index() const;

  std::vector<net::ChannelInfo> channels_;
  std::vector<std::string> wires_;
  std::size_t limit_;
  Time complete_since_;
  std::deque<net::StageEvent> stages_;
  std::deque<net::Hop> hops_;
  std::deque<net::OverheadEvent> overheads_;
  std::deque<NumberedCall> calls_;
  std::deque<comm::Step> steps_;
  std::deque<comm::Wait> waits_;
  std::deque<comm::Together> together_;
  std::map<std::tuple<comm::Call::Kind, int, int, std::int64_t, std::string>, std::uint64_t> numbers_;

  // Made at the first question after an event.
  mutable bool indexed_ = false;
  mutable std::vector<const net::StageEvent*> stages_by_item_;
  mutable std::vector<const net::Hop*> hops_by_item_;
  mutable std::vector<const net::Hop*> hops_by_channel_;
  mutable std::vector<const net::OverheadEvent*> overheads_by_channel_;
};

}  // namespace tsunagi::explain
