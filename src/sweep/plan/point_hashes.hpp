// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sweep/plan/base_run.hpp"
#include "sweep/plan/id.hpp"
#include "sweep/plan/variation.hpp"

namespace tsunagi::sweep {

/// The hash of each point's canonical config, without reading each point: each value is read alone, in the base run,
/// and what it makes of its place is hashed. Sources whose places lie inside each other are read in all their
/// combinations; so are all of them when a value changes more of the run than its own place ("kind" does). Of hundreds
/// of values, a sample is read so; the others in an excerpt of the run, if it makes the same of the sample.
class PointHashes {
 public:
  /// Throws config::ConfigError for values that the base run refuses at the very place that they are for.
  PointHashes(const BaseRun& base, const Variation& variation);

  /// `hash_tree` of the canonical config of a point. A point that the reader refuses has a hash all the same, unlike
  /// that of any run.
  Hash hash(const Variation& variation, const Indices& point) const;

  /// What the values of the axes are read from.
  const std::set<std::filesystem::path>& files() const { return files_; }

 private:
  /// Sources that are read together.
  struct Factor {
    std::vector<std::size_t> sources;
    std::vector<std::size_t> dimensions;  // ascending
    std::vector<std::string> paths;       // that cover all that the sources set; none inside another
    std::size_t first_path = 0;           // its number among those of all factors
    std::vector<Hash> hashes;             // one a path, for each combination
  };
  class Builder;

  OpenTree tree_;
  std::vector<Factor> factors_;
  std::set<std::filesystem::path> files_;
};

}  // namespace tsunagi::sweep
