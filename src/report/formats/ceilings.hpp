// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// The ceilings as text behind a table, lowest first, by method, and by direction where those differ; empty if there
/// are none.
std::string ceiling_lines(const Rows& rows);

}  // namespace tsunagi::report
