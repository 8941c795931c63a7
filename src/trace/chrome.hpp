// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/by_packet.hpp"
#include "trace/chrome_file.hpp"
#include "trace/queue_length.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"

namespace tsunagi::trace {

/// Chrome's Trace Event Format (JSON), which Perfetto, chrome://tracing and speedscope read. Times are exact decimals
/// in microseconds, down to the femtosecond. A channel is a process with a track of the packets on its wire, one of its
/// link layer, counters of finite credits left and of packets that wait; a packet's whole hop, ready to arrived, is an
/// asynchronous span there, and so is a stage in the process of its device, because these overlap. Ranks are the tracks
/// of one process. An asynchronous span's id is "ITEM.N", N its number in the file: the packets of a train share an
/// item.
class ChromeTrace final : public Trace {
 public:
  ChromeTrace(Output& output, std::vector<net::ChannelInfo> channels, Selection selection, const std::string& version);

  void stage(const net::StageEvent& e) override;
  void hop(const net::Hop& h) override;
  void overhead(const net::OverheadEvent& e) override;
  void credits(const net::CreditEvent& e) override;
  void call(const comm::Call& c) override;
  void step(const comm::Step& s) override;
  void together(const comm::Together& t) override;
  void finish(Time end) override;

 private:
  struct Channel {
    net::ChannelInfo info;
    std::string name;
    int process = 0;
    bool selected = false;
    std::vector<std::string> credits = {};  // names of the counters of each class
    ByPacket<std::string> names = {};
    QueueLength queue = {};
  };
  struct Device {
    int process = 0;
    bool selected = false;
  };

  const Device& device(std::string_view name);
  void channel_span(const Channel& channel, int track, const char* track_name, std::string_view name, net::Span span,
                    std::string_view args);
  void channel_counter(const Channel& channel, std::string_view name, Time when, std::string_view args);
  void waiting(const Channel& channel, Time when, std::int64_t packets);
  void rank_span(int rank, std::string_view name, Time begin, Time end, std::string_view args);
  ChromeFile::Id async_id(std::uint64_t item) { return {item, ++async_spans_}; }
  std::string_view args() const { return {args_.data(), args_.size()}; }

  Output& output_;
  Selection selection_;
  ChromeFile file_;
  std::vector<Channel> channels_;
  std::unordered_map<std::string_view, Device> devices_;  // whose names outlive the run
  Text args_;                                             // of the event that is being written
  std::uint64_t async_spans_ = 0;
};

}  // namespace tsunagi::trace
