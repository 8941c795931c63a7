// SPDX-License-Identifier: Apache-2.0
#include "figures/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace tsunagi::figures {
namespace {

report::Rows filtered(const report::Rows& rows, const std::vector<std::string>& where) {
  report::Rows out;
  out.rates = rows.rates;
  out.accounts = rows.accounts;
  std::copy_if(rows.rows.begin(), rows.rows.end(), std::back_inserter(out.rows), [&](const report::Row& row) {
    return std::all_of(where.begin(), where.end(), [&](const std::string& filter) {
      const std::size_t equals = filter.find('=');
      const report::Cell* cell = row.find(filter.substr(0, equals));
      const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
      return text != nullptr && *text == filter.substr(equals + 1);
    });
  });
  return out;
}

}  // namespace

RunPlan::RunPlan(const std::vector<FigureEntry>& figures, const config::Kinds& kinds) {
  for (const FigureEntry& entry : figures) {
    std::vector<std::size_t>& runs = runs_of_.emplace_back();
    for (const FigureRun& run : entry.figure.runs) runs.push_back(add(entry, run, kinds));
  }
}

std::size_t RunPlan::add(const FigureEntry& entry, const FigureRun& run, const config::Kinds& kinds) {
  const std::string file = (entry.file.parent_path() / run.file).lexically_normal().string();
  std::string key = file;
  std::vector<config::Override> overrides;
  for (const std::string& text : run.set) {
    key += '\n' + text;
    overrides.push_back(config::parse_override(text));
  }
  const auto [place, is_new] = index_.emplace(key, configs_.size());
  if (is_new) {
    documents_.push_back(config::load(file, overrides, config::resolver<RunConfig>(kinds)));
    configs_.push_back(config::read<RunConfig>(documents_.back(), kinds));
    sources_.push_back(config::provenance(documents_.back()));
  }
  return place->second;
}

Simulated simulated_value(const FigureEntry& entry, const std::vector<const runner::Outcome*>& outcomes) {
  const Figure& figure = entry.figure;
  Tables tables;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const runner::Outcome& outcome = *outcomes[i];
    if (outcome.status != runner::Status::ok) {
      const std::string why =
          outcome.messages.empty() ? "not run" : fmt::format("{}", fmt::join(outcome.messages, "; "));
      return {std::nullopt, fmt::format("{}: {}", figure.runs[i].file, why)};
    }
    tables[figure.runs[i].name] = filtered(outcome.rows, figure.runs[i].where);
  }
  try {
    return {evaluate(figure.expression, tables), ""};
  } catch (const NoValue& e) {
    return {std::nullopt, e.what()};
  } catch (const ExpressionError& e) {
    throw figure_error(entry, fmt::format("figure {}: {}", figure.id, e.what()));
  }
}

config::ConfigError figure_error(const FigureEntry& entry, const std::string& text) {
  config::Message message;
  message.place.file = std::make_shared<const std::string>(entry.file.string());
  message.text = text;
  return config::ConfigError({message});
}

std::string file_name(const config::Place& place) {
  return place.file ? std::filesystem::path(*place.file).filename().string() : "";
}

}  // namespace tsunagi::figures
