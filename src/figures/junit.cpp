// SPDX-License-Identifier: Apache-2.0
#include "figures/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/text/printable.hpp"

namespace tsunagi::figures {
namespace {

/// Test cases of one system, and how many there are of each outcome.
struct Suite {
  std::string name;
  std::string cases;
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
};

/// What became of a test: the element that says so, "" if it passed, and why.
struct Outcome {
  std::string element;
  std::string type;
  std::string message;
};

std::string attribute(const char* name, const std::string& value) {
  return fmt::format(" {}=\"{}\"", name, config::xml_text(value));
}

/// "0.95 us, the paper has 0.9 +-5% us (+5.56 %)".
std::string beside_paper(const Verdict& v) {
  const Figure& f = v.entry.figure;
  return fmt::format("{} {}, the paper has {} {} ({})", *v.simulated, f.unit, published(f), f.unit,
                     deviation_text(f, *v.simulated));
}

Outcome outcome_of(const Verdict& v, const Moves::Move* move, const std::vector<KnownMiss>& missed, bool require_all,
                   bool interrupted) {
  const bool is_run = v.status != FigureStatus::no_run;
  if (!is_run && interrupted && has_run(v.entry.figure))
    return {"error", "interrupted", "interrupted before it was judged"};
  if (is_run && !v.simulated) return {"error", "no value", v.why};
  std::string why = v.status == FigureStatus::miss ? beside_paper(v) : "";
  const bool moved = move != nullptr && move->kind == Moves::Kind::moved;
  if (moved) why += (why.empty() ? "" : "; ") + ("moved: " + move->what);
  if (!why.empty()) return {"failure", v.status == FigureStatus::miss ? "miss" : "moved", why};
  if (!is_run) return {require_all ? "failure" : "skipped", "no run", "it has no run yet"};
  if (v.status != FigureStatus::known_miss) return {};
  const auto listed =
      std::find_if(missed.begin(), missed.end(), [&](const KnownMiss& m) { return m.id == v.entry.figure.id; });
  return {"skipped", "known miss",
          beside_paper(v) + (listed == missed.end() ? "" : "; known: " + listed->missing_mechanism)};
}

void add(Suite& suite, const Verdict& v, const Outcome& outcome) {
  ++suite.tests;
  suite.failures += outcome.element == "failure" ? 1 : 0;
  suite.errors += outcome.element == "error" ? 1 : 0;
  suite.skipped += outcome.element == "skipped" ? 1 : 0;
  suite.cases += "    <testcase" + attribute("classname", suite.name) + attribute("name", v.entry.figure.id);
  if (outcome.element.empty()) {
    suite.cases += "/>\n";
    return;
  }
  // Only "message" is allowed in <skipped>.
  const std::string type = outcome.element == "skipped" ? "" : attribute("type", outcome.type);
  suite.cases +=
      fmt::format(">\n      <{}{}{}>{}</{}>\n    </testcase>\n", outcome.element, attribute("message", outcome.message),
                  type, config::xml_text(v.entry.figure.measure), outcome.element);
}

std::string counts(const Suite& s) {
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", s.tests, s.failures, s.errors,
                     s.skipped);
}

}  // namespace

std::string junit(const CheckReport& report, const std::vector<KnownMiss>& missed, bool require_all) {
  std::vector<Suite> suites;
  Suite all;
  for (std::size_t i = 0; i < report.verdicts.size(); ++i) {
    const Verdict& v = report.verdicts[i];
    auto its = std::find_if(suites.begin(), suites.end(), [&](const Suite& s) { return s.name == v.entry.system; });
    if (its == suites.end()) its = suites.insert(its, Suite{v.entry.system, "", 0, 0, 0, 0});
    add(*its, v,
        outcome_of(v, report.moves ? &report.moves->figures[i] : nullptr, missed, require_all, report.incomplete));
  }
  std::string out;
  for (const Suite& s : suites) {
    out += "  <testsuite" + attribute("name", s.name) + counts(s) + ">\n" + s.cases + "  </testsuite>\n";
    all.tests += s.tests;
    all.failures += s.failures;
    all.errors += s.errors;
    all.skipped += s.skipped;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", "tsunagi " + report.version) +
         counts(all) + ">\n" + out + "</testsuites>\n";
}

}  // namespace tsunagi::figures
