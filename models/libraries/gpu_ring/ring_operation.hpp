// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/facets/stream_collectives.hpp"
#include "models/libraries/gpu_ring/ring_connection.hpp"
#include "models/libraries/gpu_ring/ring_plan.hpp"

namespace tsunagi::libraries {

/// A call under way, of all ranks, and what each has kept of its outcome so far.
class RingOperation {
 public:
  RingOperation(std::uint64_t number, const comm::QueuedCollective& c, const RingWay& way, int ranks)
      : number_(number), call_(c), way_(way), kept_(static_cast<std::size_t>(ranks)) {}
  const comm::QueuedCollective& call() const { return call_; }
  const RingWay& way() const { return way_; }
  int ranks() const { return static_cast<int>(kept_.size()); }

  /// What rank `rank` has in its hands: what came, combined, with its own if `own`. Throws std::runtime_error if that
  /// is of another call or place, or of some rank twice.
  RingContent combined(int rank, const RingBlock& b, const std::vector<const RingContent*>& came, bool own) const;
  void keep(int rank, const RingContent& c) { kept_[static_cast<std::size_t>(rank)].push_back(c); }
  /// The rank's part is over. Throws std::runtime_error unless it has kept every byte of its outcome once, of whom it
  /// should be. Returns whether all ranks' are.
  bool over(int rank);

 private:
  struct Due {
    Bytes at;
    Bytes size;
    std::vector<int> of;
  };
  std::vector<Due> due(int rank) const;

  std::uint64_t number_;
  comm::QueuedCollective call_;
  RingWay way_;
  std::vector<std::vector<RingContent>> kept_;
  int over_ = 0;
};

}  // namespace tsunagi::libraries
