// SPDX-License-Identifier: Apache-2.0
// A fit with all that it needs: parameters with their places in the runs, curves with their data.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/quantity.hpp"
#include "figures/expression.hpp"
#include "fit/csv.hpp"
#include "fit/fit_file.hpp"
#include "fit/search.hpp"
#include "runner/runner.hpp"

namespace tsunagi::fit {

/// A free parameter and the runs that have it.
struct Parameter {
  std::string name;  ///< "engine.start_cycles of nfp_6000_like.json"
  std::filesystem::path file;
  std::string path;     ///< JSON pointer in that file
  config::Place place;  ///< where its value is written
  config::Quantity start, low, high;
  bool whole = false;                            ///< a count: steps of 1
  std::vector<std::vector<std::string>> places;  ///< of each run: the pointers of the values in it
};

/// A measured curve and the run that simulates it.
struct MeasuredCurve {
  Curve curve;
  std::vector<Measured> points;  ///< in base units: seconds, bytes, bytes a second
  std::size_t run = 0;
};

/// The simulated value at each point of each curve, in base units.
using Simulated = std::vector<std::vector<double>>;

class Problem {
 public:
  /// Reads all that the fit names, relative to its folder; `kinds` are those that runs may choose from. Throws
  /// config::ConfigError: no such file or value, a range without the value that is there, data that do not fit, or
  /// no more points than parameters.
  Problem(FitFile file, const config::Document& document, const config::Kinds& kinds);

  const FitFile& file() const { return file_; }
  /// Where its files' names start.
  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<MeasuredCurve>& curves() const { return curves_; }
  /// How many runs a place takes: curves of one run, with the same overrides, share it.
  std::size_t runs() const { return documents_.size(); }
  /// All files that were read.
  std::vector<std::filesystem::path> files() const;

  /// The values as the parts have them.
  Shares start() const;
  /// The nearest place that a person would write: counts are whole, the rest in steps of a thousandth of its range or
  /// less.
  Shares sayable(Shares at) const;
  /// A parameter's value there, as JSON text.
  std::string text(std::size_t parameter, double share) const;

  /// Simulates many places at once; nothing if that was interrupted. Throws config::ConfigError for what is refused or
  /// has no value at some x, std::runtime_error for a run that fails.
  std::optional<std::vector<Simulated>> simulate(const std::vector<Shares>& places, const runner::Simulate& simulate,
                                                 const runner::Options& options) const;
  /// Of each point of each curve: by what part the simulated value is above the measured one, times the root of the
  /// curve's weight over its number of points.
  Residuals residuals(const Simulated& simulated) const;

 private:
  void add_curve(std::size_t number, const config::Document& document);
  void load_runs(const config::Document& document, const config::Kinds& kinds);
  void add_parameter(std::size_t number, const config::Document& document);
  RunConfig config(std::size_t run, const Shares& at) const;
  double value(const MeasuredCurve& curve, std::size_t point, const figures::Tables& tables) const;

  FitFile file_;
  std::filesystem::path folder_;
  config::Document own_;
  const config::Kinds& kinds_;
  std::vector<Parameter> parameters_;
  std::vector<MeasuredCurve> curves_;
  std::vector<config::Document> documents_;                 // of the runs
  std::map<std::vector<std::string>, std::size_t> run_of_;  // file, along, set
};

}  // namespace tsunagi::fit
