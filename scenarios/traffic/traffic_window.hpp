// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/recorder.hpp"
#include "scenarios/traffic/backlogs.hpp"
#include "units/bytes.hpp"
#include "units/time.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

/// What all ranks measure of one offered load. The outcome does not depend on the order of calls.
class TrafficWindow {
 public:
  static constexpr std::int64_t batches = Backlogs::batches;

  /// Starts a measurement of the time begin .. end, of ranks 0 .. ranks - 1.
  void open(Time begin, Time end, int ranks);
  Time end() const { return end_; }
  /// A message of rank `from` to rank `to`.
  void posted(int from, int to, Time when, Bytes size);
  /// Messages may get lost, and the outcome says how many of those posted within the window did.
  void count_losses() { lost_ = 0; }
  void delivered(int from, int to, Time posted, Time when, Bytes size);
  /// It was found out at `when`; losses are counted.
  void lost(int from, int to, Time posted, Time when, Bytes size);
  /// Writes the outcome into `row`: bytes posted and delivered within the window, latencies of the messages
  /// posted within it, 95 % confidence from the means of 20 equal batches of it. Saturated: more than 2 % of what
  /// was offered was not delivered within the window, by all together or by some whose backlog grows (Backlogs). There
  /// is no mean if messages wait ever longer: if it is saturated although those that got lost wait no more. Beside it
  /// the spread of the latencies and what each rank got through; `share(rank)` is what that offers of what others do, 0
  /// if it does not send.
  void report(report::Row& row, const std::function<std::int64_t(int)>& share);

 private:
  bool inside(Time t) const { return begin_ <= t && t < end_; }
  /// That of a time inside.
  int batch_of(Time t) const {
    return static_cast<int>(static_cast<Wide>((t - begin_).fs()) * batches / (end_ - begin_).fs());
  }
  /// More than 2 % of what was offered is not among the bytes that are gone: delivered, or lost as well.
  bool falls_short(Bytes gone) const;
  void report_latencies(report::Row& row, bool wait_ever_longer);
  Time begin_;
  Time end_;
  Bytes offered_;
  Bytes accepted_;
  Bytes lost_bytes_;
  std::vector<Bytes> accepted_from_;  // each rank
  std::vector<Time> latencies_;
  std::optional<std::int64_t> lost_;
  struct Batch {
    std::int64_t count = 0;
    Wide sum = 0;  // of femtoseconds
  };
  std::array<Batch, batches> sums_;
  Backlogs backlogs_;  // of messages that were not delivered
  Backlogs waiting_;   // of those that were not lost, either; only where losses are counted
};

}  // namespace tsunagi::scenarios
