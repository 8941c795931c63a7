// SPDX-License-Identifier: Apache-2.0
// What lies in a folder of results is its own: no link there is followed, and only regular files are read.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace tsunagi::sweep {

/// A folder that is not this sweep's; what() is one line.
class ForeignFolder : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws ForeignFolder if `folder`, a folder in one of results, is a link.
void expect_own_folder(const std::filesystem::path& folder);

/// What a file holds; nothing if there is none. Throws std::runtime_error that names it if it cannot be read.
std::optional<std::string> own_text(const std::filesystem::path& file);

}  // namespace tsunagi::sweep
