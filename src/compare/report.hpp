// SPDX-License-Identifier: Apache-2.0
// What `diff` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compare/rows.hpp"
#include "compare/settings.hpp"
#include "compare/stages.hpp"

namespace tsunagi::compare {

/// One of two things that are compared.
struct Side {
  std::string name;     ///< as the user wrote it
  std::string kind;     ///< "run", "result", "sweep"
  std::string version;  ///< of what made it; may be empty
  Table table;
};

struct Report {
  Side a;
  Side b;
  std::optional<std::vector<Setting>> settings;  ///< nothing: not both have a config
  RowsDifference rows;
  std::vector<StageDifference> stages;
  std::string stages_of;      ///< the row whose message was explained
  std::string why_no_stages;  ///< empty: nobody needs to know
};

/// For people: what is compared, differences of configs, rows that moved (of many those that moved most), a line with
/// the sums, stages.
std::string text(const Report& report);
/// All rows, also those that did not move; RFC 4180, a line a row and column: the keys, column, a, b, difference,
/// percent.
std::string csv(const Report& report);
/// All of it.
nlohmann::ordered_json to_json(const Report& report);

}  // namespace tsunagi::compare
