// SPDX-License-Identifier: Apache-2.0
// What documents say of the figures is what the configs say.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "config/config.hpp"
#include "figures/figure_files.hpp"
#include "support/catch.hpp"

namespace figure_docs_test {

using namespace tsunagi;
namespace fs = std::filesystem;

namespace {

const fs::path configs = TSUNAGI_TEST_CONFIGS;

std::vector<fs::path> json_files(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(configs / folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<figures::FigureEntry> all_figures() { return figures::load_figures(json_files("figures")); }

/// "`dma.step_cycles` of `peach2.json`" for each parameter of the figure's runs that was fitted to it.
std::string parameters_of(const figures::FigureEntry& entry) {
  std::vector<std::string> known;
  for (const figures::FigureRun& run : entry.figure.runs)
    for (const config::Provenance& source : config::provenance(config::load(entry.file.parent_path() / run.file))) {
      const auto& ids = source.fitted_to;
      if (std::find(ids.begin(), ids.end(), entry.figure.id) == ids.end()) continue;
      const std::string name = "`" + source.key + "` of `" + fs::path(*source.place.file).filename().string() + "`";
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  std::string out;
  for (const std::string& name : known) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// The line of the document's table that the figure should have.
std::string row_of(const figures::FigureEntry& entry) {
  const figures::Figure& f = entry.figure;
  const std::string parameters = parameters_of(entry);
  const std::string both = parameters.empty() || f.reason.empty() ? "" : "; ";
  return "| `" + f.id + "` | " + figures::role_of(f) + " | " + f.first_run + " | " + parameters + both + f.reason +
         " |";
}

}  // namespace

TEST_CASE("docs/fitting.md has the roles of the figure files, each with its day and its reason") {
  std::vector<std::string> expected;
  for (const figures::FigureEntry& entry : all_figures())
    if (figures::has_run(entry.figure)) expected.push_back(row_of(entry));
  std::vector<std::string> told;
  std::ifstream in(configs / "../docs/fitting.md");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("| `", 0) == 0) told.push_back(line);
  std::string all;
  for (const std::string& row : expected) all += row + "\n";
  if (told != expected) std::cerr << "By configs/, the table in docs/fitting.md has to say:\n" << all;
  CHECK(told == expected);
}

TEST_CASE("each shipped figure names its paper and section, and with a run since when it has one and what it proves") {
  for (const figures::FigureEntry& entry : all_figures()) {
    const figures::Figure& f = entry.figure;
    CAPTURE(f.id);
    CHECK_FALSE(entry.paper.empty());
    CHECK_FALSE(f.section.empty());
    if (!figures::has_run(f)) continue;
    CHECK_FALSE(f.first_run.empty());
    CHECK((f.basis != figures::Basis::none) == (f.role == figures::Role::predicted));
  }
}

TEST_CASE("README and changelog tell how many figures there are and what they prove") {
  auto all = all_figures();
  const auto boxes = std::stable_partition(all.begin(), all.end(), [](const auto& e) { return e.system != "boxes"; });
  const std::vector<figures::FigureEntry> servers(boxes, all.end());
  all.erase(boxes, all.end());
  const auto count = [](const auto& figures, figures::Role role) {
    return std::to_string(
        std::count_if(figures.begin(), figures.end(), [&](const auto& e) { return e.figure.role == role; }));
  };
  const auto of_role = [&](figures::Role role) { return count(all, role); };
  CHECK(std::all_of(all.begin(), all.end(), [](const auto& e) { return figures::has_run(e.figure); }));
  const std::string listed = std::to_string(all.size());
  const auto text_of = [](const char* file) {
    std::ifstream in(configs / ".." / file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  CHECK_THAT(
      text_of("README.md"),
      Catch::Contains("All " + listed + " published figures (0.9 µs, 3.5 GB/s, ...) are simulated: " +
                      of_role(figures::Role::predicted) + " of them are predicted, " + of_role(figures::Role::fitted) +
                      " fitted, " + of_role(figures::Role::derived) + " follow from others;"));
  CHECK_THAT(text_of("README.md"),
             Catch::Contains("Beside them stand " + std::to_string(servers.size()) +
                             " single measurements of servers of today, " + count(servers, figures::Role::predicted) +
                             " of them predicted, " + count(servers, figures::Role::fitted) + " fitted"));
  CHECK_THAT(text_of("CHANGELOG.md"), Catch::Contains("All " + listed + " published figures have runs."));
}

TEST_CASE("what is fitted names figures that are there and say so, or fits") {
  std::set<std::string> fitted;
  for (const fs::path& file : json_files("fits"))
    if (config::load(file).root.find("curves") != nullptr) fitted.insert(file.stem().string());
  for (const figures::FigureEntry& entry : all_figures())
    if (entry.figure.role == figures::Role::fitted) fitted.insert(entry.figure.id);
  int parameters = 0;
  for (const char* folder : {"parts", "machines", "runs"})
    for (const fs::path& file : json_files(folder))
      for (const config::Provenance& source : config::provenance(config::load(file))) {
        CAPTURE(file, source.pointer);
        CHECK((source.source_class == "fitted") == !source.fitted_to.empty());
        for (const std::string& id : source.fitted_to) CHECK(fitted.count(id) == 1);
        parameters += source.fitted_to.empty() ? 0 : 1;
      }
  CHECK(parameters > 0);
}

}  // namespace figure_docs_test
