// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tsunagi::app {

/// Writes results. Throws std::system_error when standard output does not take them.
void write_stdout(const std::string& text);

/// Writes what is no result: messages, warnings. Control characters but "\n" are written out. Never throws.
void write_stderr(const std::string& text);

/// Writes what may help and can be left out: nothing after `be_quiet`. Never throws.
void write_note(const std::string& text);

/// From now on there are no notes and no progress (--quiet).
void be_quiet();
bool is_quiet();

/// Draws over what was drawn last, on a terminal: raw. Never throws.
void write_progress(const std::string& text);

/// Whether standard output can be written at all.
bool stdout_is_open();

/// True when standard output is a terminal and NO_COLOR is not set.
bool stdout_has_color();

/// True when somebody may be watching standard error, a terminal, and wants to.
bool stderr_is_watched();

/// Whether an option that names an output means standard output: "-".
inline bool is_stdout(const std::string& path) { return path == "-"; }

/// Throws UsageError if one of `outputs` is the same file as one of `inputs`, by whatever name.
void keep_inputs(const std::vector<std::string>& outputs, const std::vector<std::filesystem::path>& inputs);

/// Checks that `path` could be written. Throws std::runtime_error that says why not.
void check_writable(const std::string& path);

/// Writes a file as a whole or not at all: a neighbour is written, synced and renamed. What is no
/// regular file (/dev/null, a pipe) is written directly. Throws std::system_error.
void write_file(const std::string& path, const std::string& text);

}  // namespace tsunagi::app
