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

/// Run and digest, as they are now.
using Digests = std::vector<std::pair<std::string, std::string>>;

/// The digests of a page's runs as they were written down, for who compares them.
Digests digests_of(const Page& page);

/// How often the question was answered that took most answers.
std::size_t most_predictions(const Page& page);

/// Whether the last answer to a question is there, and right.
bool answers(const Page& page, const Question& question, const Asked& asked);

/// What does not hold of answers and digests that were handed in: an answer that is lacking or not right, a run that is
/// lacking or gives something else here; empty: all holds. `version`: this program's.
std::string fault_of(const Notebook& book, const Page& page, const Assignment& assignment, const Digests& now,
                     const std::string& version);

/// The verdicts as JUnit XML: a test suite a student, a test case a lesson.
std::string junit(const std::vector<HandedIn>& all, const std::string& version);

}  // namespace tsunagi::lesson
