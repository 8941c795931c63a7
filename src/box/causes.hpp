// SPDX-License-Identifier: Apache-2.0
// Why a measured cell is lower than the model's: one cause at a time, and what the model says with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "box/matrix.hpp"
#include "box/measured/measured.hpp"
#include "config/places/override.hpp"

namespace tsunagi::box {

/// Something that makes a cell slower.
struct Cause {
  std::string name;                              ///< "node0.gpu0.pcie - node0.switch0.down0 runs at x8, not x16"
  std::string check;                             ///< where the owner sees it: "LnkSta of lspci -vv"
  std::vector<config::Override> overrides = {};  ///< of the machine; empty: `instead` says it all
  const Cell* instead = nullptr;                 ///< another cell of the matrix has the value
  nlohmann::ordered_json cable = {};             ///< in place of the one at the cell's adapter; null: that stays
};

/// Those of the cell between two places: links on the way narrower or of a generation before, a smaller payload,
/// smaller reads, fewer of them, a slower cable of an adapter, the other socket, others at the same time.
std::vector<Cause> causes_of(const Plan& plan, const topo::Graph& graph, const Cell& cell);

/// A cause, and what the cell is with it.
struct Tried {
  Cause cause;
  std::optional<double> value;  ///< none: it cannot be simulated, `why_not` says why
  std::string why_not;
  bool explains = false;  ///< the measured value is what the model has with it
};

enum class Verdict { as_modelled, low, high, not_simulated };
/// "as modelled", "low", "high", "not simulated".
const char* name_of(Verdict v);

/// A measured value beside the model's.
struct Comparison {
  Measured measured;
  std::size_t cell = 0;  ///< of the plan
  Verdict verdict = Verdict::not_simulated;
  std::vector<Tried> tried;  ///< of one that is low: those that explain it first, then the nearest
};

/// How far from each other values are that count as equal, as a share of the measured one.
constexpr double standard_tolerance = 0.05;

/// Whether a measured value is what the model has: within the tolerance of it, or of its interval.
Verdict judge(const Measured& m, const Value& v, double tolerance);
/// The same of a value with a cause, whose interval is as wide as the cell's own in proportion.
bool explains(const Measured& m, const Value& as_it_is, double with_cause, double tolerance);
/// Sorts what was tried.
void rank(Comparison& c);

}  // namespace tsunagi::box
