// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "comm/messages/transport.hpp"

namespace tsunagi::protocols {

/// Bytes that leave for peers (of a Job: `peer`), as each was asked for. Those for one peer leave one behind the other.
template <class Job>
class Leaving {
 public:
  void add(Job j) { jobs_.push_back(std::move(j)); }
  /// Has `send(job)` do what there is room for, which returns whether that was all of the job.
  template <class Send>
  void go_on(Send&& send) {
    std::vector<int> waiting;  // peers
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      const bool before = std::find(waiting.begin(), waiting.end(), job->peer) != waiting.end();
      if (!before && send(*job)) {
        job = jobs_.erase(job);
        continue;
      }
      if (!before) waiting.push_back(job->peer);
      ++job;
    }
  }

 private:
  std::deque<Job> jobs_;
};

/// Messages all bytes of which are in their place, and of which nobody has been told.
class Finished {
 public:
  /// `e`: what a clear to send said, or what was fetched.
  void add(comm::Envelope e, Time at, comm::Held held) {
    e.kind = comm::Envelope::Kind::finished;
    all_.push_back({e, 0, at, held});
  }
  std::optional<comm::Arrival> take() {
    if (all_.empty()) return std::nullopt;
    const comm::Arrival a = all_.front();
    all_.pop_front();
    return a;
  }

 private:
  std::deque<comm::Arrival> all_;
};

}  // namespace tsunagi::protocols
