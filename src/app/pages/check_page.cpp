// SPDX-License-Identifier: Apache-2.0
#include "app/pages/check_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/pages/report_data.hpp"
#include "app/shell/command_line.hpp"
#include "config/text/file_text.hpp"
#include "page/page.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

/// Adds what a page of sensitivity says; nothing, if it cannot be read.
void add_intervals(const std::filesystem::path& page, std::map<std::string, std::pair<double, double>>& out) {
  std::string why;
  const auto text = config::detail::read_text(page, why);
  std::istringstream lines(text.value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("  range ");  // "ID  paper  now  unit  role  range  lowest  highest  …"
    const std::size_t end = line.find(' ');
    if (at == std::string::npos || end == 0 || end >= at) continue;
    std::istringstream ends(line.substr(at + 8));
    double low = 0;
    double high = 0;
    if (ends >> low >> high) out.emplace(line.substr(0, end), std::pair(low, high));
  }
}

}  // namespace

std::string check_command_line(const boost::program_options::variables_map& values) {
  std::string out = "tsunagi check";
  if (values.count("system") != 0) out += " --system " + shell_word(values["system"].as<std::string>());
  if (values.count("id") != 0)
    for (const std::string& id : values["id"].as<std::vector<std::string>>()) out += " --id " + shell_word(id);
  if (values.count("quick") != 0) out += " --quick";
  return out + " --html " + shell_word(values["html"].as<std::string>());
}

std::map<std::string, std::pair<double, double>> intervals_beside(const std::filesystem::path& configs) {
  std::map<std::string, std::pair<double, double>> out;
  std::error_code error;  // without the folder there are no intervals
  for (const auto& page : std::filesystem::directory_iterator(configs / ".." / "docs" / "sensitivity", error))
    add_intervals(page.path(), out);
  return out;
}

std::string check_page(const figures::CheckReport& report, const std::vector<figures::KnownMiss>& missed,
                       const Beside& beside, const std::string& command) {
  Json data{{"page", "check"}, {"title", "Published figures beside simulated ones"}, {"command", command}};
  data["version"] = report.version;
  if (report.incomplete) data["incomplete"] = true;
  data["papers"] = Json::object();
  data["figures"] = Json::parse(figures::json(report)).at("figures");
  for (std::size_t i = 0; i < report.verdicts.size(); ++i) {
    const figures::FigureEntry& entry = report.verdicts[i].entry;
    Json& figure = data["figures"][i];
    data["papers"][entry.system] = entry.paper;
    figure["section"] = entry.figure.section;
    figure["note"] = entry.figure.note;
    if (const auto interval = beside.intervals.find(entry.figure.id); interval != beside.intervals.end())
      figure["interval"] = {interval->second.first, interval->second.second};
    const auto known = std::find_if(missed.begin(), missed.end(),
                                    [&](const figures::KnownMiss& m) { return m.id == entry.figure.id; });
    if (known != missed.end())
      figure["missed"] = {{"missing_mechanism", known->missing_mechanism}, {"tried", known->tried}};
  }
  data["not_modelled"] = Json::array();
  for (const page::Unmodelled& u : beside.unmodelled)
    data["not_modelled"].push_back({{"page", u.page}, {"section", u.section}, {"texts", u.texts}});
  page::Page page;
  page.title = data["title"].get<std::string>();
  page.data = std::move(data);
  return page::html(page, *page::bundle());
}

}  // namespace tsunagi::app
