// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "figures/figure_files.hpp"
#include "lesson/lesson.hpp"

namespace tsunagi::lesson {

/// The drawn values by name, as they are written: "mps" is "256 B".
using Drawn = std::map<std::string, std::string>;

/// What is drawn for a student: always the same for the same name.
Drawn drawn_for(const Lesson& lesson, const std::string& student);

/// Every combination of values that can be drawn, the first draw's values outermost.
std::vector<Drawn> all_draws(const Lesson& lesson);

/// A question with a student's values in it.
struct Asked {
  std::string label;  ///< "a"
  std::string ask;
  double expected = 0;            ///< by the formula, in the question's unit
  std::vector<double> mistakes;   ///< what the question's mistakes come to, in their order
  figures::FigureEntry measured;  ///< how the runs show it: near `expected`
};

/// A lesson with a student's values in it. Throws figures::ExpressionError for a formula without a finite value.
struct Assignment {
  Assignment(const Lesson& lesson, const Drawn& drawn);

  const Lesson& lesson;
  Drawn drawn;
  std::vector<Asked> questions;
  std::string task;
  /// The command that shows each run: "tsunagi run tca_ping_pong --set ...".
  std::vector<std::string> commands;
};

/// "a", "b", ...
std::string label_of(std::size_t question);

}  // namespace tsunagi::lesson
