// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/commands.hpp"
#include "app/files/building.hpp"
#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/new/starts.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "config/suggest.hpp"
#include "config/text/file_text.hpp"
#include "import/catalog.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const importing::Format& f : importing::formats()) out.push_back(f.name);
  return out;
}

std::string format_docs() {
  std::string out;
  for (const importing::Format& f : importing::formats())
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", f.name, f.doc);
  return out;
}

CommandLine import_line() {
  CommandLine line("import FILE [--format FORMAT] [--out MACHINE]",
                   "Makes a machine of a file that tells of one of yours: windows, routes and parts are filled in,\n"
                   "comments say what the file says of each device and link and what was assumed. What has no part\n"
                   "gets the nearest one, which is told on standard error, too. The machine is built before it is\n"
                   "written. FILE may be -: standard input.",
                   "  tsunagi import topology.xml --out server.json\n"
                   "  tsunagi new run server_run --machine server.json --library cuda\n"
                   "  tsunagi draw server.json --out server.svg\n");
  line.input(1);
  static const std::string format_text = "what FILE is (default: recognised by what is in it): " + format_docs();
  line.option("format", po::value<std::string>()->value_name("FORMAT"), format_text.c_str());
  line.completes("format", format_names());
  line.option("out", po::value<std::string>()->value_name("FILE"), "write there; - or none: to standard output");
  add_configs_option(line);
  return line;
}

std::string text_of(const std::string& file) {
  if (is_stdin(file)) return standard_input();
  std::string why;
  std::optional<std::string> text = config::detail::read_text(file, why);
  if (!text)
    throw config::ConfigError({{{std::make_shared<const std::string>(file), 0, 0}, "", "cannot be read: " + why}});
  return std::move(*text);
}

/// A name of a machine: what is in a file's name of letters, digits, _ and -.
std::string name_of(const fs::path& file) {
  std::string out;
  constexpr std::size_t longest = 64;
  for (const char c : file.stem().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (out.size() < longest) out += plain || (c == '-' && !out.empty()) ? c : '_';
  }
  return out.empty() ? "machine" : out;
}

/// The first of its machines that is built, `file` as messages call it. Nothing: Ctrl-C. Throws config::ConfigError for
/// the file that was imported, because the machine's is not written.
std::optional<std::string> built_one(const importing::Imported& imported, const importing::Request& request,
                                     const std::string& file) {
  const auto built = [&](const std::string& text) {
    return builds("machine", config::parse(text, file)) ? std::optional(text) : std::nullopt;
  };
  try {
    try {
      return built(imported.machine);
    } catch (const config::ConfigError&) {
      if (imported.otherwise.empty()) throw;
      return built(imported.otherwise);
    }
  } catch (const config::ConfigError& e) {
    const config::Message& first = e.messages().front();
    throw config::ConfigError({{{std::make_shared<const std::string>(request.file), 1, 1},
                                "",
                                fmt::format("what it makes is no machine: {}: {}", first.pointer, first.text)}});
  }
}

int run_import(const po::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which file? usage: tsunagi import FILE --out machine.json");
  importing::Request request;
  if (values.count("format") != 0) request.format = chosen(values, "format", format_names());
  check_out(values);
  request.file = is_stdin(files.front()) ? "stdin" : files.front();
  request.text = text_of(files.front());
  if (!is_stdin(files.front())) keep_inputs(values, {files.front()});
  const bool to_file = values.count("out") != 0 && !is_stdout(values["out"].as<std::string>());
  request.name = name_of(to_file ? values["out"].as<std::string>() : request.file);
  const Target target{request.name, to_file ? values["out"].as<std::string>() : request.name + ".json"};
  const Configs configs(values);
  request.parts = name_from(target, configs.folder() / "parts");
  const importing::Imported imported = importing::import(request);
  tell(imported.warnings);
  const std::optional<std::string> machine = built_one(imported, request, target.file.string());
  if (!machine) return exit_interrupted;
  emit(values, *machine);
  if (to_file) write_note(fmt::format("wrote {}\n", target.file.string()));
  return exit_ok;
}

}  // namespace

Command import_command() {
  return {"import", "make a machine of a file about one of yours: NCCL topology XML, lspci, ...", import_line,
          run_import};
}

}  // namespace tsunagi::app
