// SPDX-License-Identifier: Apache-2.0
#include "models/host/iommu.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/host/transaction.hpp"

namespace tsunagi::host {

Iommu::Iommu(net::Device& owner, const IommuConfig& c, int ports, Pass pass)
    : owner_(owner), tlb_(c), pass_(std::move(pass)), posted_ready_(static_cast<std::size_t>(ports)) {}

void Iommu::request(int in, net::Delivery d) {
  if (d.packet->count != 1) throw std::logic_error(owner_.name() + ": a train of requests to translate");
  const auto place = std::find_if(arrived_.begin(), arrived_.end(), [&](const Request& r) { return r.in > in; });
  arrived_.insert(place, {in, Time::zero(), std::move(d)});
  owner_.simulation().agenda().arm_by(look_up_alarm_, owner_.simulation().now());
}

void Iommu::look_up() {
  std::vector<Request> now;
  now.swap(arrived_);
  for (Request& r : now) translate(std::move(r));
}

void Iommu::translate(Request r) {
  const Time now = owner_.simulation().now();
  const flow::Packet& p = *r.delivery.packet;
  Time& posted = posted_ready_[static_cast<std::size_t>(r.in)];
  const Time translated = tlb_.translated(p.address, now);
  r.ready = std::max(translated, posted);
  owner_.tell(p.id, 0, net::Stage::memory, "page walk", now, translated);
  owner_.tell(p.id, 0, net::Stage::pipeline, "behind earlier posted writes", std::max(now, translated), r.ready);
  if (is_write(p)) posted = r.ready;
  net::Span& s = r.delivery.schedule[0];
  s = {s.head + (r.ready - now), s.tail + (r.ready - now)};
  if (r.ready == now) return pass_(r.in, std::move(r.delivery));
  const auto place = std::find_if(held_.begin(), held_.end(), [&](const Request& h) { return h.ready <= r.ready; });
  held_.insert(place, std::move(r));
  owner_.simulation().agenda().arm_by(ready_alarm_, held_.back().ready);
}

void Iommu::pass_ready() {
  sim::Simulation& sim = owner_.simulation();
  while (!held_.empty() && held_.back().ready <= sim.now()) {
    Request r = std::move(held_.back());
    held_.pop_back();
    pass_(r.in, std::move(r.delivery));
  }
  if (!held_.empty()) sim.agenda().arm_by(ready_alarm_, held_.back().ready);
}

}  // namespace tsunagi::host
