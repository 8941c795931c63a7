// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sweep/results/result.hpp"

namespace tsunagi::sweep {

/// What a folder of results holds, whichever sweep and version made it: to be read only.
struct Kept {
  std::string version;               ///< of the program and models that made it
  std::string sweep;                 ///< its name
  std::vector<std::string> axes;     ///< in order
  std::vector<Result> results;       ///< that are ok, by the values of the axes: numbers and quantities by size
  std::size_t failed = 0;            ///< points that have failed
  std::vector<std::string> damaged;  ///< why a result cannot be used, a line each
};

/// Throws ForeignFolder if it is no such folder, std::system_error if it cannot be read.
Kept read_kept(const std::filesystem::path& folder);

}  // namespace tsunagi::sweep
