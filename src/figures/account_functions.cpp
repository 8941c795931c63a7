// SPDX-License-Identifier: Apache-2.0
#include "figures/account_functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/suggest.hpp"
#include "figures/trimmed.hpp"

namespace tsunagi::figures {
namespace {

constexpr double fs_in_s = 1e15;

/// What stands between quotes.
std::string quoted(const std::string& name, const std::string& argument) {
  const std::string text = trimmed(argument);
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'')
    throw ExpressionError(fmt::format("{}(): {} is to be a text in quotes", name, text));
  return text.substr(1, text.size() - 2);
}

double value_of_step(const std::string& name, const Columns& columns, const std::string& run, const std::string& step,
                     std::optional<std::size_t> row) {
  const report::Accounts& whole = columns.accounts(run, std::nullopt);
  if (whole.find(step) == nullptr) {
    std::vector<std::string> known;
    for (const report::StepAccount& s : whole.steps) known.push_back(s.step);
    throw ExpressionError(fmt::format("run \"{}\": {}", run, config::detail::unknown("step", step, known)));
  }
  const report::StepAccount* its = columns.accounts(run, row).find(step);
  const report::StepAccount found = its == nullptr ? report::StepAccount{step, 0, {}} : *its;
  if (name == "step_calls") return static_cast<double>(found.calls);
  const double total = static_cast<double>(found.total.fs()) / fs_in_s;
  if (name == "step_total") return total;
  if (found.calls == 0) throw NoValue(fmt::format("row {} of run \"{}\" never did \"{}\"", *row + 1, run, step));
  return total / static_cast<double>(found.calls);
}

double copied(const std::string& name, const report::Accounts& accounts, const std::string& by) {
  if (accounts.messages == 0) throw NoValue("no message was sent");
  double copies = 0;
  double bytes = 0;
  for (const auto& [who, of] : {std::pair("core", accounts.by_core), std::pair("dma", accounts.by_dma)})
    if (by.empty() || by == who) {
      copies += static_cast<double>(of.copies);
      bytes += static_cast<double>(of.bytes.count());
    }
  return (name == "copies" ? copies : bytes) / static_cast<double>(accounts.messages);
}

/// The row whose window is meant: the run's own, if it has but one.
const report::Accounts& of_window(const Columns& columns, const std::string& name, const std::string& run,
                                  std::optional<std::size_t> row) {
  if (!row && columns.rows(run) != 1)
    throw ExpressionError(fmt::format("{}() is of a row, and run \"{}\" has {}; ask inside max, at, first, ...", name,
                                      run, columns.rows(run)));
  return columns.accounts(run, row ? row : 0);
}

double value_of_window(const std::string& name, const report::Accounts& a, const std::string& which) {
  const auto nothing = [&] {
    const char* why = a.wires ? "no message was posted in the row's window" : "the row has no window of its own";
    return NoValue(fmt::format("{}(): {}", name, why));
  };
  if (name == "quantile") {
    if (!a.latency) throw nothing();
    return static_cast<double>(a.latency->find(which)->fs()) / fs_in_s;
  }
  if (name == "fairness" ? !a.accepted : !a.wires) throw nothing();
  if (name == "fairness") return static_cast<double>(a.accepted->jain_ppm) / 1e6;
  return static_cast<double>(which == "max" ? a.wires->most_ppm() : a.wires->mean_ppm) / 1e6;
}

/// A function that asks for what runs counted.
struct Function {
  std::string name;
  std::string takes;  // what stands in its brackets
  std::size_t least;  // arguments
  std::size_t most;
  std::string what;                // what the second one names
  std::vector<std::string> known;  // which there are; none: that depends on the run
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    const std::string step = "a run and the name of a step";
    const std::string copier = "a run and, if not all copies, 'core' or 'dma'";
    std::vector<std::string> quantiles;
    for (const auto& q : report::LatencyAccount::quantiles()) quantiles.emplace_back(q.name);
    return std::vector<Function>{{"step_mean", step, 2, 2, "step", {}},
                                 {"step_total", step, 2, 2, "step", {}},
                                 {"step_calls", step, 2, 2, "step", {}},
                                 {"copies", copier, 1, 2, "copier", {"core", "dma"}},
                                 {"copied_bytes", copier, 1, 2, "copier", {"core", "dma"}},
                                 {"wire_use", "a run and 'mean' or 'max'", 2, 2, "use", {"mean", "max"}},
                                 {"quantile", "a run and the name of a quantile, 'p90'", 2, 2, "quantile", quantiles},
                                 {"fairness", "a run", 1, 1, "", {}}};
  }();
  return all;
}

const Function* find(const std::string& name) {
  const auto it = std::find_if(functions().begin(), functions().end(), [&](const auto& f) { return f.name == name; });
  return it == functions().end() ? nullptr : &*it;
}

}  // namespace

bool is_account_function(const std::string& name) { return find(name) != nullptr; }

double account(const Columns& columns, const std::string& name, const std::vector<std::string>& arguments,
               std::optional<std::size_t> row) {
  const Function& f = *find(name);
  if (arguments.size() < f.least || arguments.size() > f.most)
    throw ExpressionError(fmt::format("{}() takes {}", name, f.takes));
  const std::string run = trimmed(arguments.front());
  columns.rows(run);  // there is one of that name
  const std::string text = arguments.size() == 2 ? quoted(name, arguments[1]) : "";
  if (arguments.size() == 2 && !f.known.empty() && std::find(f.known.begin(), f.known.end(), text) == f.known.end())
    throw ExpressionError(fmt::format("{}(): {}", name, config::detail::unknown(f.what, text, f.known)));
  if (columns.dry()) return 1;
  if (f.what == "step") return value_of_step(name, columns, run, text, row);
  if (f.what == "copier") return copied(name, columns.accounts(run, row), text);
  return value_of_window(name, of_window(columns, name, run, row), text);
}

}  // namespace tsunagi::figures
