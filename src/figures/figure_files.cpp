// SPDX-License-Identifier: Apache-2.0
#include "figures/figure_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "config/name.hpp"
#include "config/suggest.hpp"
#include "figures/expression.hpp"

namespace tsunagi::figures {
namespace {

namespace fs = std::filesystem;
constexpr const char* missed_name = "missed.json";

/// A message at /LIST/INDEX/FIELD of the document ("" as field: at the element).
config::Message message_at(const config::Document& document, const char* list, std::size_t index, const char* field,
                           const std::string& text) {
  config::Message message{document.root.place, fmt::format("/{}/{}", list, index), text};
  const config::Value* items = document.root.find(list);
  if (items == nullptr || index >= items->items.size()) return message;
  message.place = items->items[index].place;
  const config::Value* value = items->items[index].find(field);
  if (value == nullptr) return message;
  message.place = value->place;
  message.pointer += fmt::format("/{}", field);
  return message;
}

/// "2026-11-20".
bool is_date(const std::string& text) {
  int year = 0, month = 0, day = 0, end = 0;
  const int read = std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &end);
  return read == 3 && end == 10 && text.size() == 10 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/// What is wrong with the figure's date, runs and expression, or "".
std::pair<const char*, std::string> fault(const Figure& figure) {
  if (!figure.first_run.empty() && !is_date(figure.first_run))
    return {"first_run", fmt::format("\"{}\" is no date; write it as in 2026-11-20", figure.first_run)};
  std::vector<std::string> names;
  for (const FigureRun& run : figure.runs) {
    if (!config::is_name(run.name)) return {"runs", fmt::format("\"{}\" is no name of a run", run.name)};
    if (std::find(names.begin(), names.end(), run.name) != names.end())
      return {"runs", fmt::format("two runs are called \"{}\"", run.name)};
    for (const std::string& filter : run.where)
      if (filter.find('=') == std::string::npos) return {"runs", fmt::format("\"{}\" is not \"column=text\"", filter)};
    names.push_back(run.name);
  }
  if (!has_run(figure)) return {"", ""};
  try {
    check_expression(figure.expression, names);
  } catch (const ExpressionError& e) {
    return {"expression", fmt::format("figure {}: {}", figure.id, e.what())};
  }
  return {"", ""};
}

/// What is wrong with `moves_with` of figures.
std::vector<config::Message> wrong_stand_ins(const config::Document& document, const std::vector<Figure>& figures) {
  std::vector<config::Message> out;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string& id = figures[i].moves_with;
    if (id.empty()) continue;
    const auto other = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.id == id; });
    if (other == figures.end())
      out.push_back(message_at(document, "figures", i, "moves_with", fmt::format("there is no figure \"{}\"", id)));
    else if (!has_run(*other) || !other->moves_with.empty())
      out.push_back(
          message_at(document, "figures", i, "moves_with", fmt::format("figure {} has no sensitivity of its own", id)));
  }
  return out;
}

}  // namespace

std::vector<FigureEntry> read_figures(const config::Document& document) {
  auto file = config::read<FigureFile>(document, config::Kinds{});
  std::vector<config::Message> messages = wrong_stand_ins(document, file.figures);
  std::set<std::string> ids;
  std::vector<FigureEntry> out;
  for (std::size_t i = 0; i < file.figures.size(); ++i) {
    Figure& figure = file.figures[i];
    if (!ids.insert(figure.id).second)
      messages.push_back(message_at(document, "figures", i, "id", fmt::format("figure {} is here twice", figure.id)));
    if (const auto [field, text] = fault(figure); !text.empty())
      messages.push_back(message_at(document, "figures", i, field, text));
    out.push_back({std::move(figure), file.system, file.paper, document.name});
  }
  config::throw_if_any(messages);
  return out;
}

std::vector<FigureEntry> load_figures(const std::vector<fs::path>& files) {
  std::vector<FigureEntry> all;
  std::map<std::string, std::string> home;
  for (const fs::path& file : files) {
    if (file.filename() == missed_name) continue;
    const config::Document document = config::load(file);
    std::vector<FigureEntry> figures = read_figures(document);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const auto [place, is_new] = home.emplace(figures[i].figure.id, file.string());
      if (!is_new)
        throw config::ConfigError(
            {message_at(document, "figures", i, "id",
                        fmt::format("figure {} is also in {}", figures[i].figure.id, place->second))});
      all.push_back(std::move(figures[i]));
    }
  }
  return all;
}

std::vector<KnownMiss> read_missed(const config::Document& document) {
  return config::read<MissedFile>(document, config::Kinds{}).missed;
}

std::vector<KnownMiss> load_missed(const std::vector<fs::path>& files, const std::vector<FigureEntry>& figures) {
  const auto file =
      std::find_if(files.begin(), files.end(), [](const fs::path& f) { return f.filename() == missed_name; });
  if (file == files.end()) return {};
  std::vector<std::string> ids;
  for (const FigureEntry& entry : figures) ids.push_back(entry.figure.id);
  const config::Document document = config::load(*file);
  std::vector<KnownMiss> missed = read_missed(document);
  std::vector<config::Message> messages;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < missed.size(); ++i) {
    if (std::find(ids.begin(), ids.end(), missed[i].id) == ids.end())
      messages.push_back(message_at(
          document, "missed", i, "id",
          fmt::format("unknown figure \"{}\"{}", missed[i].id, config::detail::did_you_mean(missed[i].id, ids))));
    else if (!seen.insert(missed[i].id).second)
      messages.push_back(message_at(document, "missed", i, "id", fmt::format("figure {} is here twice", missed[i].id)));
  }
  config::throw_if_any(messages);
  return missed;
}

}  // namespace tsunagi::figures
