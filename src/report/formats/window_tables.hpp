// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// What rows measured in windows of their own, for people: latencies, what ranks got through, how busy wires were, a
/// line a row, which column "row" numbers from 0; then the busiest wires of the row in which one was busiest. None of
/// nothing.
std::vector<Rows> window_tables(const Rows& rows);

}  // namespace tsunagi::report
