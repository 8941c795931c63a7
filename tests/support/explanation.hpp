// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tsunagi::test {

/// What `explain --format json` says of a message accounts for all of its time: the segments tile it and each has a
/// cause, the steps of both ranks tile their calls, and each wire's uses sum to it.
void expect_whole_message(const nlohmann::json& explanation);

/// The wires of any explanation: each one's uses sum to its window exactly.
void expect_whole_wires(const nlohmann::json& explanation);

/// Of a collective call: legs and their parts sum to the whole without a remainder.
void expect_whole_path(const nlohmann::json& path);

}  // namespace tsunagi::test
