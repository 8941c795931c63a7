// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sweep/results/run.hpp"

namespace tsunagi::sweep {

/// "0:07", "12:34", "3:00:00".
std::string clock(double seconds);

/// One line for a terminal, without its end: a bar, how many points are done and failed, points a second, time left.
/// `seconds`: since the sweep was begun; `shards`: among how many the points that are left are spread.
std::string progress_line(const Tally& tally, double seconds, std::size_t shards);

/// What a sweep ends with: "1000 points: 998 done, 2 failed, 0 skipped", and what is left if there is anything.
std::string summary_line(const Tally& tally);

}  // namespace tsunagi::sweep
