// SPDX-License-Identifier: Apache-2.0
#include "trace/chrome.hpp"

#include <fmt/format.h>

#include <utility>

#include "trace/names.hpp"
#include "units/parse.hpp"

namespace tsunagi::trace {
namespace {

// Processes: the ranks, then a channel each, then a device each in the order they are heard of.
constexpr int ranks_process = 1;
constexpr int first_channel_process = 2;
// As viewers show them, from the program down to the wires.
constexpr int ranks_sort = 0;
constexpr int device_sort = 1;
constexpr int channel_sort = 2;
// Tracks of a channel.
constexpr int packets_track = 1;
constexpr int link_layer_track = 2;

std::string packet_name(const net::ChannelInfo& channel, const net::Hop& h) {
  const std::string name = channel.class_name(h.flow_class);
  return h.size.payload == Bytes::zero() ? name : name + " " + to_string(h.size.payload);
}

}  // namespace

ChromeTrace::ChromeTrace(Output& output, std::vector<net::ChannelInfo> channels, Selection selection,
                         const std::string& version)
    : output_(output), selection_(std::move(selection)), file_(output, version) {
  int process = first_channel_process;
  for (net::ChannelInfo& info : channels) {
    std::string name = info.name();
    const bool selected = selection_.place(name);
    channels_.push_back({std::move(info), std::move(name), process++, selected, {}});
  }
}

void ChromeTrace::stage(const net::StageEvent& e) {
  if (output_.full() || !selection_.time(e.begin, e.end)) return;
  const Device& d = device(e.place);
  if (!d.selected) return;
  const char* kind = stage_name(e.stage);
  file_.name_process(d.process, e.place, device_sort, e.begin);
  file_.async_span(d.process, e.place, async_id(e.item), *e.name == '\0' ? kind : e.name, e.begin, e.end,
                   fmt::format(R"("item":{},"parent":{},"stage":"{}")", e.item, e.parent, kind));
}

void ChromeTrace::hop(const net::Hop& h) {
  Channel& channel = channels_[h.channel];
  if (output_.full() || !channel.selected) return;
  const std::string name = packet_name(channel.info, h);
  const std::string ids = fmt::format(R"("item":{},"parent":{})", h.item, h.parent);
  channel_span(channel, packets_track, "packets", name, h.wire,
               fmt::format(R"({},"payload_bytes":{},"header_bytes":{},"framing_bytes":{})", ids, h.size.payload.count(),
                           h.size.header.count(), h.size.framing.count()));
  if (selection_.time(h.ready.head, h.arrived.tail)) {
    file_.name_process(channel.process, channel.name, channel_sort, h.ready.head);
    file_.async_span(channel.process, "packet", async_id(h.item), name, h.ready.head, h.arrived.tail,
                     fmt::format(R"({},"source":{},"waited_us":{},"lacked":"{}")", ids, h.source,
                                 microseconds(h.granted - h.ready.head), blocked_by_name(h.blocked_by)));
  }
  channel.queue.waited(h.ready.head, h.granted,
                       [&](Time when, std::int64_t packets) { waiting(channel, when, packets); });
}

void ChromeTrace::overhead(const net::OverheadEvent& e) {
  if (output_.full() || !channels_[e.channel].selected) return;
  channel_span(channels_[e.channel], link_layer_track, "link layer", overhead_name(e.kind), e.wire, "");
}

void ChromeTrace::credits(const net::CreditEvent& e) {
  const Channel& channel = channels_[e.channel];
  if (output_.full() || !channel.selected) return;
  // An infinite account is below zero, whatever was spent of it.
  std::string args;
  if (e.left.headers >= 0) args = fmt::format(R"("headers":{})", e.left.headers);
  if (e.left.data >= 0) args += fmt::format(R"({}"data":{})", args.empty() ? "" : ",", e.left.data);
  if (!args.empty()) channel_counter(channel, "credits " + channel.info.class_name(e.flow_class), e.when, args);
}

void ChromeTrace::call(const comm::Call& c) {
  const char* kind = comm::name_of(c.kind);
  rank_span(c.rank, fmt::format("{} {}", kind, to_string(c.size)), c.begin, c.end,
            fmt::format(R"("peer":{},"bytes":{},"method":{})", c.peer, c.size.count(), quoted(c.method)));
}

void ChromeTrace::together(const comm::Together& t) {
  rank_span(t.rank, t.size == Bytes::zero() ? t.name : fmt::format("{} {}", t.name, to_string(t.size)), t.begin, t.end,
            fmt::format(R"("algorithm":{},"number":{},"ranks":{},"root":{},"bytes":{})", quoted(t.algorithm), t.number,
                        t.ranks, t.root, t.size.count()));
}

void ChromeTrace::step(const comm::Step& s) { rank_span(s.rank, s.name, s.begin, s.end, ""); }

void ChromeTrace::finish(Time) {
  for (Channel& channel : channels_)
    channel.queue.finish([&](Time when, std::int64_t packets) { waiting(channel, when, packets); });
  file_.finish();
}

const ChromeTrace::Device& ChromeTrace::device(std::string_view name) {
  const auto found = devices_.find(name);
  if (found != devices_.end()) return found->second;
  const int process = first_channel_process + static_cast<int>(channels_.size() + devices_.size());
  return devices_.emplace(name, Device{process, selection_.place(name)}).first->second;
}

void ChromeTrace::channel_span(const Channel& channel, int track, const char* track_name, std::string_view name,
                               net::Span span, std::string_view args) {
  if (!selection_.time(span.head, span.tail)) return;
  file_.name_process(channel.process, channel.name, channel_sort, span.head);
  file_.name_track({channel.process, track}, track_name, span.head);
  file_.span({channel.process, track}, name, span.head, span.tail, args);
}

void ChromeTrace::channel_counter(const Channel& channel, std::string_view name, Time when, std::string_view args) {
  if (!selection_.time(when, when)) return;
  file_.name_process(channel.process, channel.name, channel_sort, when);
  file_.counter(channel.process, name, when, args);
}

void ChromeTrace::waiting(const Channel& channel, Time when, std::int64_t packets) {
  channel_counter(channel, "waiting", when, fmt::format(R"("packets":{})", packets));
}

void ChromeTrace::rank_span(int rank, std::string_view name, Time begin, Time end, std::string_view args) {
  const std::string rank_name = fmt::format("rank {}", rank);
  if (output_.full() || !selection_.time(begin, end) || !selection_.place(rank_name)) return;
  const ChromeFile::Track track{ranks_process, rank + 1};
  file_.name_process(ranks_process, "ranks", ranks_sort, begin);
  file_.name_track(track, rank_name, begin);
  file_.span(track, name, begin, end, args);
}

std::string ChromeTrace::async_id(std::uint64_t item) { return fmt::format("{}.{}", item, ++async_spans_); }

}  // namespace tsunagi::trace
