// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// Throws std::runtime_error naming the row and the bound if a rate beats a ceiling: then the model is wrong.
void check_ceilings(const Rows& rows);

/// The ceilings as text behind a table, lowest first, one line a method; empty if there are none.
std::string ceiling_lines(const Rows& rows);

}  // namespace tsunagi::report
