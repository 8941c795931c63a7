// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "fit/components.hpp"

namespace tsunagi::app {

/// The fits of a folder whose curves `check` tells as figures of the system "components".
class Components {
 public:
  /// Files that are no fits are left alone. Throws config::ConfigError for a wrong fit, or an id that is there twice.
  explicit Components(const std::filesystem::path& folder);

  std::vector<figures::FigureEntry> figures() const;
  /// All files that were read.
  std::vector<std::filesystem::path> files() const;
  /// Those that are wanted, with their values; nothing if that was interrupted.
  std::optional<std::vector<figures::Verdict>> check(const std::vector<figures::FigureEntry>& wanted,
                                                     const std::vector<figures::KnownMiss>& missed,
                                                     const runner::Options& options) const;

 private:
  struct Named {
    std::filesystem::path file;
    fit::Problem problem;
  };
  std::vector<Named> fits_;
};

/// Parts figures of components from those that were published: true for the former.
inline bool is_component(const figures::FigureEntry& entry) { return entry.system == fit::components_system; }

}  // namespace tsunagi::app
