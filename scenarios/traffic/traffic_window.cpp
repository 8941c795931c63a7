// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/traffic_window.hpp"

#include <algorithm>

#include "stats/samples.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

void TrafficWindow::open(Time begin, Time end, int ranks) {
  begin_ = begin;
  end_ = end;
  offered_ = accepted_ = Bytes::zero();
  accepted_from_.assign(static_cast<std::size_t>(ranks), Bytes::zero());
  latencies_.clear();
  lost_.reset();
  sums_ = {};
}

void TrafficWindow::delivered(int from, Time posted, Time when, Bytes size) {
  if (inside(when)) {
    accepted_ += size;
    accepted_from_[static_cast<std::size_t>(from)] += size;
  }
  if (!inside(posted)) return;
  latencies_.push_back(when - posted);
  const Wide at = static_cast<Wide>((posted - begin_).fs()) * batches / (end_ - begin_).fs();
  Batch& b = sums_[static_cast<std::size_t>(at)];
  ++b.count;
  b.sum += (when - posted).fs();
}

void TrafficWindow::report(report::Row& row, const std::function<std::int64_t(int)>& share) {
  row.count("messages", static_cast<std::int64_t>(latencies_.size()))
      .bytes("offered", offered_)
      .bytes("accepted", accepted_);
  if (lost_) row.count("lost", *lost_);
  row.time("window", end_ - begin_);
  const bool saturated = static_cast<Wide>(accepted_.count()) * 100 < static_cast<Wide>(offered_.count()) * 98;
  if (!latencies_.empty()) {
    std::sort(latencies_.begin(), latencies_.end());
    row.time("mean", stats::mean(latencies_));
    row.time("p50", stats::quantile(latencies_, 500));
    row.time("p99", stats::quantile(latencies_, 990));
    row.time("p99.9", stats::quantile(latencies_, 999));
    std::vector<Time> means;
    for (const Batch& b : sums_)
      if (b.count > 0) means.push_back(Time::from_fs(static_cast<std::int64_t>(b.sum / b.count)));
    if (const auto half = stats::half_width_95(means)) row.time("half_width", *half);
    row.beside().latency = report::latency_account(latencies_);
  }
  std::vector<report::Served> senders;
  for (int r = 0; r < static_cast<int>(accepted_from_.size()); ++r)
    if (share(r) > 0) senders.push_back({r, accepted_from_[static_cast<std::size_t>(r)], share(r)});
  if (!senders.empty()) row.beside().accepted = report::service_account(senders);
  row.text("saturated", saturated ? "yes" : "no");
  // Beyond saturation latencies only tell how long the window was.
  if (saturated)
    row.headline({"accepted_rate", "the network is saturated at this load"});
  else if (!latencies_.empty())
    row.headline({"mean", "the mean latency, because the network takes all of this load"});
}

}  // namespace tsunagi::scenarios
