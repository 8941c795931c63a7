// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/request_fetcher.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tsunagi::infiniband {

namespace {

constexpr std::size_t most_reads = 64;  // under way at a time

}  // namespace

void RequestFetcher::doorbell(const net::Cause& by) {
  ++doorbells_;
  rung_by_ = by;
  again_ = true;
  if (!busy()) ask(by);
}

bool RequestFetcher::pass(const PlacedRequest& r) {
  if (busy() || r.index != (next_ & 0xffff)) return false;
  asked_ = ++next_;
  return true;
}

void RequestFetcher::ask(const net::Cause& by) {
  const Time at = parts_.clock.after(std::max(by.when, now()), parts_.decode_cycles);
  while (reads_.size() < allowed_) {
    const std::int64_t n = std::min(ring_.left(asked_), std::max<std::int64_t>(parts_.request_fetch / ring_.entry, 1));
    const auto ahead = static_cast<std::int64_t>(asked_ - next_) + n;
    if (!reads_.empty() && (ring_.entry * ahead > parts_.request_ahead || ahead > ring_.entries)) return;
    reads_.push_back({asked_, n, doorbells_, false, {}, {}});
    parts_.host.read(*this, first_read_ + reads_.size() - 1, ring_.at(asked_), ring_.entry * n,
                     {at, by, net::Stage::pipeline, "doorbell"});
    asked_ += static_cast<std::uint64_t>(n);
  }
}

bool RequestFetcher::hand_on(const Read& r) {
  for (std::int64_t i = 0; i < r.entries; ++i) {
    if (!r.bytes) return false;
    std::array<std::uint8_t, 128> head{};
    r.bytes.copy(ring_.entry * i, std::min(ring_.entry, Bytes(128)), head.data());
    const PlacedRequest placed = decode(head.data());
    if (!placed.valid || placed.odd != ring_.odd(next_) || placed.index != (next_ & 0xffff)) return false;
    flow::Contents data;
    if (placed.what.inlined) {
      const flow::Contents::Part part = r.bytes.part(ring_.entry * i + inline_offset(placed.what), placed.what.length);
      if (part.bytes.size > 0) data.add(parts_.pool.contents(), part.at, part.bytes);
    }
    ++next_;
    user_.fetched(placed, std::move(data), r.last);
  }
  return true;
}

void RequestFetcher::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  Read& came = reads_[token - first_read_];
  came.there = true;
  came.bytes = std::move(bytes);
  came.last = last;
  bool more = false;
  while (!reads_.empty() && reads_.front().there) {
    const Read r = reads_.take_front();
    ++first_read_;
    if (ended_) continue;
    more_by_ = r.last;
    if (hand_on(r)) {
      more = true;
      allowed_ = std::min(allowed_ + 1, most_reads);
      continue;
    }
    ended_ = true;
    again_ = r.doorbells != doorbells_;
  }
  if (ended_) {
    if (!reads_.empty()) return;
    ended_ = false;
    allowed_ = 1;
    asked_ = next_;
    more = again_;
    if (!more) parts_.card.simulation().agenda().disarm(more_);
    if (more && rung_by_.when > more_by_.when) more_by_ = rung_by_;
  }
  // What follows is looked for behind the data of what has come.
  if (more && !more_.armed())
    parts_.card.simulation().agenda().arm(more_, parts_.clock.after(now(), 2 * parts_.decode_cycles + 1));
}

}  // namespace tsunagi::infiniband
