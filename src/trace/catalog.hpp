// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/listener.hpp"
#include "trace/output.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"

namespace tsunagi::trace {

/// The names of every format, the default first.
std::vector<std::string> formats();

/// A trace in that format of the run on a machine with these channels, which the events name by their places in the
/// list. `output` outlives it; `version` is the program's. Throws std::invalid_argument for an unknown format.
std::unique_ptr<Trace> open(const std::string& format, Output& output, std::vector<net::ChannelInfo> channels,
                            Selection selection, std::string version);

/// `mend` (trace/mend.hpp) for the file of a trace in that format.
bool mend(const std::string& path, const std::string& format);

}  // namespace tsunagi::trace
