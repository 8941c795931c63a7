// SPDX-License-Identifier: Apache-2.0
#include "figures/sensitivity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/formats/csv.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::figures {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;

constexpr Over both_ways[] = {Over::ends, Over::tenths};

const char* words_of(Over over) { return over == Over::ends ? "range" : "10 %"; }

/// "150 ns" of "\"150 ns\"".
std::string bare(const std::string& json) {
  const Json value = Json::parse(json);
  return value.is_string() ? value.get<std::string>() : json;
}

const Parameter& parameter_of(const Sensitivity& all, std::size_t change) {
  return all.parameters[all.changes[change].parameter];
}

/// "dma.step_cycles of peach2.json = 60".
std::string told(const Sensitivity& all, std::size_t change) {
  return fmt::format("{} = {}", parameter_of(all, change).name, bare(all.changes[change].value));
}

/// "1 run", "2 runs".
std::string counted(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

/// It has a value, outside of its tolerance.
bool misses(const FigureMoves& figure) { return figure.now && !agrees(figure.entry.figure, *figure.now); }

/// How many parameters these changes are of.
std::size_t parameters_in(const Sensitivity& all, const std::vector<std::size_t>& changes) {
  std::vector<std::size_t> known;
  for (const std::size_t change : changes) known.push_back(all.changes[change].parameter);
  known.erase(std::unique(known.begin(), known.end()), known.end());  // changes are sorted by parameter
  return known.size();
}

std::string intervals(const Sensitivity& all) {
  report::TextTable table;
  table.column("figure", Align::left);
  table.column("paper", Align::right);
  table.column("now", Align::right);
  table.column("unit", Align::left);
  table.column("role", Align::left);
  table.column("over", Align::left);
  table.column("lowest", Align::right);
  table.column("highest", Align::right);
  table.column("turned by", Align::right);
  table.column("moved most by", Align::left);
  for (const FigureMoves& figure : all.figures) {
    const Figure& f = figure.entry.figure;
    if (!figure.now) {
      table.row({f.id, published(f), "-", f.unit, name_of(f.role), "", "", "", "", first_line(figure.why)});
      continue;
    }
    for (const Over over : both_ways) {
      const bool first = over == Over::ends;
      const Spread spread = spread_of(all, figure, over);
      table.row({first ? f.id : "", first ? published(f) : "", first ? rounded(*figure.now) : "", first ? f.unit : "",
                 first ? name_of(f.role) : "", words_of(over), rounded(spread.low), rounded(spread.high),
                 spread.turn.empty() ? "-" : fmt::format("{}", parameters_in(all, spread.turn)),
                 spread.most ? told(all, *spread.most) : "nothing"});
    }
  }
  return table.text();
}

/// What takes figures out of their tolerance, or into it, and whether 10 % are enough.
std::string culprits(const Sensitivity& all) {
  report::TextTable table;
  table.column("figure", Align::left);
  table.column("paper", Align::right);
  table.column("becomes", Align::right);
  table.column("by", Align::left);
  table.column("over", Align::left);
  for (const FigureMoves& figure : all.figures)
    for (std::size_t change = 0; figure.now && change < all.changes.size(); ++change) {
      const auto& value = figure.simulated[change];
      if (!value || agrees(figure.entry.figure, *value) != misses(figure)) continue;
      const Change& c = all.changes[change];
      table.row({figure.entry.figure.id, published(figure.entry.figure), rounded(*value), told(all, change),
                 c.is_end && c.is_tenth ? "range, 10 %" : words_of(c.is_end ? Over::ends : Over::tenths)});
    }
  return table.text();
}

/// Figures that some change takes out of their tolerance, or into it.
std::size_t turned(const Sensitivity& all, bool into, Over over) {
  return static_cast<std::size_t>(std::count_if(all.figures.begin(), all.figures.end(), [&](const FigureMoves& f) {
    return f.now && misses(f) == into && !spread_of(all, f, over).turn.empty();
  }));
}

std::vector<std::string> names_of_unmoving(const Sensitivity& all) {
  std::vector<std::string> out;
  for (const std::size_t i : unmoving(all)) out.push_back(all.parameters[i].name);
  return out;
}

Json to_json(const Sensitivity& all, std::size_t change, double simulated) {
  return {{"parameter", parameter_of(all, change).name},
          {"value", Json::parse(all.changes[change].value)},
          {"simulated", simulated}};
}

Json to_json(const Sensitivity& all, const FigureMoves& figure, Over over) {
  const Spread spread = spread_of(all, figure, over);
  Json out{
      {"low", spread.low}, {"high", spread.high}, {"most", nullptr}, {"out", Json::array()}, {"in", Json::array()}};
  if (spread.most) out["most"] = to_json(all, *spread.most, *figure.simulated[*spread.most]);
  Json& turned = out[misses(figure) ? "in" : "out"];
  for (const std::size_t change : spread.turn) turned.push_back(to_json(all, change, *figure.simulated[change]));
  return out;
}

}  // namespace

std::string text(const Sensitivity& all) {
  std::string out = intervals(all);
  const std::size_t left = turned(all, false, Over::ends);
  const std::size_t left_by_tenths = turned(all, false, Over::tenths);
  out += fmt::format(
      "\n{}, {}, {}: {} at an end of a parameter's range, {} within 10 %\n", counted(all.figures.size(), "figure"),
      counted(all.parameters.size(), "parameter"), counted(all.runs, "run"),
      left == 1 ? "1 figure leaves its tolerance" : fmt::format("{} figures leave their tolerance", left),
      left_by_tenths);
  const auto missing = std::count_if(all.figures.begin(), all.figures.end(), misses);
  const std::size_t come = turned(all, true, Over::ends);
  const std::size_t come_by_tenths = turned(all, true, Over::tenths);
  if (missing > 0)
    out += fmt::format("of {} that miss now: {} in at an end, {} within 10 %\n", missing,
                       come == 1 ? "1 comes" : fmt::format("{} come", come), come_by_tenths);
  if (left + left_by_tenths + come + come_by_tenths > 0) out += "\n" + culprits(all);
  const std::vector<std::string> nothing = names_of_unmoving(all);
  out += fmt::format("\nmove nothing ({}):\n", nothing.size());
  for (const std::string& name : nothing) out += fmt::format("  {}\n", name);
  if (!all.stood_for.empty()) out += fmt::format("\nstood for ({}):\n", all.stood_for.size());
  for (const FigureEntry& entry : all.stood_for)
    out += fmt::format("  {} moves with {}\n", entry.figure.id, entry.figure.moves_with);
  if (!all.left_out.empty()) out += fmt::format("\nleft out, their runs take minutes ({}):\n", all.left_out.size());
  for (const FigureEntry& entry : all.left_out)
    out += fmt::format("  {} takes {}\n", entry.figure.id, entry.figure.takes);
  if (all.faults.empty()) return out;
  out += fmt::format("\nrefused ({}):\n", all.faults.size());
  for (const Fault& fault : all.faults) out += fmt::format("  {}: {}\n", told(all, fault.change), fault.why);
  return out;
}

std::string json(const Sensitivity& all) {
  Json figures = Json::array();
  for (const FigureMoves& figure : all.figures) {
    const Figure& f = figure.entry.figure;
    Json one{{"id", f.id}, {"system", figure.entry.system}, {"unit", f.unit}, {"simulated", nullptr}};
    for (const Over over : both_ways) one[over == Over::ends ? "range" : "ten_percent"] = nullptr;
    if (figure.now) {
      one["simulated"] = *figure.now;
      one["range"] = to_json(all, figure, Over::ends);
      one["ten_percent"] = to_json(all, figure, Over::tenths);
    }
    figures.push_back(std::move(one));
  }
  Json parameters = Json::array();
  for (const Parameter& p : all.parameters)
    parameters.push_back({{"name", p.name},
                          {"class", p.source_class},
                          {"value", Json::parse(p.value)},
                          {"range", {Json::parse(p.low), Json::parse(p.high)}}});
  Json refused = Json::array();
  for (const Fault& fault : all.faults)
    refused.push_back({{"parameter", parameter_of(all, fault.change).name},
                       {"value", Json::parse(all.changes[fault.change].value)},
                       {"why", fault.why}});
  Json stood_for = Json::array();
  for (const FigureEntry& entry : all.stood_for)
    stood_for.push_back({{"id", entry.figure.id}, {"moves_with", entry.figure.moves_with}});
  Json left_out = Json::array();
  for (const FigureEntry& entry : all.left_out)
    left_out.push_back({{"id", entry.figure.id}, {"takes", entry.figure.takes}});
  const Json out{{"figures", figures},     {"parameters", parameters}, {"unmoving", names_of_unmoving(all)},
                 {"stood_for", stood_for}, {"left_out", left_out},     {"refused", refused}};
  return out.dump(2) + "\n";
}

std::string csv(const Sensitivity& all) {
  std::string out = "figure,unit,parameter,class,value,range_end,ten_percent,simulated,now,pass\n";
  for (const FigureMoves& figure : all.figures)
    for (std::size_t i = 0; i < figure.simulated.size(); ++i) {
      if (!figure.now || !figure.simulated[i]) continue;
      const Change& change = all.changes[i];
      const Parameter& parameter = parameter_of(all, i);
      const Figure& f = figure.entry.figure;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", report::csv_field(f.id), report::csv_field(f.unit),
                         report::csv_field(parameter.name), parameter.source_class,
                         report::csv_field(bare(change.value)), change.is_end, change.is_tenth, *figure.simulated[i],
                         *figure.now, agrees(f, *figure.simulated[i]));
    }
  return out;
}

}  // namespace tsunagi::figures
