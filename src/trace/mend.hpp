// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace tsunagi::trace {

/// How a file that was not written to its end becomes a valid one.
struct Ending {
  std::size_t keep = 0;  ///< bytes of what was looked at that are whole
  std::string text;      ///< what has to follow them
};

/// What a format knows of files that end anywhere.
struct Mending {
  std::string_view begins;  ///< as all of its files do
  /// Of a file's last bytes; nothing: its header is not whole.
  std::optional<Ending> (*ending)(std::string_view tail);
  /// The same of the whole file, instead, where its last bytes do not tell.
  std::optional<Ending> (*ending_of_all)(std::istream& file) = nullptr;
};

/// Makes a file valid whose writer was killed; what that had not written yet is lost. Returns whether there is a valid
/// file: what is none of that format is left alone. Throws std::runtime_error when it cannot be read or written.
bool mend(const std::string& path, const Mending& format);

}  // namespace tsunagi::trace
