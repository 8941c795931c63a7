// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/commands.hpp"
#include "app/commands/runner_options.hpp"
#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/lessons/lesson_desk.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/wrap.hpp"
#include "config/suggest.hpp"
#include "experiment/version.hpp"
#include "figures/figure.hpp"
#include "lesson/answer.hpp"
#include "lesson/verify.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using lesson::Asked;
using lesson::Assignment;
using lesson::Page;

CommandLine lesson_line() {
  CommandLine line(
      "lesson [list|start|predict|run|hint|check|verify] [LESSON] [VALUE] [options]",
      "A course in interconnects: each lesson is read, a number is predicted by a formula, and the simulation says.\n"
      "start prints a lesson's questions, with numbers of your own; predict writes down an answer, of a question\n"
      "(1a) in its unit or another one (\"900 ns\"); run simulates, once all is predicted; hint says what to think\n"
      "about after the last answer; check says which answers are right, and with --out writes what is handed in.\n"
      "verify checks such files, by running what they say was run. Without one of these words: list.\n"
      "Exit code 1 when an answer is wrong, or what was handed in does not hold.",
      "  tsunagi lesson\n"
      "  tsunagi lesson start 1 --student ada\n"
      "  tsunagi lesson predict 1a \"1.5 GB/s\"\n"
      "  tsunagi lesson run 1\n"
      "  tsunagi lesson check 1 --out ada-1.json\n"
      "  tsunagi lesson verify handed-in/*.json --junit lessons.xml\n");
  line.input(-1);
  line.option("student", po::value<std::string>()->value_name("NAME"),
              "whose numbers: everybody has others. Needed once");
  line.option("progress", po::value<std::string>()->default_value("tsunagi-lessons.json")->value_name("FILE"),
              "where you are: your predictions and what was simulated");
  line.option("out", po::value<std::string>()->value_name("FILE"), "check: write there what is handed in");
  line.option("junit", po::value<std::string>()->value_name("FILE"),
              "verify: also write the verdicts there as JUnit XML: a test suite a student, a test case a lesson");
  add_configs_option(line);
  add_jobs_option(line);
  return line;
}

std::string in_unit(double value, const std::string& unit) {
  return fmt::format("{}{}{}", figures::rounded(value), unit.empty() ? "" : " ", unit);
}

int list_lessons(const Desk& desk) {
  std::size_t width = 0;
  for (const lesson::Lesson& l : desk.lessons()) width = std::max(width, l.title.size());
  std::string out = fmt::format("    {:<{}}  minutes  state\n", "lesson", width);
  for (std::size_t i = 0; i < desk.lessons().size(); ++i) {
    const lesson::Lesson& l = desk.lessons()[i];
    out += fmt::format("{:>2}  {:<{}}  {:>7}  {}\n", i + 1, l.title, width, l.minutes, desk.state(l));
  }
  const std::string next = desk.next();
  write_stdout(out + (next.empty() ? "\nAll are passed.\n"
                                   : fmt::format("\n{}: {}\n", desk.is_new() ? "Begin with" : "Next", next)));
  return exit_ok;
}

int start_lesson(Desk& desk, const std::string& word) {
  const Assignment assignment = desk.assignment(word);
  const lesson::Lesson& l = assignment.lesson;
  const int n = desk.number(l);
  std::string out = fmt::format("Lesson {}: {} ({} minutes)\n\nRead docs/{} first.", n, l.title, l.minutes, l.text);
  if (!l.needs.empty()) out += fmt::format(" It needs {}.", l.needs);
  if (!l.book.empty()) out += fmt::format(" For more: {}.", l.book);
  out += "\n";
  const Page& page = desk.page(l);
  for (std::size_t q = 0; q < assignment.questions.size(); ++q) {
    const std::string& unit = l.questions[q].unit;
    out += fmt::format("\n{}) {}\n   In {}, to within {:g} %.", assignment.questions[q].label,
                       assignment.questions[q].ask, unit.empty() ? "a bare number" : unit, l.questions[q].within * 100);
    const std::string* said = page.last(assignment.questions[q].label);
    out += said == nullptr ? "\n" : fmt::format(" You wrote down: {}.\n", *said);
  }
  out = wrapped(out);
  out += fmt::format("\nPredict before you simulate:  tsunagi lesson predict {}a VALUE\n", n);
  out += fmt::format("and then:                     tsunagi lesson run {}\n", n);
  desk.save();
  write_stdout(out);
  return exit_ok;
}

int write_down(Desk& desk, const std::string& word, const std::string& value) {
  const auto [assignment, q] = desk.question(word);
  const lesson::Question& question = assignment.lesson.questions[q];
  double answer = 0;
  try {
    answer = lesson::answer_in(value, question.unit);
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
  desk.predict(assignment, q, value);
  desk.save();
  write_stdout(fmt::format("{}{}: {} is written down.", desk.number(assignment.lesson), assignment.questions[q].label,
                           in_unit(answer, question.unit)));
  const std::string next = desk.unanswered(assignment);
  write_stdout(next.empty() ? fmt::format(" Now see: tsunagi lesson run {}\n", desk.number(assignment.lesson))
                            : fmt::format(" Next: tsunagi lesson predict {} VALUE\n", next));
  return exit_ok;
}

int simulate_lesson(Desk& desk, const std::string& word, const po::variables_map& values) {
  const Assignment assignment = desk.assignment(word);
  const lesson::Lesson& l = assignment.lesson;
  if (const std::string missing = desk.unanswered(assignment); !missing.empty())
    throw UsageError(fmt::format("predict before you simulate: tsunagi lesson predict {} VALUE", missing));
  const auto verdicts = desk.simulated(assignment, runner_options(values));
  if (!verdicts) return exit_interrupted;
  std::string out = "To look at by yourself:\n";
  for (const std::string& command : assignment.commands) out += fmt::format("  {}\n", command);
  out += fmt::format("\n   {:>14}  {:>14}  {}\n", "predicted", "simulated", "off by");
  for (std::size_t q = 0; q < assignment.questions.size(); ++q) {
    const std::string& unit = l.questions[q].unit;
    const double answer = lesson::answer_in(*desk.page(l).last(assignment.questions[q].label), unit);
    const double simulated = *(*verdicts)[q].simulated;
    out += fmt::format("{}) {:>14}  {:>14}", assignment.questions[q].label, in_unit(answer, unit),
                       in_unit(simulated, unit));
    out += simulated == 0 ? "\n" : fmt::format("  {:+.1f} %\n", (answer / simulated - 1) * 100);
  }
  desk.save();
  write_stdout(
      out + fmt::format("\nNot what you thought? tsunagi lesson hint {0}   As you thought? tsunagi lesson check {0}\n",
                        desk.number(l)));
  return exit_ok;
}

int give_hint(Desk& desk, const std::string& word) {
  const auto [assignment, q] = desk.open_question(word);
  Page& page = desk.page(assignment.lesson);
  const std::string* last = page.last(assignment.questions[q].label);
  const lesson::Question& question = assignment.lesson.questions[q];
  const std::optional<double> answer =
      last == nullptr ? std::nullopt : std::optional(lesson::answer_in(*last, question.unit));
  if (answer && lesson::is_right(question, assignment.questions[q], *answer)) {
    const int n = desk.number(assignment.lesson);
    write_stdout(word.back() == assignment.questions[q].label.front() || assignment.questions.size() == 1
                     ? fmt::format("{}: {} is right.\n", word, in_unit(*answer, question.unit))
                     : fmt::format("{}: all answers are right. Next: tsunagi lesson {} {}\n", n,
                                   page.runs.empty() ? "run" : "check", n));
    return exit_ok;
  }
  ++page.hints;
  desk.save();
  write_stdout(fmt::format("{}{}: {}\n", desk.number(assignment.lesson), assignment.questions[q].label,
                           answer ? lesson::hint_for(question, assignment.questions[q], *answer) : question.hint));
  return exit_ok;
}

int check_answers(Desk& desk, const std::string& word, const po::variables_map& values) {
  const Assignment assignment = desk.assignment(word);
  const lesson::Lesson& l = assignment.lesson;
  if (const std::string missing = desk.unanswered(assignment); !missing.empty())
    throw UsageError(fmt::format("question {} has no prediction: tsunagi lesson predict {} VALUE", missing, missing));
  Page& page = desk.page(l);
  if (page.runs.empty()) throw UsageError(fmt::format("nothing was simulated: tsunagi lesson run {}", desk.number(l)));
  check_out(values);
  keep_inputs(values, {values["progress"].as<std::string>()});
  std::string out;
  bool all = true;
  for (std::size_t q = 0; q < assignment.questions.size(); ++q) {
    const Asked& asked = assignment.questions[q];
    const double answer = lesson::answer_in(*page.last(asked.label), l.questions[q].unit);
    const bool right = lesson::is_right(l.questions[q], asked, answer);
    all = all && right;
    out +=
        fmt::format("{}) {} is {}\n", asked.label, in_unit(answer, l.questions[q].unit), right ? "right" : "not right");
  }
  page.passed = all;
  desk.save();
  if (all && !assignment.task.empty()) out += fmt::format("\nTo go on: {}\n", assignment.task);
  if (all && values.count("out") == 0)
    out += fmt::format("\nTo hand it in: tsunagi lesson check {} --out FILE.json\n", desk.number(l));
  if (!all) out += fmt::format("\nWhat to think about: tsunagi lesson hint {}\n", desk.number(l));
  if (values.count("out") != 0) {
    emit(values, desk.hand_in(l));
    write_note(fmt::format("written to {}\n", values["out"].as<std::string>()));
  }
  write_stdout(out);
  return all ? exit_ok : exit_failed;
}

/// "holds, at the first answer", "holds, after 3 answers and 1 hint".
std::string held(const lesson::HandedIn& h) {
  if (h.predictions <= 1 && h.hints == 0) return "holds, at the first answer";
  return fmt::format("holds, after {} answer{} and {} hint{}", h.predictions, h.predictions == 1 ? "" : "s", h.hints,
                     h.hints == 1 ? "" : "s");
}

int verify_files(const Desk& desk, const std::vector<std::string>& files, const po::variables_map& values) {
  if (files.empty()) throw UsageError("verify needs the files that were handed in");
  if (values.count("junit") != 0) keep_inputs({values["junit"].as<std::string>()}, {files.begin(), files.end()});
  std::vector<lesson::HandedIn> all;
  for (const std::string& file : files) {
    const lesson::Notebook book = lesson::read_notebook(load_input(file));
    for (const Page& page : book.pages) {
      const auto verdict = desk.verified(book, page, runner_options(values));
      if (!verdict) return exit_interrupted;
      all.push_back(*verdict);
      write_stdout(fmt::format("{}: {}, {}: {}\n", file, book.student, page.lesson,
                               verdict->why.empty() ? held(*verdict) : verdict->why));
    }
  }
  if (values.count("junit") != 0)
    write_file(values["junit"].as<std::string>(), lesson::junit(all, experiment::model_version()));
  const bool good = std::all_of(all.begin(), all.end(), [](const lesson::HandedIn& h) { return h.why.empty(); });
  return good ? exit_ok : exit_failed;
}

int run_lesson(const po::variables_map& values) {
  static const std::vector<std::string> actions{"list", "start", "predict", "run", "hint", "check", "verify"};
  std::vector<std::string> words = inputs(values);
  const std::string action = words.empty() ? "list" : words.front();
  if (std::find(actions.begin(), actions.end(), action) == actions.end())
    throw UsageError(config::detail::unknown("action", action, actions));
  if (!words.empty()) words.erase(words.begin());
  if (values.count("out") != 0 && action != "check") throw UsageError("--out is for check: what is handed in");
  if (values.count("junit") != 0 && action != "verify") throw UsageError("--junit is for verify");
  const std::filesystem::path folder = Configs(values).found() / "lessons";
  if (action == "verify") return verify_files(Desk(folder), words, values);
  if (action == "list") {
    if (!words.empty()) throw UsageError("list takes no lesson");
    return list_lessons(Desk(folder, values["progress"].as<std::string>()));
  }
  if (words.empty())
    throw UsageError(action == "predict" ? "predict needs a question and a value: tsunagi lesson predict 1a VALUE"
                                         : fmt::format("{} needs a lesson: tsunagi lesson {} 1", action, action));
  Desk desk(folder, values["progress"].as<std::string>());
  desk.sit_down(values.count("student") != 0 ? values["student"].as<std::string>() : "");
  const std::string word = words.front();
  if (action == "predict") {
    if (words.size() < 2) throw UsageError(fmt::format("predict needs a value: tsunagi lesson predict {} VALUE", word));
    return write_down(desk, word, fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " ")));
  }
  if (words.size() > 1) throw UsageError(fmt::format("{} takes one lesson; what is \"{}\"?", action, words[1]));
  if (action == "start") return start_lesson(desk, word);
  if (action == "run") return simulate_lesson(desk, word, values);
  return action == "hint" ? give_hint(desk, word) : check_answers(desk, word, values);
}

}  // namespace

Command lesson_command() {
  return {"lesson", "learn why interconnects are as fast as they are", lesson_line, run_lesson};
}

}  // namespace tsunagi::app
