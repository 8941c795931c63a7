// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "figures/check_text.hpp"

namespace tsunagi::figures {

/// JUnit XML, as continuous integration servers read it: a test suite a system, a test case a figure. A miss and a
/// figure that moved are failures, a run that failed is an error; a known miss and a figure without a run are skipped,
/// the latter a failure where `require_all`. It says nothing that differs from one time to the next.
std::string junit(const CheckReport& report, const std::vector<KnownMiss>& missed, bool require_all);

}  // namespace tsunagi::figures
