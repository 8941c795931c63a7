// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: what a file holds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace tsunagi::config::detail {

/// No config needs more; what never ends is not read to its end.
constexpr std::size_t largest_file = std::size_t{64} << 20;
/// Nor does what somebody kept who knew what he wrote.
constexpr std::size_t largest_own_file = std::size_t{1} << 30;

/// The file's content, or why there is none. Regular files, terminals and pipes are read, a pipe as long as somebody
/// has it open for writing and no signal waits that ends programs; devices are refused, and so is a FIFO that nobody
/// opens for writing within a second.
std::optional<std::string> read_text(const std::filesystem::path& file, std::string& why);

/// The same of a file in a folder where programs keep theirs, which nobody has to name: a regular one, itself and not
/// a link to one.
std::optional<std::string> read_own_text(const std::filesystem::path& file, std::string& why);

}  // namespace tsunagi::config::detail
