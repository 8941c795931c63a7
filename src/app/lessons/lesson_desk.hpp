// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "figures/figure_check.hpp"
#include "lesson/notebook.hpp"
#include "lesson/verify.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {

/// The lessons, and the notebook of a student who does them.
class Desk {
 public:
  /// The lessons of a folder; the notebook is the file `progress`, empty if that is not there ("": there is none).
  /// Throws config::ConfigError for a lesson or a notebook that is wrong.
  explicit Desk(const std::filesystem::path& folder, std::string progress = "");

  /// Somebody who may be new begins to work. Throws UsageError if nobody is named, or the notebook is of another one.
  void sit_down(const std::string& student);

  const std::vector<lesson::Lesson>& lessons() const { return lessons_; }
  /// 1 for the first one.
  int number(const lesson::Lesson& lesson) const;
  /// "", "begun", "predicted", "simulated" or "passed".
  std::string state(const lesson::Lesson& lesson) const;
  /// The command that brings the first lesson further that was begun and not passed; else that begins the first new
  /// one; "" when all are passed.
  std::string next() const;
  bool is_new() const { return book_.pages.empty(); }

  /// The student's numbers of the lesson that a word names: "3", or its id. Throws UsageError.
  lesson::Assignment assignment(const std::string& word) const;
  /// The same of a question: "3b", or "3" if there is one only.
  std::pair<lesson::Assignment, std::size_t> question(const std::string& word) const;
  /// The same, where "3" stands for its first question without a right answer, or its first one.
  std::pair<lesson::Assignment, std::size_t> open_question(const std::string& word) const;
  /// The first question without a prediction, as it is named ("3b"); "" if there is none.
  std::string unanswered(const lesson::Assignment& assignment) const;

  lesson::Page& page(const lesson::Lesson& lesson) { return book_.page(lesson.id); }
  void predict(const lesson::Assignment& assignment, std::size_t question, const std::string& value);
  /// What the runs give for each question, written down with their digests; nothing if that was interrupted. Throws
  /// std::runtime_error for a run that gives no value.
  std::optional<std::vector<figures::Verdict>> simulated(const lesson::Assignment& assignment, runner::Options options);
  /// Whether a page that was handed in holds; nothing if that was interrupted.
  std::optional<lesson::HandedIn> verified(const lesson::Notebook& book, const lesson::Page& page,
                                           runner::Options options) const;

  /// The notebook with this lesson alone.
  std::string hand_in(const lesson::Lesson& lesson);
  /// Writes the notebook. Throws std::system_error.
  void save();

 private:
  const lesson::Lesson& find(const std::string& word) const;

  std::vector<lesson::Lesson> lessons_;
  std::string progress_;
  lesson::Notebook book_;
};

}  // namespace tsunagi::app
