// SPDX-License-Identifier: Apache-2.0
#include "app/files/input_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "app/files/config_files.hpp"
#include "app/shell/errors.hpp"
#include "config/suggest.hpp"
#include "config/text/file_text.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// What may be a name of `tsunagi list`: with or without its extension.
std::optional<std::string> name_in(const std::string& word) {
  if (word.empty() || is_stdin(word) || word.find('/') != std::string::npos) return std::nullopt;
  const fs::path path(word);
  return path.extension() == ".json" ? path.stem().string() : word;
}

bool is_there(const std::string& file) {
  std::error_code error;
  return fs::exists(fs::status(file, error)) || (error && error != std::errc::no_such_file_or_directory);
}

}  // namespace

std::string input_path(const po::variables_map& values, const std::string& word,
                       const std::vector<std::string>& folders) {
  check_configs(values);
  const std::optional<std::string> name = name_in(word);
  if (!name || is_there(word)) return word;
  std::vector<std::string> known;
  try {
    const Configs configs(values);
    for (const std::string& folder : folders)
      for (const fs::path& file : json_files(configs.found() / folder)) {
        if (file.stem() == *name) return (configs.folder() / folder / file.filename()).string();
        known.push_back(file.stem().string());
      }
  } catch (const UsageError&) {
    return word;  // there are no configs: it is told that there is no such file
  }
  throw error_in(
      word, "",
      fmt::format("cannot be read: No such file or directory, and none of that name among those of `tsunagi list {}`{}",
                  fmt::join(folders, "`, `tsunagi list "), config::detail::did_you_mean(*name, known)));
}

config::ConfigError error_in(const std::string& file, const std::string& pointer, const std::string& text) {
  return config::ConfigError({{{std::make_shared<const std::string>(file), 0, 0}, pointer, text}});
}

bool is_stdin(const std::string& word) { return word == "-"; }

const std::string& standard_input() {
  static std::optional<std::string> text;  // it can be read but once
  std::string why;
  if (!text) text = config::detail::read_text("/dev/stdin", why);
  if (!text) throw error_in("stdin", "", "cannot be read: " + why);
  return *text;
}

config::Document load_input(const std::string& path, const std::vector<config::Override>& overrides,
                            const config::Resolver& resolver) {
  return is_stdin(path) ? config::parse(standard_input(), "stdin", overrides, resolver)
                        : config::load(path, overrides, resolver);
}

}  // namespace tsunagi::app
