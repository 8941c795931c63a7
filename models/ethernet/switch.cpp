// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/switch.hpp"

#include <algorithm>
#include <utility>

#include "config/error_at.hpp"
#include "units/parse.hpp"

namespace tsunagi::ethernet {

namespace {

/// An input's number is told with its frames' places, as a flow class.
constexpr int ports_at_most = 256;

}  // namespace

SwitchConfig::SwitchConfig() {
  clock = Frequency(125'000'000);
  latency = 250;
  virtual_channels = 2;  // frames and MAC control, which are no virtual channels
  switching = router::Switching::store_and_forward;
}

void describe(SwitchConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ports", c.most_ports, "ports of the switch, wired or not", within(2, ports_at_most));
  describe(c.limits, d);
  d.field("clock", c.clock, "clock of the switch", within(Frequency(1'000'000), Frequency(100'000'000'000)),
          ideal(Frequency(100'000'000'000)));
  d.field("latency", c.latency, "cycles from a frame's last byte until it waits for its output", within(0, 1'000'000),
          ideal(0));
  describe_memory(c.memory, c.limits.largest_frame, d);
  d.field("pause_above", c.pause_above,
          "memory that an input's frames fill when it is told to pause, on wires with PAUSE; 0: it never is",
          within(0_B, 1_GiB));
  d.field("resume_below", c.resume_below, "memory that they fill no longer when it is told to go on",
          within(0_B, 1_GiB));
  d.require(c.pause_above == Bytes::zero() || c.resume_below <= c.pause_above,
            "\"resume_below\" is above \"pause_above\": an input would be told to go on before it is told to pause");
  d.require(c.pause_above == Bytes::zero() || c.resume_below > Bytes::zero(),
            "\"resume_below\" of 0 B is never reached: an input that pauses would not be told to go on");
}

Switch::Switch(DeviceArgs args, const SwitchConfig& c)
    : PlacedRouter(std::move(args), c,
                   {false, false, "ethernet", "classes of frames", control_first(), 0, {}, false, true}),
      clock_(c.clock),
      latency_(c.latency),
      most_ports_(c.most_ports),
      limits_(c.limits),
      memory_(c.memory, static_cast<int>(ports().size())),
      pause_above_(c.pause_above),
      resume_below_(c.resume_below),
      paused_until_(ports().size()),
      dropped_(ports().size()) {
  for (int i = 0; i < static_cast<int>(ports().size()); ++i) outputs_.push_back(std::make_unique<Output>(*this, i));
}

void Switch::wired() {
  const auto wires = std::count_if(ports().begin(), ports().end(), [](const net::Port& p) { return p.connected(); });
  if (wires > most_ports_)
    throw config::error_at("/machine", name() + " has " + std::to_string(most_ports_) + " ports (\"ports\"), but " +
                                           std::to_string(wires) + " wires come to it");
  if (ports().size() > ports_at_most)
    throw config::error_at("/machine", name() + ": a switch has at most " + std::to_string(ports_at_most) + " ports");
  check_ports(*this, limits_);
  PlacedRouter::wired();
  if (routing().adaptive())
    throw config::error_at("/machine", name() + ": Ethernet's frames keep their order, which adaptive routes do not");
}

void Switch::receive(int in, net::Delivery&& d) {
  if (port(in).obey_pause(*d.packet, now())) {
    ++obeyed_;
    return;
  }
  came_.push_back({in, std::move(d)});
  simulation().agenda().arm_by(acts_, now());
}

void Switch::act() {
  const auto n = static_cast<int>(ports().size());
  const auto turn = [&](const Came& c) { return (c.in - turn_ + n) % n; };
  std::sort(came_.begin(), came_.end(), [&](const Came& a, const Came& b) { return turn(a) < turn(b); });
  if (!came_.empty()) turn_ = (came_.front().in + 1) % n;
  for (Came& c : came_) take_frame(c.in, std::move(c.delivery));
  came_.clear();
  if (paused_ > 0) resume();
}

void Switch::take_frame(int in, net::Delivery d) {
  const int out = route(*d.packet).port;
  const std::int64_t cells = memory_.cells(frame_size(d.packet->payload));
  if (!memory_.take(in, out, cells, now())) {
    ++dropped_[static_cast<std::size_t>(out)];
    return port(out).drop(*d.packet);
  }
  const Time ready = clock_.after(now(), latency_);
  tell(d.packet->id, 0, net::Stage::pipeline, "forwarding", now(), ready);
  d.schedule = net::Schedule::at(ready);
  d.slot = net::Slot(*outputs_[static_cast<std::size_t>(out)], static_cast<flow::FlowClass>(in),
                     flow::Credits::of(0, cells), 1);
  port(out).send(0, std::move(d));
  watch_input(in);
}

void Switch::Output::slot_released(flow::FlowClass in, flow::Credits per_packet, net::Spans when, std::uint64_t) {
  for (const net::Span& s : when) whole.memory_.leaves(in, port, per_packet.data, s.tail);
  if (whole.paused_ > 0) whole.watch_memory();
}

void Switch::watch_memory() {
  const Time next = memory_.next_leaving();
  if (next != Time::max()) simulation().agenda().arm_by(acts_, std::max(next, now()));
}

void Switch::watch_input(int in) {
  Time& until = paused_until_[static_cast<std::size_t>(in)];
  if (until > now() || !pausing(in) || memory_.used_by_input(in) <= pause_above_) return;
  if (until == Time::zero()) ++paused_;
  until = now() + port(in).channel().wire().rate.time(quantum * most_quanta);
  send_pause(in, most_quanta);
}

void Switch::resume() {
  memory_.catch_up(now());
  for (int in = 0; in < static_cast<int>(ports().size()); ++in) {
    Time& until = paused_until_[static_cast<std::size_t>(in)];
    if (until == Time::zero() || memory_.used_by_input(in) >= resume_below_) continue;
    if (until > now()) send_pause(in, 0);
    until = Time::zero();
    --paused_;
  }
  if (paused_ > 0) watch_memory();
}

void Switch::send_pause(int in, std::uint16_t quanta) {
  ++pauses_;
  // Known before it is ready: who else wants the wire by then does not hang on who asks first.
  port(in).send(0, pause_frame(pool(), quanta, clock_.after(now(), 1)));
}

std::string Switch::leftover() const {
  if (!memory_.empty() || !came_.empty()) return "frames have not left the packet memory";
  std::int64_t came = 0, left = 0;
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    came += p.incoming().counters().packets;
    left += p.channel().counters().packets;
  }
  for (const std::int64_t n : dropped_) left += n;
  if (came - obeyed_ == left - pauses_) return {};
  return std::to_string(came - obeyed_) + " frames came, but " + std::to_string(left - pauses_) +
         " left or were dropped";
}

}  // namespace tsunagi::ethernet
