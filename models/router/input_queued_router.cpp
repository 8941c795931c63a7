// SPDX-License-Identifier: Apache-2.0
#include "models/router/input_queued_router.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/router/islip.hpp"
#include "models/router/wavefront.hpp"

namespace tsunagi::router {

void describe(InputQueuedRouterConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<RouterConfig&>(c), d);
  d.field("speedup", c.speedup, "clock of the crossbar, which moves a flit a cycle, over that of the router",
          within(1.0, 16.0), ideal(16.0));
  d.choice("allocator", c.allocator,
           {{"islip", static_cast<std::int64_t>(Allocation::islip), "iSLIP (McKeown 1999)"},
            {"wavefront", static_cast<std::int64_t>(Allocation::wavefront), "wavefront (Tamir and Chi 1993)"}},
           "what matches inputs and outputs of the crossbar");
  d.field("iterations", c.iterations, "of the allocator iSLIP, all in one cycle of the crossbar", within(1, 16),
          ideal(16));
  d.field("output_buffer_flits", c.output_buffer_flits,
          "flits that each output buffers a virtual channel, behind the crossbar", within(1, 1'000'000),
          ideal(1'000'000));
}

namespace {

std::unique_ptr<Allocator> allocator_of(const InputQueuedRouterConfig& c, int ports) {
  if (c.allocator == Allocation::wavefront) return std::make_unique<Wavefront>(ports, ports);
  return std::make_unique<Islip>(ports, ports, c.iterations);
}

Frequency faster(Frequency f, double times) {
  return Frequency(static_cast<std::int64_t>(std::llround(static_cast<double>(f.hz()) * times)));
}

}  // namespace

InputQueuedRouter::InputQueuedRouter(DeviceArgs args, const InputQueuedRouterConfig& c)
    : PlacedRouter(std::move(args), c, {false, false}),
      crossbar_clock_(faster(c.clock, c.speedup)),
      queues_(ports().size() * static_cast<std::size_t>(c.virtual_channels)),
      inputs_(ports().size()),
      outputs_(ports().size()),
      waiting_((queues_.size() + 63) / 64),
      allocator_(allocator_of(c, static_cast<int>(ports().size()))),
      turns_(c.turns),
      output_buffer_flits_(c.output_buffer_flits) {
  for (std::size_t i = 0; i < inputs_.size() && prefers_transit(turns_); ++i)
    inputs_[i].priority = in_transit(static_cast<int>(i)) ? 1 : 0;
  for (Output& o : outputs_) {
    o.router = this;
    o.lanes = std::vector<Lane>(static_cast<std::size_t>(c.virtual_channels));
    for (Lane& lane : o.lanes) lane.space = OutputSpace(c.output_buffer_flits);
  }
}

void InputQueuedRouter::wired() {
  PlacedRouter::wired();
  const flow::Packet plain;
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    const std::int64_t largest =
        p.channel().wire().framing->cost(plain, p.channel().wire().framing->most_payload(0, p.max_payload())).data;
    if (largest > output_buffer_flits_)
      throw config::error_at("/machine", name() + ": the largest packet of the wire at " + p.name() + " has " +
                                             std::to_string(largest) + " flits, the output buffer " +
                                             std::to_string(output_buffer_flits_));
  }
}

template <class F>
void InputQueuedRouter::for_outputs(const Queue& q, F&& f) {
  if (q.copies == 1) return f(output(q.output));
  const Header& h = q.waiting.front().packet->header<Header>();
  for (int i = 0; i < q.copies; ++i) f(output(routing().network().attachment(routing().terminal_of_copy(h, i)).port));
}

template <class F>
void InputQueuedRouter::for_waiting(int first, F&& f) {
  const auto words = waiting_.size();
  const auto start = static_cast<std::size_t>(first) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << (first % 64);
  for (std::size_t i = 0; i <= words; ++i) {
    const std::size_t word = (start + i) % words;
    std::uint64_t bits = waiting_[word];
    if (i == 0) bits &= from;
    if (i == words) bits &= ~from;
    for (; bits != 0; bits &= bits - 1) f(static_cast<int>(word * 64) + __builtin_ctzll(bits));
  }
}

void InputQueuedRouter::receive(int in, net::Delivery&& d) {
  const int q = in * virtual_channels() + d.packet->header<Header>().vc;
  flow::Ring<net::Delivery>& fifo = queue(q).waiting;
  fifo.push_back(std::move(d));
  if (fifo.size() > 1) return;
  look_at_first(q);
  arm(earliest(q));
}

void InputQueuedRouter::look_at_first(int number) {
  Queue& q = queue(number);
  flow::Packet& p = *q.waiting.front().packet;
  const Header& h = p.header<Header>();
  const Hop hop = route(p);
  q.output = hop.port;
  q.vc = hop.vc;
  q.copies = routing().replicates(place(), h) ? h.copies : std::uint16_t{1};
  // A packet that came alone: of a train's last, `payload` is that of the others.
  q.flits = port(hop.port).channel().wire().framing->cost(p, p.last_payload).data;
  q.urgency = {input(input_of(number)).priority, by_age(turns_) ? p.header<AgedHeader>().born : 0};
  if (q.copies > 1) ++multicasts_;
  for_outputs(q, [&q](Output& o) { ++o.lanes[q.vc].wanted; });
  waiting_[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << (number % 64);
}

Time InputQueuedRouter::earliest(int number) {
  const Queue& q = queue(number);
  Time t = std::max(now(), input(input_of(number)).busy_until);
  for_outputs(q, [&](Output& o) {
    Lane& lane = o.lanes[q.vc];
    const bool held = o.held_by != none && o.held_by != number && lane.owner != number;
    if (held || (lane.owner != none && lane.owner != number)) {
      t = Time::max();
    } else {
      t = std::max(t, o.busy_until);
      if (!lane.space.fits(q.flits, now())) t = std::max(t, lane.space.fits_at(q.flits));
    }
  });
  return t;
}

void InputQueuedRouter::arm(Time when) {
  if (when != Time::max()) simulation().agenda().arm_by(allocate_alarm_, crossbar_clock_.at_or_after(when));
}

void InputQueuedRouter::arm_next() {
  Time next = Time::max();
  for_waiting(0, [&](int q) { next = std::min(next, earliest(q)); });
  arm(std::max(next, now() + Time::from_fs(1)));
}

void InputQueuedRouter::allocate() {
  if (multicasts_ > 0) grant_multicasts();
  turns_ == Turns::channels ? request_by_channels() : request_all();
  for (const Allocator::Match& m : allocator_->match()) move(choose(m.input, m.output));
  for (Lane* lane : asked_) lane->granted_to = none;
  asked_.clear();
  arm_next();
}

void InputQueuedRouter::request_all() {
  for_waiting(0, [this](int q) {
    if (queue(q).copies == 1 && earliest(q) <= now())
      allocator_->request(input_of(q), queue(q).output, queue(q).urgency);
  });
}

void InputQueuedRouter::request_by_channels() {
  for_waiting(0, [this](int q) {
    if (queue(q).copies > 1 || earliest(q) > now()) return;
    Lane& lane = output(queue(q).output).lanes[queue(q).vc];
    if (lane.granted_to == none) asked_.push_back(&lane);
    if (lane.granted_to == none || (lane.granted_to < lane.next && q >= lane.next)) lane.granted_to = q;
  });
  for (const Lane* lane : asked_) {
    const Queue& q = queue(lane->granted_to);
    allocator_->request(input_of(lane->granted_to), q.output, q.urgency);
  }
}

void InputQueuedRouter::grant_multicasts() {
  if (holder_ != none) for_outputs(queue(holder_), [](Output& o) { o.held_by = none; });
  holder_ = none;
  for_waiting(multicast_turn_, [this](int q) {
    if (queue(q).copies == 1) return;
    if (earliest(q) <= now()) {
      if (holder_ == none) multicast_turn_ = (q + 1) % static_cast<int>(queues_.size());
      return move(q);
    }
    if (holder_ != none) return;
    holder_ = multicast_turn_ = q;
    for_outputs(queue(q), [q](Output& o) { o.held_by = q; });
  });
}

int InputQueuedRouter::choose(int in, int out) {
  const int classes = virtual_channels();
  int best = none;
  for (int i = 0, vc = input(in).next_vc; i < classes; ++i, vc = (vc + 1) % classes) {
    const int q = in * classes + vc;
    const Queue& each = queue(q);
    if (each.waiting.empty() || each.copies > 1 || each.output != out || earliest(q) > now()) continue;
    Lane& lane = output(out).lanes[each.vc];
    if (turns_ == Turns::channels && lane.granted_to != q) continue;
    if (best == none || each.urgency.before(queue(best).urgency)) best = q;
    if (turns_ == Turns::inputs) break;  // the next in turn
  }
  input(in).next_vc = (best % classes + 1) % classes;
  if (turns_ == Turns::channels) output(out).lanes[queue(best).vc].next = (best + 1) % static_cast<int>(queues_.size());
  return best;
}

void InputQueuedRouter::move(int number) {
  Queue& q = queue(number);
  for_outputs(q, [&q](Output& o) { --o.lanes[q.vc].wanted; });
  net::Delivery d = q.waiting.take_front();
  flow::Packet& p = *d.packet;
  tell(p.id, 0, net::Stage::buffer, "wait for the crossbar", d.schedule.front().head, now());
  const net::Span span{
      now(), std::max(crossbar_clock_.after(now(), q.flits), crossbar_clock_.at_or_after(d.schedule.back().tail))};
  input(input_of(number)).busy_until = span.tail;
  const std::uint64_t id = p.id;
  const Header whole = p.header<Header>();
  if (q.copies == 1) {
    p.header<Header>().vc = q.vc;  // the buffer held upstream knows its own virtual channel
    put_out(number, q.output, std::move(d.packet), span);
  } else {
    --multicasts_;
    count_copies(q.copies - 1);
    for (int i = q.copies - 1; i >= 0; --i) {
      flow::PacketPtr copy = i > 0 ? pool().clone(p) : std::move(d.packet);
      const Hop hop = make_copy(copy->header<Header>(), whole, i);
      put_out(number, hop.port, std::move(copy), span);
    }
  }
  d.slot.release(net::Schedule::at(span.tail), id);
  waiting_[static_cast<std::size_t>(number) / 64] &= ~(std::uint64_t{1} << (number % 64));
  if (!q.waiting.empty()) look_at_first(number);
}

void InputQueuedRouter::put_out(int number, int out, flow::PacketPtr p, net::Span span) {
  const Queue& q = queue(number);
  Output& o = output(out);
  Lane& lane = o.lanes[q.vc];
  o.busy_until = span.tail;
  lane.space.take(q.flits);
  lane.owner = more_follows(*p) ? number : none;
  net::Delivery d{std::move(p), net::Schedule(span), net::Slot(o, q.vc, flow::Credits::of(1, q.flits), 1)};
  port(out).send(0, std::move(d));
}

void InputQueuedRouter::Output::slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when,
                                              std::uint64_t) {
  Lane& lane = lanes[c];
  // What gets free now is of use from the next edge on: whether this edge's allocation was before is nobody's business.
  const Time soonest = slot_now() + Time::from_fs(1);
  for (const net::Span& s : when) lane.space.leave(per_packet.data, std::max(s.tail, soonest));
  if (lane.wanted > 0) router->arm(std::max(when.front().tail, soonest));
}

std::string InputQueuedRouter::leftover() const {
  for (const Queue& q : queues_)
    if (!q.waiting.empty()) return "packets wait for the crossbar";
  for (const Output& o : outputs_)
    for (const Lane& lane : o.lanes)
      if (!lane.space.all_home()) return "output buffers are not empty";
  return PlacedRouter::leftover();
}

}  // namespace tsunagi::router
