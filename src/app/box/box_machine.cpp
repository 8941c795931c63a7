// SPDX-License-Identifier: Apache-2.0
#include "app/box/box_machine.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/output.hpp"
#include "cluster/catalogs.hpp"
#include "config/text/file_text.hpp"
#include "import/catalog.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;

std::string machine_text(const std::string& path) {
  if (is_stdin(path)) return standard_input();
  std::string why;
  std::optional<std::string> text = config::detail::read_text(path, why);
  if (!text) throw error_in(path, "", "cannot be read: " + why);
  return std::move(*text);
}

bool is_importable(const std::string& text) {
  const auto& formats = importing::formats();
  return std::any_of(formats.begin(), formats.end(), [&](const importing::Format& f) { return f.recognise(text); });
}

/// Whether it is a config and no file to import, by its name or its text, which may begin with comments.
bool is_config(const std::string& path, const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return false;
  if (fs::path(path).extension() == ".json" || text[first] == '{') return true;
  return text.compare(first, 2, "//") == 0 && !is_importable(text);
}

}  // namespace

BoxMachine::BoxMachine(const po::variables_map& values, const std::string& word) : set_(overrides(values)) {
  const std::string path = input_path(values, word, {"machines"});
  file_ = is_stdin(path) ? "stdin" : path;
  text_ = machine_text(path);
  if (is_config(path, text_)) {
    is_file_ = !is_stdin(path);
    require_kind(document(), "machine", "tsunagi box takes a machine, or a file that `tsunagi import` reads");
    return;
  }
  importing::Request request;
  request.file = file_;
  request.text = text_;
  request.name = "box";
  request.parts = (fs::absolute(Configs(values).folder()) / "parts").string();
  const importing::Imported imported = importing::import(request);
  if (!is_quiet()) tell(imported.warnings);
  text_ = imported.machine;
}

config::Document BoxMachine::document(const std::vector<config::Override>& more) const {
  std::vector<config::Override> all = set_;
  all.insert(all.end(), more.begin(), more.end());
  return is_file_ ? config::load(file_, all) : config::parse(text_, file_, all);
}

MachineConfig BoxMachine::config(const std::vector<config::Override>& more) const {
  return config::read<MachineConfig>(document(more), all_kinds());
}

}  // namespace tsunagi::app
