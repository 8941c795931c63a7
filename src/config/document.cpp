// SPDX-License-Identifier: Apache-2.0
#include "config/document.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "config/compose.hpp"
#include "config/text/json_text.hpp"

namespace tsunagi::config {

namespace {

Document finish(Document document, const std::vector<Override>& overrides, const Resolver& resolver) {
  apply(document, overrides, resolver);
  return document;
}

}  // namespace

Document load(const std::filesystem::path& file, const std::vector<Override>& overrides, const Resolver& resolver) {
  std::vector<Message> problems;
  detail::Composer composer(problems);
  std::optional<Value> root = composer.root_file(file);
  if (!root) throw ConfigError(std::move(problems));
  return finish({file.string(), std::move(*root), std::move(problems), SharedList(composer.files())}, overrides,
                resolver);
}

Document parse(std::string_view text, std::string name, const std::vector<Override>& overrides,
               const Resolver& resolver) {
  std::vector<Message> problems;
  std::optional<Value> root = detail::parse_json(text, name, problems);
  if (!root) throw ConfigError(std::move(problems));
  root->erase("$schema");
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  detail::Composer composer(problems);
  Value composed = composer.compose(std::move(*root), folder, {});
  return finish({std::move(name), std::move(composed), std::move(problems), SharedList(composer.files())}, overrides,
                resolver);
}

nlohmann::ordered_json to_json(const Document& document) {
  throw_if_any(document.problems);
  return to_json(document.root);
}

}  // namespace tsunagi::config
