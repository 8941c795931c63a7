// SPDX-License-Identifier: Apache-2.0
#include "app/config_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tsunagi::app {

namespace fs = std::filesystem;

fs::path configs_folder() {
  if (const char* given = std::getenv("TSUNAGI_CONFIGS"); given != nullptr && *given != '\0') {
    if (fs::is_directory(given)) return given;
    throw std::runtime_error(fmt::format("TSUNAGI_CONFIGS is \"{}\", which is no folder", given));
  }
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& folder :
       {program / "../configs", program / "../share/tsunagi/configs", fs::path(TSUNAGI_INSTALLED_CONFIGS),
        fs::path(TSUNAGI_SOURCE_CONFIGS), fs::path("configs")})
    if (fs::is_directory(folder / "figures", none)) return folder.lexically_normal();
  throw std::runtime_error("there is no configs folder; set TSUNAGI_CONFIGS to it");
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tsunagi::app
