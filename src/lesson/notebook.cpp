// SPDX-License-Identifier: Apache-2.0
#include "lesson/notebook.hpp"

#include <algorithm>

#include "config/config.hpp"

namespace tsunagi::lesson {

void describe(Predictions& c, config::Describer& d) {
  d.field("question", c.question, "its letter", config::required);
  d.field("values", c.values, "what was predicted, the last one counts", config::required);
}

void describe(RunDigest& c, config::Describer& d) {
  d.field("run", c.run, "its name in the lesson", config::required);
  d.field("digest", c.digest, "of its rows", config::required);
}

void describe(Page& c, config::Describer& d) {
  d.field("lesson", c.lesson, "which it is", config::required);
  d.list("predictions", c.predictions, "what was predicted, by question");
  d.field("hints", c.hints, "how many were asked for", config::at_least(std::int64_t{0}));
  d.list("runs", c.runs, "what was simulated");
  d.field("passed", c.passed, "whether all answers were right when that was checked last");
}

void describe(Notebook& c, config::Describer& d) {
  d.field("student", c.student, "whose numbers these are", config::required);
  d.field("tsunagi", c.tsunagi, "the program's version");
  d.list("pages", c.pages, "a lesson each", config::required);
}

const std::string* Page::last(const std::string& question) const {
  for (const Predictions& p : predictions)
    if (p.question == question && !p.values.empty()) return &p.values.back();
  return nullptr;
}

const Page* Notebook::find(const std::string& lesson) const {
  const auto found = std::find_if(pages.begin(), pages.end(), [&](const Page& p) { return p.lesson == lesson; });
  return found == pages.end() ? nullptr : &*found;
}

Page& Notebook::page(const std::string& lesson) {
  if (const Page* there = find(lesson)) return pages[static_cast<std::size_t>(there - pages.data())];
  pages.emplace_back();
  pages.back().lesson = lesson;
  return pages.back();
}

Notebook read_notebook(const config::Document& document) { return config::read<Notebook>(document, config::Kinds{}); }

std::string to_text(Notebook notebook) { return config::resolved(notebook).dump(2) + "\n"; }

}  // namespace tsunagi::lesson
