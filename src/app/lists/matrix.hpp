// SPDX-License-Identifier: Apache-2.0
// Which scenario runs on which library, and which library on which topology.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tsunagi::app {

/// The matrix as "table", "csv" or "json", made of the machines and runs of a folder of configs by building them. Takes
/// seconds. Nothing: Ctrl-C.
std::optional<std::string> matrix(const std::filesystem::path& configs, const std::string& format);

}  // namespace tsunagi::app
