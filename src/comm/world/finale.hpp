// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Where programs that have ended wait until no rank needs another one any more, as processes do in MPI_Finalize
/// (MPI 4.0, 11.2.2). What tells them is no part of the simulated machine, as a job's manager is none: it costs no time
/// and sends nothing.
class Finale {
 public:
  /// A rank has a program, which is going to end here. Before time 0.
  void add_program() { ++programs_; }
  /// The program of `rank` has ended.
  void comes(int rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (here_.size() <= i) here_.resize(i + 1);
    here_[i] = true;
  }
  bool has(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return i < here_.size() && here_[i];
  }
  /// One of those has nothing to do. `quiet`: nothing is on its way between ranks. Once that is so of all, it is over.
  void rests(bool quiet) {
    if (++resting_ < programs_ || !quiet) return;
    over_ = true;
    told_.notify();
  }
  /// It has something to do again.
  void goes_on() { --resting_; }
  bool over() const { return over_; }
  /// Notified when it is over.
  Event& told() { return told_; }

 private:
  std::vector<bool> here_;  // by rank
  int programs_ = 0;
  int resting_ = 0;
  bool over_ = false;
  Event told_;
};

}  // namespace tsunagi::comm
