// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lesson/notebook.hpp"

namespace tsunagi::lesson {

/// What became of a lesson that was handed in.
struct HandedIn {
  std::string student;
  std::string lesson;
  std::string why;              ///< what does not hold; empty: all does
  std::size_t predictions = 0;  ///< of the question that took most of them
  std::int64_t hints = 0;
};

/// How often the question was answered that took most answers.
std::size_t most_predictions(const Page& page);

/// Whether the last answer to a question is there, and right.
bool answers(const Page& page, const Question& question, const Asked& asked);

/// What does not hold of the answers that were handed in, one that is lacking or not right; empty: all hold.
std::string wrong_answer(const Page& page, const Assignment& assignment);

/// What does not hold of the runs, one that is lacking or gives something else here; empty: all hold. `now`: run and
/// digest, as they are now; `version`: this program's.
std::string other_run(const Notebook& book, const Page& page,
                      const std::vector<std::pair<std::string, std::string>>& now, const std::string& version);

/// The verdicts as JUnit XML: a test suite a student, a test case a lesson.
std::string junit(const std::vector<HandedIn>& all, const std::string& version);

}  // namespace tsunagi::lesson
