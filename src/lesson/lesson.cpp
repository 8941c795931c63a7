// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/config.hpp"
#include "config/name.hpp"
#include "config/quantity.hpp"
#include "figures/expression.hpp"
#include "lesson/assignment.hpp"

namespace tsunagi::lesson {

void describe(Draw& c, config::Describer& d) {
  d.field("name", c.name, "\"{name}\" in texts, overrides and formulas stands for it", config::required);
  d.field("values", c.values, "each student has one of these, such as \"256 B\"", config::required);
}

void describe(Mistake& c, config::Describer& d) {
  d.field("formula", c.formula, "what comes of it, in the question's unit", config::required);
  d.field("hint", c.hint, "what to think about, without the answer", config::required);
}

void describe(Question& c, config::Describer& d) {
  d.field("ask", c.ask, "what is to be predicted", config::required);
  d.field("unit", c.unit, "of the answer: ns, GB/s, %; none: a bare number");
  d.field("formula", c.formula, "the answer, in `unit`", config::required);
  d.field("measured", c.measured, "the same, in `unit`, from the rows of the runs", config::required);
  d.field("within", c.within, "fraction of the formula's value that an answer, and what is measured, may be away",
          config::within(0.0, 0.5));
  d.field("hint", c.hint, "where no mistake is recognised", config::required);
  d.list("mistakes", c.mistakes, "ways to get it wrong that have a name");
}

void describe(Lesson& c, config::Describer& d) {
  d.field("title", c.title, "what it is about", config::required);
  d.field("text", c.text, "where it is written, relative to docs", config::required);
  d.field("minutes", c.minutes, "that it takes", config::within(1, 600));
  d.field("needs", c.needs, "what a reader should know");
  d.field("book", c.book, "chapters to read beside it");
  d.list("draws", c.draws, "values that each student has others of");
  d.list("runs", c.runs, "the runs that show it", config::required);
  d.list("questions", c.questions, "numbers to be predicted", config::required);
  d.field("task", c.task, "what to try afterwards");
}

namespace {

/// Complains of what is wrong with a lesson at a place of its document.
class Faults {
 public:
  explicit Faults(const config::Document& document) : document_(document) {}

  void add(const char* list, std::size_t index, const char* field, const std::string& text) {
    config::Message m{document_.root.place, fmt::format("/{}/{}/{}", list, index, field), text};
    const config::Value* items = document_.root.find(list);
    if (items != nullptr && index < items->items.size())
      if (const config::Value* value = items->items[index].find(field)) m.place = value->place;
    messages_.push_back(std::move(m));
  }
  void throw_if_any() const { config::throw_if_any(messages_); }
  bool none() const { return messages_.empty(); }

 private:
  const config::Document& document_;
  std::vector<config::Message> messages_;
};

void check_draws(const Lesson& lesson, Faults& faults) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < lesson.draws.size(); ++i) {
    const Draw& draw = lesson.draws[i];
    if (!config::is_name(draw.name)) faults.add("draws", i, "name", fmt::format("\"{}\" is no name", draw.name));
    if (!names.insert(draw.name).second)
      faults.add("draws", i, "name", fmt::format("two draws are called \"{}\"", draw.name));
    if (draw.values.empty()) faults.add("draws", i, "values", "there has to be one at least");
    for (const std::string& value : draw.values)
      if (!config::quantity_of("\"" + value + "\"") && !config::quantity_of(value))
        faults.add("draws", i, "values", fmt::format("\"{}\" is neither a number nor a quantity", value));
  }
}

void check_runs(const Lesson& lesson, Faults& faults) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < lesson.runs.size(); ++i) {
    const figures::FigureRun& run = lesson.runs[i];
    if (!config::is_name(run.name)) faults.add("runs", i, "name", fmt::format("\"{}\" is no name of a run", run.name));
    if (!names.insert(run.name).second)
      faults.add("runs", i, "name", fmt::format("two runs are called \"{}\"", run.name));
    for (const std::string& text : run.set)
      if (text.find('\'') != std::string::npos)
        faults.add("runs", i, "set", "the command that is shown puts it in single quotes: it has none");
    for (const std::string& filter : run.where)
      if (filter.find('=') == std::string::npos)
        faults.add("runs", i, "where", fmt::format("\"{}\" is not \"column=text\"", filter));
  }
}

/// Whatever is drawn, formulas have values, and no mistake leads to the right answer.
void check_questions(const Lesson& lesson, Faults& faults) {
  for (std::size_t q = 0; q < lesson.questions.size(); ++q)
    if (!lesson.questions[q].unit.empty() && !config::quantity_of("\"1 " + lesson.questions[q].unit + "\""))
      faults.add("questions", q, "unit", fmt::format("\"{}\" is no unit", lesson.questions[q].unit));
  std::vector<std::string> runs;
  for (const figures::FigureRun& run : lesson.runs) runs.push_back(run.name);
  std::set<std::string> measured;  // most are the same whatever is drawn
  for (const Drawn& drawn : all_draws(lesson)) {
    const Assignment assignment(lesson, drawn);
    for (std::size_t q = 0; q < lesson.questions.size(); ++q) {
      try {
        const std::string& expression = assignment.questions[q].measured.figure.expression;
        if (measured.insert(expression).second) figures::check_expression(expression, runs);
      } catch (const figures::ExpressionError& e) {
        return faults.add("questions", q, "measured", e.what());
      }
      const Asked& asked = assignment.questions[q];
      for (std::size_t m = 0; m < asked.mistakes.size(); ++m)
        if (std::abs(asked.mistakes[m] - asked.expected) <= lesson.questions[q].within * std::abs(asked.expected))
          return faults.add("questions", q, "mistakes",
                            fmt::format("mistake {} leads to the right answer, {:g}", m, asked.mistakes[m]));
    }
  }
}

}  // namespace

Lesson read_lesson(const config::Document& document) {
  auto lesson = config::read<Lesson>(document, config::Kinds{});
  lesson.file = document.name;
  lesson.id = lesson.file.stem().string();
  Faults faults(document);
  check_draws(lesson, faults);
  check_runs(lesson, faults);
  if (faults.none()) {
    try {
      check_questions(lesson, faults);
    } catch (const figures::ExpressionError& e) {
      throw config::ConfigError({{document.root.place, "/questions", e.what()}});
    }
  }
  faults.throw_if_any();
  return lesson;
}

std::vector<Lesson> load_lessons(const std::vector<std::filesystem::path>& files) {
  std::vector<Lesson> out;
  for (const std::filesystem::path& file : files) out.push_back(read_lesson(config::load(file)));
  return out;
}

}  // namespace tsunagi::lesson
