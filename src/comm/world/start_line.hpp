// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Where the ranks of one scenario wait for each other between two measurements. No part of the simulated
/// machine: costs no time and sends nothing. Programs that a real machine runs use a barrier.
class StartLine {
 public:
  /// Blocks until `ranks` fibers are here; the last one does `before`, then all go on at that time.
  template <class F>
  void meet(Fiber& f, int ranks, F&& before) {
    meet(ranks, before, [&](Event& all_here, const auto&) { f.wait(all_here, why); });
  }
  /// The same where who waits may do something else: `wait(told, over)` returns when `told`, which tells of it, has
  /// been notified and `over()`.
  template <class F, class Wait>
  void meet(int ranks, F&& before, Wait&& wait) {
    if (++here_ < ranks) return wait(all_here_, [this, round = rounds_] { return rounds_ != round; });
    here_ = 0;
    ++rounds_;
    before();
    all_here_.notify();
  }
  /// What who waits there says that it waits for.
  static constexpr const char* why = "the other ranks at the start line";

 private:
  int here_ = 0;
  std::uint64_t rounds_ = 0;
  Event all_here_;
};

}  // namespace tsunagi::comm
