// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tsunagi::report {

/// Writes all of a text. 0, or the errno of the write that failed.
int write_all(int fd, const std::string& text);

/// Writes a file as a whole or not at all: "<file>.part.<process>" is written, synced and renamed. Throws
/// std::system_error, which names the file; nothing is left behind then.
void write_whole_file(const std::filesystem::path& file, const std::string& text);

/// Whether a name is that of a half-written file whose writer does not run on this computer any more.
bool is_leftover(const std::filesystem::path& file);

/// Whether a name is that of a half-written file.
bool is_part(const std::filesystem::path& file);

}  // namespace tsunagi::report
