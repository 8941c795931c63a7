// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace tsunagi::app {

/// The format of a command's output, one of `formats`: what --format names, else what --out's extension stands for
/// (".txt" for table, ".json" for chrome, ".pftrace" and ".perfetto-trace" for perfetto, else the
/// format's name), else the first. Throws UsageError for a format that
/// is none, for an extension that none has unless --format is given, and if the two contradict each other.
std::string output_format(const boost::program_options::variables_map& values, const std::vector<std::string>& formats);

/// Throws UsageError if --out has another extension than ".svg".
void check_picture(const boost::program_options::variables_map& values);

}  // namespace tsunagi::app
