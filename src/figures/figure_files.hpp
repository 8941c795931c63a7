// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "figures/figure.hpp"

namespace tsunagi::figures {

/// A figure with the file that holds it.
struct FigureEntry {
  Figure figure;
  std::string system;
  std::string paper;
  std::filesystem::path file;
};

/// Reads one figure file and checks its expressions. Throws config::ConfigError.
std::vector<FigureEntry> read_figures(const config::Document& document);

/// Reads these files in their order, missed.json left out; an id may be there once only. Throws config::ConfigError.
std::vector<FigureEntry> load_figures(const std::vector<std::filesystem::path>& files);

/// Reads missed.json. Throws config::ConfigError.
std::vector<KnownMiss> read_missed(const config::Document& document);

/// The list in the missed.json among these files, if there is one; each id must be one of `figures`.
/// Throws config::ConfigError.
std::vector<KnownMiss> load_missed(const std::vector<std::filesystem::path>& files,
                                   const std::vector<FigureEntry>& figures);

}  // namespace tsunagi::figures
