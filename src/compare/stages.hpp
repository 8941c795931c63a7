// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tsunagi::compare {

/// Time that two explanations spend in one stage, in femtoseconds.
struct StageTimes {
  std::string device;  ///< of a path through ranks: the kind of its leg
  std::string stage;
  std::int64_t a = 0;
  std::int64_t b = 0;
};

/// Where the time of one thing went in two runs; the stages sum to the whole exactly.
struct StageDifference {
  std::string what;  ///< "8 B from rank 0 to rank 1 by pio"
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::vector<StageTimes> stages;  ///< in the order in which a, then b passes them

  bool moved() const;
};

/// Of two explanations as `explain --format json` has them: of a message one, of what ranks did together another one of
/// the longest message on its path. None if the explanations are of no message, or not of the same sort.
std::vector<StageDifference> stage_differences(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// A table of the stages whose time differs, the largest difference first; what is the same is one line.
std::string text(const StageDifference& difference);

nlohmann::ordered_json to_json(const StageDifference& difference);

}  // namespace tsunagi::compare
