// SPDX-License-Identifier: Apache-2.0
#include "models/pcix/shared_bus.hpp"

#include <algorithm>
#include <utility>

#include "models/pcix/link.hpp"

namespace tsunagi::pcix {

SharedBus::SharedBus(const DeviceArgs& args, Clock clock, std::int64_t arbitration)
    : Device(args.sim, args.pool, args.name), clock_(clock), arbitration_(arbitration) {}

void SharedBus::wired() {
  requests_.resize(ports().size());
  use_.resize(ports().size());
  for (net::Port& p : ports()) {
    waits_.push_back(simulation().shared_text("bus held by " + p.name()).c_str());
    if (p.connected()) p.tell_space(*this);
  }
}

void SharedBus::receive(int in, net::Delivery&& d) {
  const Time came = d.schedule.back().tail;
  const auto c = port(in).incoming().wire().framing->flow_class(*d.packet);
  const int out = route(in, *d.packet);
  if (out < 0 || !port(out).connected()) return nobody(in, std::move(d));
  Request r;
  r.delivery = std::move(d);
  r.came = came;
  // Who is registered at an edge was there before it.
  r.earliest = clock_.after(came + Time::from_fs(1), arbitration_);
  r.order = ++orders_;
  r.out = out;
  const Time earliest = r.earliest;
  Requests& of_port = requests_[static_cast<std::size_t>(in)];
  of_port.of_class[c].push_back(std::move(r));
  of_port.waiting |= 1u << c;
  ++standing_;
  simulation().agenda().arm_by(alarm_, std::max(free_, earliest));
}

void SharedBus::space_freed(Time when) {
  if (when <= now()) when = now() + no_time;  // whoever looks at this instant may not know it
  space_.add(when);
  if (!idle()) simulation().agenda().arm_by(alarm_, std::max(free_, clock_.at_or_after(when)));
}

void SharedBus::arbitrate() {
  const Time now = this->now();
  if (now < free_) return simulation().agenda().arm_by(alarm_, free_);
  const int n = static_cast<int>(ports().size());
  bool served = false;
  for (int i = 1; i <= n && !served; ++i) served = serve((last_ + i) % n, now);
  if (idle()) return;
  // A retry's master asks again, by itself, when two clocks are over or there is room.
  // Who waits for room is told; who came too late for this edge has one of its own.
  const Time space = space_.next(now);
  Time next = space == Time::max() ? space : clock_.at_or_after(space);
  for (const Requests& of_port : requests_)
    for (unsigned left = of_port.waiting; left != 0; left &= left - 1) {
      const Time earliest = of_port.of_class[first_of(left)].front().earliest;
      if (served || earliest > now) next = std::min(next, earliest);
    }
  next = std::max(next, free_);
  if (next != Time::max()) simulation().agenda().arm_by(alarm_, next);
}

bool SharedBus::may_go(int in, std::size_t c, Time now) const {
  const Requests& of_port = requests_[static_cast<std::size_t>(in)];
  const Request& r = of_port.of_class[c].front();
  if (r.earliest > now) return false;
  const flow::Framing& framing = *ports()[static_cast<std::size_t>(in)].incoming().wire().framing;
  for (unsigned others = of_port.waiting & ~(1u << c); others != 0; others &= others - 1) {
    const std::size_t other = first_of(others);
    if (of_port.of_class[other].front().order < r.order &&
        !framing.may_pass(static_cast<flow::FlowClass>(c), static_cast<flow::FlowClass>(other)))
      return false;
  }
  return true;
}

bool SharedBus::serve(int in, Time now) {
  Requests& of_port = requests_[static_cast<std::size_t>(in)];
  auto& of_class = of_port.of_class;
  std::array<std::size_t, most_classes> by_age{};
  std::size_t waiting = 0;
  for (unsigned left = of_port.waiting; left != 0; left &= left - 1) {
    const std::size_t c = first_of(left);
    std::size_t i = waiting++;
    for (; i > 0 && of_class[by_age[i - 1]].front().order > of_class[c].front().order; --i) by_age[i] = by_age[i - 1];
    by_age[i] = c;
  }
  for (std::size_t i = 0; i < waiting; ++i) {
    const std::size_t c = by_age[i];
    if (!may_go(in, c, now)) continue;
    Request& r = of_class[c].front();
    if (taken(in, c, r)) {
      carry_out(in, c, now);
      return true;
    }
    if (refused(*r.delivery.packet).total() == 0) continue;     // its sender knows that there is no room
    if (r.refused != 0 && r.behind == transactions_) continue;  // nothing has moved since
    refuse(in, c, now);
    return true;
  }
  return false;
}

bool SharedBus::taken(int in, std::size_t c, Request& r) {
  for (std::size_t p = 0; p < requests_.size(); ++p) {
    if (static_cast<int>(p) == in || (requests_[p].waiting >> c & 1u) == 0) continue;
    const Request& other = requests_[p].of_class[c].front();
    if (other.refused != 0 && other.out == r.out && (r.refused == 0 || other.refused < r.refused)) return false;
  }
  return port(r.out).takes(*r.delivery.packet);
}

void SharedBus::hold(int in, const flow::Packet& p, Time came, Time now, std::int64_t edge, const Clocks& k) {
  tell(p.id, 0, net::Stage::buffer, waits_[static_cast<std::size_t>(last_)], came, now);
  free_ = clock_.edge(edge + k.total());
  use_[static_cast<std::size_t>(in)].held += free_ - now;
  last_ = in;
}

void SharedBus::carry_out(int in, std::size_t c, Time now) {
  Requests& of_port = requests_[static_cast<std::size_t>(in)];
  Request r = of_port.of_class[c].take_front();
  if (of_port.of_class[c].empty()) of_port.waiting &= ~(1u << c);
  --standing_;
  flow::Packet& p = *r.delivery.packet;
  const Clocks k = clocks(in, last_, p);
  const std::int64_t edge = clock_.index_at_or_after(now);
  hold(in, p, r.came, now, edge, k);
  const Time head = clock_.edge(edge + k.before);
  tell(p.id, 0, net::Stage::pipeline, "address and response", now, head);
  const Time tail = clock_.edge(edge + k.before + k.data);
  ++transactions_;
  Use& used = use_[static_cast<std::size_t>(in)];
  ++used.transactions;
  used.data += p.payload;
  // The next request of its class stands there in time to follow without a gap: a clock to be sent, one to be seen.
  const Time next = clock_.edge(edge + std::max<std::int64_t>(0, k.total() - arbitration_ - 2));
  r.delivery.slot.release(net::Schedule::at(next), p.id);
  pass(in, r.out, p);
  const bool whole = port(r.out).channel().receiver().store_and_forward;
  if (whole) tell(p.id, 0, net::Stage::pipeline, "data phases", head, tail);
  r.delivery.schedule = net::Schedule::at((whole ? tail : head) - no_time);
  port(r.out).send(0, std::move(r.delivery));
}

void SharedBus::refuse(int in, std::size_t c, Time now) {
  Request& r = requests_[static_cast<std::size_t>(in)].of_class[c].front();
  const Clocks k = refused(*r.delivery.packet);
  hold(in, *r.delivery.packet, r.came, now, clock_.index_at_or_after(now), k);
  tell(r.delivery.packet->id, 0, net::Stage::buffer, "told to retry", now, free_);
  ++use_[static_cast<std::size_t>(in)].retries;
  // Who is told to retry takes back its request for two clocks (PCI Local Bus Specification 2.3, 3.4.1).
  constexpr std::int64_t request_off = 2;
  r.came = free_;
  r.earliest = clock_.after(free_, request_off);
  r.behind = transactions_;
  if (r.refused == 0) r.refused = ++refusals_;
}

std::string SharedBus::leftover() const { return idle() ? "" : "transactions wait for the bus"; }

}  // namespace tsunagi::pcix
