// SPDX-License-Identifier: Apache-2.0
#include "trace/chrome.hpp"

#include <fmt/format.h>

#include <utility>

#include "trace/names.hpp"

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

void append_member(Text& to, std::string_view name, std::int64_t value) {
  append(to, name);
  append_number(to, value);
}

void append_ids(Text& to, std::uint64_t item, std::uint64_t parent) {
  append_member(to, R"("item":)", static_cast<std::int64_t>(item));
  append_member(to, R"(,"parent":)", static_cast<std::int64_t>(parent));
}

}  // namespace

ChromeTrace::ChromeTrace(Output& output, std::vector<net::ChannelInfo> channels, Selection selection,
                         const std::string& version)
    : output_(output), selection_(std::move(selection)), file_(output, version) {
  int process = first_channel_process;
  for (net::ChannelInfo& info : channels) {
    std::string name = info.name();
    const bool selected = selection_.place(name);
    channels_.push_back({std::move(info), std::move(name), process++, selected});
  }
}

void ChromeTrace::stage(const net::StageEvent& e) {
  if (output_.full() || !selection_.time(e.begin, e.end)) return;
  const Device& d = device(e.place);
  if (!d.selected) return;
  const char* kind = stage_name(e.stage);
  file_.name_process(d.process, e.place, device_sort, e.begin);
  args_.clear();
  append_ids(args_, e.item, e.parent);
  append(args_, R"(,"stage":")");
  append(args_, kind);
  append(args_, "\"");
  file_.async_span(d.process, e.place, async_id(e.item), *e.name == '\0' ? kind : e.name, e.begin, e.end, args());
}

void ChromeTrace::hop(const net::Hop& h) {
  Channel& channel = channels_[h.channel];
  if (output_.full() || !channel.selected) return;
  const auto named = [&] { return packet_name(channel.info, h.flow_class, h.size.payload); };
  const std::string& name = channel.names.of(h.flow_class, h.size.payload, named);
  args_.clear();
  append_ids(args_, h.item, h.parent);
  append_member(args_, R"(,"payload_bytes":)", h.size.payload.count());
  append_member(args_, R"(,"header_bytes":)", h.size.header.count());
  append_member(args_, R"(,"framing_bytes":)", h.size.framing.count());
  channel_span(channel, packets_track, "packets", name, h.wire, args());
  if (selection_.time(h.ready.head, h.arrived.tail)) {
    file_.name_process(channel.process, channel.name, channel_sort, h.ready.head);
    args_.clear();
    append_ids(args_, h.item, h.parent);
    append_member(args_, R"(,"source":)", h.source);
    append(args_, R"(,"waited_us":)");
    append_microseconds(args_, h.granted - h.ready.head);
    append(args_, R"(,"lacked":")");
    append(args_, blocked_by_name(h.blocked_by));
    append(args_, "\"");
    file_.async_span(channel.process, "packet", async_id(h.item), name, h.ready.head, h.arrived.tail, args());
  }
  channel.queue.waited(h.ready.head, h.granted,
                       [&](Time when, std::int64_t packets) { waiting(channel, when, packets); });
}

void ChromeTrace::overhead(const net::OverheadEvent& e) {
  if (output_.full() || !channels_[e.channel].selected) return;
  channel_span(channels_[e.channel], link_layer_track, "link layer", overhead_name(e.kind), e.wire, "");
}

void ChromeTrace::credits(const net::CreditEvent& e) {
  Channel& channel = channels_[e.channel];
  if (output_.full() || !channel.selected) return;
  // An infinite account is below zero, whatever was spent of it.
  args_.clear();
  if (e.left.headers >= 0) append_member(args_, R"("headers":)", e.left.headers);
  if (e.left.data >= 0) append_member(args_, args_.size() == 0 ? R"("data":)" : R"(,"data":)", e.left.data);
  if (args_.size() == 0) return;
  while (channel.credits.size() <= e.flow_class)
    channel.credits.push_back("credits " +
                              channel.info.class_name(static_cast<flow::FlowClass>(channel.credits.size())));
  channel_counter(channel, channel.credits[e.flow_class], e.when, args());
}

void ChromeTrace::call(const comm::Call& c) {
  rank_span(c.rank, call_name(c), c.begin, c.end,
            fmt::format(R"("peer":{},"bytes":{},"method":{})", c.peer, c.size.count(), quoted(c.method)));
}

void ChromeTrace::together(const comm::Together& t) {
  rank_span(t.rank, together_name(t), t.begin, t.end,
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
  args_.clear();
  append_member(args_, R"("packets":)", packets);
  channel_counter(channel, "waiting", when, args());
}

void ChromeTrace::rank_span(int rank, std::string_view name, Time begin, Time end, std::string_view args) {
  const std::string rank_name = fmt::format("rank {}", rank);
  if (output_.full() || !selection_.time(begin, end) || !selection_.place(rank_name)) return;
  const ChromeFile::Track track{ranks_process, rank + 1};
  file_.name_process(ranks_process, "ranks", ranks_sort, begin);
  file_.name_track(track, rank_name, begin);
  file_.span(track, name, begin, end, args);
}

}  // namespace tsunagi::trace
