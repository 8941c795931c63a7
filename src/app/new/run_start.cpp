// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/files/config_files.hpp"
#include "app/files/run_file.hpp"
#include "app/new/commented.hpp"
#include "app/new/starts.hpp"
#include "app/new/trials.hpp"
#include "app/shell/errors.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "config/suggest.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A library that comes with the program: a part, or a kind that needs none.
struct LibraryStart {
  std::string name;
  config::AnyConfig config;
  fs::path file;  // empty: the kind alone
};

/// All, as the catalog has them, of each kind by name.
std::vector<LibraryStart> libraries_in(const fs::path& configs) {
  std::vector<LibraryStart> parts;
  for (const fs::path& file : json_files(configs / "parts")) {
    try {
      parts.push_back({file.stem().string(), config::read_any(config::load(file), all_kinds(), "library"), file});
    } catch (const config::ConfigError&) {
      continue;  // of another family
    }
  }
  std::vector<LibraryStart> out;
  for (const config::Kind& kind : all_kinds().find("library")->kinds) {
    const std::size_t before = out.size();
    for (const LibraryStart& part : parts)
      if (part.config.kind() == kind.name) out.push_back(part);
    if (out.size() > before) continue;
    if (config::AnyConfig plain = plain_config("library", kind.name); !plain.empty())
      out.push_back({kind.name, std::move(plain), {}});
  }
  return out;
}

/// The wished ones; all if none is.
std::vector<LibraryStart> wished(std::vector<LibraryStart> all, const std::string& wish) {
  if (wish.empty()) return all;
  Words known;
  std::vector<LibraryStart> out;
  for (LibraryStart& library : all) {
    for (const std::string& name : {library.name, library.config.kind()})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    if (library.name == wish || library.config.kind() == wish) out.push_back(std::move(library));
  }
  if (out.empty()) throw UsageError(config::detail::unknown("library name", wish, known));
  return out;
}

/// A start's values where they make it worth a look: several sizes.
std::vector<config::AnyConfig> ways_of(const std::string& scenario, const std::vector<ShippedRun>& runs) {
  std::vector<config::AnyConfig> out = scenario_candidates(scenario, runs);
  const nlohmann::json sizes{{"sizes", {"8 B", "64 B", "512 B", "4 KiB", "32 KiB"}}};
  if (config::AnyConfig several = plain_config("scenario", scenario, sizes); !several.empty())
    out.insert(out.begin(), std::move(several));
  return out;
}

Candidates candidates_of(const MachineConfig& machine, const config::AnyConfig& library,
                         const std::vector<config::AnyConfig>& ways) {
  Candidates out;
  for (const config::AnyConfig& way : ways) {
    RunConfig run;
    run.machine = machine;
    run.library = library;
    run.scenario = way;
    out.push_back(std::move(run));
  }
  return out;
}

/// The names in comment lines.
std::string comment_of(const Words& names) {
  std::string out;
  std::string line = "  //  ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string word = " " + names[i] + (i + 1 < names.size() ? "," : "");
    if (line.size() + word.size() > 110) {
      out += line + "\n";
      line = "  //  ";
    }
    line += word;
  }
  return out + line + (names.empty() ? " nothing else" : "");
}

Words kinds_of_scenarios() {
  Words out;
  for (const config::Kind& kind : all_kinds().find("scenario")->kinds) out.push_back(kind.name);
  return out;
}

/// Throws UsageError unless there is that scenario; whoever writes "halo" is told of halo_exchange.
void check_scenario(const std::string& given, const Words& known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return;
  Words longer;
  for (const std::string& name : known)
    if (!given.empty() && name.rfind(given, 0) == 0) longer.push_back(name);
  if (longer.size() == 1)
    throw UsageError(fmt::format("unknown scenario \"{}\"; did you mean \"{}\"?", given, longer.front()));
  throw UsageError(config::detail::unknown("scenario", given, known));
}

/// Why the scenario runs by none of the libraries.
[[noreturn]] void refuse(const std::string& scenario, const fs::path& machine,
                         const std::vector<LibraryStart>& libraries, const std::vector<Answer>& answers) {
  const config::Place place{std::make_shared<const std::string>(machine.string()), 0, 0};
  std::vector<config::Message> messages;
  for (std::size_t i = 0; i < answers.size(); ++i)
    messages.push_back({place, "", fmt::format("no {} by {}: {}", scenario, libraries[i].name, answers[i].why)});
  throw config::ConfigError(std::move(messages));
}

}  // namespace

std::optional<std::string> run_start(const fs::path& configs, const Target& target, const RunWish& wish) {
  const fs::path file = existing(wish.machine, configs / "machines", "machine");
  const config::Document document = config::load(file);
  require_kind(document, "machine", "a machine has \"topology\", see `tsunagi list machines`");
  const auto machine = config::read<MachineConfig>(document, all_kinds());
  const Words scenarios = kinds_of_scenarios();
  check_scenario(wish.scenario, scenarios);
  const std::vector<ShippedRun> runs = shipped_runs(configs / "runs");
  const std::vector<LibraryStart> libraries = wished(libraries_in(configs), wish.library);
  std::vector<Candidates> questions;
  for (const LibraryStart& library : libraries)
    questions.push_back(candidates_of(machine, library.config, ways_of(wish.scenario, runs)));
  const auto answers = try_all(questions);
  if (!answers) return std::nullopt;
  const auto first = std::find_if(answers->begin(), answers->end(), [](const Answer& a) { return a.runs; });
  if (first == answers->end()) refuse(wish.scenario, file, libraries, *answers);
  const auto chosen = static_cast<std::size_t>(first - answers->begin());
  const LibraryStart& library = libraries[chosen];
  const config::AnyConfig scenario = questions[chosen][first->which].scenario;

  Words other_libraries;
  for (std::size_t i = 0; i < libraries.size(); ++i)
    if (i != chosen && (*answers)[i].runs) other_libraries.push_back(libraries[i].name);
  std::vector<Candidates> others;
  for (const std::string& kind : scenarios)
    others.push_back(candidates_of(machine, library.config, quick_candidates(kind, runs)));
  const auto there = try_all(others);
  if (!there) return std::nullopt;
  Words other_scenarios;
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    if ((*there)[i].runs && scenarios[i] != wish.scenario) other_scenarios.push_back(scenarios[i]);

  const std::string used = library.file.empty() ? fmt::format("{{\"kind\": \"{}\"}}", library.name)
                                                : fmt::format("{{\"$use\": \"{}\"}}", name_from(target, library.file));
  return filled_in(template_of(configs, "run.json.in"), {{"file", target.file.string()},
                                                         {"name", target.name},
                                                         {"machine", name_from(target, file)},
                                                         {"library_kind", library.config.kind()},
                                                         {"libraries", comment_of(other_libraries)},
                                                         {"library", used},
                                                         {"scenarios", comment_of(other_scenarios)},
                                                         {"scenario", commented_scenario(scenario, 2)}});
}

}  // namespace tsunagi::app
