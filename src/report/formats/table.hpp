// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/result.hpp"

namespace tsunagi::report {

/// An aligned table for people: the title, then a line a row; one unit a column.
std::string table(const Result& result);

/// The same of rows alone.
std::string rows_table(const Rows& rows);

}  // namespace tsunagi::report
