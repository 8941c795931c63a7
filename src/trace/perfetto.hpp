// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/by_packet.hpp"
#include "trace/lanes.hpp"
#include "trace/perfetto_file.hpp"
#include "trace/queue_length.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"

namespace tsunagi::trace {

/// Perfetto's own format, for long runs: what ChromeTrace says, by the same names, in a quarter of the bytes, but in
/// whole nanoseconds. Groups of tracks are the ranks, then each device with a row for each of its stages, then each
/// channel with the packets on its wire, their hops from ready to arrived, its link layer, and its counters. What
/// overlaps lies on several tracks of one name, which the viewer shows as one.
class PerfettoTrace final : public Trace {
 public:
  PerfettoTrace(Output& output, std::vector<net::ChannelInfo> channels, Selection selection,
                const std::string& version);

  void stage(const net::StageEvent& e) override;
  void hop(const net::Hop& h) override;
  void overhead(const net::OverheadEvent& e) override;
  void credits(const net::CreditEvent& e) override;
  void call(const comm::Call& c) override;
  void step(const comm::Step& s) override;
  void together(const comm::Together& t) override;
  void finish(Time end) override;

 private:
  using Track = PerfettoFile::Track;
  using Name = PerfettoFile::Name;
  struct Counters {
    Track headers = 0;
    Track data = 0;
  };
  struct Channel {
    net::ChannelInfo info;
    std::string name;
    bool selected = false;
    Track group = 0;
    Lanes packets = {};
    Lanes hops = {};
    Lanes link_layer = {};
    Track waiting = 0;
    std::vector<Counters> credits = {};  // of each class
    ByPacket<Name> names = {};
    QueueLength queue = {};
  };
  struct Device {
    bool selected = false;
    Track group = 0;
    int rank = 0;
    std::vector<std::pair<Name, Lanes>> stages = {};
  };
  enum class Kind : std::uint8_t { together, call, step };
  struct Rank {
    bool selected = false;
    Track group = 0;
    std::array<Lanes, 3> lanes = {};  // of each kind
  };

  Device& device(std::string_view name);
  Rank& rank(int number);
  Track group_of(Channel& channel);
  void channel_span(Channel& channel, Lanes& lanes, std::pair<const char*, int> row, Name name, Time begin, Time end,
                    PerfettoFile::Notes notes);
  Track credit_track(Channel& channel, flow::FlowClass flow_class, bool of_data);
  void waiting(Channel& channel, Time when, std::int64_t packets);
  void rank_span(int rank, Kind kind, Name name, Time begin, Time end, PerfettoFile::Notes notes);

  Output& output_;
  Selection selection_;
  PerfettoFile file_;
  std::vector<Channel> channels_;
  std::unordered_map<std::string_view, Device> devices_;  // whose names outlive the run
  std::vector<Rank> ranks_;
  Track ranks_group_ = 0;
};

}  // namespace tsunagi::trace
