// SPDX-License-Identifier: Apache-2.0
#include "app/files/config_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include "app/shell/output.hpp"
#include "config/config.hpp"
#include "config/named_files.hpp"
#include "config/suggest.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// A folder, and why that one; "": this command names it.
struct Found {
  fs::path folder;
  std::string why;
};

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

/// Whether a file of a folder `figures` is one of ours.
bool is_ours(const fs::path& file) {
  try {
    const config::Value root = config::load(file).root;
    return root.find("figures") != nullptr || root.find("missed") != nullptr;
  } catch (const config::ConfigError&) {
    return true;  // whoever reads it says what is wrong with it
  }
}

/// The folder that somebody named, who is told if it is none.
Found named(const fs::path& folder, const std::string& by) {
  if (!is_folder(folder)) throw UsageError(fmt::format("{}: \"{}\" is no folder", by, folder.string()));
  return {folder, ""};
}

Found by_option(const po::variables_map& values) { return named(values["configs"].as<std::string>(), "--configs"); }

std::optional<Found> in_working_directory() {
  const fs::path folder = "configs";
  const std::vector<fs::path> files = json_files(folder / "figures");
  if (std::none_of(files.begin(), files.end(), is_ours)) return std::nullopt;
  return Found{folder, "in the working directory"};
}

std::optional<Found> shipped() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& folder : {program / "../share/tsunagi/configs", fs::path(TSUNAGI_INSTALLED_CONFIGS)})
    if (is_folder(folder / "figures")) return Found{folder.lexically_normal(), "installed"};
  const fs::path source = TSUNAGI_SOURCE_CONFIGS;
  if (is_folder(source / "figures")) return Found{source, "of the tree that the program was built from"};
  return std::nullopt;
}

Found find(const po::variables_map& values) {
  if (values.count("configs") != 0) return by_option(values);
  if (const char* given = std::getenv("TSUNAGI_CONFIGS"); given != nullptr && *given != '\0')
    return {named(given, "TSUNAGI_CONFIGS").folder, "$TSUNAGI_CONFIGS"};
  if (auto found = in_working_directory()) return *found;
  if (auto found = shipped()) return *found;
  throw UsageError("there is no folder of configs here, and none is installed; name one: --configs DIR");
}

/// The folders that may have the file of a name, the likeliest first.
std::vector<std::string> folders_for(const std::string& pointer) {
  const std::string key = pointer.substr(pointer.rfind('/') + 1);
  if (key == "machine") return {"machines"};
  if (key == "scenario") return {"scenarios"};
  if (key == "library") return {"parts"};
  return {"parts", "machines", "runs", "scenarios"};
}

std::optional<fs::path> named_in(const po::variables_map& values, const std::string& name, const std::string& pointer,
                                 std::string& hint) {
  std::vector<std::string> known;
  const std::vector<std::string> folders = folders_for(pointer);
  try {
    const fs::path configs = find(values).folder;
    for (const std::string& folder : folders)
      for (const fs::path& file : json_files(configs / folder)) {
        if (file.stem() == name) return file;
        known.push_back(file.stem().string());
      }
    hint = fmt::format(", and none in {} of {} has that name{}", fmt::join(folders, ", "), configs.string(),
                       config::detail::did_you_mean(name, known));
  } catch (const UsageError&) {  // there are no configs
  }
  return std::nullopt;
}

/// Says which folder it is and why, once, however many look for it.
void tell(const Found& found) {
  static bool told = false;
  if (!told && !found.why.empty()) write_note(fmt::format("configs: {} ({})\n", found.folder.string(), found.why));
  told = true;
}

}  // namespace

void add_configs_option(CommandLine& line) {
  line.option(
      "configs", po::value<std::string>()->value_name("DIR"),
      "folder of published figures, machines and runs (default: $TSUNAGI_CONFIGS, else ./configs if it is ours, else "
      "the installed one)");
}

void check_configs(const po::variables_map& values) {
  if (values.count("configs") != 0) by_option(values);
}

void use_names_of_configs(const po::variables_map& values) {
  config::set_named_files([&values](const std::string& name, const std::string& pointer, std::string& hint) {
    return named_in(values, name, pointer, hint);
  });
}

std::vector<fs::path> figure_files(const po::variables_map& values) {
  try {
    return json_files(find(values).folder / "figures");
  } catch (const UsageError&) {
    return {};  // whoever needs them says what is wrong
  }
}

fs::path Configs::found() const { return find(values_).folder; }

const fs::path& Configs::folder() const {
  if (folder_.empty()) {
    const Found found = find(values_);
    tell(found);
    folder_ = found.folder;
  }
  return folder_;
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!is_folder(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tsunagi::app
