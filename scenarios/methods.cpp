// SPDX-License-Identifier: Apache-2.0
#include "scenarios/methods.hpp"

#include <algorithm>

#include "config/error_at.hpp"

namespace tsunagi::scenarios {

void check_method(const std::string& method, const std::vector<std::string>& known, const char* pointer) {
  if (method.empty() || std::find(known.begin(), known.end(), method) != known.end()) return;
  std::string names;
  for (const std::string& k : known) names += (names.empty() ? "" : ", ") + k;
  throw config::error_at(pointer,
                         "the library has no method \"" + method + "\"; methods: " + (names.empty() ? "none" : names));
}

}  // namespace tsunagi::scenarios
