// SPDX-License-Identifier: Apache-2.0
// A lesson is data: configs/lessons/NN_name.json holds what is asked, the formula that answers it, the runs that show
// it and one expression over their rows (figures/expression.hpp). "{name}" stands for a value that is drawn for each
// student: in texts and overrides as it is written, in formulas and expressions as a number in base units (seconds,
// bytes, bytes a second, or a bare count).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "figures/figure.hpp"

namespace tsunagi::lesson {

/// A value that each student has another of.
struct Draw {
  std::string name;                 ///< what "{name}" stands for
  std::vector<std::string> values;  ///< one of these: "256 B", "100 ns", "8"
};
void describe(Draw& c, config::Describer& d);

/// A way to get it wrong that has a name.
struct Mistake {
  std::string formula;  ///< what comes of it, in the question's unit
  std::string hint;     ///< what to think about, without the answer
};
void describe(Mistake& c, config::Describer& d);

/// A number to be predicted.
struct Question {
  std::string ask;
  std::string unit;      ///< of the answer: "ns", "GB/s", "%"; empty: a bare number
  std::string formula;   ///< the answer, in `unit`
  std::string measured;  ///< the same from the rows of the runs
  /// Fraction of the formula's value that an answer, and what is measured, may be away: what the formula leaves out.
  double within = 0.05;
  std::string hint;  ///< where no mistake is recognised
  std::vector<Mistake> mistakes;
};
void describe(Question& c, config::Describer& d);

struct Lesson {
  std::string title;
  std::string text;   ///< where it is written, relative to docs
  int minutes = 60;   ///< that it takes
  std::string needs;  ///< what a reader should know
  std::string book;   ///< chapters to read beside it
  std::vector<Draw> draws;
  std::vector<figures::FigureRun> runs;
  std::vector<Question> questions;
  std::string task;  ///< what to try afterwards; nobody checks it

  std::string id;              ///< of its file: "01_tlp_cost"
  std::filesystem::path file;  ///< that it was read from
};
void describe(Lesson& c, config::Describer& d);

/// Reads a lesson and checks that each formula has a value whatever is drawn. Throws config::ConfigError.
Lesson read_lesson(const config::Document& document);

/// The lessons in these files, in their order. Throws config::ConfigError.
std::vector<Lesson> load_lessons(const std::vector<std::filesystem::path>& files);

}  // namespace tsunagi::lesson
