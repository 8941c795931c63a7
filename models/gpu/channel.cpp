// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/channel.hpp"

#include <algorithm>
#include <utility>

#include "models/gpu/release.hpp"
#include "models/pcie/framing.hpp"

namespace tsunagi::gpu {

namespace {

Cause later_of(Cause a, Cause b) { return b.when > a.when ? b : a; }

}  // namespace

Channel::Channel(net::Device& gpu, flow::PacketPool& pool, const CopyEngineConfig& c, int number, ChannelPorts ports)
    : gpu_(gpu),
      pool_(pool),
      clock_(c.clock),
      release_cycles_(c.release_cycles),
      ports_(std::move(ports)),
      fetch_(
          gpu, pool, c, number, [this](net::Delivery d) { ports_.fetch(std::move(d)); },
          [this](const Command& what, Cause by) {
            waiting_.push_back({what, by});
            advance();
          }) {}

void Channel::look(Cause by) {
  if (waiting_.empty() || !std::holds_alternative<WaitCommand>(waiting_.front().what)) return;
  waiting_.front().ready = later_of(waiting_.front().ready, by);
  advance();
}

void Channel::left(Cause by) {
  by.when = std::max(by.when, gpu_.simulation().now());
  leaving_.push_back(by);
  if (!left_alarm_.armed()) gpu_.simulation().agenda().arm(left_alarm_, by.when);
}

void Channel::count_left() {
  const Time now = gpu_.simulation().now();
  while (!leaving_.empty() && leaving_.front().when <= now) {
    last_ = leaving_.take_front();
    --in_flight_;
    ++ended_;
  }
  if (!leaving_.empty()) gpu_.simulation().agenda().arm(left_alarm_, leaving_.front().when);
  ports_.progressed(last_);
  advance();
}

void Channel::advance() {
  while (!waiting_.empty()) {
    const Waiting& first = waiting_.front();
    const Cause ready = later_of(first.ready, last_);
    if (const auto* wait = std::get_if<WaitCommand>(&first.what)) {
      if (in_flight_ != 0 || ports_.ended(wait->channel) < wait->commands) return;
      const WaitCommand over = *wait;
      waiting_.pop_front();
      end_wait(over, ready);
      continue;
    }
    Engine& engine = ports_.engine(first.what);
    if (in_flight_ != 0 && &engine != engine_) return;
    const Cause begins = in_flight_ != 0 ? first.ready : ready;
    engine_ = &engine;
    ++in_flight_;
    engine.run(waiting_.take_front().what, *this, begins);
  }
}

void Channel::end_wait(const WaitCommand& w, Cause by) {
  const Time at = clock_.after(by.when, release_cycles_);
  net::Delivery d = release_of(gpu_, pool_, w.semaphore, w.payload, by, at, "channel builds the release");
  d.slot = net::Slot(*this, pcie::posted, flow::Credits::of(1, 4), 1);
  engine_ = nullptr;
  ++in_flight_;
  fetch_.ended(by);
  ports_.write(std::move(d));
}

void Channel::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  left({when.back().tail, packet});
}

}  // namespace tsunagi::gpu
