// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "net/wait.hpp"
#include "units/bytes.hpp"
#include "units/clock.hpp"
#include "units/time.hpp"

namespace tsunagi::peach2 {

using net::Cause;
using net::Wait;

/// A request that a DMA channel can make, at the earliest.
struct DmaRequest {
  Time at = Time::max();  // max: not known
  Wait why;
  bool data = false;  // else a descriptor
  std::uint64_t address = 0;
  Bytes piece;
};

/// The chip's clock as a DMA channel counts: cycles, and steps of `step_cycles` each.
class DmaClock {
 public:
  DmaClock(Clock clock, std::int64_t step_cycles) : clock_(clock), step_cycles_(step_cycles) {}
  Time at_or_after(Time t) const { return clock_.at_or_after(t); }
  Time after(Time t, std::int64_t cycles) const { return clock_.after(t, cycles); }
  Time steps_after(Time t, int n) const { return clock_.after(t, n * step_cycles_); }

 private:
  Clock clock_;
  std::int64_t step_cycles_;
};

}  // namespace tsunagi::peach2
