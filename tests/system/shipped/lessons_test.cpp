// SPDX-License-Identifier: Apache-2.0
// The shipped lessons: whatever a student draws, the formula says what is simulated.
#include <filesystem>
#include <fstream>

#include "app/files/config_files.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/simulation.hpp"
#include "figures/figure_check.hpp"
#include "lesson/assignment.hpp"
#include "support/catch.hpp"

namespace lessons_test {

using namespace tsunagi;

namespace {

const std::filesystem::path folder = std::filesystem::path(TSUNAGI_TEST_CONFIGS) / "lessons";

std::vector<lesson::Lesson> lessons() { return lesson::load_lessons(app::json_files(folder)); }

}  // namespace

TEST_CASE("lessons: the formula says what is simulated, whatever is drawn") {
  for (const lesson::Lesson& l : lessons()) {
    std::vector<figures::FigureEntry> questions;
    for (const lesson::Drawn& drawn : lesson::all_draws(l))
      for (const lesson::Asked& asked : lesson::Assignment(l, drawn).questions) questions.push_back(asked.measured);
    runner::Options options;
    options.jobs = 2;
    const figures::CheckResult result =
        figures::check_figures(questions, {}, all_kinds(), experiment::simulation(), options);
    REQUIRE(result.verdicts.size() == questions.size());
    for (const figures::Verdict& v : result.verdicts) {
      INFO(v.entry.figure.measure << ": " << v.why);
      REQUIRE(v.simulated);
      CHECK(*v.simulated == Approx(v.entry.figure.value).epsilon(v.entry.figure.tolerance));
    }
  }
}

TEST_CASE("lessons: each has its page, of its name, which the list of lessons links") {
  const std::filesystem::path learn = std::filesystem::path(TSUNAGI_TEST_CONFIGS).parent_path() / "docs";
  std::ifstream in(learn / "learn" / "README.md");
  const std::string list((std::istreambuf_iterator<char>(in)), {});
  const auto all = lessons();
  REQUIRE(all.size() >= 7);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].id);
    CHECK(std::filesystem::exists(learn / all[i].text));
    CHECK(all[i].text == "learn/" + all[i].id + ".md");
    CHECK(list.find("| " + std::to_string(i + 1) + " | [" + all[i].title + "](" + all[i].id + ".md)") !=
          std::string::npos);
    CHECK(!all[i].task.empty());
    CHECK(!all[i].book.empty());
    for (const lesson::Question& q : all[i].questions) CHECK(!q.hint.empty());
  }
}

}  // namespace lessons_test
