// SPDX-License-Identifier: Apache-2.0
// Which protocol a run's library takes for which messages.
#pragma once

#include <string>

#include "report/recorder.hpp"

namespace tsunagi::app {

/// Rows of experiment::protocols as "table", "csv" or "json".
std::string protocols_text(const report::Rows& rows, const std::string& format);

}  // namespace tsunagi::app
