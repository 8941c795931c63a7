// SPDX-License-Identifier: Apache-2.0
#include "figures/account_functions.hpp"

#include <fmt/format.h>

#include "config/suggest.hpp"

namespace tsunagi::figures {
namespace {

constexpr double fs_in_s = 1e15;

bool of_a_step(const std::string& name) { return name == "step_mean" || name == "step_total" || name == "step_calls"; }

std::string word(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// What stands between quotes.
std::string quoted(const std::string& name, const std::string& argument) {
  const std::string text = word(argument);
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

}  // namespace

bool is_account_function(const std::string& name) {
  return of_a_step(name) || name == "copies" || name == "copied_bytes";
}

double account(const Columns& columns, const std::string& name, const std::vector<std::string>& arguments,
               std::optional<std::size_t> row) {
  const bool step = of_a_step(name);
  if (step ? arguments.size() != 2 : arguments.size() > 2)
    throw ExpressionError(
        fmt::format("{}() takes {}", name,
                    step ? "a run and the name of a step" : "a run and, if not all copies, 'core' or 'dma'"));
  const std::string run = word(arguments.front());
  columns.rows(run);  // there is one of that name
  const std::string text = arguments.size() == 2 ? quoted(name, arguments[1]) : "";
  if (!step && !text.empty() && text != "core" && text != "dma")
    throw ExpressionError(fmt::format("{}(): {}", name, config::detail::unknown("copier", text, {"core", "dma"})));
  if (columns.dry()) return 1;
  return step ? value_of_step(name, columns, run, text, row) : copied(name, columns.accounts(run, row), text);
}

}  // namespace tsunagi::figures
