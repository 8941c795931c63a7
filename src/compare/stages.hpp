// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tsunagi::compare {

/// Time that two explanations spend in one stage, in femtoseconds.
struct StageTimes {
  std::string device;  ///< of a path through ranks: the kind of its leg; where devices differ, their kind; may be empty
  std::string stage;
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t times_a = 0;  ///< how often a and b pass it
  std::int64_t times_b = 0;
};

/// Where the time of one thing went in two runs; the stages sum to the whole exactly.
struct StageDifference {
  std::string what;  ///< "8 B from rank 0 to rank 1 by pio"
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::vector<StageTimes> stages;  ///< in the order in which a, then b passes them
  std::int64_t hops_a = 0;         ///< wires that a message crosses, if stages are told by kind
  std::int64_t hops_b = 0;

  bool moved() const;
};

/// Of two explanations as `explain --format json` has them: of a message one; of what ranks did together one of the
/// legs of its path, one of the stages of the messages on it, and one of the longest message if that is of the same
/// ranks and size. Stages are told by device; by the devices' kinds, and how often, if the two ways are of another
/// length or of other devices of the same kinds. None if the explanations are of no message, or not of the same sort.
std::vector<StageDifference> stage_differences(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// A table of the stages whose time differs, the largest difference first; what is the same is one line.
std::string text(const StageDifference& difference);

nlohmann::ordered_json to_json(const StageDifference& difference);

}  // namespace tsunagi::compare
