// SPDX-License-Identifier: Apache-2.0
#include "app/box/box_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/box/box_runs.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/errors.hpp"
#include "app/shell/output.hpp"
#include "config/text/file_text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

/// Machines with one cause each, and what is to be run on them.
struct Trials {
  std::vector<BoxVariant> variants;
  std::vector<BoxTask> tasks;
  std::map<std::string, std::size_t> known;  // variants by their overrides
};

std::string overrides_key(const std::vector<config::Override>& overrides) {
  std::string out;
  for (const config::Override& o : overrides) out += o.pointer + "=" + o.value + "\n";
  return out;
}

/// The task that measures a cell with a cause; -1: the machine cannot be so, `why` says why not.
int task_of(Trials& t, const BoxMachine& machine, const box::Cause& cause, std::size_t run, std::string& why) {
  const auto [known, is_new] = t.known.emplace(overrides_key(cause.overrides) + cause.cable.dump(), t.variants.size());
  if (is_new) {
    try {
      t.variants.push_back({machine.config(cause.overrides), {}, {}, machine.config(), cause.cable});
    } catch (const config::ConfigError& e) {
      t.known.erase(known);
      why = e.messages().front().text;
      return -1;
    }
  }
  t.tasks.push_back({known->second, run});
  return static_cast<int>(t.tasks.size()) - 1;
}

std::size_t cell_number(const box::Plan& plan, const box::Cell& c) {
  return static_cast<std::size_t>(&c - plan.cells.data());
}

}  // namespace

std::vector<box::Measured> measured_values(const po::variables_map& values, const box::Plan& plan) {
  if (values.count("compare") == 0) return {};
  const auto path = values["compare"].as<std::string>();
  if (is_stdin(path) && is_stdin(inputs(values).front()))
    throw UsageError("standard input cannot be both the machine and the measured values");
  keep_inputs(values, {path});
  std::string why;
  const std::optional<std::string> text = is_stdin(path) ? standard_input() : config::detail::read_text(path, why);
  if (!text) throw error_in(path, "", "cannot be read: " + why);
  box::MeasuredFile read = box::read_measured(is_stdin(path) ? "stdin" : path, *text, plan);
  if (!is_quiet()) tell(read.left_out);
  return std::move(read.cells);
}

std::optional<std::vector<box::Comparison>> compare(const BoxMachine& machine, const topo::Graph& graph,
                                                    const box::Matrix& m, const std::vector<box::Measured>& measured,
                                                    double tolerance, const runner::Options& options) {
  std::vector<box::Comparison> out;
  Trials trials;
  std::vector<std::vector<int>> tasks;  // of what is tried
  for (const box::Measured& own : measured) {
    const box::Cell* cell = box::find(m.plan, own.from, own.to, own.what);
    if (cell == nullptr) continue;
    box::Comparison c{own, cell_number(m.plan, *cell), {}, {}};
    c.verdict = box::judge(own, m.values[c.cell], tolerance);
    tasks.emplace_back();
    if (c.verdict == box::Verdict::low)
      for (box::Cause& cause : box::causes_of(m.plan, graph, *cell)) {
        box::Tried t{std::move(cause), {}, {}, false};
        int task = -1;
        if (t.cause.instead != nullptr)
          t.value = m.values[cell_number(m.plan, *t.cause.instead)].value;
        else
          task = task_of(trials, machine, t.cause, cell->reading->run, t.why_not);
        tasks.back().push_back(task);
        c.tried.push_back(std::move(t));
      }
    out.push_back(std::move(c));
  }
  const auto observed = observe(trials.variants, m.plan, trials.tasks, options);
  if (!observed) return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < out[i].tried.size(); ++k) {
      box::Tried& t = out[i].tried[k];
      if (tasks[i][k] >= 0) {
        const box::Value v =
            box::value_of(m.plan, m.plan.cells[out[i].cell], (*observed)[static_cast<std::size_t>(tasks[i][k])]);
        t.value = v.value;
        t.why_not = v.why_not;
      }
      t.explains = t.value && box::explains(out[i].measured, m.values[out[i].cell], *t.value, tolerance);
    }
    box::rank(out[i]);
  }
  return out;
}

}  // namespace tsunagi::app
