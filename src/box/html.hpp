// SPDX-License-Identifier: Apache-2.0
// A matrix as a page for a browser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "box/text.hpp"

namespace tsunagi::box {

/// What a page says of itself, and how it looks.
struct PageOf {
  std::string title;              ///< one line, as it is: it is escaped here
  std::string command;            ///< that repeats it
  std::string version;            ///< of the program
  std::string_view style = {};    ///< of the program's pages, has no "</style"; empty: a plain one is taken
  std::string style_policy = {};  ///< its hash, as a Content-Security-Policy has it
};

/// A page that opens without a network and has no script: a table for each thing that is measured, whose cells are
/// coloured by their size and lead to what limits them; what is exactly where; measured values with their causes.
std::string html(const Matrix& m, const std::vector<Comparison>& compared, const PageOf& page);

}  // namespace tsunagi::box
