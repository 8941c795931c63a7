// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/traffic_window.hpp"

#include <algorithm>

#include "stats/samples.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

void TrafficWindow::open(Time begin, Time end, int ranks) {
  begin_ = begin;
  end_ = end;
  offered_ = accepted_ = lost_bytes_ = Bytes::zero();
  accepted_from_.assign(static_cast<std::size_t>(ranks), Bytes::zero());
  latencies_.clear();
  lost_.reset();
  sums_ = {};
  backlogs_.open(ranks);
  waiting_.open(ranks);
}

void TrafficWindow::posted(int from, int to, Time when, Bytes size) {
  if (!inside(when)) return;
  offered_ += size;
  backlogs_.posted(from, to, batch_of(when));
  if (lost_) waiting_.posted(from, to, batch_of(when));
}

void TrafficWindow::delivered(int from, int to, Time posted, Time when, Bytes size) {
  if (inside(when)) {
    accepted_ += size;
    accepted_from_[static_cast<std::size_t>(from)] += size;
    backlogs_.delivered(from, to, batch_of(when));
    if (lost_) waiting_.delivered(from, to, batch_of(when));
  }
  if (!inside(posted)) return;
  latencies_.push_back(when - posted);
  Batch& b = sums_[static_cast<std::size_t>(batch_of(posted))];
  ++b.count;
  b.sum += (when - posted).fs();
}

void TrafficWindow::lost(int from, int to, Time posted, Time when, Bytes size) {
  if (inside(posted)) ++*lost_;
  if (!inside(when)) return;
  lost_bytes_ += size;
  waiting_.delivered(from, to, batch_of(when));
}

bool TrafficWindow::falls_short(Bytes gone) const {
  return static_cast<Wide>(gone.count()) * 100 < static_cast<Wide>(offered_.count()) * 98;
}

/// The mean of what grows for as long as one looks says how long that was.
void TrafficWindow::report_latencies(report::Row& row, bool wait_ever_longer) {
  static const char* const why = "messages wait ever longer at this load, so their mean would only say how long it ran";
  std::sort(latencies_.begin(), latencies_.end());
  if (wait_ever_longer)
    row.no_time("mean", why);
  else
    row.time("mean", stats::mean(latencies_));
  row.time("p50", stats::quantile(latencies_, 500));
  row.time("p99", stats::quantile(latencies_, 990));
  row.time("p99.9", stats::quantile(latencies_, 999));
  std::vector<Time> means;
  for (const Batch& b : sums_)
    if (b.count > 0) means.push_back(Time::from_fs(static_cast<std::int64_t>(b.sum / b.count)));
  if (wait_ever_longer)
    row.no_time("half_width", why);
  else if (const auto half = stats::half_width_95(means))
    row.time("half_width", *half);
  row.beside().latency = report::latency_account(latencies_);
}

void TrafficWindow::report(report::Row& row, const std::function<std::int64_t(int)>& share) {
  row.count("messages", static_cast<std::int64_t>(latencies_.size()))
      .bytes("offered", offered_)
      .bytes("accepted", accepted_);
  if (lost_) row.count("lost", *lost_);
  row.time("window", end_ - begin_);
  const std::string growing = backlogs_.growing();
  const bool all = falls_short(accepted_);
  const bool saturated = all || !growing.empty();
  const bool wait_ever_longer =
      saturated && (!lost_ || falls_short(accepted_ + lost_bytes_) || !waiting_.growing().empty());
  if (!latencies_.empty()) report_latencies(row, wait_ever_longer);
  std::vector<report::Served> senders;
  for (int r = 0; r < static_cast<int>(accepted_from_.size()); ++r)
    if (share(r) > 0) senders.push_back({r, accepted_from_[static_cast<std::size_t>(r)], share(r)});
  if (!senders.empty()) row.beside().accepted = report::service_account(senders);
  row.text("saturated", saturated ? "yes" : "no");
  if (saturated) row.text("overloaded", growing.empty() ? "all together" : growing);
  // Beyond saturation latencies only tell how long the window was.
  if (saturated)
    row.headline({"accepted_rate", all ? "the network is saturated at this load"
                                       : "some of the traffic is more than the network takes at this load"});
  else if (!latencies_.empty())
    row.headline({"mean", "the mean latency, because the network takes all of this load"});
}

}  // namespace tsunagi::scenarios
