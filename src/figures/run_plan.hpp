// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "figures/expression.hpp"
#include "figures/figure_files.hpp"
#include "runner/outcome.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::figures {

/// The distinct runs that figures need: equal files with equal overrides are one.
class RunPlan {
 public:
  /// Reads every run of every figure; `kinds` are those that run files may choose from. Throws config::ConfigError.
  RunPlan(const std::vector<FigureEntry>& figures, const config::Kinds& kinds);

  const std::vector<RunConfig>& configs() const { return configs_; }
  /// Of a run: the file as it was read, and where its values come from.
  const config::Document& document(std::size_t run) const { return documents_[run]; }
  const std::vector<config::Provenance>& sources(std::size_t run) const { return sources_[run]; }
  /// The runs of a figure, in its order.
  const std::vector<std::size_t>& runs_of(std::size_t figure) const { return runs_of_[figure]; }

 private:
  std::size_t add(const FigureEntry& entry, const FigureRun& run, const config::Kinds& kinds);

  std::map<std::string, std::size_t> index_;
  std::vector<config::Document> documents_;
  std::vector<RunConfig> configs_;
  std::vector<std::vector<config::Provenance>> sources_;
  std::vector<std::vector<std::size_t>> runs_of_;
};

/// What a figure's runs give for it.
struct Simulated {
  std::optional<double> value;  ///< in the figure's unit
  std::string why;              ///< why there is none
};

/// Evaluates the figure over the outcomes of its runs, in their order. Throws config::ConfigError for a wrong
/// expression.
Simulated simulated_value(const FigureEntry& entry, const std::vector<const runner::Outcome*>& outcomes);

/// What is wrong with a figure, for whoever throws it.
config::ConfigError figure_error(const FigureEntry& entry, const std::string& text);

/// "peach2.json", the same wherever the configs lie.
std::string file_name(const config::Place& place);

}  // namespace tsunagi::figures
