// SPDX-License-Identifier: Apache-2.0
#include "net/receiver.hpp"

#include <algorithm>
#include <utility>

#include "net/device.hpp"
#include "net/sending/direction.hpp"

namespace tsunagi::net {

const PortSpec& WireEnd::spec() const { return device->ports()[static_cast<std::size_t>(port)].spec(); }
const std::string& WireEnd::port_name() const { return device->ports()[static_cast<std::size_t>(port)].name(); }
std::string WireEnd::name() const { return device->name() + "." + port_name(); }

Receiver::Receiver(Direction& direction, WireEnd end, SlotOwner& owner, bool ahead)
    : Alarm(sim::Phase::arrive),
      ahead_(ahead && direction.wire().flow_control != FlowPolicy::none),
      whole_(end.spec().rx.store_and_forward || direction.wire().flits.any()),
      direction_(direction),
      rx_(end.spec().rx),
      end_(end),
      owner_(owner) {
  if (direction.wire().flow_control != FlowPolicy::none) return;
  buffers_ = std::make_unique<std::vector<ReceiveBuffer>>();
  for (const flow::Credits& size : rx_.buffers_for(direction.wire().max_payload)) buffers_->emplace_back(size);
}

void Receiver::take(flow::FlowClass c, bool counts, flow::Credits last, Delivery&& d) {
  if (d.packet->count == 1 || (rx_.trains && direction_.wire().flow_control != FlowPolicy::none))
    return put_under_way(c, counts, last, std::move(d));
  const auto packets = static_cast<std::size_t>(d.packet->count);
  for (std::size_t i = 0; i < packets; ++i) {
    flow::PacketPtr p = i + 1 < packets ? flow::PacketPool::split_front(*d.packet, 1) : std::move(d.packet);
    const flow::Credits cost = counts ? direction_.wire().framing->cost(*p, p->last_payload) : flow::Credits();
    put_under_way(c, counts, cost, {std::move(p), Schedule(d.schedule[i]), {}});
  }
}

void Receiver::put_under_way(flow::FlowClass c, bool counts, flow::Credits last, Delivery&& d) {
  const flow::Packet& p = *d.packet;
  if (counts) {
    const bool equal = p.count == 1 || p.payload == p.last_payload;
    d.slot = Slot(owner_, c, equal ? last : direction_.wire().framing->cost(p, p.payload), last, p.count);
  }
  if (ahead_ && in_flight_.empty() && end_.device->takes_ahead(end_.port, p))
    return end_.device->receive(end_.port, std::move(d));
  const Time first = d.schedule.front().head;
  in_flight_.push_back({std::move(d), c});
  if (in_flight_.size() == 1) direction_.agenda().arm(*this, first);
}

void Receiver::ring() {
  UnderWay u = in_flight_.take_front();
  if (!in_flight_.empty()) direction_.agenda().arm(*this, next_head());
  if (buffers_ != nullptr && u.c < buffers_->size() && !admit(u)) return u.delivery.slot.abandon();
  end_.device->receive(end_.port, std::move(u.delivery));
}

bool Receiver::admit(const UnderWay& u) {
  const flow::Packet& p = *u.delivery.packet;
  const Bytes payload = p.payload_of(0);
  if ((*buffers_)[u.c].admit(direction_.wire().framing->cost(p, payload), direction_.agenda().now())) return true;
  drop(p);
  return false;
}

void Receiver::drop(const flow::Packet& p) {
  ++direction_.counters().dropped;
  direction_.counters().dropped_payload += p.payload_of(0);
  if (drops_ != nullptr) drops_->dropped(p);
}

void Receiver::freed(flow::FlowClass c, flow::Credits per_packet, Spans when) {
  for (const Span& s : when) (*buffers_)[c].leaves(s.tail, per_packet);
}

bool Receiver::empty() const {
  return buffers_ == nullptr ||
         std::all_of(buffers_->begin(), buffers_->end(), [](const ReceiveBuffer& b) { return b.empty(); });
}

void Receiver::discard() {
  for (; !in_flight_.empty(); in_flight_.pop_front()) in_flight_.front().delivery.slot.abandon();
}

}  // namespace tsunagi::net
