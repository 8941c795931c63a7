// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace tsunagi::app {

/// The folder of the shipped configs: $TSUNAGI_CONFIGS, else beside the program (../configs,
/// ../share/tsunagi/configs), else where it was installed, else the source tree it was built from, else ./configs.
/// Throws std::runtime_error when there is none.
std::filesystem::path configs_folder();

/// The .json files of a folder (not below it), sorted by name; none if there is no such folder.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

}  // namespace tsunagi::app
