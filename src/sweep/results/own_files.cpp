// SPDX-License-Identifier: Apache-2.0
#include "sweep/results/own_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "config/text/file_text.hpp"

namespace tsunagi::sweep {

namespace fs = std::filesystem;

void expect_own_folder(const fs::path& folder) {
  std::error_code error;  // of what is not there, or no folder, as whoever uses it says
  if (fs::is_symlink(fs::symlink_status(folder, error)))
    throw ForeignFolder(fmt::format("{} is a symbolic link, which is not followed", folder.string()));
}

std::optional<std::string> own_text(const fs::path& file) {
  struct stat there {};
  if (::lstat(file.c_str(), &there) != 0 && errno == ENOENT) return std::nullopt;
  std::string why;
  std::optional<std::string> text = config::detail::read_own_text(file, why);
  if (!text) throw std::runtime_error(fmt::format("cannot read {}: {}", file.string(), why));
  return text;
}

}  // namespace tsunagi::sweep
