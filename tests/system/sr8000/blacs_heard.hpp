// SPDX-License-Identifier: Apache-2.0
// What tests of BLACS listen with.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "system/program_bench.hpp"

namespace tsunagi::test {

struct BlacsHeard final : comm::Listener {
  std::vector<comm::Call> calls;
  std::vector<comm::Step> steps;
  std::vector<comm::Wait> waits;
  void call(const comm::Call& c) override { calls.push_back(c); }
  void step(const comm::Step& s) override { steps.push_back(s); }
  void wait(const comm::Wait& w) override { waits.push_back(w); }
  std::int64_t count(int rank, const std::string& name) const {
    return std::count_if(steps.begin(), steps.end(),
                         [&](const comm::Step& s) { return s.rank == rank && s.name == name; });
  }
};

}  // namespace tsunagi::test
