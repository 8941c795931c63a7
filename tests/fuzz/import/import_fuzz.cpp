// SPDX-License-Identifier: Apache-2.0
// Files for `tsunagi import` by the hundred thousand: import_fuzz [CASES [SEED [FIRST]]]
//
// The samples of configs/imports with wrong bytes and lines, as each format. Nothing may crash, take long or throw
// anything but a ConfigError with places; what is made is a config that can be read, its machine (of some) one that is
// built. Exit code 1 for a finding, told with the command that repeats it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/files/building.hpp"
#include "cluster/catalogs.hpp"
#include "config/text/printable.hpp"
#include "fuzz/examination.hpp"
#include "fuzz/mutation.hpp"
#include "import/catalog.hpp"
#include "runner/run_config.hpp"
#include "support/sanitized.hpp"
#include "topo/graph.hpp"

extern "C" int sc_main(int, char**) { return 0; }

namespace tsunagi::fuzz {
namespace {

constexpr double most_seconds = test::sanitized ? 30 : 5;
/// One good file of so many is read as a machine, and of these again one is built.
constexpr std::int64_t read_interval = 25, build_interval = 10;

struct ImportTally {
  std::uint64_t good = 0;
  std::uint64_t refused = 0;
  std::uint64_t read = 0;
  std::uint64_t built = 0;
};

std::vector<std::string> samples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TSUNAGI_TEST_CONFIGS "/imports"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const auto& file : files) {
    std::ifstream in(file);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

std::size_t pick(std::size_t n, Random& random) {
  return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(n)));
}

/// Deletes, repeats, exchanges or moves lines.
std::string with_other_lines(const std::string& text, Random& random) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  for (std::int64_t i = random.below(4); i >= 0 && lines.size() > 1; --i) {
    const std::size_t a = pick(lines.size(), random), b = pick(lines.size(), random);
    const auto at = [&lines](std::size_t line) { return lines.begin() + static_cast<std::ptrdiff_t>(line); };
    switch (random.below(4)) {
      case 0:
        lines.erase(at(a));
        break;
      case 1:
        lines.insert(at(a), std::string(lines[b]));
        break;
      case 2:
        std::swap(lines[a], lines[b]);
        break;
      default:
        lines.erase(at(std::min(a, b)), at(std::max(a, b)));
        break;
    }
  }
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

/// As `tsunagi validate` does, up to the graph; some are built.
void check_machine(const std::string& text, Random& random, ImportTally& tally) {
  const config::Document document = config::parse(text, "machine.json");
  topo::build(config::read<MachineConfig>(document, all_kinds()).topology);
  if (random.below(build_interval) != 0) return;
  ++tally.built;
  app::builds("machine", document);
}

/// One of its machines is good.
void check_machines(const importing::Imported& imported, Random& random, ImportTally& tally) {
  try {
    check_machine(imported.machine, random, tally);
  } catch (const config::ConfigError&) {
    if (imported.otherwise.empty()) throw;
    check_machine(imported.otherwise, random, tally);
  }
}

void examine_import(const importing::Request& request, Random& random, ImportTally& tally) {
  importing::Imported imported;
  try {
    imported = importing::import(request);
  } catch (const config::ConfigError& e) {
    check_messages(e);
    for (const config::Message& m : e.messages())
      if (m.place.file == nullptr || *m.place.file != request.file) throw Finding("of no place in it: " + m.line());
    ++tally.refused;
    return;
  }
  ++tally.good;
  if (!imported.warnings.empty()) check_messages(config::ConfigError(imported.warnings));
  for (const std::string& text : {imported.machine, imported.otherwise})
    if (!text.empty() && !nlohmann::json::accept(text, true)) throw Finding("is no JSON:\n" + text);
  if (random.below(read_interval) != 0) return;
  ++tally.read;
  try {
    check_machines(imported, random, tally);
  } catch (const config::ConfigError& e) {
    throw Finding(std::string("what it made is refused: ") + e.what());
  }
}

int fuzz(std::uint64_t cases, std::uint64_t seed, std::uint64_t first) {
  const std::vector<std::string> all = samples();
  ImportTally tally;
  std::uint64_t findings = 0;
  double longest = 0;
  const std::clock_t begin = std::clock();
  for (std::uint64_t number = first; number < first + cases; ++number) {
    Random random(seed, fmt::format("import {}", number));
    const std::string& other = all[pick(all.size(), random)];
    std::string text = all[pick(all.size(), random)];
    if (random.below(2) == 0) text = with_other_lines(text, random);
    if (random.below(4) != 0) text = mutated(std::move(text), other, random);
    const auto& formats = importing::formats();
    const std::string format = random.below(8) == 0 ? formats[pick(formats.size(), random)].name : "";
    const std::clock_t start = std::clock();
    try {
      examine_import({"sample", text, format, "machine", TSUNAGI_TEST_CONFIGS "/parts"}, random, tally);
      const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      longest = std::max(longest, taken);
      if (taken > most_seconds) throw Finding(fmt::format("took {:.1f} s", taken));
    } catch (const std::exception& e) {
      ++findings;
      constexpr std::size_t shown = 600;
      std::fprintf(stderr, "case %llu: %s\n  to repeat: import_fuzz 1 %llu %llu\n%s\n",
                   static_cast<unsigned long long>(number), config::printable_lines(e.what()).c_str(),
                   static_cast<unsigned long long>(seed), static_cast<unsigned long long>(number),
                   config::printable_lines(text.substr(0, cases == 1 ? text.size() : shown)).c_str());
    }
  }
  fmt::print("{} cases of seed {}: {} good, {} refused, {} read, {} built; {:.1f} s of CPU, longest {:.2f} s; {}\n",
             cases, seed, tally.good, tally.refused, tally.read, tally.built,
             static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, longest,
             findings == 0 ? "nothing found" : "FINDINGS above");
  // Mutations that leave nothing good, or nothing wrong, try nothing.
  const bool tried = cases < 1000 || (tally.good > cases / 100 && tally.refused > cases / 100);
  if (!tried) fmt::print("too few good or refused files\n");
  return findings == 0 && tried ? 0 : 1;
}

}  // namespace
}  // namespace tsunagi::fuzz

int main(int argc, char** argv) {
  const auto number = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  return tsunagi::fuzz::fuzz(number(1, 1000), number(2, 1), number(3, 0));
}
