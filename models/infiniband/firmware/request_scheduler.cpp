// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/firmware/request_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tsunagi::infiniband {

void RequestScheduler::want(ScheduledRequests& who, const net::Cause& by) {
  waiting_.push_back({&who, by});
  give_turns();
}

void RequestScheduler::done() {
  --under_way_;
  give_turns();
}

void RequestScheduler::give_turns() {
  while (!waiting_.empty() && under_way_ < config_.threads) {
    const Wanting next = waiting_.take_front();
    if (next.who->stopped_) {
      next.who->wanting_ = false;
      continue;
    }
    ++under_way_;
    const Time now = card_.simulation().now();
    next.who->turn(processor_.run({std::max(next.by.when, now), next.by, net::Stage::pipeline, "queue pair's turn"},
                                  config_.turn_cycles, "queue pair chosen"));
  }
}

void RequestScheduler::add(ScheduledRequests& q) {
  if (q.number_ >= queues_.size()) queues_.resize(q.number_ + std::size_t{1});
  queues_[q.number_] = &q;
}

ScheduledRequests& RequestScheduler::queue(std::uint32_t number) const {
  if (number >= queues_.size() || queues_[number] == nullptr)
    throw std::runtime_error(fmt::format("{}: there is no queue pair {}", card_.name(), number));
  return *queues_[number];
}

int RequestScheduler::stop(std::uint32_t first, std::uint32_t count) {
  int under_way = 0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    queue(i).stop();
    if (!queue(i).stable()) ++under_way;
  }
  return under_way;
}

void RequestScheduler::start(std::uint32_t first, std::uint32_t count, const net::Cause& by) {
  for (std::uint32_t i = first; i < first + count; ++i) queue(i).start(by);
}

void ScheduledRequests::doorbell(const net::Cause& by) {
  ++rung_;
  want(by);
}

/// Asks for a turn, if there is a request, and none before it keeps it waiting.
void ScheduledRequests::want(const net::Cause& by) {
  if (stopped_ || wanting_ || rung_ == next_ || (one_at_a_time_ && completed_ != next_)) return;
  wanting_ = true;
  scheduler_.want(*this, by);
}

void ScheduledRequests::turn(const net::Wait& w) {
  turn_ = true;
  reading_ = next_;
  parts_.host.read(*this, 0, ring_.at(next_), ring_.entry, w);
}

void ScheduledRequests::end_turn() {
  drains_ = wanting_ = turn_ = false;
  scheduler_.done();
}

void ScheduledRequests::data_came(std::uint64_t, flow::Contents bytes, net::Cause last) {
  if (reading_ != next_) {  // those before it have been given back meanwhile
    end_turn();
    want(last);
    return tell_if_stable(last);
  }
  std::array<std::uint8_t, 64> entry{};
  if (bytes) bytes.copy(Bytes::zero(), std::min(ring_.entry, Bytes(64)), entry.data());
  const PlacedRequest r = decode(entry.data(), form_);
  if (!bytes || !r.valid || r.odd != ring_.odd(next_) || r.index != (next_ & 0xffff))
    throw std::runtime_error(
        fmt::format("{}: a doorbell tells of a work request that is not there", parts_.card.name()));
  ++next_;
  flow::Contents data;
  if (r.what.inlined) {
    const flow::Contents::Part part = bytes.part(inline_offset(r.what, form_), r.what.length);
    if (part.bytes.size > 0) data.add(parts_.pool.contents(), part.at, part.bytes);
  }
  const Time now = parts_.card.simulation().now();
  const net::Wait w =
      scheduler_.sending_.run({std::max(last.when, now), last, net::Stage::pipeline, "work request read"},
                              scheduler_.config_.request_cycles, "work request");
  drains_ = true;
  user_.fetched(r, std::move(data), w.since);
}

void ScheduledRequests::drained(const net::Cause& by) {
  if (!drains_) return;  // sent again
  end_turn();
  want(by);
}

void ScheduledRequests::completed(const net::Cause& by) {
  ++completed_;
  want(by);
  tell_if_stable(by);
}

void ScheduledRequests::tell_if_stable(const net::Cause& by) {
  if (stopped_ && stable()) scheduler_.observer_->stable(number_, by);
}

void ScheduledRequests::give_back() {
  if (!user_.give_back()) return;
  next_ = completed_;
  if (drains_) end_turn();
}

void ScheduledRequests::waits(const net::Cause& by) {
  if (!stopped_) return;
  give_back();
  tell_if_stable(by);
}

void ScheduledRequests::stop() {
  stopped_ = true;
  give_back();
}

void ScheduledRequests::start(const net::Cause& by) {
  stopped_ = false;
  want(by);
}

void ScheduledRequests::save(SavedContext& c) const {
  c.word[0] = rung_;
  c.word[1] = next_;
}

void ScheduledRequests::restore(const SavedContext& c) {
  rung_ = c.word[0];
  next_ = completed_ = c.word[1];
  stopped_ = true;
}

}  // namespace tsunagi::infiniband
