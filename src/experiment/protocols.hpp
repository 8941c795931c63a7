// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/outcome.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::experiment {

/// Elaborates the run; each of its rows is a range of sizes of messages from rank 0 to rank 1 that go alike: "messages"
/// (whose they are), "from" and "to" (places), "at_least" and "up_to" (not of the longest), "protocol", copies
/// "by_core" and "by_dma" of each byte, "control" (what else ranks tell each other) and "because". Simulates nothing.
/// No rows: its library has no messages between ranks.
runner::Outcome protocols(const RunConfig& run);

}  // namespace tsunagi::experiment
