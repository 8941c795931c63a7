// SPDX-License-Identifier: Apache-2.0
// The shipped lessons: whatever a student draws, the formula says what is simulated.
#include <fmt/format.h>

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

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

/// The part of the instructor's page that is about a lesson.
std::string part_of_page(const std::string& page, const lesson::Lesson& l, std::size_t number) {
  const std::size_t begin = page.find(fmt::format("\n### {} \u00b7 {}\n", number, l.title));
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n### ", begin + 1) - begin);
}

/// "| 8 | 256 B | 3.657 |": the drawn values that the formula asks for, and the answer.
std::string row_of(const lesson::Lesson& l, const lesson::Question& question, const lesson::Drawn& drawn,
                   double expected) {
  std::string out = "\n|";
  for (const lesson::Draw& draw : l.draws)
    if (question.formula.find("{" + draw.name + "}") != std::string::npos)
      out += fmt::format(" {} |", drawn.at(draw.name));
  return out + fmt::format(" {:.4g} |\n", expected);
}

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
  const std::string list = content(learn / "learn" / "README.md");
  const auto all = lessons();
  REQUIRE(all.size() >= 14);
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

TEST_CASE("lessons: the instructor's page has the answer to whatever is drawn, and every hint") {
  const std::string page = content(folder.parent_path().parent_path() / "docs" / "learn" / "instructor.md");
  const auto all = lessons();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string part = part_of_page(page, all[i], i + 1);
    INFO(all[i].id << ": python3 tools/answers.py writes the page anew");
    REQUIRE(!part.empty());
    CHECK(part.find(all[i].task) != std::string::npos);
    for (const lesson::Question& q : all[i].questions) {
      CHECK(part.find(q.ask) != std::string::npos);
      CHECK(part.find("`" + q.formula + "`") != std::string::npos);
      for (const lesson::Mistake& m : q.mistakes) CHECK(part.find(m.hint) != std::string::npos);
    }
    for (const lesson::Drawn& drawn : lesson::all_draws(all[i])) {
      const lesson::Assignment assignment(all[i], drawn);
      for (std::size_t q = 0; q < assignment.questions.size(); ++q) {
        const std::string row = row_of(all[i], all[i].questions[q], drawn, assignment.questions[q].expected);
        INFO(row);
        CHECK(part.find(row) != std::string::npos);
      }
    }
  }
}

}  // namespace lessons_test
