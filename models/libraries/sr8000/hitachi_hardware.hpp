// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/hardware_collectives.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/combuf_broadcast.hpp"
#include "models/libraries/sr8000/hmpp_barrier.hpp"

namespace tsunagi::libraries {

/// Collectives of Hitachi's MPI by the network's hardware, where ranks fill a box (paper 002, 6.2 and 6.3): barriers by
/// hmpp_barrier, and broadcasts through one static buffer, whether programs are compiled with -rdma or not. The root
/// copies a piece in and has it broadcast, the others copy it out, and when all have come to a barrier the next piece
/// follows: nothing overlaps. The first group of ranks that broadcasts has the buffer.
class HitachiHardware final : public comm::HardwareCollectives {
 public:
  /// `buffer`: its size. `cycles`: of the core, for a call of hmpp_barrier. All outlive this.
  HitachiHardware(std::vector<ComBufNode>& nodes, const Machine& m, Bytes buffer, std::int64_t cycles,
                  const comm::Steps& step);
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const override;
  void run(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

 private:
  void barrier(comm::Fiber& f, const std::vector<int>& ranks, int world, int use);
  void broadcast(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c);

  std::vector<ComBufNode>& nodes_;
  Bytes size_;
  HmppBarrier barrier_;
  ComBufBroadcast buffer_;
  const comm::Steps& step_;
  std::vector<int> owners_;                                   // of the buffer; empty: nobody yet
  std::vector<std::map<std::uint32_t, std::uint64_t>> last_;  // what each rank's flag said last, by node of the root
};

}  // namespace tsunagi::libraries
