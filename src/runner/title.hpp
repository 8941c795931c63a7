// SPDX-License-Identifier: Apache-2.0
// Titles that name values: "halo exchange in a {/scenario/grid} grid".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::runner {

/// What takes several values where a title is printed: by a pointer, or by an axis' name, and each as tables show it.
using Varied = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The document's title ("" if there is none) with every {/POINTER} replaced by the value that is written there: a list
/// of texts by its ends ("8 B to 1 MiB"), one of numbers as sizes ("4x4"); "?" where there is none: no run fails for
/// its title.
std::string title_of(const config::Document& document, const Varied& varied = {});

/// What a document's title names without there being any, at the title's place: pointers at which nothing is written
/// that a line can say, names that are no axis.
std::vector<config::Message> title_faults(const config::Document& document, const Varied& varied = {});
/// The same where it names places of other `values`.
std::vector<config::Message> title_faults(const config::Document& document, const config::Document& values,
                                          const Varied& varied);
/// Throws them as config::ConfigError.
void check_title(const config::Document& document);

/// The same for a title that stands elsewhere than the `values` that it names; {NAME} is an axis, too.
std::string filled_title(const std::string& title, const config::Document& values, const Varied& varied);

}  // namespace tsunagi::runner
