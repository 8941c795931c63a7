// SPDX-License-Identifier: Apache-2.0
// A server's matrix: what the plan's runs measured, and what limits each cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "box/plan.hpp"
#include "runner/outcome.hpp"

namespace tsunagi::box {

/// For how long a run's bytes keep one direction of a wire busy, headers and framing included.
struct WireUse {
  std::string from;  ///< the sending port: "node0.gpu0.pcie"
  std::string to;
  std::string wire;  ///< "PCIe Gen3 x16", "qpi"
  double busy = 0;   ///< in seconds
};

/// What one run of the plan came to.
struct Observed {
  runner::Status status = runner::Status::interrupted;
  std::string why_not;  ///< unless it is ok
  report::Rows rows;
  report::Rows shorter;                 ///< of its shorter scenario, if it has one
  std::map<std::size_t, WireUse> uses;  ///< of the graph's wires that carried something, the busier direction
  std::uint64_t packet_hops = 0;        ///< packets that crossed a wire
  std::uint64_t wakeups = 0;            ///< callbacks of the simulation
};

/// What keeps a cell from being larger.
struct Limit {
  enum class By {
    wire,     ///< a wire is busy
    ceiling,  ///< a closed form of a part is (nearly) reached
    none,     ///< neither: latencies and what waits for them
  };
  By by = By::none;
  std::string kind;   ///< alike for cells that are limited alike: "wire PCIe Gen3 x16, gpu to pcie_switch"
  std::string where;  ///< exactly: "node0.gpu0.pcie > node0.switch0.down0, 98.9 % busy"
};

struct Interval {
  double low = 0;
  double high = 0;
  std::string moved_most_by = {};  ///< the parameter; may be empty
};

/// A cell with its value: bytes a second, or seconds of a latency.
struct Value {
  std::optional<double> value;
  std::string why_not;  ///< without a value
  Limit limit;          ///< of a rate
  std::optional<Interval> interval;
};

struct Matrix {
  Plan plan;
  std::vector<Value> values;  ///< of each cell of the plan
  /// Of the runs that gave them, without those of intervals and causes.
  std::uint64_t packet_hops = 0;
  std::uint64_t wakeups = 0;
};

/// What a run that ended so says of a cell.
Value value_of(const Plan& plan, const Cell& cell, const Observed& observed);
/// Of all cells, of what the plan's runs came to, in their order: needed_runs() at least.
std::vector<Value> values_of(const Plan& plan, const topo::Graph& graph, const std::vector<Observed>& observed);

/// The share of a wire's time that makes it the limit, and the share of a ceiling.
constexpr double is_busy = 0.93;
constexpr double is_reached = 0.90;

/// The cell between two places, either way round where it is one for both; null: there is none.
const Cell* find(const Plan& plan, std::size_t from, std::size_t to, What what);

}  // namespace tsunagi::box
