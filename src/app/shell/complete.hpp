// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsunagi::app {

/// What a shell may put for the last of `words`, which stand behind the program's name; the last may be empty. A line
/// each, "CANDIDATE<TAB>what it is"; or one line ":files", ":files .json" or ":folders": names of these.
std::string completions(const std::vector<std::string>& words);

/// The shells that `completion_script` knows.
std::vector<std::string> shells();

/// What a shell has to read to complete the program's command lines; it asks `tsunagi __complete`. Throws UsageError
/// for an unknown shell.
std::string completion_script(const std::string& shell);

}  // namespace tsunagi::app
