// SPDX-License-Identifier: Apache-2.0
// A comparison for people and for programs. All take one that is ok and was not interrupted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "whatif/gains.hpp"

namespace tsunagi::whatif {

/// What the bottleneck is, in one sentence without a newline. A gain of 5 % or more makes a bottleneck.
std::string sentence(const Comparison& comparison);

/// A table of the limits that cost 0.1 % or more, what became of the others, and the sentence.
std::string text(const Comparison& comparison);

/// Every limit, ranked; times in whole femtoseconds, rates in bytes a second, as "unit" says ("fs" or "B/s").
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace tsunagi::whatif
