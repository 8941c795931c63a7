// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "explain/message.hpp"
#include "explain/path.hpp"

namespace tsunagi::explain {

/// Time of each kind that a path contains, in the order of `Kind`; they sum to its length.
using Totals = std::vector<std::pair<Kind, Time>>;
Totals totals(const Path& path);

/// "8 B from rank 0 to rank 1 by pio: 900.7 ns"
std::string headline(const Message& message);

/// The path of a message as text of at most 100 columns: a line for each device or wire that it visits, below it the
/// stages there with start, duration, share and a bar. Where that takes more than 45 lines, stages of less than 0.5, 1
/// or 2 % are in their device's sum only; if even that is too long, the path is summed up by device and stage, the
/// largest first.
std::string waterfall(const Message& message, const Path& path);

/// The same with each segment, times in femtoseconds; a segment starts so long after the message did.
nlohmann::ordered_json to_json(const Message& message, const Path& path);

}  // namespace tsunagi::explain
