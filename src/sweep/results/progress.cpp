// SPDX-License-Identifier: Apache-2.0
#include "sweep/results/progress.hpp"

#include <fmt/format.h>

namespace tsunagi::sweep {

std::string clock(double seconds) {
  const auto all = static_cast<long long>(seconds + 0.5);
  const long long hours = all / 3600, minutes = all / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, all % 60)
                   : fmt::format("{}:{:02}", minutes, all % 60);
}

std::string progress_line(const Tally& tally, double seconds, std::size_t shards) {
  constexpr std::size_t width = 24;
  const std::size_t left = tally.left / shards;
  const std::size_t all = tally.points() + left;
  const std::size_t full = all == 0 ? width : width * tally.points() / all;
  // Skipped points cost nothing and say nothing of the others; failures found in the results are few.
  const auto simulated = static_cast<double>(tally.done + tally.failed);
  const double rate = seconds > 0 ? simulated / seconds : 0;
  return fmt::format("[{:#<{}}{:.<{}}] {}/{}, {} failed, {:.1f}/s, {} left", "", full, "", width - full, tally.points(),
                     all, tally.failed, rate, rate > 0 ? clock(static_cast<double>(left) / rate) : "?");
}

std::string summary_line(const Tally& tally) {
  const std::size_t all = tally.points() + tally.left;
  const std::string left = tally.left > 0 ? fmt::format(", {} left", tally.left) : "";
  return fmt::format("{} point{}: {} done, {} failed, {} skipped{}", all, all == 1 ? "" : "s", tally.done, tally.failed,
                     tally.skipped, left);
}

}  // namespace tsunagi::sweep
