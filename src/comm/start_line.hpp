// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/fiber.hpp"

namespace tsunagi::comm {

/// Where the ranks of one scenario wait for each other between two measurements. No part of the simulated
/// machine: costs no time and sends nothing. Programs that a real machine runs use a barrier.
class StartLine {
 public:
  /// Blocks until `ranks` fibers are here; the last one does `before`, then all go on at that time.
  template <class F>
  void meet(Fiber& f, int ranks, F&& before) {
    if (++here_ < ranks) return f.wait(all_here_, "the other ranks at the start line");
    here_ = 0;
    before();
    all_here_.notify();
  }

 private:
  int here_ = 0;
  Event all_here_;
};

}  // namespace tsunagi::comm
