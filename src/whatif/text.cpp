// SPDX-License-Identifier: Apache-2.0
#include "whatif/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/formats/column_text.hpp"
#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::whatif {
namespace {

using nlohmann::ordered_json;

constexpr double least_gain = 1.001;       // of a limit that is listed
constexpr double least_bottleneck = 1.05;  // of one that is called the bottleneck

/// "901.2 ns", in the unit that suits `like`, so that values beside each other share it.
std::string human_time(double fs, double like) {
  if (like < 1e10) return fmt::format("{:.1f} ns", fs / 1e6);
  if (like < 1e13) return fmt::format("{:.2f} us", fs / 1e9);
  if (like < 1e16) return fmt::format("{:.2f} ms", fs / 1e12);
  return fmt::format("{:.2f} s", fs / 1e15);
}

std::string human(double value, const Comparison& c) {
  return c.metric.is_rate ? report::human_rate(value) : human_time(value, c.now);
}

std::string percent(double gain) { return fmt::format("{:.1f} %", (gain - 1) * 100); }

/// What tells the row from others, "size 4 KiB, iterations 5": its cells up to the first time.
std::string label(const report::Row& row) {
  std::vector<std::string> parts;
  for (const auto& [name, cell] : row.cells()) {
    if (std::holds_alternative<Time>(cell) || std::holds_alternative<report::NoTime>(cell)) break;
    if (const auto* text = std::get_if<std::string>(&cell)) parts.push_back(*text);
    if (const auto* bytes = std::get_if<Bytes>(&cell)) parts.push_back(name + " " + report::human_bytes(*bytes));
    if (const auto* count = std::get_if<std::int64_t>(&cell)) parts.push_back(fmt::format("{} {}", name, *count));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The limit in a sentence: what it is called, its value, and in quotes what it is.
std::string described(const Limit& limit) {
  const std::string quoted = limit.doc.empty() ? "" : fmt::format(", \"{}\"", limit.doc);
  return fmt::format("{}, now {}{}", limit.name, limit.now, quoted);
}

/// The limits that have a result; they come first.
std::vector<Gain> ranked(const Comparison& c) {
  const auto end = std::find_if(c.gains.begin(), c.gains.end(), [](const Gain& gain) { return !gain.problem.empty(); });
  return {c.gains.begin(), end};
}

std::string table(const std::vector<Gain>& gains, std::size_t rows, const Comparison& c) {
  using report::Align;
  report::TextTable out;
  out.column("limit", Align::left);
  out.column("now", Align::right);
  out.column("ideal", Align::right);
  out.column(c.metric.column, Align::right);
  out.column("gain", Align::right);
  std::vector<double> rates;
  for (std::size_t i = 0; i < rows && c.metric.is_rate; ++i) rates.push_back(gains[i].result);
  const std::vector<std::string> texts = report::rates_in_one_unit(rates);
  for (std::size_t i = 0; i < rows; ++i) {
    const Gain& g = gains[i];
    const std::string result = c.metric.is_rate ? texts[i] : human_time(g.result, c.now);
    out.row({g.limit.name, g.limit.now, g.limit.ideal, result, percent(g.gain)});
  }
  return out.text();
}

/// The limits below the table: without a gain, worse, without a result.
std::string others(const std::vector<Gain>& gains, std::size_t listed, const Comparison& c) {
  std::string out;
  const std::size_t rest = gains.size() - listed;
  if (rest != 0) out += fmt::format("{}{} limit{}: no gain\n", rest, listed == 0 ? "" : " other", rest == 1 ? "" : "s");
  for (const Gain& g : gains)
    if (g.gain < 1 / least_gain)
      out +=
          fmt::format("worse: {} at {}: {} ({})\n", g.limit.name, g.limit.ideal, human(g.result, c), percent(g.gain));
  for (const Gain& g : c.gains)
    if (!g.problem.empty()) out += fmt::format("no result: {} at {}: {}\n", g.limit.name, g.limit.ideal, g.problem);
  return out;
}

/// What is made so and not set: latencies, cycles, clocks.
bool is_of_silicon(const Limit& limit) {
  const auto ends = [&](const char* unit) {
    const std::string end = std::string(" ") + unit;
    return limit.ideal.size() > end.size() &&
           limit.ideal.compare(limit.ideal.size() - end.size(), end.size(), end) == 0;
  };
  return limit.ideal == "0" || ends("ns") || ends("ps") || ends("fs") || ends("Hz") || ends("MHz") || ends("GHz");
}

/// How many, or how much, of something there may be.
bool is_amount(const Limit& limit) {
  const auto amount = [](const std::string& text) -> std::int64_t {
    try {
      return parse_bytes(text.find(' ') == std::string::npos ? text + " B" : text).count();
    } catch (const std::invalid_argument&) {
      return -1;
    }
  };
  const std::int64_t now = amount(limit.now.substr(0, limit.now.find(',')));
  return now >= 0 && amount(limit.ideal) > now;
}

/// Of a rate: each limit that raises it alone is part of what limits it now, a loop of so many under way in so long a
/// time. Of one that begins with what is made so, the amount that somebody can set; null: it has none.
const Gain* settable(const std::vector<Gain>& gains, const Comparison& c) {
  if (!c.metric.is_rate || !is_of_silicon(gains.front().limit)) return nullptr;
  for (const Gain& g : gains)
    if (g.gain >= least_bottleneck && is_amount(g.limit)) return &g;
  return nullptr;
}

}  // namespace

std::string sentence(const Comparison& c) {
  const std::vector<Gain> gains = ranked(c);
  if (gains.empty())
    return c.gains.empty() ? "Nothing in this run names an ideal value that it does not have already."
                           : "The bottleneck is unknown: no limit could be taken away.";
  const Gain& best = gains.front();
  if (best.gain < least_gain) return "No single limit is the bottleneck: none gains anything.";
  if (best.gain < least_bottleneck)
    return fmt::format("No single limit is the bottleneck: the largest gain is {}, without {}.", percent(best.gain),
                       described(best.limit));
  const std::string what = c.metric.column == "latency" ? "the message would take"
                           : c.metric.column == "mean"  ? "the mean latency would be"
                                                        : fmt::format("{} would be", c.metric.column);
  if (const Gain* set = settable(gains, c))
    return fmt::format(
        "The bottleneck is a loop that {} is part of; what can be set of it is {}: without it {} {} "
        "instead of {}.",
        best.limit.name, described(set->limit), what, human(set->result, c), human(c.now, c));
  return fmt::format("The bottleneck is {}: without it {} {} instead of {}.", described(best.limit), what,
                     human(best.result, c), human(c.now, c));
}

std::string text(const Comparison& c) {
  const std::vector<Gain> gains = ranked(c);
  const auto listed = static_cast<std::size_t>(
      std::count_if(gains.begin(), gains.end(), [](const Gain& gain) { return gain.gain >= least_gain; }));
  const std::string row = label(c.base.rows.rows.at(c.metric.row));
  std::string out = fmt::format("{} is {}{}{}", c.metric.column, human(c.now, c), row.empty() ? "" : " at ", row);
  if (!c.metric.why.empty()) out += fmt::format(" ({})", c.metric.why);
  out += "; with one limit at a time at its ideal value:\n\n";
  if (listed != 0) out += table(gains, listed, c) + "\n";
  if (const std::string more = others(gains, listed, c); !more.empty()) out += more + "\n";
  return out + sentence(c) + "\n";
}

ordered_json to_json(const Comparison& c) {
  const auto value = [&c](double v) {
    return c.metric.is_rate ? ordered_json(v) : ordered_json(static_cast<std::int64_t>(v));
  };
  ordered_json out{{"column", c.metric.column}, {"why", c.metric.why},
                   {"row", c.metric.row},       {"unit", c.metric.is_rate ? "B/s" : "fs"},
                   {"now", value(c.now)},       {"limits", ordered_json::array()}};
  for (const Gain& g : c.gains) {
    ordered_json limit{{"limit", g.limit.name}, {"doc", g.limit.doc}, {"now", g.limit.now}, {"ideal", g.limit.ideal}};
    for (const config::Override& o : g.limit.overrides) limit["pointers"].push_back(o.pointer);
    if (g.problem.empty()) {
      limit["result"] = value(g.result);
      limit["gain"] = g.gain;
    } else {
      limit["problem"] = g.problem;
    }
    out["limits"].push_back(std::move(limit));
  }
  out["sentence"] = sentence(c);
  return out;
}

}  // namespace tsunagi::whatif
