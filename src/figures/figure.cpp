// SPDX-License-Identifier: Apache-2.0
#include "figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tsunagi::figures {
namespace {

using config::Choice;

const std::vector<Choice>& comparisons() {
  static const std::vector<Choice> all{
      {"near", static_cast<std::int64_t>(Compare::near), "at most tolerance x value away from value"},
      {"at_least", static_cast<std::int64_t>(Compare::at_least), "value or more"},
      {"at_most", static_cast<std::int64_t>(Compare::at_most), "value or less"},
      {"between", static_cast<std::int64_t>(Compare::between), "from value to upper"},
  };
  return all;
}

const std::vector<Choice>& roles() {
  static const std::vector<Choice> all{
      {"predicted", static_cast<std::int64_t>(Role::predicted),
       "it has to come out of what other figures and sources say"},
      {"fitted", static_cast<std::int64_t>(Role::fitted),
       "a parameter of its runs was fitted to it: \"fitted_to\" names it"},
      {"derived", static_cast<std::int64_t>(Role::derived),
       "an identity, a quotient of fitted figures, or true by construction"},
  };
  return all;
}

const std::vector<Choice>& bases() {
  static const std::vector<Choice> all{
      {"unseen", static_cast<std::int64_t>(Basis::unseen), "what it turns on stood before its first run"},
      {"mechanism_added_after", static_cast<std::int64_t>(Basis::mechanism_added_after),
       "a mechanism was modelled after it had been seen"},
      {"loose_bound", static_cast<std::int64_t>(Basis::loose_bound), "hardly anything could break its bound"},
  };
  return all;
}

template <class E>
std::string word(const std::vector<Choice>& choices, E value) {
  for (const Choice& choice : choices)
    if (choice.value == static_cast<std::int64_t>(value)) return std::string(choice.name);
  return "";
}

}  // namespace

std::string name_of(Compare compare) { return word(comparisons(), compare); }
std::string name_of(Role role) { return word(roles(), role); }
std::string name_of(Basis basis) { return word(bases(), basis); }

std::string words_of(Basis basis) {
  std::string out = name_of(basis);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string role_of(const Figure& figure) {
  const std::string basis = words_of(figure.basis);
  return name_of(figure.role) + (basis.empty() ? "" : ": " + basis);
}

void describe(FigureRun& c, config::Describer& d) {
  d.field("name", c.name, "what the expression calls this run: a letter, then letters, digits, _", config::required);
  d.field("file", c.file, "the run file, relative to this one", config::required);
  d.field("set", c.set, "overrides as of `tsunagi run --set`: \"POINTER=VALUE\"");
  d.field("where", c.where, "keep only the rows whose text column has this text: \"column=text\"");
}

void describe(FigurePoint& c, config::Describer& d) {
  d.field("x", c.x, "column of the runs' rows that is the x axis, for example size", config::required);
  d.field("at", c.at, "its place there, as the column prints it: \"8 KiB\"", config::required);
  d.field("y", c.y, "column that the figure is a value of, for example latency", config::required);
}

void describe(Figure& c, config::Describer& d) {
  using namespace config;
  d.field("id", c.id, "unique name of the figure", required);
  d.field("measure", c.measure, "what was measured", required);
  d.choice("compare", c.compare, comparisons(), "how a simulated value is held against it", required);
  d.field("value", c.value, "the published value, in `unit`", required);
  d.field("upper", c.upper, "upper end of `between`, in `unit`");
  d.field("tolerance", c.tolerance, "of `near`: fraction of the value that it may be away; 0: exactly the value",
          within(0.0, 1.0));
  d.field("unit", c.unit, "unit of value, upper and the expression", required);
  d.field("section", c.section, "where the paper says it");
  d.field("note", c.note, "what a reader should know");
  d.choice("role", c.role, roles(), "what it proves when it comes out");
  d.choice("basis", c.basis, bases(), "of a prediction with runs: how good it is");
  d.field("first_run", c.first_run, "day of the first run that was committed, as in 2026-11-20");
  d.field("reason", c.reason, "why it has its role: the identity, the mechanism, ...");
  d.field(
      "moves_with", c.moves_with,
      "figure of this file whose sensitivity stands for its own; none: it is simulated with each parameter changed");
  d.field("takes", c.takes,
          "how long its runs take, where that is minutes: `check --quick` and `check --sensitivity` leave it out");
  d.list("runs", c.runs, "the runs that reproduce it; none: not simulated yet");
  d.field("expression", c.expression, "the value, in `unit`, from the rows of the runs");
  d.object("point", c.point, "where plots of its runs show it; none: they do not");
  d.require(c.compare == Compare::near || c.tolerance == 0, "\"tolerance\" belongs to \"near\"");
  d.require(c.compare != Compare::between || c.upper >= c.value,
            "\"between\" needs an \"upper\" that is not below \"value\"");
  d.require(c.compare == Compare::between || c.upper == 0, "\"upper\" belongs to \"between\"");
  d.require(c.runs.empty() == c.expression.empty(), "\"runs\" and \"expression\" need each other");
  d.require(c.first_run.empty() || !c.runs.empty(), "\"first_run\" belongs to a figure with \"runs\"");
  d.require(c.basis == Basis::none || (c.role == Role::predicted && !c.runs.empty()),
            "\"basis\" belongs to a \"predicted\" figure with \"runs\"");
  d.require((c.role != Role::derived && c.basis != Basis::mechanism_added_after) || !c.reason.empty(),
            "\"derived\" and \"mechanism_added_after\" need a \"reason\"");
  d.require(c.moves_with.empty() || !c.runs.empty(), "\"moves_with\" belongs to a figure with \"runs\"");
  d.require(c.takes.empty() || !c.runs.empty(), "\"takes\" belongs to a figure with \"runs\"");
  d.require(c.point.x.empty() || !c.runs.empty(), "\"point\" belongs to a figure with \"runs\"");
}

void describe(FigureFile& c, config::Describer& d) {
  d.field("system", c.system, "short name of the system the figures are of", config::required);
  d.field("paper", c.paper, "the paper that published them");
  d.list("figures", c.figures, "the published figures", config::required);
}

void describe(KnownMiss& c, config::Describer& d) {
  d.field("id", c.id, "the figure", config::required);
  d.field("simulated", c.simulated, "what comes out instead, in the figure's unit", config::required);
  d.field("missing_mechanism", c.missing_mechanism, "what the model lacks, as far as known", config::required);
  d.field("tried", c.tried, "what was tried", config::required);
}

void describe(MissedFile& c, config::Describer& d) {
  d.list("missed", c.missed, "figures that are known not to come out", config::required);
}

bool agrees(const Figure& figure, double simulated) {
  switch (figure.compare) {
    case Compare::near:
      return std::abs(simulated - figure.value) <= figure.tolerance * std::abs(figure.value);
    case Compare::at_least:
      return simulated >= figure.value;
    case Compare::at_most:
      return simulated <= figure.value;
    case Compare::between:
      return simulated >= figure.value && simulated <= figure.upper;
  }
  return false;
}

std::optional<double> deviation(const Figure& figure, double simulated) {
  const bool upper_is_nearer =
      figure.compare == Compare::between && std::abs(simulated - figure.upper) < std::abs(simulated - figure.value);
  const double published = upper_is_nearer ? figure.upper : figure.value;
  if (published == 0) return std::nullopt;
  return (simulated - published) / std::abs(published);
}

std::string deviation_text(const Figure& figure, double simulated) {
  const std::optional<double> fraction = deviation(figure, simulated);
  if (!fraction) return "-";
  if (figure.compare == Compare::near) return fmt::format("{:+.2f} %", *fraction * 100);
  return fmt::format("{:.2f} % {}", std::abs(*fraction) * 100, agrees(figure, simulated) ? "inside" : "outside");
}

std::string published(const Figure& figure) {
  switch (figure.compare) {
    case Compare::near:
      if (figure.tolerance == 0) return fmt::format("{:g}", figure.value);
      return fmt::format("{:g} +-{:g}%", figure.value, figure.tolerance * 100);
    case Compare::at_least:
      return fmt::format(">= {:g}", figure.value);
    case Compare::at_most:
      return fmt::format("<= {:g}", figure.value);
    case Compare::between:
      return fmt::format("{:g} .. {:g}", figure.value, figure.upper);
  }
  return "";
}

std::string rounded(double simulated) {
  return std::abs(simulated) < 9999.5 ? fmt::format("{:.4g}", simulated) : fmt::format("{:.0f}", simulated);
}

bool has_moved(const KnownMiss& listed, double simulated) {
  return std::abs(simulated - listed.simulated) > 0.01 * std::abs(listed.simulated);
}

}  // namespace tsunagi::figures
