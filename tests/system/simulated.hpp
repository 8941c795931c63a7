// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/runner.hpp"

namespace tsunagi::test {

/// What a run gives, in processes of its own. Throws std::runtime_error, with its messages, if it fails.
runner::Outcome simulated(const RunConfig& run);

}  // namespace tsunagi::test
