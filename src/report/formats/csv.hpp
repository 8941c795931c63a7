// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/measured.hpp"
#include "report/result.hpp"

namespace tsunagi::report {

/// A field of a line of comma-separated values (RFC 4180), in quotes where it needs them.
std::string csv_field(const std::string& text);

/// The same of a value.
std::string csv_value(const PlainValue& value);

/// The keys of columns, as a header has them.
std::string csv_names(const std::vector<Column>& columns);

/// The values of one row below that header, empty where it has none.
std::string csv_values(const std::vector<Column>& columns, const std::vector<Measured>& values);

/// RFC 4180 text with a header: integers in the base unit the header names (fs, bytes),
/// one table, of the accounts or the counters if those are to be printed;
/// derived rates as `measured` has them, empty where a row has no value.
std::string csv(const Result& result);

/// The same of rows alone.
std::string rows_csv(const Rows& rows);

}  // namespace tsunagi::report
