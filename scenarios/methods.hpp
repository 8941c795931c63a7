// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsunagi::scenarios {

/// Throws config::ConfigError unless `method` is one of the library's `known` ones or empty, which names its default.
/// `pointer` is where it stands.
void check_method(const std::string& method, const std::vector<std::string>& known,
                  const char* pointer = "/scenario/methods");

}  // namespace tsunagi::scenarios
