// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "config/error_at.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

/// One of the copies that run at a time.
struct CopyOf {
  std::string source = "host";
  std::string target = "host";
  std::string by;
};

void describe(CopyOf& c, config::Describer& d) {
  d.field("source", c.source, "GPU that is copied from, or \"host\"");
  d.field("target", c.target, "GPU that is copied to, or \"host\"");
  d.field("by", c.by, "between GPUs: the one whose engine copies, so that it reads or writes; none: the target");
}

struct ConcurrentCopiesConfig {
  std::vector<CopyOf> copies;
  Bytes size = 4_MiB;
  int iterations = 4;
};

void describe(ConcurrentCopiesConfig& c, config::Describer& d) {
  using namespace config;
  d.list("copies", c.copies, "copies that run at the same time, each in a stream of its own");
  d.field("size", c.size, "bytes of each copy", within(1_B, largest_given));
  d.field("iterations", c.iterations, "copies in each stream, one behind the other", within(1, 1'000'000));
  d.require(!c.copies.empty(), "\"copies\" is empty");
}

/// Copies between host memory and GPUs, or between GPUs, at the same time (as nvbandwidth and the like have them): rank
/// 0 queues so many in a stream each and waits for all. A row a stream: from the call that queued its first copy until
/// the GPU said that its last one was done. Host memory of each stream is its own.
class ConcurrentCopies final : public Scenario {
 public:
  explicit ConcurrentCopies(ConcurrentCopiesConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  Bytes footprint(int /*ranks*/) const override { return Bytes::zero(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  struct Queue {
    comm::Stream stream;
    comm::DeviceCopy copy;
    Time begin = Time::max();
  };
  std::vector<Queue> queues() const;
  ConcurrentCopiesConfig config_;
};

std::vector<ConcurrentCopies::Queue> ConcurrentCopies::queues() const {
  std::vector<Queue> out;
  std::map<std::string, int> streams;
  Bytes host;
  std::map<std::string, Bytes> used;
  constexpr Bytes page{4096};
  const Bytes room = page * units_of(config_.size, page);
  const auto side = [&](const std::string& place) -> comm::PutSide {
    Bytes& from = comm::is_host(place) ? host : used[place];
    const Bytes at = from;
    from += room;
    return {place, at};
  };
  for (const CopyOf& c : config_.copies) {
    const bool into = comm::is_host(c.source) || (!comm::is_host(c.target) && c.by != c.source);
    Queue q;
    q.stream.place = into ? c.target : c.source;
    q.stream.number = streams[q.stream.place]++;
    q.copy.source = side(c.source);
    q.copy.target = side(c.target);
    q.copy.size = config_.size;
    out.push_back(std::move(q));
  }
  return out;
}

void ConcurrentCopies::fit(comm::World& w) {
  const comm::Streams* streams = w.library().facet<comm::Streams>();
  if (streams == nullptr) throw config::error_at("/library", "the library has no streams of GPUs (cuda has)");
  for (const CopyOf& c : config_.copies) {
    if (comm::is_host(c.source) && comm::is_host(c.target))
      throw config::error_at("/scenario/copies", "a copy from host memory to host memory is no GPU's");
    if (!c.by.empty() && c.by != c.source && c.by != c.target)
      throw config::error_at("/scenario/copies", "\"by\" is \"" + c.by + "\", neither source nor target");
  }
  for (const Queue& q : queues()) streams->check_copy(0, q.stream, q.copy);
}

void ConcurrentCopies::declare(report::Recorder& r, const comm::Library& /*c*/) const {
  r.rate("bandwidth", "bytes", "time");
}

void ConcurrentCopies::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != 0) return;
  std::vector<Queue> all = queues();
  r.begin_account();
  for (int i = 0; i < config_.iterations; ++i)
    for (Queue& q : all) {
      q.begin = std::min(q.begin, rank.now());
      rank.copy(q.stream, q.copy);
    }
  std::vector<comm::StreamEvent> ends;
  for (const Queue& q : all) ends.push_back(rank.record(q.stream));
  for (const comm::StreamEvent& e : ends) rank.synchronise(e);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Queue& q = all[i];
    r.row()
        .text("source", q.copy.source.place)
        .text("target", q.copy.target.place)
        .bytes("size", config_.size)
        .count("copies", config_.iterations)
        .bytes("bytes", config_.size * config_.iterations)
        .time("time", rank.since(ends[i]) - q.begin);
  }
}

}  // namespace

ScenarioKind concurrent_copies_scenario() {
  return scenario<ConcurrentCopies, ConcurrentCopiesConfig>(
      "concurrent_copies", "copies in streams of GPUs at the same time: time and bandwidth of each stream");
}

}  // namespace tsunagi::scenarios
