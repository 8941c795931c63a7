// SPDX-License-Identifier: Apache-2.0
#include "figures/check_text.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report/formats/csv.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::figures {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// With what a baseline says of it, if there is one.
Json to_json(const Verdict& verdict, const Moves::Move* move) {
  const Figure& f = verdict.entry.figure;
  Json out;
  out["id"] = f.id;
  out["system"] = verdict.entry.system;
  out["measure"] = f.measure;
  out["compare"] = name_of(f.compare);
  out["value"] = f.value;
  out["upper"] = f.compare == Compare::between ? Json(f.upper) : Json();
  out["tolerance"] = f.compare == Compare::near ? Json(f.tolerance) : Json();
  out["unit"] = f.unit;
  out["simulated"] = verdict.simulated ? Json(*verdict.simulated) : Json();
  out["role"] = name_of(f.role);
  out["basis"] = or_null(name_of(f.basis));
  out["first_run"] = or_null(f.first_run);
  out["reason"] = or_null(f.reason);
  out["fitted"] = verdict.fitted;
  out["status"] = name_of(verdict.status);
  out["pass"] = verdict.status == FigureStatus::no_run ? Json() : Json(verdict.status == FigureStatus::pass);
  const std::optional<double> away = verdict.simulated ? deviation(f, *verdict.simulated) : std::nullopt;
  out["deviation"] = away ? Json(*away) : Json();
  out["digests"] = Json::object();
  for (const auto& [run, digest] : verdict.digests) out["digests"][run] = digest;
  if (move != nullptr) {
    out["baseline"] = move->before ? Json(*move->before) : Json();
    out["moved"] = move->kind == Moves::Kind::added ? Json() : Json(move->kind == Moves::Kind::moved);
  }
  return out;
}

std::string colored_status(FigureStatus status, bool colored) {
  const std::string word = status == FigureStatus::no_run ? "no run" : name_of(status);
  if (!colored || status == FigureStatus::no_run) return word;
  const auto color = status == FigureStatus::pass   ? fmt::terminal_color::green
                     : status == FigureStatus::miss ? fmt::terminal_color::red
                                                    : fmt::terminal_color::yellow;
  return fmt::format(fmt::fg(color), "{}", word);
}

/// "9 fitted, 7 derived, 9 predicted (3 unseen, ...)", of the figures with a run.
std::string what_they_prove(const std::vector<Verdict>& verdicts) {
  std::map<Role, int> roles;
  std::map<Basis, int> bases;
  for (const Verdict& v : verdicts) {
    if (!has_run(v.entry.figure)) continue;
    ++roles[v.entry.figure.role];
    ++bases[v.entry.figure.basis];
  }
  std::vector<std::string> how;
  for (const Basis basis : {Basis::unseen, Basis::mechanism_added_after, Basis::loose_bound})
    if (bases[basis] > 0) how.push_back(fmt::format("{} {}", bases[basis], words_of(basis)));
  return fmt::format("{} fitted, {} derived, {} predicted{}", roles[Role::fitted], roles[Role::derived],
                     roles[Role::predicted], how.empty() ? "" : fmt::format(" ({})", fmt::join(how, ", ")));
}

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return report::csv_field(value.get<std::string>());
  if (value.is_structured()) {
    std::vector<std::string> parts;
    for (const auto& [key, part] : value.items())
      parts.push_back((value.is_object() ? key + "=" : "") + part.get<std::string>());
    return report::csv_field(fmt::format("{}", fmt::join(parts, "; ")));
  }
  return value.dump();
}

/// Each figure as `json` has it.
std::vector<Json> figures_of(const CheckReport& report) {
  std::vector<Json> out;
  for (std::size_t i = 0; i < report.verdicts.size(); ++i)
    out.push_back(to_json(report.verdicts[i], report.moves ? &report.moves->figures[i] : nullptr));
  return out;
}

}  // namespace

std::string text(const CheckReport& report, bool colored) {
  const std::vector<Verdict>& verdicts = report.verdicts;
  using report::Align;
  report::TextTable table;
  table.column("figure", Align::left);
  table.column("paper", Align::right);
  table.column("simulated", Align::right);
  table.column("deviation", Align::right);
  table.column("unit", Align::left);
  table.column("role", Align::left);
  table.column("first run", Align::left);
  table.column("status", Align::left);
  std::map<FigureStatus, int> count;
  for (const Verdict& v : verdicts) {
    const Figure& f = v.entry.figure;
    ++count[v.status];
    table.row({f.id, published(f), v.simulated ? rounded(*v.simulated) : "-",
               v.simulated ? deviation_text(f, *v.simulated) : "-", f.unit, has_run(f) ? role_of(f) : "-",
               f.first_run.empty() ? "-" : f.first_run, colored_status(v.status, colored)});
  }
  return fmt::format("{}\n{} figure{}: {} pass, {} miss, {} known to miss, {} without a run\nwith a run: {}\n",
                     table.text(), verdicts.size(), verdicts.size() == 1 ? "" : "s", count[FigureStatus::pass],
                     count[FigureStatus::miss], count[FigureStatus::known_miss], count[FigureStatus::no_run],
                     what_they_prove(verdicts));
}

std::string json(const CheckReport& report) {
  Json out{{"tsunagi", report.version}};
  if (report.incomplete) out["incomplete"] = true;
  out["figures"] = figures_of(report);
  if (report.moves) {
    out["gone"] = Json::array();
    for (const Pinned& p : report.moves->gone) out["gone"].push_back(p.id);
  }
  return out.dump(2) + "\n";
}

std::string csv(const CheckReport& report) {
  const Moves::Move none;
  const Json keys = to_json(Verdict(), report.moves ? &none : nullptr);
  std::vector<std::string> header;
  for (const auto& [key, value] : keys.items()) header.push_back(key);
  std::string out = fmt::format("{}\n", fmt::join(header, ","));
  for (const Json& values : figures_of(report)) {
    std::vector<std::string> line;
    for (const auto& [key, value] : values.items()) line.push_back(plain(value));
    out += fmt::format("{}\n", fmt::join(line, ","));
  }
  return out;
}

}  // namespace tsunagi::figures
