// SPDX-License-Identifier: Apache-2.0
#include "trace/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/names.hpp"

namespace tsunagi::trace {
namespace {

using Note = PerfettoFile::Note;

// As viewers show groups, from the program down to the wires; there are fewer devices than that.
constexpr int ranks_place = 0;
constexpr int first_device_place = 1;
constexpr int first_channel_place = 1 << 24;
// The rows of a channel.
constexpr std::pair<const char*, int> packets_row{"packets", 0};
constexpr std::pair<const char*, int> hops_row{"hops", 1};
constexpr std::pair<const char*, int> link_layer_row{"link layer", 2};
constexpr std::pair<const char*, int> waiting_row{"waiting", 3};
constexpr int first_credits_place = 4;

std::int64_t number(std::uint64_t item) { return static_cast<std::int64_t>(item); }
/// Left out where there is none.
std::int64_t unless_zero(std::int64_t value) { return value == 0 ? -1 : value; }

}  // namespace

PerfettoTrace::PerfettoTrace(Output& output, std::vector<net::ChannelInfo> channels, Selection selection,
                             const std::string& version)
    : output_(output), selection_(std::move(selection)), file_(output, version) {
  for (net::ChannelInfo& info : channels) {
    std::string name = info.name();
    const bool selected = selection_.place(name);
    channels_.push_back({std::move(info), std::move(name), selected});
  }
}

void PerfettoTrace::stage(const net::StageEvent& e) {
  if (output_.full() || !selection_.time(e.begin, e.end)) return;
  Device& d = device(e.place);
  if (!d.selected) return;
  if (d.group == 0) d.group = file_.add_track(0, e.place, d.rank);
  const char* const text = *e.name == '\0' ? stage_name(e.stage) : e.name;
  const Name name = file_.name_of_literal(text);
  auto row = std::find_if(d.stages.begin(), d.stages.end(), [&](const auto& s) { return s.first == name; });
  if (row == d.stages.end()) row = d.stages.emplace(row, name, Lanes());
  const int place = static_cast<int>(row - d.stages.begin());
  const Track track = row->second.track(e.begin, e.end, [&] { return file_.add_track(d.group, text, place); });
  file_.span(track, name, e.begin, e.end,
             {{Note::item, number(e.item)}, {Note::parent, unless_zero(number(e.parent))}});
}

void PerfettoTrace::hop(const net::Hop& h) {
  Channel& channel = channels_[h.channel];
  if (output_.full() || !channel.selected) return;
  const auto named = [&] { return file_.name(packet_name(channel.info, h.flow_class, h.size.payload)); };
  const Name name = channel.names.of(h.flow_class, h.size.payload, named);
  channel_span(channel, channel.packets, packets_row, name, h.wire.head, h.wire.tail,
               {{Note::item, number(h.item)},
                {Note::payload_bytes, unless_zero(h.size.payload.count())},
                {Note::header_bytes, h.size.header.count()},
                {Note::framing_bytes, h.size.framing.count()}});
  const bool blocked = h.blocked_by != net::BlockedBy::nothing;
  channel_span(channel, channel.hops, hops_row, name, h.ready.head, h.arrived.tail,
               {{Note::item, number(h.item)},
                {Note::parent, unless_zero(number(h.parent))},
                {Note::source, unless_zero(h.source)},
                {Note::waited_fs, unless_zero((h.granted - h.ready.head).fs())},
                {Note::lacked, -1, blocked ? file_.text(blocked_by_name(h.blocked_by)) : 0}});
  channel.queue.waited(h.ready.head, h.granted,
                       [&](Time when, std::int64_t packets) { waiting(channel, when, packets); });
}

void PerfettoTrace::overhead(const net::OverheadEvent& e) {
  Channel& channel = channels_[e.channel];
  if (output_.full() || !channel.selected) return;
  channel_span(channel, channel.link_layer, link_layer_row, file_.name_of_literal(overhead_name(e.kind)), e.wire.head,
               e.wire.tail, {});
}

void PerfettoTrace::credits(const net::CreditEvent& e) {
  Channel& channel = channels_[e.channel];
  if (output_.full() || !channel.selected || !selection_.time(e.when, e.when)) return;
  // An infinite account is below zero, whatever was spent of it.
  const bool headers = e.left.headers >= 0;
  const bool data = e.left.data >= 0;
  const Track of_headers = headers ? credit_track(channel, e.flow_class, false) : 0;
  const Track of_data = data ? credit_track(channel, e.flow_class, true) : 0;
  if (headers && data)
    file_.counters(of_headers, e.left.headers, of_data, e.left.data, e.when);
  else if (headers)
    file_.counter(of_headers, e.when, e.left.headers);
  else if (data)
    file_.counter(of_data, e.when, e.left.data);
}

void PerfettoTrace::call(const comm::Call& c) {
  rank_span(c.rank, Kind::call, file_.name(call_name(c)), c.begin, c.end,
            {{Note::peer, c.peer}, {Note::bytes, c.size.count()}, {Note::method, -1, file_.text(c.method)}});
}

void PerfettoTrace::together(const comm::Together& t) {
  rank_span(t.rank, Kind::together, file_.name(together_name(t)), t.begin, t.end,
            {{Note::algorithm, -1, file_.text(t.algorithm)},
             {Note::number, number(t.number)},
             {Note::ranks, t.ranks},
             {Note::root, t.root},
             {Note::bytes, unless_zero(t.size.count())}});
}

void PerfettoTrace::step(const comm::Step& s) {
  rank_span(s.rank, Kind::step, file_.name_of_literal(s.name), s.begin, s.end, {});
}

void PerfettoTrace::finish(Time) {
  for (Channel& channel : channels_)
    channel.queue.finish([&](Time when, std::int64_t packets) { waiting(channel, when, packets); });
}

PerfettoTrace::Device& PerfettoTrace::device(std::string_view name) {
  const auto found = devices_.find(name);
  if (found != devices_.end()) return found->second;
  const int rank = first_device_place + static_cast<int>(devices_.size());
  return devices_.emplace(name, Device{selection_.place(name), 0, rank}).first->second;
}

PerfettoTrace::Rank& PerfettoTrace::rank(int number) {
  const auto i = static_cast<std::size_t>(number);
  while (ranks_.size() <= i) ranks_.push_back({selection_.place(fmt::format("rank {}", ranks_.size())), 0, {}});
  return ranks_[i];
}

PerfettoTrace::Track PerfettoTrace::group_of(Channel& channel) {
  if (channel.group == 0)
    channel.group =
        file_.add_track(0, channel.name, first_channel_place + static_cast<int>(&channel - channels_.data()));
  return channel.group;
}

void PerfettoTrace::channel_span(Channel& channel, Lanes& lanes, std::pair<const char*, int> row, Name name, Time begin,
                                 Time end, PerfettoFile::Notes notes) {
  if (!selection_.time(begin, end)) return;
  const Track track =
      lanes.track(begin, end, [&] { return file_.add_track(group_of(channel), row.first, row.second); });
  file_.span(track, name, begin, end, notes);
}

PerfettoTrace::Track PerfettoTrace::credit_track(Channel& channel, flow::FlowClass flow_class, bool of_data) {
  if (channel.credits.size() <= flow_class) channel.credits.resize(flow_class + std::size_t{1});
  Counters& counters = channel.credits[flow_class];
  Track& track = of_data ? counters.data : counters.headers;
  if (track == 0)
    track = file_.add_counter(
        group_of(channel),
        fmt::format("credits {} {}", channel.info.class_name(flow_class), of_data ? "data" : "headers"),
        first_credits_place + 2 * flow_class + (of_data ? 1 : 0));
  return track;
}

void PerfettoTrace::waiting(Channel& channel, Time when, std::int64_t packets) {
  if (output_.full() || !selection_.time(when, when)) return;
  if (channel.waiting == 0)
    channel.waiting = file_.add_counter(group_of(channel), waiting_row.first, waiting_row.second);
  file_.counter(channel.waiting, when, packets);
}

void PerfettoTrace::rank_span(int number, Kind kind, Name name, Time begin, Time end, PerfettoFile::Notes notes) {
  constexpr const char* rows[] = {"collectives and iterations", "calls", "steps"};
  Rank& who = rank(number);
  if (output_.full() || !selection_.time(begin, end) || !who.selected) return;
  const int row = static_cast<int>(kind);
  if (ranks_group_ == 0) ranks_group_ = file_.add_track(0, "ranks", ranks_place);
  if (who.group == 0) who.group = file_.add_track(ranks_group_, fmt::format("rank {}", number), number);
  const Track track = who.lanes[static_cast<std::size_t>(row)].track(
      begin, end, [&] { return file_.add_track(who.group, rows[row], row); });
  file_.span(track, name, begin, end, notes);
}

}  // namespace tsunagi::trace
