// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/spreader.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::sr8000 {

Spreader::Spreader(const net::Device& device, Outputs& outputs, sim::Agenda& agenda, const Clock& clock, int inputs)
    : Alarm(sim::Phase::grant),
      device_(device),
      outputs_(outputs),
      agenda_(agenda),
      clock_(clock),
      inputs_(static_cast<std::size_t>(inputs)) {}

void Spreader::take(int in, net::Delivery d) {
  inputs_[static_cast<std::size_t>(in)].push_back(std::move(d));
  ++waiting_;
  arm();
}

void Spreader::arm() {
  if (waiting_ == 0 || free_ == Time::max()) return;
  Time first = Time::max();
  for (const auto& input : inputs_)
    if (!input.empty()) first = std::min(first, input.front().schedule.front().head);
  agenda_.arm_by(*this, std::max({first, free_, agenda_.now()}));
}

int Spreader::next_input() const {
  const auto n = static_cast<int>(inputs_.size());
  const auto is_here = [this](const flow::Ring<net::Delivery>& input) {
    return !input.empty() && input.front().schedule.front().head <= agenda_.now();
  };
  int in = turn_;
  while (!is_here(inputs_[static_cast<std::size_t>(in)])) in = (in + 1) % n;
  return in;
}

net::Delivery Spreader::take_first(int in) {
  auto& input = inputs_[static_cast<std::size_t>(in)];
  if (input.front().packet->count > 1) return net::split_front(input.front(), 1);
  --waiting_;
  return input.take_front();
}

void Spreader::ring() {
  const int in = next_input();
  turn_ = (in + 1) % static_cast<int>(inputs_.size());
  net::Delivery d = take_first(in);
  const net::Span came = d.schedule.front();
  // Not at this very time, at which outputs may have been granted already to whom they are left.
  const Time granted = clock_.at_or_after(agenda_.now() + Time::from_fs(1));
  device_.tell(d.packet->id, 0, net::Stage::buffer, "until all outputs take it", came.head, granted);
  d.schedule = net::Schedule(net::Span{granted, std::max(came.tail, granted)});
  free_ = Time::max();
  held_ = std::move(d.slot);
  d.slot = net::Slot(*this, 0, {1, 0}, 1);
  outputs_.spread(in, std::move(d));
}

void Spreader::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  free_ = when.back().tail;
  held_.release(when, packet);
  arm();
}

}  // namespace tsunagi::sr8000
