// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "config/config.hpp"
#include "runner/runner.hpp"

namespace tsunagi::test {

/// What a run gives, in processes of its own. Throws std::runtime_error, with its messages, if it fails.
runner::Outcome simulated(const RunConfig& run);

using Overrides = std::vector<config::Override>;

/// configs/runs/`name`.json with some values set.
RunConfig run_of(const std::string& name, const Overrides& overrides);

/// What that run measures.
inline report::Rows rows_of(const std::string& name, const Overrides& overrides) {
  return simulated(run_of(name, overrides)).rows;
}

/// What that run is refused for, or fails with; "no error".
inline std::string refusal(const std::string& name, const Overrides& overrides) {
  try {
    rows_of(name, overrides);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

/// Column `name` of a row.
template <class T>
T cell(const report::Row& row, const std::string& name) {
  return std::get<T>(*row.find(name));
}

}  // namespace tsunagi::test
