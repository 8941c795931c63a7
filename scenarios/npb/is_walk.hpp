// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/facets/processor.hpp"
#include "scenarios/npb/is_keys.hpp"

namespace tsunagi::scenarios {

/// What a rank of NPB IS waits for memory while it ranks its keys, an iteration.
struct IsRanking {
  Time clear;  // that the memory is busy with the counts while they are cleared
  Time count;  // that counts are waited for while the keys are counted
  Time add;    // that the memory is busy with the counts while they are added up
};

/// Follows each rank's references through its core's cache, with the benchmark's own keys, as rank() of is.c in NPB 2
/// has them behind the exchange of keys: a count for every value that
/// a rank's keys may have is cleared, keys are counted in the order in which they lie in memory (by who sent them, then
/// by bucket, then as they were drawn), and the counts are added up. A rank whose counts do not fit its cache meets few
/// of a sender's keys in each bucket, and has lost a bucket's lines when the next sender's keys come.
/// `walk`: a rank's; none of any rank if it is null for rank 0. Takes some 25 ns of real time a key.
std::vector<IsRanking> follow_ranking(const IsKeys& keys,
                                      const std::function<std::unique_ptr<comm::MemoryWalk>(int rank)>& walk);

}  // namespace tsunagi::scenarios
