// SPDX-License-Identifier: Apache-2.0
#include "lesson/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "config/text/printable.hpp"
#include "lesson/answer.hpp"

namespace tsunagi::lesson {
namespace {

/// What is wrong with the answer to a question; empty if nothing is.
std::string fault_of(const Page& page, const Question& question, const Asked& asked) {
  const std::string* answer = page.last(asked.label);
  if (answer == nullptr) return fmt::format("question {} has no answer", asked.label);
  try {
    if (is_right(question, asked, answer_in(*answer, question.unit))) return "";
  } catch (const std::invalid_argument& e) {
    return fmt::format("question {}: {}", asked.label, e.what());
  }
  return fmt::format("question {}: {} is not right", asked.label, *answer);
}

}  // namespace

std::size_t most_predictions(const Page& page) {
  std::size_t most = 0;
  for (const Predictions& p : page.predictions) most = std::max(most, p.values.size());
  return most;
}

bool answers(const Page& page, const Question& question, const Asked& asked) {
  return fault_of(page, question, asked).empty();
}

std::string wrong_answer(const Page& page, const Assignment& assignment) {
  for (std::size_t q = 0; q < assignment.questions.size(); ++q)
    if (std::string why = fault_of(page, assignment.lesson.questions[q], assignment.questions[q]); !why.empty())
      return why;
  return "";
}

std::string other_run(const Notebook& book, const Page& page,
                      const std::vector<std::pair<std::string, std::string>>& now, const std::string& version) {
  for (const auto& [run, digest] : now) {
    const auto found = std::find_if(page.runs.begin(), page.runs.end(),
                                    [&, &name = run](const RunDigest& then) { return then.run == name; });
    if (found == page.runs.end()) return fmt::format("run {} was not simulated", run);
    if (found->digest == digest) continue;
    return fmt::format("run {} gives other rows here{}", run,
                       book.tsunagi == version ? "" : fmt::format(": it was of {}, this is {}", book.tsunagi, version));
  }
  return "";
}

std::string junit(const std::vector<HandedIn>& all, const std::string& version) {
  std::vector<std::string> students;
  for (const HandedIn& h : all)
    if (std::find(students.begin(), students.end(), h.student) == students.end()) students.push_back(h.student);
  const auto failures = [&](const std::string* student) {
    return std::count_if(all.begin(), all.end(), [&](const HandedIn& h) {
      return !h.why.empty() && (student == nullptr || h.student == *student);
    });
  };
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{} tests=\"{}\" failures=\"{}\">\n",
                  config::xml_attribute("name", "tsunagi " + version), all.size(), failures(nullptr));
  for (const std::string& student : students) {
    const auto tests = std::count_if(all.begin(), all.end(), [&](const HandedIn& h) { return h.student == student; });
    out += fmt::format("  <testsuite{} tests=\"{}\" failures=\"{}\">\n", config::xml_attribute("name", student), tests,
                       failures(&student));
    for (const HandedIn& h : all) {
      if (h.student != student) continue;
      out += "    <testcase" + config::xml_attribute("classname", student) + config::xml_attribute("name", h.lesson);
      out += h.why.empty() ? "/>\n"
                           : ">\n      <failure" + config::xml_attribute("message", h.why) + "/>\n    </testcase>\n";
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace tsunagi::lesson
