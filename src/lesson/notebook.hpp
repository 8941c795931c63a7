// SPDX-License-Identifier: Apache-2.0
// What a student has done, a small file of the student's own. With one lesson in it, it is what is handed in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/document.hpp"
#include "lesson/assignment.hpp"

namespace tsunagi::lesson {

/// What was predicted, in the order in which it was: the last one counts.
struct Predictions {
  std::string question;  ///< "a"
  std::vector<std::string> values;
};
void describe(Predictions& c, config::Describer& d);

/// A run of the lesson that ended well.
struct RunDigest {
  std::string run;  ///< its name in the lesson
  std::string digest;
};
void describe(RunDigest& c, config::Describer& d);

/// One lesson of a notebook.
struct Page {
  std::string lesson;  ///< its id
  std::vector<Predictions> predictions;
  std::int64_t hints = 0;  ///< that were asked for
  std::vector<RunDigest> runs;
  bool passed = false;

  /// The last prediction of a question; null if there is none.
  const std::string* last(const std::string& question) const;
};
void describe(Page& c, config::Describer& d);

struct Notebook {
  std::string student;
  std::string tsunagi;  ///< the program's version when it was written last
  std::vector<Page> pages;

  /// Null if the lesson was not begun.
  const Page* find(const std::string& lesson) const;
  /// The page of a lesson, which is begun if it is not there.
  Page& page(const std::string& lesson);
};
void describe(Notebook& c, config::Describer& d);

/// Throws config::ConfigError for what is no notebook.
Notebook read_notebook(const config::Document& document);
/// As JSON text.
std::string to_text(Notebook notebook);

}  // namespace tsunagi::lesson
