// SPDX-License-Identifier: Apache-2.0
#include "lesson/assignment.hpp"

#include <fmt/format.h>

#include <functional>

#include "config/quantity.hpp"
#include "figures/expression.hpp"
#include "stats/random.hpp"

namespace tsunagi::lesson {
namespace {

/// `text` with what `say` makes of each drawn value in place of "{name}".
std::string filled(std::string text, const Drawn& drawn, const std::function<std::string(const std::string&)>& say) {
  for (const auto& [name, value] : drawn) {
    const std::string hole = "{" + name + "}";
    const std::string said = say(value);
    for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at + said.size()))
      text.replace(at, hole.size(), said);
  }
  return text;
}

std::string in_text(const std::string& text, const Drawn& drawn) {
  return filled(text, drawn, [](const std::string& value) { return value; });
}

/// In seconds, bytes, bytes a second, or as it is.
double in_base(const std::string& value) {
  auto quantity = config::quantity_of(value);
  if (!quantity) quantity = config::quantity_of("\"" + value + "\"");
  return quantity->kind == config::Quantity::Kind::time ? quantity->value / 1e15 : quantity->value;
}

std::string in_formula(const std::string& text, const Drawn& drawn) {
  return filled(text, drawn, [](const std::string& value) { return fmt::format("({})", in_base(value)); });
}

double value_of(const std::string& formula, const Drawn& drawn) {
  try {
    return figures::evaluate(in_formula(formula, drawn), {});
  } catch (const figures::NoValue& e) {
    throw figures::ExpressionError(fmt::format("in \"{}\": {}", formula, e.what()));
  }
}

std::vector<figures::FigureRun> runs_of(const Lesson& lesson, const Drawn& drawn) {
  std::vector<figures::FigureRun> out = lesson.runs;
  for (figures::FigureRun& run : out) {
    for (std::string& text : run.set) text = in_text(text, drawn);
    for (std::string& text : run.where) text = in_text(text, drawn);
  }
  return out;
}

}  // namespace

std::string label_of(std::size_t question) { return std::string(1, static_cast<char>('a' + question)); }

Drawn drawn_for(const Lesson& lesson, const std::string& student) {
  Drawn out;
  for (const Draw& draw : lesson.draws) {
    stats::RandomStream random(0, student + "/" + lesson.id + "/" + draw.name);
    const std::int64_t which = random.below(static_cast<std::int64_t>(draw.values.size()));
    out[draw.name] = draw.values[static_cast<std::size_t>(which)];
  }
  return out;
}

std::vector<Drawn> all_draws(const Lesson& lesson) {
  std::vector<Drawn> out{{}};
  for (const Draw& draw : lesson.draws) {
    std::vector<Drawn> longer;
    for (const Drawn& begun : out)
      for (const std::string& value : draw.values) {
        longer.push_back(begun);
        longer.back()[draw.name] = value;
      }
    out = std::move(longer);
  }
  return out;
}

Assignment::Assignment(const Lesson& of, const Drawn& values)
    : lesson(of), drawn(values), task(in_text(of.task, values)) {
  const std::vector<figures::FigureRun> runs = runs_of(lesson, drawn);
  for (const figures::FigureRun& run : runs) {
    std::string command = fmt::format("tsunagi run {}", std::filesystem::path(run.file).stem().string());
    for (const std::string& text : run.set) command += fmt::format(" \\\n    --set '{}'", text);
    commands.push_back(std::move(command));
  }
  for (const Question& question : lesson.questions) {
    Asked asked;
    asked.label = label_of(questions.size());
    asked.ask = in_text(question.ask, drawn);
    asked.expected = value_of(question.formula, drawn);
    for (const Mistake& mistake : question.mistakes) asked.mistakes.push_back(value_of(mistake.formula, drawn));
    figures::Figure& figure = asked.measured.figure;
    figure.id = lesson.id + "-" + asked.label;
    figure.measure = asked.ask;
    figure.value = asked.expected;
    figure.tolerance = question.within;
    figure.unit = question.unit;
    figure.runs = runs;
    figure.expression = in_formula(question.measured, drawn);
    asked.measured.file = lesson.file;
    questions.push_back(std::move(asked));
  }
}

}  // namespace tsunagi::lesson
