// SPDX-License-Identifier: Apache-2.0
#include "app/new/commented.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::app {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t comment_width = 110;

bool says_nothing(const ordered_json& value) {
  return value == "" || value == ordered_json::array() || value == false || value == ordered_json::object();
}

/// [1, 2, 3], {"a": 1}: as people write short values.
std::string on_a_line(const ordered_json& value) {
  if (!value.is_structured() || value.empty()) return value.dump();
  std::string out;
  for (const auto& [key, item] : value.items())
    out += (out.empty() ? "" : ", ") + (value.is_object() ? ordered_json(key).dump() + ": " : "") + on_a_line(item);
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

/// `text` in comment lines, cut at blanks.
std::string comment(const std::string& text, const std::string& blanks) {
  std::string out;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out += blanks + "//" + line + "\n";
    line.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (blanks.size() + line.size() + word.size() > comment_width) end_line();
    line += " " + word;
    if (end < text.size() && text[end] == '\n') end_line();
    begin = end + 1;
  }
  end_line();
  return out;
}

}  // namespace

std::string commented_scenario(const config::AnyConfig& scenario, int indent) {
  RunConfig run;
  run.scenario = scenario;
  const ordered_json values = config::resolved(run)["scenario"];
  const config::Kind& kind = *all_kinds().find("scenario")->find(scenario.kind());
  const ordered_json schema = config::part_schema(kind, all_kinds());
  const std::string end(static_cast<std::size_t>(indent), ' ');
  const std::string blanks = end + "  ";
  std::string unsaid;
  std::vector<std::string> said{blanks + "\"kind\": " + ordered_json(scenario.kind()).dump()};
  for (const auto& [key, value] : values.items()) {
    if (key == "kind") continue;
    const std::string doc = comment(schema["properties"][key].value("description", ""), blanks);
    const std::string line = ordered_json(key).dump() + ": " + on_a_line(value);
    if (says_nothing(value))
      unsaid += doc + blanks + "// " + line + ",\n";
    else
      said.push_back(doc + blanks + line);
  }
  // What is left as a comment stands between: whoever takes the slashes away need not look for commas.
  std::string out = "{\n";
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (i == 0 && said.size() == 1) out += unsaid;
    out += said[i] + (i + 1 < said.size() ? ",\n" : "\n");
    if (i == 0 && said.size() > 1) out += unsaid;
  }
  return out + end + "}";
}

}  // namespace tsunagi::app
