// SPDX-License-Identifier: Apache-2.0
// What can go wrong with a document: in its values, and in its bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stats/random.hpp"

namespace tsunagi::fuzz {

using Random = stats::RandomStream;

/// Deletes, renames, replaces, exchanges or wraps one value somewhere in the tree.
void mutate(nlohmann::ordered_json& tree, Random& random);

/// Makes one number or quantity somewhere in the tree a little different, so that the whole often stays good.
void nudge(nlohmann::ordered_json& tree, Random& random);

/// Flips, deletes, inserts, repeats or takes from `other` some bytes.
std::string mutated(std::string text, const std::string& other, Random& random);

/// A value that a config might hold at the wrong place, or that is at the end of what numbers can be.
nlohmann::ordered_json odd_value(Random& random);

/// A JSON pointer to something in the tree, or next to it.
std::string some_pointer(const nlohmann::ordered_json& tree, Random& random);

}  // namespace tsunagi::fuzz
