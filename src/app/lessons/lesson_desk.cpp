// SPDX-License-Identifier: Apache-2.0
#include "app/lessons/lesson_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "app/files/config_files.hpp"
#include "app/shell/errors.hpp"
#include "app/shell/output.hpp"
#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "config/suggest.hpp"
#include "config/text/printable.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"

namespace tsunagi::app {

using lesson::Assignment;
using lesson::Lesson;
using lesson::Page;

namespace {

/// "3b".
bool names_question(const std::string& word) {
  return word.size() > 1 && word.back() >= 'a' && word.back() <= 'z' &&
         word.find_first_not_of("0123456789") == word.size() - 1;
}

/// The verdicts of a lesson's questions, none of which is without a value; nothing if that was interrupted.
std::optional<std::vector<figures::Verdict>> verdicts_of(const Assignment& assignment, runner::Options options) {
  std::vector<figures::FigureEntry> wanted;
  for (const lesson::Asked& asked : assignment.questions) wanted.push_back(asked.measured);
  const figures::CheckResult result = [&] {
    const RunProgress progress(options);
    return figures::check_figures(wanted, {}, all_kinds(), experiment::simulation(), options);
  }();
  if (result.interrupted) return std::nullopt;
  for (const figures::Verdict& v : result.verdicts)
    if (!v.simulated) throw std::runtime_error(fmt::format("{}: {}", v.entry.figure.id, v.why));
  return result.verdicts;
}

}  // namespace

Desk::Desk(const std::filesystem::path& folder, std::string progress)
    : lessons_(lesson::load_lessons(json_files(folder))), progress_(std::move(progress)) {
  if (lessons_.empty()) throw UsageError(fmt::format("there are no lessons in {}", folder.string()));
  if (!progress_.empty() && std::filesystem::exists(progress_)) book_ = lesson::read_notebook(config::load(progress_));
}

void Desk::sit_down(const std::string& student) {
  if (!config::is_printable(student)) throw UsageError("--student: a name is text without control characters");
  if (student == "NAME") throw UsageError("--student NAME: put a name of your own in place of NAME");
  if (book_.student.empty()) book_.student = student;
  if (book_.student.empty())
    throw UsageError(fmt::format("{} is not there yet. Whose numbers? Say --student NAME, once", progress_));
  if (!student.empty() && student != book_.student)
    throw UsageError(fmt::format("{} is {}'s: go on without --student, or name another file with --progress", progress_,
                                 book_.student));
}

int Desk::number(const Lesson& lesson) const {
  const auto found = std::find_if(lessons_.begin(), lessons_.end(), [&](const Lesson& l) { return l.id == lesson.id; });
  return static_cast<int>(found - lessons_.begin()) + 1;
}

std::string Desk::state(const Lesson& lesson) const {
  const Page* page = book_.find(lesson.id);
  if (page == nullptr) return "";
  if (page->passed) return "passed";
  if (!page->runs.empty()) return "simulated";
  return page->predictions.size() == lesson.questions.size() ? "predicted" : "begun";
}

std::string Desk::next() const {
  std::string fresh;
  for (const Lesson& l : lessons_) {
    const std::string at = state(l);
    const int n = number(l);
    if (at == "begun")
      return fmt::format("tsunagi lesson predict {} VALUE", unanswered(Assignment(l, drawn_for(l, book_.student))));
    if (at == "predicted") return fmt::format("tsunagi lesson run {}", n);
    if (at == "simulated") return fmt::format("tsunagi lesson check {}", n);
    if (at.empty() && fresh.empty())
      fresh = fmt::format("tsunagi lesson start {}{}", n, book_.student.empty() ? " --student NAME" : "");
  }
  return fresh;
}

const Lesson& Desk::find(const std::string& word) const {
  std::vector<std::string> known;
  for (const Lesson& l : lessons_) {
    known.push_back(std::to_string(number(l)));
    if (word == l.id || word == known.back()) return l;
  }
  throw UsageError(config::detail::unknown("lesson", word, known));
}

Assignment Desk::assignment(const std::string& word) const {
  const Lesson& l = find(word);
  return Assignment(l, lesson::drawn_for(l, book_.student));
}

std::pair<Assignment, std::size_t> Desk::question(const std::string& word) const {
  const bool has_label = names_question(word);
  Assignment out = assignment(has_label ? word.substr(0, word.size() - 1) : word);
  const std::size_t all = out.questions.size();
  if (!has_label && all == 1) return {out, 0};
  const int n = number(out.lesson);
  if (!has_label)
    throw UsageError(fmt::format("lesson {} has {} questions: {}a to {}{}", n, all, n, n, lesson::label_of(all - 1)));
  const auto q = static_cast<std::size_t>(word.back() - 'a');
  if (q >= all) throw UsageError(fmt::format("lesson {} ends with question {}{}", n, n, lesson::label_of(all - 1)));
  return {out, q};
}

std::pair<Assignment, std::size_t> Desk::open_question(const std::string& word) const {
  if (names_question(word)) return question(word);
  Assignment out = assignment(word);
  const Page* page = book_.find(out.lesson.id);
  if (page == nullptr) return {out, 0};
  std::size_t q = 0;
  while (q + 1 < out.questions.size() && lesson::answers(*page, out.lesson.questions[q], out.questions[q])) ++q;
  return {out, q};
}

std::string Desk::unanswered(const Assignment& assignment) const {
  const Page* page = book_.find(assignment.lesson.id);
  for (const lesson::Asked& asked : assignment.questions)
    if (page == nullptr || page->last(asked.label) == nullptr)
      return std::to_string(number(assignment.lesson)) + asked.label;
  return "";
}

void Desk::predict(const Assignment& assignment, std::size_t question, const std::string& value) {
  Page& page = book_.page(assignment.lesson.id);
  page.passed = false;
  const std::string label = lesson::label_of(question);
  for (lesson::Predictions& p : page.predictions)
    if (p.question == label) return p.values.push_back(value);
  page.predictions.push_back({label, {value}});
}

std::optional<std::vector<figures::Verdict>> Desk::simulated(const Assignment& assignment, runner::Options options) {
  auto verdicts = verdicts_of(assignment, std::move(options));
  if (!verdicts) return std::nullopt;
  Page& page = book_.page(assignment.lesson.id);
  page.runs.clear();
  for (const auto& [run, digest] : verdicts->front().digests) page.runs.push_back({run, digest});
  return verdicts;
}

std::optional<lesson::HandedIn> Desk::verified(const lesson::Notebook& book, const Page& page,
                                               runner::Options options) const {
  lesson::HandedIn out{book.student, page.lesson, ""};
  const auto found =
      std::find_if(lessons_.begin(), lessons_.end(), [&](const Lesson& l) { return l.id == page.lesson; });
  if (found == lessons_.end()) {
    out.why = "there is no such lesson here";
    return out;
  }
  out.predictions = lesson::most_predictions(page);
  out.hints = page.hints;
  const Assignment assignment(*found, lesson::drawn_for(*found, book.student));
  out.why = lesson::wrong_answer(page, assignment);
  if (!out.why.empty()) return out;
  const auto verdicts = verdicts_of(assignment, std::move(options));
  if (!verdicts) return std::nullopt;
  out.why = lesson::other_run(book, page, verdicts->front().digests, experiment::model_version());
  return out;
}

std::string Desk::hand_in(const Lesson& lesson) {
  return lesson::to_text({book_.student, experiment::model_version(), {book_.page(lesson.id)}});
}

void Desk::save() {
  book_.tsunagi = experiment::model_version();
  write_file(progress_, lesson::to_text(book_));
}

}  // namespace tsunagi::app
