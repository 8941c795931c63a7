// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stats/random.hpp"
#include "units/time.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

/// When a rank posts its messages, at the mean rate that the load says. A slot is the time that a message takes at full
/// injection rate.
enum class Arrivals : std::uint8_t {
  exponential,  // gaps of a Poisson process
  bernoulli,    // a trial each slot
  bursts,       // a Markov-modulated process of two states: on, a message each slot; off, none
};

/// What one rank offers.
struct ArrivalRate {
  Time slot;
  std::int64_t load = 0;           ///< in a million parts of a message a slot, from 1 on
  std::int64_t share = 1'000'000;  ///< what the rank offers of that, in a million, from 1 on
  std::int64_t burst = 1;          ///< of bursts: messages of one on average

  /// Femtoseconds between messages on average, rounded down.
  Wide mean_gap() const;
};

/// Gaps between one rank's messages.
///
/// Bursts are those of Dally and Towles, "Principles and Practices of Interconnection Networks", 24.2.2: from one slot
/// to the next the source goes off with probability 1 / burst, and on again with the probability that makes p the mean
/// load, p / (burst (1 - p)); both times in a state are geometric, a slot or longer. It begins in either state as
/// likely as it is found there. burst = 1 / (1 - p) is Bernoulli's process.
class ArrivalProcess {
 public:
  /// Bernoulli's loads are up to all slots (load x share <= 10^12), those of bursts up to burst / (burst + 1) of them.
  ArrivalProcess(Arrivals kind, const ArrivalRate& rate);
  /// From the message before, or the beginning, to the next.
  Time gap(stats::RandomStream& random);
  /// The largest load that bursts can offer, in a million, rounded down.
  static std::int64_t most_of_bursts(std::int64_t burst) { return 1'000'000 * burst / (burst + 1); }

 private:
  std::int64_t slots_of_bursts(stats::RandomStream& random);

  Arrivals kind_;
  Time slot_;
  Time mean_gap_;
  std::int64_t load_;  // of `whole_`: the probability of a message in a slot
  std::int64_t whole_;
  std::int64_t burst_;
  bool begun_ = false;
};

}  // namespace tsunagi::scenarios
