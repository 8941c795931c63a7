// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/hardware_collectives.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// hmpp_barrier of Hitachi's remote DMA library where the hardware barrier can be used (paper 002, 4.3): one store into
/// the adapter's register, and a poll of the word that the adapter writes when all have come. Its conditions are those
/// of the hardware broadcast (4.2): ranks on nodes of their own, which fill a box; here a partition is nobody else's.
///
/// Each group of ranks has a colour of its own, in the order in which groups first ask; there are 8.
class HardwareBarrier final : public comm::HardwareCollectives {
 public:
  /// `cycles`: of the core, for a call beside the store. All outlive this.
  HardwareBarrier(std::vector<ComBufNode>& nodes, const Machine& m, std::int64_t cycles, const comm::Steps& step);
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const override;
  void run(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

 private:
  /// Why nodes of these ranks are no box; empty: they are.
  std::string box_refusal(const std::vector<int>& ranks) const;
  std::vector<ComBufNode>& nodes_;
  bool crossbars_;  // the machine's network has barriers
  std::int64_t cycles_;
  const comm::Steps& step_;
  std::map<std::vector<int>, int> colours_;
  std::vector<std::array<std::uint64_t, sr8000::colours>> last_;  // what each node's words said last
};

}  // namespace tsunagi::libraries
