// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tsunagi::compare {

/// A place of two resolved configs at which they differ.
struct Setting {
  std::string pointer;
  std::optional<nlohmann::ordered_json> a;  ///< nothing: only b has it
  std::optional<nlohmann::ordered_json> b;
};

/// Every place at which two configs differ (a quantity in another unit is the same): what only one has is one place with all that is in it, and so is a part
/// that is of another kind. Items of lists are matched from both ends; lists of plain values are one place. Name and
/// title of a run decide nothing and are left out.
std::vector<Setting> differences(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// A line each, "/options/seed: 1 -> 2". The same change at places that differ in numbers only is one line,
/// "/machine/topology/links/*/wire/lanes: 8 -> 4 (16 places)". Empty if there are none.
std::string text(const std::vector<Setting>& settings);

}  // namespace tsunagi::compare
