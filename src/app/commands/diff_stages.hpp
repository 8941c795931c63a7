// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/diff_sides.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {

/// How `diff` simulates: both at a time.
runner::Options diff_options();

/// Of two that have configs or explanations, explains the message of the row that moved most, and fills in the report in
/// which stages its time went, or why that cannot be told. False: interrupted.
bool explain_moved(const DiffSide& a, const DiffSide& b, compare::Report& report);

}  // namespace tsunagi::app
