// SPDX-License-Identifier: Apache-2.0
#include "app/new/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "app/files/config_files.hpp"
#include "app/shell/errors.hpp"
#include "config/config.hpp"
#include "config/suggest.hpp"
#include "config/text/file_text.hpp"
#include "config/text/text_cursor.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& file) {
  std::string why;
  const std::optional<std::string> text = config::detail::read_text(file, why);
  if (!text) throw UsageError(fmt::format("{} cannot be read: {}", file.string(), why));
  return *text;
}

/// `text`, a file of the folder `from`, as one of `target`: what it uses is found from there.
std::string moved(const std::string& text, const fs::path& from, const Target& target) {
  static const std::regex used(R"rx(("\$(?:use|lines)"\s*:\s*")([^"@]+)("))rx");
  std::string out;
  auto at = text.cbegin();
  for (std::sregex_iterator it(text.begin(), text.end(), used), end; it != end; ++it) {
    out.append(at, (*it)[0].first);
    out += (*it)[1].str() + name_from(target, from / (*it)[2].str()) + (*it)[3].str();
    at = (*it)[0].second;
  }
  return out.append(at, text.cend());
}

/// The text with `token` in place of the one that stands at `place`.
void replace_at(std::string& text, const config::Place& place, const std::string& token) {
  config::detail::TextCursor cursor(text);
  auto old = cursor.next();
  while (!cursor.at_end() && (old.line != place.line || old.column != place.column)) old = cursor.next();
  text.replace(static_cast<std::size_t>(old.text.data() - text.data()), old.text.size(), token);
}

/// What says how many nodes there are, in a machine whose topology does; null: nothing.
const config::Value* number_of_nodes(const config::Value& root) {
  const config::Value* topology = root.find("topology");
  if (topology == nullptr) return nullptr;
  if (const config::Value* nodes = topology->find("nodes")) return nodes;
  const config::Value* kind = topology->find("kind");
  return kind != nullptr && kind->text == "crossbar" ? topology->find("terminals") : nullptr;
}

fs::path start_of_machine(const fs::path& configs, const std::string& from) {
  for (const fs::path& file : {configs / "templates" / (from + ".json"), configs / "machines" / (from + ".json")})
    if (fs::is_regular_file(file)) return file;
  if (fs::is_regular_file(from)) return from;
  throw UsageError(config::detail::unknown("machine", from, machine_starts(configs)));
}

}  // namespace

std::string name_from(const Target& target, const fs::path& file) {
  const fs::path there = fs::absolute(file).lexically_normal();
  const fs::path here = fs::absolute(target.file).lexically_normal().parent_path();
  const bool near = file.is_relative() && target.file.is_relative();
  const std::string name = nlohmann::json((near ? there.lexically_relative(here) : there).string()).dump();
  return name.substr(1, name.size() - 2);
}

fs::path existing(const std::string& name, const fs::path& folder, const std::string& what) {
  if (fs::is_regular_file(name)) return name;
  if (const fs::path file = folder / (name + ".json"); fs::is_regular_file(file)) return file;
  std::vector<std::string> known;
  for (const fs::path& file : json_files(folder)) known.push_back(file.stem().string());
  throw UsageError(fmt::format("there is no file \"{0}\", and {1}", name, config::detail::unknown(what, name, known)));
}

std::string template_of(const fs::path& configs, const std::string& name) {
  return text_of_file(configs / "templates" / name);
}

std::string filled_in(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, value] : words) {
    const std::string whole = "@" + word + "@";
    for (std::size_t at = text.find(whole); at != std::string::npos; at = text.find(whole, at + value.size()))
      text.replace(at, whole.size(), value);
  }
  return text;
}

std::vector<std::string> machine_starts(const fs::path& configs) {
  std::vector<std::string> out;
  for (const char* folder : {"templates", "machines"})
    for (const fs::path& file : json_files(configs / folder)) out.push_back(file.stem().string());
  return out;
}

std::string machine_start(const fs::path& configs, const Target& target, const std::string& from,
                          std::optional<int> nodes) {
  const fs::path file = start_of_machine(configs, from);
  std::string text = text_of_file(file);
  const config::Document document = config::load(file);
  const config::Value* name = document.root.find("name");
  const config::Value* number = nodes ? number_of_nodes(document.root) : nullptr;
  const bool own = number != nullptr && number->place.file && *number->place.file == file.string();
  if (nodes && !own)
    throw UsageError(
        fmt::format("{} does not say how many nodes it has in one number; leave --nodes out and change "
                    "the file",
                    from));
  std::vector<std::pair<config::Place, std::string>> edits;
  if (own) edits.emplace_back(number->place, fmt::format("{}", *nodes));
  if (name != nullptr && name->place.file && *name->place.file == file.string())
    edits.emplace_back(name->place, config::in_quotes(target.name));
  std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) {  // from behind, where places stay true
    return std::pair(a.first.line, a.first.column) > std::pair(b.first.line, b.first.column);
  });
  for (const auto& [place, token] : edits) replace_at(text, place, token);
  return filled_in(moved(text, file.parent_path(), target), {{"file", target.file.string()}});
}

}  // namespace tsunagi::app
