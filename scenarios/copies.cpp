// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "config/error_at.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

/// Of a copy, what may have passed a wire before the end of the one before it is seen, whose release waits in buffers.
constexpr Bytes under_way{4096};

struct CopyPairConfig {
  std::string source = "host";
  std::string target = "host";
  std::string by;
};

void describe(CopyPairConfig& c, config::Describer& d) {
  d.field("source", c.source, "memory that is copied from: a GPU, or \"host\"");
  d.field("target", c.target, "memory that is copied to: a GPU, or \"host\"");
  d.field("by", c.by, "of two GPUs the one whose engine copies: the source writes, the target reads; none: the source");
  d.require(c.by.empty() || c.by == c.source || c.by == c.target, "\"by\" is neither \"source\" nor \"target\"");
}

struct CopiesConfig {
  std::vector<CopyPairConfig> copies = {{"host", "gpu0"}};
  std::vector<Bytes> sizes = {4_MiB};
  int queued = 3;
  std::vector<Bytes> alone = {8_B};
};

void describe(CopiesConfig& c, config::Describer& d) {
  using namespace config;
  d.list("copies", c.copies, "what is copied at the same time, each in a stream of its own");
  d.field("sizes", c.sizes, "bytes of a copy when all go at once, a row each", within(1_B, 1_GiB));
  d.field(
      "queued", c.queued,
      "copies of that size in each stream, one behind another: the first is not timed, nor the last of three or more",
      within(2, 1000));
  d.field("alone", c.alone, "bytes of a copy that is timed alone before that, a row each", within(1_B, 1_GiB));
  d.require(!c.copies.empty() && c.copies.size() <= 64, "\"copies\" has 1 to 64 entries");
  d.require(!c.sizes.empty() || !c.alone.empty(), "\"sizes\" and \"alone\" are empty");
}

/// Rank 0 queues copies between memories of its node in streams of GPUs (cudaMemcpyAsync). First each is timed alone,
/// from its call until the rank has seen that it is over (cudaEventSynchronize). Then all go at once, and the time
/// of each is that of its stream, from the end of its first copy (or of the last one that was over when all were
/// queued) to the end of its last one, or of the last but one of three or more, as the GPU says; from the call on if
/// all were over before the first was seen to be.
class Copies final : public Scenario {
 public:
  explicit Copies(CopiesConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  Bytes footprint(int /*ranks*/) const override { return Bytes::zero(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Bytes largest() const;
  /// Copies have bytes of their own in each memory.
  comm::DeviceCopy copy_of(std::size_t i, Bytes size) const;
  /// That of the GPU whose engine copies: each copy has another one.
  comm::Stream stream_of(std::size_t i) const;
  std::string name_of(std::size_t i) const { return config_.copies[i].source + " > " + config_.copies[i].target; }
  /// How many of a stream's copies are over, and since when.
  struct Mark {
    Time when;
    int over = 0;
  };
  Mark latest(const comm::Rank& rank, const std::vector<comm::StreamEvent>& events) const;
  void alone(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void at_once(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  CopiesConfig config_;
};

Bytes Copies::largest() const {
  Bytes most;
  for (const auto& sizes : {config_.sizes, config_.alone})
    for (const Bytes size : sizes) most = std::max(most, size);
  return most;
}

comm::DeviceCopy Copies::copy_of(std::size_t i, Bytes size) const {
  const Bytes offset = largest() * static_cast<std::int64_t>(i);
  return {{config_.copies[i].source, offset}, {config_.copies[i].target, offset}, size, config_.copies[i].by};
}

comm::Stream Copies::stream_of(std::size_t i) const {
  const CopyPairConfig& c = config_.copies[i];
  if (!c.by.empty()) return {c.by, static_cast<int>(i)};
  return {comm::is_host(c.source) ? c.target : c.source, static_cast<int>(i)};
}

void Copies::fit(comm::World& w) {
  const comm::Streams* streams = w.library().facet<comm::Streams>();
  if (streams == nullptr)
    throw config::error_at("/library", "the library queues no copies in GPUs (cuda does, and what uses it)");
  for (std::size_t i = 0; i < config_.copies.size(); ++i) {
    if (comm::is_host(config_.copies[i].source) && comm::is_host(config_.copies[i].target))
      throw config::error_at("/scenario/copies", "no GPU copies from host memory to host memory");
    streams->check_copy(0, stream_of(i), copy_of(i, largest()));
  }
}

void Copies::declare(report::Recorder& r, const comm::Library& c) const {
  r.rate("bandwidth", "bytes", "time");
  const comm::DeviceCopies* copies = c.facet<comm::DeviceCopies>();
  if (copies == nullptr) return;
  for (std::size_t i = 0; i < config_.copies.size(); ++i)
    for (const comm::Ceiling& ceiling : copies->copy_ceilings(0, copy_of(i, largest())))
      r.ceiling({name_of(i), ceiling.name, ceiling.rate, ceiling.burst + under_way, false});
}

void Copies::alone(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  for (std::size_t i = 0; i < config_.copies.size(); ++i) {
    r.begin_account();
    const Time begin = rank.now();
    rank.copy(stream_of(i), copy_of(i, size));
    rank.synchronise(rank.record(stream_of(i)));
    r.row()
        .text("method", name_of(i))
        .text("how", "alone")
        .bytes("size", size)
        .bytes("bytes", size)
        .time("time", rank.now() - begin);
  }
}

Copies::Mark Copies::latest(const comm::Rank& rank, const std::vector<comm::StreamEvent>& events) const {
  // What the GPU says of the past is when the last one was over of those that are.
  for (int k = config_.queued - 1; k >= 0; --k)
    if (const Time over = rank.since(events[static_cast<std::size_t>(k)]); over != Time::max()) return {over, k + 1};
  throw std::logic_error("a copy that was waited for is not over");
}

void Copies::at_once(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  const std::size_t n = config_.copies.size();
  std::vector<std::vector<comm::StreamEvent>> events(n);
  std::vector<Mark> begins(n);
  r.begin_account();
  for (int queued = 0; queued < config_.queued; ++queued)
    for (std::size_t i = 0; i < n; ++i) {
      if (queued == 0) begins[i] = {rank.now(), 0};
      rank.copy(stream_of(i), copy_of(i, size));
      events[i].push_back(rank.record(stream_of(i)));
    }
  for (std::size_t i = 0; i < n; ++i) {
    rank.synchronise(events[i].front());
    // All are over while a slower stream was waited for: then from the call on.
    if (rank.since(events[i].back()) != Time::max()) continue;
    begins[i] = latest(rank, events[i]);
  }
  std::vector<Mark> ends(n);
  for (std::size_t i = 0; i < n; ++i) {
    // With three or more, the last one keeps its share from the others as long as their last but one is under way.
    rank.synchronise(events[i][static_cast<std::size_t>(std::max(config_.queued - 2, begins[i].over))]);
    ends[i] = latest(rank, events[i]);
  }
  for (const auto& e : events) rank.synchronise(e.back());
  for (std::size_t i = 0; i < n; ++i)
    r.row()
        .text("method", name_of(i))
        .text("how", "at once")
        .bytes("size", size)
        .bytes("bytes", size * (ends[i].over - begins[i].over))
        .time("time", ends[i].when - begins[i].when);
}

void Copies::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != 0) return;
  for (const Bytes size : config_.alone) alone(rank, r, size);
  for (const Bytes size : config_.sizes) at_once(rank, r, size);
}

}  // namespace

ScenarioKind copies_scenario() {
  return scenario<Copies, CopiesConfig>(
      "copies", "copies between host memory and GPUs of a node, alone and many at once: time and bandwidth of each");
}

}  // namespace tsunagi::scenarios
