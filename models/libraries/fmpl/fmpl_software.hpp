// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/facets/library_collectives.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/signals.hpp"

namespace tsunagi::libraries {

/// FMPL's barrier of any ranks (paper 002, 5.2 and 6.2): up a binary tree and down again, by words that are kicked and
/// not waited for. Rank i's children are 2 i + 1 and 2 i + 2, so p ranks have floor(log2 p) stages each way, one fewer
/// than pairs that exchange where p is no power of 2.
class FmplSoftware final : public comm::SoftwareCollectives {
 public:
  /// Both outlive this.
  FmplSoftware(Signals& signals, const comm::Steps& step) : signals_(signals), step_(step) {}
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) override;
  void run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

 private:
  Signals& signals_;
  const comm::Steps& step_;
};

}  // namespace tsunagi::libraries
