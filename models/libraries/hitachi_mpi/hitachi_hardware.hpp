// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/library_collectives.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/steps.hpp"
#include "models/libraries/hitachi_mpi/hitachi_messages.hpp"
#include "models/libraries/sr8000/combuf_broadcast.hpp"
#include "models/libraries/sr8000/hmpp_barrier.hpp"

namespace tsunagi::libraries {

/// Collectives of Hitachi's MPI by the network's hardware, where ranks fill a box (paper 002, 6.2 and 6.3): barriers by
/// hmpp_barrier, and broadcasts through one static buffer, whether programs are compiled with -rdma or not. When all
/// have come to a barrier, and so are done with the buffer, the root copies a piece in and has it broadcast, and the
/// others copy it out; then the next piece: nothing overlaps. Who waits for the hardware goes on with its messages.
class HitachiHardware final : public comm::HardwareCollectives {
 public:
  /// `buffer`: its size. `messages` are made of `transport`. All outlive this.
  HitachiHardware(const HitachiMpiConfig& c, comm::ByRank<ComBufNode>& nodes, const Machine& m,
                  HitachiMessages& transport, comm::TwoSided& messages, const comm::Steps& step);
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) override;
  void run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

 private:
  void barrier(Fiber& f, const std::vector<int>& ranks, int world);
  /// Returns when the hardware has written what is waited for.
  void wait(Fiber& f, int world, const host::Core::Polled& word);
  void broadcast(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c);

  comm::ByRank<ComBufNode>& nodes_;
  Bytes size_;
  std::int64_t wait_cycles_;
  HmppBarrier barrier_;
  ComBufBroadcast buffer_;
  HitachiMessages& transport_;
  comm::TwoSided& messages_;
  const comm::Steps& step_;
  // What the words of each rank said last: of broadcasts by node of the root, of barriers by colour.
  comm::ByRank<std::map<std::uint32_t, std::uint64_t>> flags_;
  comm::ByRank<std::map<int, std::uint64_t>> barriers_;
};

}  // namespace tsunagi::libraries
