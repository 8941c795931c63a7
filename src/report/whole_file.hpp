// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tsunagi::report {

/// Writes all of a text, however long the other side takes. 0, or the errno of the write that failed.
int write_all(int fd, const std::string& text);

/// Writes a file as a whole or not at all: its part_of is written, synced and renamed. Throws std::system_error, which
/// names the file; nothing is left behind then.
void write_whole_file(const std::filesystem::path& file, const std::string& text);

/// The same, unless there is a file of that name, which then stays: false. Of several writers at a time one writes it.
bool write_new_file(const std::filesystem::path& file, const std::string& text);

/// A name beside a file for what is to become it, "<file>.part.<computer>-<process>-<random>": another one at each
/// call, and on each computer and in each container that shares the folder.
std::filesystem::path part_of(const std::filesystem::path& file);

/// Whether a name is a part_of that nobody will finish: its process ran on this computer, in this namespace of process
/// numbers, and is gone; or it was last written an hour ago.
bool is_leftover(const std::filesystem::path& file);

/// Whether a name is a part_of.
bool is_part(const std::filesystem::path& file);

}  // namespace tsunagi::report
