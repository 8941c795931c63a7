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
    ++under_way_;
    const Wanting next = waiting_.take_front();
    const Time now = card_.simulation().now();
    next.who->turn(processor_.run({std::max(next.by.when, now), next.by, net::Stage::pipeline, "queue pair's turn"},
                                  config_.turn_cycles, "queue pair chosen"));
  }
}

void ScheduledRequests::doorbell(const net::Cause& by) {
  ++rung_;
  want(by);
}

/// Asks for a turn, if there is a request, and none before it keeps it waiting.
void ScheduledRequests::want(const net::Cause& by) {
  if (wanting_ || rung_ == next_ || (one_at_a_time_ && completed_ != next_)) return;
  wanting_ = true;
  scheduler_.want(*this, by);
}

void ScheduledRequests::turn(const net::Wait& w) { parts_.host.read(*this, 0, ring_.at(next_), ring_.entry, w); }

void ScheduledRequests::data_came(std::uint64_t, flow::Contents bytes, net::Cause last) {
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
  drains_ = wanting_ = false;
  scheduler_.done();
  want(by);
}

void ScheduledRequests::completed(const net::Cause& by) {
  ++completed_;
  want(by);
}

}  // namespace tsunagi::infiniband
