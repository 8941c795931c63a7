// SPDX-License-Identifier: Apache-2.0
// A memory's accesses where its last-level cache is modelled.
#include <algorithm>

#include "models/host/memory/memory.hpp"

namespace tsunagi::host {

void Memory::write_cached(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  std::uint64_t address = p.address;
  for (std::int32_t i = 0; i < p.count; ++i) {
    net::Span& s = d.schedule[static_cast<std::size_t>(i)];
    const Bytes n = p.payload_of(i);
    const Time written = s.tail + config_.write_latency;
    const Time there = cached_->write(address, n, s.tail, p.header<Transaction>().agent) + config_.write_latency;
    seen_ = std::max(seen_, there);
    tell(p.id, 0, net::Stage::memory, "write", s.tail, written);
    tell(p.id, 0, net::Stage::memory, "DRAM", written, there);
    tell(p.id, 0, net::Stage::memory, "behind earlier writes", there, seen_);
    written_.write(p, i, address, seen_);
    make_stale(p, address, n, seen_);
    s = {seen_, seen_};
    address += static_cast<std::uint64_t>(p.payload.count());
  }
  d.slot.release(d.schedule);
}

void Memory::answer_cached(net::Delivery request) {
  set_answered(*request.packet);
  request.packet->origin_offset = request.packet->address;  // the data is named by where it was read
  request.slot.release(request.schedule);
  const net::Schedule all = std::move(request.schedule);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Time at = all[i].tail;
    net::Delivery one;
    one.packet = i + 1 < all.size() ? flow::PacketPool::split_front(*request.packet, 1) : std::move(request.packet);
    flow::Packet& p = *one.packet;
    const Time found = at + config_.read_latency;
    const Time ready = cached_->read(p.address, p.payload, at) + config_.read_latency;
    tell(p.id, 0, net::Stage::memory, "read", at, found);
    tell(p.id, 0, net::Stage::memory, "DRAM", found, ready);
    p.contents = written_.words().read(pool().contents(), p.address, p.payload, at);
    hold(ready, std::move(one));
  }
}

void Memory::hold(Time ready, net::Delivery answer) {
  const auto same = [&](const Held& h) {
    const Requester& a = h.answer.packet->header<Transaction>().requester;
    const Requester& b = answer.packet->header<Transaction>().requester;
    return a.way == b.way && a.tag == b.tag;
  };
  const auto before = std::find_if(held_.begin(), held_.end(), same);  // the last one of its read
  if (before != held_.end() && before->ready > ready) {
    tell(answer.packet->id, 0, net::Stage::memory, "behind earlier lines of its read", ready, before->ready);
    ready = before->ready;
  }
  answer.schedule = net::Schedule::at(ready);
  const auto place = std::find_if(held_.begin(), held_.end(), [&](const Held& h) { return h.ready <= ready; });
  held_.insert(place, {ready, std::move(answer)});
  simulation().agenda().arm_by(ready_alarm_, held_.back().ready);
}

void Memory::send_held() {
  while (!held_.empty() && held_.back().ready <= now()) {
    net::Delivery answer = std::move(held_.back().answer);
    held_.pop_back();
    port(0).send(0, std::move(answer));
  }
  if (!held_.empty()) simulation().agenda().arm_by(ready_alarm_, held_.back().ready);
}

void Memory::warm(std::uint64_t address, Bytes n, WarmedBy by) {
  if (cached_) cached_->warm(address, n, by);
}

void Memory::make_cold() {
  if (cached_) cached_->make_cold();
}

}  // namespace tsunagi::host
