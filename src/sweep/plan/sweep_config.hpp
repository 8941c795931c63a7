// SPDX-License-Identifier: Apache-2.0
// A sweep as written: a run, the axes along which it varies, values derived from them, points that are left out.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "runner/title.hpp"
#include "sweep/plan/axis.hpp"

namespace tsunagi::sweep {

/// A value computed from axes: sizes enter in bytes, times in nanoseconds, rates in bytes a second, frequencies in
/// hertz, percentages in percent. The result is written as a number with the unit behind it, or as a bare number.
struct Derivation {
  std::string path;
  std::string expression;
  std::string unit;  ///< "" for fields that take bare numbers
  Where where;
};
void describe(Derivation& c, config::Describer& d);

/// An expression that is not 0 for points to leave out.
struct Drop {
  std::string expression;
  Where where;
};

/// What a plot of the results shows, by names of their columns; what is empty is chosen.
struct PlotColumns {
  std::string x;
  std::vector<std::string> y;   ///< a panel each
  std::vector<std::string> by;  ///< one curve for each combination of their values
};
void describe(PlotColumns& c, config::Describer& d);

/// A sweep. Its last dimension is the fastest.
struct Sweep {
  std::string name;
  std::string title;                  ///< with its values filled in
  config::Document base;              ///< the run, composed, with `set` applied
  std::vector<config::Override> set;  ///< of the command line, a JSON pointer each; no axis varies them
  std::vector<Dimension> dimensions;
  std::vector<Derivation> derive;
  std::vector<Drop> drop;
  PlotColumns plot;
  std::vector<std::filesystem::path> files;  ///< that say all this but the run
};

/// A sweep file, as the strict reader fills it; values of axes are JSON text.
struct SweepFile {
  std::string name;
  std::string title;
  std::string run;
  std::vector<AxisEntry> axes;
  std::vector<Derivation> derive;
  std::vector<std::string> drop;
  PlotColumns plot;
};
void describe(SweepFile& c, config::Describer& d);

/// JSON Schema of a sweep file, in which values of axes are any JSON.
nlohmann::ordered_json sweep_schema();

/// Reads a sweep and the run that it names. Files are relative to the file that names them. What can be wrong with
/// paths and values is left to the plan. `overrides` are of the run. Throws config::ConfigError.
Sweep read_sweep(const config::Document& document, const std::vector<config::Override>& overrides = {},
                 const config::Resolver& resolver = {});

/// What its axes take, by names and paths: for titles.
runner::Varied varied(const Sweep& sweep);

/// The same for a file. Throws config::ConfigError.
Sweep load_sweep(const std::filesystem::path& file, const std::vector<config::Override>& overrides = {});

/// The sweep of `tsunagi run RUN.json --vary /path=64B,128B --vary ...`: an axis each, the values split at commas
/// outside quotes and brackets, named by the last part of its path (more of it where two would have one name, and
/// never an index alone). `overrides` apply to the run first. Throws config::ConfigError.
Sweep from_vary(const std::filesystem::path& run_file, const std::vector<std::string>& vary,
                const std::vector<config::Override>& overrides = {});

/// The same for a run to which overrides have been applied.
Sweep from_vary(config::Document run, const std::vector<std::string>& vary);

}  // namespace tsunagi::sweep
