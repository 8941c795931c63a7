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

/// "0.95 us, the paper has 0.9 +-5% us (+5.56 %)".
std::string beside_paper(const Verdict& v) {
  const Figure& f = v.entry.figure;
  return fmt::format("{} {}, the paper has {} {} ({})", *v.simulated, f.unit, published(f), f.unit,
                     deviation_text(f, *v.simulated));
}

std::string joined(const std::string& a, const std::string& b) { return a + (a.empty() || b.empty() ? "" : "; ") + b; }

Outcome outcome_of(const Verdict& v, const Moves::Move* move, const std::vector<KnownMiss>& missed, bool require_all,
                   bool interrupted) {
  const bool is_run = v.status != FigureStatus::no_run;
  if (!is_run && interrupted && has_run(v.entry.figure))
    return {"error", "interrupted", "interrupted before it was judged"};
  if (is_run && !v.simulated) return {"error", "no value", v.why};
  std::string why = v.status == FigureStatus::miss ? joined(beside_paper(v), v.why) : "";
  if (move != nullptr && move->kind == Moves::Kind::moved) why = joined(why, "moved: " + move->what);
  if (!why.empty()) return {"failure", v.status == FigureStatus::miss ? "miss" : "moved", why};
  if (!is_run) return {require_all ? "failure" : "skipped", "no run", "it has no run yet"};
  if (v.status != FigureStatus::known_miss) return {};
  const auto listed =
      std::find_if(missed.begin(), missed.end(), [&](const KnownMiss& m) { return m.id == v.entry.figure.id; });
  return {"skipped", "known miss",
          joined(beside_paper(v), listed == missed.end() ? "" : "known: " + listed->missing_mechanism)};
}

/// The numbers behind the verdict.
std::string properties(const Verdict& v) {
  const Figure& f = v.entry.figure;
  std::string out = "      <properties>\n";
  const auto add = [&out](const char* name, const std::string& value) {
    out += "        <property" + config::xml_attribute("name", name) + config::xml_attribute("value", value) + "/>\n";
  };
  add("simulated", fmt::format("{}", *v.simulated));
  add("compare", name_of(f.compare));
  add("value", fmt::format("{}", f.value));
  if (f.compare == Compare::between) add("upper", fmt::format("{}", f.upper));
  if (f.compare == Compare::near) add("tolerance", fmt::format("{}", f.tolerance));
  add("unit", f.unit);
  if (const auto away = deviation(f, *v.simulated)) add("deviation", fmt::format("{}", *away));
  return out + "      </properties>\n";
}

std::string element(const Outcome& outcome, const std::string& text) {
  if (outcome.element.empty()) return "";
  // Only "message" is allowed in <skipped>.
  const std::string type = outcome.element == "skipped" ? "" : config::xml_attribute("type", outcome.type);
  return fmt::format("      <{}{}{}>{}</{}>\n", outcome.element, config::xml_attribute("message", outcome.message),
                     type, config::xml_text(text), outcome.element);
}

/// `attributes` beside the names; `content`: lines of elements.
void add(Suite& suite, const std::string& name, const std::string& attributes, const Outcome& outcome,
         const std::string& content) {
  ++suite.tests;
  suite.failures += outcome.element == "failure" ? 1 : 0;
  suite.errors += outcome.element == "error" ? 1 : 0;
  suite.skipped += outcome.element == "skipped" ? 1 : 0;
  suite.cases += "    <testcase" + config::xml_attribute("classname", suite.name) +
                 config::xml_attribute("name", name) + attributes +
                 (content.empty() ? "/>\n" : ">\n" + content + "    </testcase>\n");
}

void add(Suite& suite, const Verdict& v, const Outcome& outcome) {
  const std::string numbers = v.simulated ? properties(v) : "";
  const std::string time =
      has_run(v.entry.figure) ? config::xml_attribute("time", fmt::format("{:.3f}", v.wall_s)) : "";
  add(suite, v.entry.figure.id, time, outcome, numbers + element(outcome, v.entry.figure.measure));
}

void add_gone(Suite& suite, const Pinned& p) {
  const Outcome gone{"failure", "gone", "gone: the baseline has it, no file of figures has it any more"};
  add(suite, p.id, "", gone, element(gone, ""));
}

std::string counts(const Suite& s) {
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", s.tests, s.failures, s.errors,
                     s.skipped);
}

std::string document(const std::vector<Suite>& suites, const std::string& version) {
  Suite all;
  std::string out;
  for (const Suite& s : suites) {
    out += "  <testsuite" + config::xml_attribute("name", s.name) + counts(s) + ">\n" + s.cases + "  </testsuite>\n";
    all.tests += s.tests;
    all.failures += s.failures;
    all.errors += s.errors;
    all.skipped += s.skipped;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
         config::xml_attribute("name", "tsunagi " + version) + counts(all) + ">\n" + out + "</testsuites>\n";
}

}  // namespace

std::string junit(const CheckReport& report, const std::vector<KnownMiss>& missed, bool require_all) {
  std::vector<Suite> suites;
  const auto suite = [&suites](const std::string& name) -> Suite& {
    auto its = std::find_if(suites.begin(), suites.end(), [&](const Suite& s) { return s.name == name; });
    if (its == suites.end()) its = suites.insert(its, Suite{name, "", 0, 0, 0, 0});
    return *its;
  };
  for (std::size_t i = 0; i < report.verdicts.size(); ++i) {
    const Verdict& v = report.verdicts[i];
    add(suite(v.entry.system), v,
        outcome_of(v, report.moves ? &report.moves->figures[i] : nullptr, missed, require_all, report.incomplete));
  }
  if (report.moves)
    for (const Pinned& p : report.moves->gone) add_gone(suite(p.system.empty() ? "baseline" : p.system), p);
  return document(suites, report.version);
}

std::string junit_of_refusal(const std::string& why, const std::string& version) {
  Suite check{"check", "", 0, 0, 0, 0};
  const Outcome refused{"error", "refused", why};
  add(check, "check", "", refused, element(refused, ""));
  return document({check}, version);
}

}  // namespace tsunagi::figures
