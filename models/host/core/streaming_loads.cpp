// SPDX-License-Identifier: Apache-2.0
#include "models/host/core/streaming_loads.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/host/transaction.hpp"
#include "units/address.hpp"

namespace tsunagi::host {
namespace {

Bytes line_offset(std::uint64_t address) {
  return Bytes(static_cast<std::int64_t>(address % unsigned_of(WriteCombining::line)));
}

}  // namespace

void StreamingLoads::copy(Fiber& f, Memory& memory, std::uint64_t to, std::uint64_t from, Bytes n) {
  if (n <= Bytes::zero()) return;
  if (from % unsigned_of(widest) != 0) throw std::logic_error(core_.name() + ": streaming loads are aligned");
  const CoreSteps::Hold hold(steps_, f);
  memory_ = &memory;
  to_ = to;
  from_ = from;
  size_ = n;
  oldest_ = next_ = 0;
  const Bytes rest = n - widest * (n / widest);
  whole_ = n / widest;
  if (config_.streaming_lines > 0) whole_ = units_of(line_offset(from) + widest * whole_, WriteCombining::line);
  loads_ = whole_ + std::min<std::int64_t>(rest.count(), 2);
  fill({f.now(), hold.program.last_step}, std::max(f.now() + config_.load_to_bus, stores_.flushed()));
  while (awaits_answer()) f.wait(retired_, "the answers to the loads of a copy");
  hold.program.last_step = last_answer_;
  const Time back = f.now();
  f.wait_for(config_.uncached_load);
  steps_.tell(hold.program, net::Stage::step, "uncached load retires", back, f.now());
}

StreamingLoads::Load StreamingLoads::streaming(std::int64_t i) const {
  if (config_.streaming_lines == 0) return {unsigned_of(widest * i), widest};
  const Bytes before = line_offset(from_);
  const Bytes begin = std::max(WriteCombining::line * i - before, Bytes::zero());
  const Bytes end = std::min(WriteCombining::line * (i + 1) - before, widest * (size_ / widest));
  return {unsigned_of(begin), end - begin};
}

StreamingLoads::Load StreamingLoads::load(std::int64_t i) const {
  if (i < whole_) return streaming(i);
  // The lower and the upper part of what is left, of a power of two of bytes, which overlap.
  const Bytes streamed = widest * (size_ / widest);
  const Bytes rest = size_ - streamed;
  Bytes size(1);
  while (size * 2 <= rest) size = size * 2;
  return {unsigned_of(i == whole_ ? streamed : size_ - size), size};
}

std::uint64_t StreamingLoads::line_of(std::int64_t i) const {
  return (from_ + load(i).at) / unsigned_of(WriteCombining::line);
}

void StreamingLoads::fill(flow::Cause why, Time at) {
  for (; next_ < loads_ && next_ < oldest_ + entries_; ++next_) {
    done_[entry(next_)] = false;
    if (!follows(next_)) issue(next_, why, at);
  }
}

void StreamingLoads::issue(std::int64_t i, flow::Cause why, Time at) {
  const Load l = load(i);
  flow::PacketPtr p = make_read(pool_, from_ + l.at, l.size);
  p->header<Transaction>().requester.tag = static_cast<std::uint16_t>(entry(i));
  core_.ports().front().send(0, core_.begin(std::move(p), {at, why, net::Stage::pipeline, "uncached load"}, at));
}

void StreamingLoads::answer(const flow::Packet& p) {
  // Of the loads that have entries, the one with this.
  const std::int64_t tag = p.header<Transaction>().requester.tag;
  const std::int64_t first = oldest_ - oldest_ % entries_ + tag;
  const std::int64_t i = first < oldest_ ? first + entries_ : first;
  if (tag >= entries_ || i >= next_ || done(i) || p.total_payload() != load(i).size)
    throw std::runtime_error(core_.name() + " received bytes that it did not ask for");
  done_[entry(i)] = true;
  last_answer_ = p.id;
  memory_->store(p, to_ + load(i).at);
  const Time now = core_.simulation().now();
  const Time again = now + config_.uncached_load + config_.load_to_bus;
  if (i + 1 < next_ && line_of(i + 1) == line_of(i)) issue(i + 1, {now, p.id}, again);
  while (oldest_ < next_ && done_[entry(oldest_)]) ++oldest_;
  fill({now, p.id}, again);
  if (!awaits_answer()) retired_.notify();
}

}  // namespace tsunagi::host
