// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/result.hpp"

namespace tsunagi::report {

/// A field of a line of comma-separated values (RFC 4180), in quotes where it needs them.
std::string csv_field(const std::string& text);

/// RFC 4180 text with a header: integers in the base unit the header names (fs, bytes),
/// one table, of the accounts or the counters if those are to be printed;
/// derived rates as whole bytes a second (six digits below 1 MB/s), empty where a row has no value.
std::string csv(const Result& result);

}  // namespace tsunagi::report
