// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "figures/check_text.hpp"

namespace tsunagi::figures {

/// JUnit XML, as continuous integration servers read it: a test suite a system, a test case a figure, with its numbers
/// as properties and the seconds that its runs took. A miss, a figure that moved and one that a baseline has alone are
/// failures, a run that failed is an error; a known miss and a figure without a run are skipped, the latter a failure
/// where `require_all`.
std::string junit(const CheckReport& report, const std::vector<KnownMiss>& missed, bool require_all);

/// The same of a check that could not be made: one error, which says why.
std::string junit_of_refusal(const std::string& why, const std::string& version);

}  // namespace tsunagi::figures
