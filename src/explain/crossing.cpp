// SPDX-License-Identifier: Apache-2.0
#include "explain/crossing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tsunagi::explain {
namespace {

/// Segments one after the other.
class Chain {
 public:
  explicit Chain(Time begin) : at_(begin) {}
  /// Appends up to `end`, or prolongs the last one if it is the same; nothing if that has been reached.
  void until(Time end, const std::string& device, std::string what, Kind kind) {
    if (end <= at_) return;
    if (!segments_.empty() && segments_.back().device == device && segments_.back().what == what)
      segments_.back().end = end;
    else
      segments_.push_back({device, std::move(what), kind, at_, end});
    at_ = end;
  }
  Time at() const { return at_; }
  std::vector<Segment> take() { return std::move(segments_); }

 private:
  Time at_;
  std::vector<Segment> segments_;
};

/// The port can grant the next packet from then on, as far as `h` is concerned: its datapath is through, and the next
/// one's pipeline ends when the wire is free.
Time port_free(const net::Hop& h) { return std::max(h.datapath.tail, h.wire.tail - (h.piped - h.datapath.head)); }

bool overhead_in(const History& history, std::uint32_t channel, Time begin, Time end) {
  const auto all = history.overheads_on(channel);
  const auto after = std::partition_point(all.begin(), all.end(), [&](const auto* o) { return o->wire.head < end; });
  return after != all.begin() && (*(after - 1))->wire.tail > begin;
}

/// The wait of `hop` up to `end`, by whose turn it was: each packet granted holds the port until the next is.
void wait_for_turn(const History& history, const net::Hop& hop, Time end, Chain& out) {
  const std::string& device = history.channels()[hop.channel].from_device;
  const auto all = history.hops_on(hop.channel);
  auto next = std::partition_point(all.begin(), all.end(), [&](const auto* h) { return h->granted <= out.at(); });
  const net::Hop* holder = next == all.begin() ? nullptr : *(next - 1);
  const auto behind = [&](const net::Hop& h, Time until) {
    if (h.source == hop.source)
      out.until(until, device, "behind own packets", Kind::queue);
    else
      out.until(until, device, "arbitration", Kind::arbitration);
  };
  while (out.at() < end) {
    const bool last = next == all.end() || (*next)->granted >= end;
    const Time until = last ? end : (*next)->granted;
    if (holder != nullptr) behind(*holder, std::min(until, port_free(*holder)));
    // The port was free: an earlier packet of the same source waited itself, or the edge or the wire was to come.
    if (!last && (*next)->source == hop.source) behind(**next, until);
    if (out.at() < until && overhead_in(history, hop.channel, out.at(), until))
      out.until(until, device, "wire busy", Kind::wire_busy);
    out.until(until, device, "clock edge", Kind::clock);
    if (!last) holder = *next++;
  }
}

void wait(const History& history, const net::Hop& hop, Chain& out) {
  const net::ChannelInfo& channel = history.channels()[hop.channel];
  if (hop.blocked_by == net::BlockedBy::nothing) return wait_for_turn(history, hop, hop.granted, out);
  wait_for_turn(history, hop, std::min(hop.blocked_since, hop.granted), out);
  if (hop.blocked_by == net::BlockedBy::replay_space)
    return out.until(hop.granted, channel.from_device, "replay buffer full", Kind::replay_space);
  const char* what = hop.blocked_by == net::BlockedBy::stop ? "stopped" : "credit wait";
  out.until(hop.granted, channel.from_device, fmt::format("{} ({})", what, channel.class_name(hop.flow_class)),
            Kind::credit);
}

}  // namespace

std::vector<Segment> crossing(const History& history, const net::Hop& hop, bool by_head) {
  const net::ChannelInfo& channel = history.channels()[hop.channel];
  const std::string& from = channel.from_device;
  const std::string& wire = history.wire(hop.channel);
  Chain out(hop.ready.head);
  wait(history, hop, out);
  out.until(hop.datapath.head, from, "clock edge", Kind::clock);
  out.until(hop.piped, from, "transmit pipeline", Kind::pipeline);
  // The last byte must be there in time. Edges and bytes are rounded to whole femtoseconds, each once.
  const Time slower = (hop.datapath.tail - hop.datapath.head) - (hop.wire.tail - hop.wire.head);
  const bool only_that = slower > Time::zero() && hop.first_try <= hop.piped + slower + Time::from_fs(2);
  out.until(only_that ? hop.first_try : std::min(hop.first_try, hop.piped + slower), from, "datapath", Kind::datapath);
  out.until(hop.first_try, from, "wire busy", Kind::wire_busy);
  out.until(hop.wire.head, wire, "replay", Kind::replay);
  if (by_head) {
    out.until(std::min(hop.wire.head + (hop.landed - hop.wire.tail), hop.arrived.head), wire, "flight", Kind::flight);
    out.until(hop.arrived.head, channel.to_device, "receive pipeline", Kind::pipeline);
  } else {
    out.until(hop.wire.tail, wire, "serialise", Kind::serialise);
    out.until(hop.landed, wire, "flight", Kind::flight);
    out.until(hop.arrived.tail, channel.to_device, "receive pipeline", Kind::pipeline);
  }
  return out.take();
}

}  // namespace tsunagi::explain
