// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/peach2/dma_config.hpp"
#include "models/peach2/dma_jobs.hpp"
#include "models/peach2/dma_request.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::peach2 {

/// Where a DMA channel is in its chain: which descriptor is next, when that can be asked for, which one is under way.
/// They are fetched one after the other, ahead of the one that runs.
class DmaFetch {
 public:
  /// All that it is given outlives it.
  DmaFetch(const sim::Simulation& sim, const DmaConfig& c, const DmaClock& clock, const DmaJobs& jobs)
      : sim_(sim), config_(c), clock_(clock), jobs_(jobs) {}
  /// The address of the next descriptor, in the chip's `own` memory or in the host's, is known by `by`, so many steps
  /// later.
  void start(std::uint64_t address, bool own, Cause by, int steps);
  /// A descriptor is still to come.
  bool busy() const { return next_ != 0 || fetching_ != 0; }
  /// The next fetch, behind the request before.
  DmaRequest next(const Wait& issued) const;
  /// That is made.
  void begin() {
    fetching_ = next_;
    next_ = 0;
  }
  /// Of the descriptor that is under way; 0: none is.
  std::uint64_t fetching() const { return fetching_; }
  /// It is here.
  void end() { fetching_ = 0; }
  /// The engine has taken a descriptor with request `by`: there is room for another.
  void made_room(Cause by);

 private:
  const sim::Simulation& sim_;
  const DmaConfig& config_;
  const DmaClock& clock_;
  const DmaJobs& jobs_;
  std::uint64_t next_ = 0;      // to be fetched; 0: none, or not known
  std::uint64_t fetching_ = 0;  // under way
  Wait ready_;                  // until the next one can be asked for
};

}  // namespace tsunagi::peach2
