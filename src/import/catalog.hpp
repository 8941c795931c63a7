// SPDX-License-Identifier: Apache-2.0
// Files that people have of their machines, and how each is read. To add one: write src/import/foo.cpp, then one line
// in catalog.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/findings.hpp"
#include "import/request.hpp"

namespace tsunagi::importing {

/// A format of files.
struct Format {
  std::string name;
  std::string doc;          ///< what writes it, one line
  std::string is_known_by;  ///< one line
  bool (*recognise)(std::string_view text);
  /// The text of a machine, without warnings. What is wrong goes to `findings`: then what is returned is not to be
  /// used.
  Imported (*read)(const Source& source, const Request& request, Findings& findings);
};

/// Every format, in the order in which they are tried.
const std::vector<Format>& formats();

/// Reads a file. Throws config::ConfigError with all that is wrong, each at its place; also for a text that is of no
/// format, which names all. `request.format` is empty or a name of `formats()`.
Imported import(const Request& request);

}  // namespace tsunagi::importing
