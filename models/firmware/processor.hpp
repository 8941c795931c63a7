// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "net/device.hpp"
#include "net/wait.hpp"
#include "units/clock.hpp"

namespace tsunagi::firmware {

/// A processor of a card that runs firmware: one piece of work at a time, in the order in which they are asked for.
/// What a thread waits for outside occupies nothing here.
class Processor {
 public:
  Processor(net::Device& card, const Clock& clock) : card_(card), clock_(clock) {}

  /// Runs `cycles` when `ready` is over and all that was asked for before is done. `work`, a literal, names them.
  /// Returns the wait until then.
  net::Wait run(const net::Wait& ready, int cycles, const char* work) {
    const Time asked = std::max(ready.until, ready.since.when);
    const Time begin = std::max(asked, free_);
    free_ = clock_.after(begin, cycles);
    if (free_ == ready.since.when) return {free_, ready.since, net::Stage::pipeline, work};
    const std::uint64_t item = card_.make_item();
    std::uint64_t parent = ready.since.packet;
    const auto tell = [&](net::Stage stage, const char* what, Time from, Time to) {
      card_.tell(item, parent, stage, what, from, to);
      if (to > from) parent = 0;
    };
    tell(ready.stage, ready.what, ready.since.when, asked);
    tell(net::Stage::pipeline, "processor busy", asked, begin);
    tell(net::Stage::pipeline, work, begin, free_);
    return {free_, {free_, item}, net::Stage::pipeline, work};
  }

 private:
  net::Device& card_;
  Clock clock_;
  Time free_;
};

}  // namespace tsunagi::firmware
