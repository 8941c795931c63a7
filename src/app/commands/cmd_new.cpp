// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"
#include "app/files/building.hpp"
#include "app/files/config_files.hpp"
#include "app/files/run_file.hpp"
#include "app/new/starts.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "config/suggest.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

CommandLine new_line() {
  CommandLine line(
      "new machine|run|sweep [NAME] [options]",
      "Writes a file to begin with: a machine, a run or a sweep of your own, with comments that say what each value\n"
      "is and what else could stand there. It is valid as it is. A run gets the first library that runs its scenario\n"
      "on its machine; its comments name the others.",
      "  tsunagi new machine mine --nodes 4\n"
      "  tsunagi new machine mine --from torus_8x8\n"
      "  tsunagi new run mine_halo --machine mine.json --scenario halo_exchange\n"
      "  tsunagi new sweep mine_sweep --run mine_halo.json\n");
  line.input(2);
  const auto text = [] { return po::value<std::string>()->value_name("NAME"); };
  line.option("from", text(),
              "machine: begin as this one does: infiniband (default), tca, torus, cable, or a machine "
              "of `tsunagi list machines`");
  line.option("nodes", po::value<int>()->value_name("N"), "machine: so many nodes");
  line.option("machine", text(), "run: on this machine, a file or one of `tsunagi list machines` (default: tca_pair)");
  line.option("library", text(), "run: by this library, a part or a kind (default: the first that runs)");
  line.option("scenario", text(), "run: this program, of `tsunagi list scenarios` (default: ping_pong)");
  line.option("run", text(), "sweep: over this run, a file or one of `tsunagi list runs` (default: tca_ping_pong)");
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there (default: NAME.json); - : to standard output");
  line.flag("force", "write over a file that is there");
  add_configs_option(line);
  return line;
}

std::string option(const po::variables_map& values, const char* name, const std::string& otherwise) {
  return values.count(name) == 0 ? otherwise : values[name].as<std::string>();
}

/// Options of one kind of file are no options of another.
void check_options(const po::variables_map& values, const std::string& what) {
  const std::pair<const char*, const char*> all[] = {{"from", "machine"}, {"nodes", "machine"}, {"machine", "run"},
                                                     {"library", "run"},  {"scenario", "run"},  {"run", "sweep"}};
  for (const auto& [name, of] : all)
    if (values.count(name) != 0 && what != of) throw UsageError(fmt::format("--{} is for a new {}", name, of));
  if (values.count("nodes") != 0 && values["nodes"].as<int>() < 1) throw UsageError("--nodes must be at least 1");
}

Target target_of(const po::variables_map& values, const std::string& what, const std::vector<std::string>& words) {
  std::string name = words.size() > 1 ? words[1] : what;
  const std::string_view extension = ".json";  // as the file is called; its name is the same without
  if (name.size() > extension.size() && name.rfind(extension) == name.size() - extension.size())
    name.resize(name.size() - extension.size());
  const auto plain = [](unsigned char c) {
    return c > ' ' && c != '/' && c != '"' && c != '\\' && c != '@' && c < 0x7f;
  };
  if (name.empty() || name[0] == '.' || name[0] == '-' || !std::all_of(name.begin(), name.end(), plain))
    throw UsageError(
        fmt::format("\"{}\" is no name for a {}: use letters, digits, _ and -; --out names a file", name, what));
  const std::string out = option(values, "out", name + ".json");
  if (is_stdout(out)) return {name, name + ".json"};
  try {
    check_writable(out);
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
  if (std::filesystem::is_regular_file(out) && values.count("force") == 0)
    throw UsageError(fmt::format("{} is there already; --force writes over it", out));
  return {name, out};
}

std::optional<std::string> text_of(const po::variables_map& values, const std::string& what,
                                   const std::filesystem::path& configs, const Target& target) {
  if (what == "run")
    return run_start(configs, target,
                     {option(values, "machine", "tca_pair"), option(values, "library", ""),
                      option(values, "scenario", "ping_pong")});
  if (what == "sweep") return sweep_start(configs, target, option(values, "run", "tca_ping_pong"));
  return machine_start(configs, target, option(values, "from", "infiniband"),
                       values.count("nodes") == 0 ? std::nullopt : std::optional(values["nodes"].as<int>()));
}

int run_new(const po::variables_map& values) {
  const std::vector<std::string> words = inputs(values);
  const std::vector<std::string> known{"machine", "run", "sweep"};
  if (words.empty()) throw UsageError("a new what? usage: tsunagi new machine|run|sweep [NAME]");
  const std::string& what = words.front();
  if (std::find(known.begin(), known.end(), what) == known.end())
    throw UsageError(config::detail::unknown("file type", what, known));
  check_options(values, what);
  const Target target = target_of(values, what, words);
  const Configs configs(values);
  const std::optional<std::string> text = text_of(values, what, configs.folder(), target);
  if (!text || !builds(what, config::parse(*text, target.file.string()))) return exit_interrupted;
  if (is_stdout(option(values, "out", ""))) {
    write_stdout(*text);
  } else {
    write_file(target.file.string(), *text);
    write_note(fmt::format("wrote {}\n", target.file.string()));
  }
  return exit_ok;
}

}  // namespace

Command new_command() { return {"new", "write a machine, run or sweep to begin with", new_line, run_new}; }

}  // namespace tsunagi::app
