// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.hpp"

namespace tsunagi::report {

/// One output: turns a result into the text that `--format NAME` prints.
struct Writer {
  std::string name;
  std::string doc;
  std::function<std::string(const Result&)> write;
};

/// Every output, the default first.
const std::vector<Writer>& writers();

/// The writer of that name, or nullptr.
const Writer* find_writer(std::string_view name);

}  // namespace tsunagi::report
