// SPDX-License-Identifier: Apache-2.0
// The files that a command reads, as the command line names them.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::app {

/// What a word names: itself if there is such a file or it cannot be anything else; "-", standard input; else the file
/// of a name that `tsunagi list` prints, in one of these `folders` of the configs ("runs"). Throws config::ConfigError
/// when there is none.
std::string input_path(const boost::program_options::variables_map& values, const std::string& word,
                       const std::vector<std::string>& folders);

/// Whether a word names standard input: "-".
bool is_stdin(const std::string& word);

/// All of standard input, however often it is asked for. Throws config::ConfigError.
const std::string& standard_input();

/// The document in a file, or in standard input ("-"), whose files are relative to the working directory. It may be
/// read several times. Throws config::ConfigError.
config::Document load_input(const std::string& path, const std::vector<config::Override>& overrides = {},
                            const config::Resolver& resolver = {});

/// What is wrong with the value at `pointer` of a file that was read without a document.
config::ConfigError error_in(const std::string& file, const std::string& pointer, const std::string& text);

}  // namespace tsunagi::app
