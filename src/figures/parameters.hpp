// SPDX-License-Identifier: Apache-2.0
// The parameters of the figures' runs that nobody knows for sure, and the values to try instead.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "figures/run_plan.hpp"

namespace tsunagi::figures {

/// A parameter whose source calls it assumed or fitted. A part used in many places is one parameter.
struct Parameter {
  std::string name;          ///< "dma.step_cycles of peach2.json"
  std::string source_class;  ///< "assumed", "fitted"
  std::string value;         ///< as JSON text, like `low` and `high`
  std::string low;           ///< ends of the range that its source commits it to
  std::string high;
  std::vector<std::vector<std::string>> places;  ///< of each run: the pointers of the values in it
};

/// Those of configs, resolved, of which each has its sources, in the order in which they meet them.
std::vector<Parameter> parameters_of(const std::vector<nlohmann::ordered_json>& resolved,
                                     const std::vector<std::vector<config::Provenance>>& sources);
/// Those of the plan's runs, in the order in which the runs meet them.
std::vector<Parameter> parameters_of(const RunPlan& plan);

/// Another value for one parameter, and why that one; it may be both.
struct Change {
  std::size_t parameter = 0;
  std::string value;       ///< as JSON text
  bool is_end = false;     ///< an end of the committed range
  bool is_tenth = false;   ///< 10 % less or more
  bool is_inside = false;  ///< between the ends, and none of them
};

/// For each parameter the ends of its range and 10 % less and more, without what it has already and without what is
/// below zero. Whole numbers are rounded outwards and change by at least 1.
std::vector<Change> changes_of(const std::vector<Parameter>& parameters);

}  // namespace tsunagi::figures
