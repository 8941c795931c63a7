// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/text.hpp"

#include <algorithm>

namespace tsunagi::sweep {
namespace {

/// Whether `path` ends with `end`, which begins behind a "/" or is all of it.
bool ends_with(const std::string& path, const std::string& end) {
  if (path.size() <= end.size()) return path == end;
  return path[path.size() - end.size() - 1] == '/' && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

nlohmann::ordered_json json_value(const std::string& coordinate) {
  auto out = nlohmann::ordered_json::parse(coordinate, nullptr, false);
  return out.is_discarded() ? nlohmann::ordered_json(coordinate) : out;
}

std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string shortest_end(const std::vector<std::string>& paths, const std::string& path,
                         const std::function<bool(const std::string&)>& good) {
  for (auto slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1)) {
    const std::string end = path.substr(slash + 1);
    const bool alone =
        std::none_of(paths.begin(), paths.end(), [&](const std::string& p) { return p != path && ends_with(p, end); });
    if (alone && good(end)) return end;
  }
  return path.substr(path.rfind('/', 0) == 0 ? 1 : 0);
}

}  // namespace tsunagi::sweep
