// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "config/describe.hpp"
#include "units/clock.hpp"
#include "units/rate.hpp"

namespace tsunagi::bench {

/// The bus between a card's memory and its PCIe block.
struct CardBusConfig {
  Rate rate;             // each way
  int burst_cycles = 0;  // before the bytes of a burst, and of a read's request, which has none
  Bytes burst = 512_B;   // the most bytes of one
};
void describe(CardBusConfig& c, config::Describer& d);

/// Which way something crosses a card's bus.
enum class BusWay : std::uint8_t { out, in };

/// When what crosses a card's bus has done so: one transfer after the other each way. The rule is read off the curves
/// of pcie-bench (Neugebauer et al., SIGCOMM 2018; docs/fitting.md): how latency grows with size, what writes of one
/// TLP lose beside longer ones, that 768 B cost what 512 B and 256 B do.
class CardBus {
 public:
  CardBus(const CardBusConfig& c, Clock clock) : config_(c), clock_(clock) {}
  /// What so many bytes need in all, in bursts or as one command's, which has been set up.
  static Time takes(const CardBusConfig& c, Clock clock, Bytes n, bool in_bursts) {
    return clock.cycles(in_bursts ? c.burst_cycles * units_of(n, c.burst) : 0) + c.rate.time(n);
  }
  /// When `n` bytes have crossed that are there at `t`, which is not before any `t` asked for that way so far.
  Time data(BusWay way, Bytes n, bool in_bursts, Time t) { return cross(way, t, takes(config_, clock_, n, in_bursts)); }
  /// When so many requests have, which have no bytes.
  Time requests(std::int64_t n, Time t) { return cross(BusWay::out, t, clock_.cycles(config_.burst_cycles) * n); }

 private:
  Time cross(BusWay way, Time t, Time takes) {
    Time& free = free_[static_cast<std::size_t>(way)];
    return free = std::max(free, t) + takes;
  }

  const CardBusConfig& config_;
  Clock clock_;
  Time free_[2];  // of each way
};

}  // namespace tsunagi::bench
