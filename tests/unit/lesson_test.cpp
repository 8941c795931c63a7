// SPDX-License-Identifier: Apache-2.0
// Lessons without their runs: what is drawn, what is right, which mistake it was, what is handed in.
#include <set>
#include <stdexcept>

#include "lesson/answer.hpp"
#include "lesson/verify.hpp"
#include "support/catch.hpp"

namespace lesson_test {

using namespace tsunagi;
using namespace tsunagi::lesson;

namespace {

/// Two numbers are drawn; the answer to a is their product, in ns; that to b is 3, a bare number.
Lesson small(const std::string& change_from = "", const std::string& change_to = "") {
  std::string text = R"json({
    "title": "product", "text": "learn/x.md",
    "draws": [{"name": "n", "values": ["2", "5", "7"]}, {"name": "each", "values": ["10 ns", "30 ns"]}],
    "runs": [{"name": "run", "file": "x.json", "set": ["/n={n}", "/each=\"{each}\""]}],
    "questions": [
      {"ask": "{n} times {each}?", "unit": "ns", "formula": "{n}*{each}/ns", "measured": "max(run.time)/ns",
       "within": 0.05, "hint": "Multiply.",
       "mistakes": [{"formula": "({n}+1)*{each}/ns", "hint": "One too many."}]},
      {"ask": "Three?", "formula": "3", "measured": "max(run.n)", "hint": "Count."}
    ],
    "task": "with {n}"
  })json";
  if (!change_from.empty()) text.replace(text.find(change_from), change_from.size(), change_to);
  return read_lesson(config::parse(text, "01_small.json"));
}

std::string refusal(const std::string& from, const std::string& to) {
  try {
    small(from, to);
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return "";
}

Page answered(const std::string& a, const std::string& b) {
  Page page;
  page.lesson = "01_small";
  page.predictions = {{"a", {"1", a}}, {"b", {b}}};
  page.runs = {{"run", "abc"}};
  return page;
}

}  // namespace

TEST_CASE("lesson: a name draws the same numbers always, and names draw all of them") {
  const Lesson l = small();
  std::set<std::string> seen;
  for (int i = 0; i < 60; ++i) {
    const std::string student = "student " + std::to_string(i);
    const Drawn drawn = drawn_for(l, student);
    CHECK(drawn == drawn_for(l, student));
    seen.insert(drawn.at("n") + drawn.at("each"));
  }
  CHECK(seen.size() == 6);
  CHECK(all_draws(l).size() == 6);
}

TEST_CASE("lesson: drawn values stand as written in texts, in base units in formulas") {
  const Lesson l = small();
  const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
  CHECK(a.questions[0].ask == "5 times 30 ns?");
  CHECK(a.questions[0].expected == Approx(150));
  CHECK(a.questions[0].mistakes.front() == Approx(180));
  CHECK(a.questions[0].measured.figure.runs.front().set == std::vector<std::string>{"/n=5", "/each=\"30 ns\""});
  CHECK(a.commands.front() == "tsunagi run x \\\n    --set '/n=5' \\\n    --set '/each=\"30 ns\"'");
  CHECK(a.task == "with 5");
}

TEST_CASE("lesson: an answer is in the question's unit, or in another one of what it asks for") {
  CHECK(answer_in("150", "ns") == Approx(150));
  CHECK(answer_in("0.15 us", "ns") == Approx(150));
  CHECK(answer_in("3500 MB/s", "GB/s") == Approx(3.5));
  CHECK(answer_in("28 Gb/s", "GB/s") == Approx(3.5));
  CHECK(answer_in("58.6 %", "%") == Approx(58.6));
  CHECK(answer_in("3", "") == Approx(3));
  CHECK(answer_in("1e3", "ns") == Approx(1000));
  for (const char* wrong : {"", "many", "3 apples", "\"3\"", "1e999", "nan", "3 GB/s", "--3"})
    CHECK_THROWS_AS(answer_in(wrong, "ns"), std::invalid_argument);
  CHECK_THROWS_WITH(answer_in("3 GB/s", "ns"),
                    "\"3 GB/s\" is a rate: the question asks for a time, such as \"1.5 ns\"");
}

TEST_CASE("lesson: what is as near as the question allows is right, at its ends, too") {
  const Lesson l = small();
  const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
  const auto right = [&](double answer) { return is_right(l.questions[0], a.questions[0], answer); };
  CHECK(right(150));
  CHECK(right(157.4));
  CHECK_FALSE(right(157.6));
  CHECK(right(142.6));
  CHECK_FALSE(right(142.4));
}

TEST_CASE("lesson: the hint is of the mistake that was made") {
  const Lesson l = small();
  const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
  const auto hint = [&](double answer) { return hint_for(l.questions[0], a.questions[0], answer); };
  CHECK(hint(180) == "One too many.");
  CHECK(hint(300).find("factor of 2") != std::string::npos);
  CHECK(hint(75).find("factor of 2") != std::string::npos);
  CHECK(hint(1200).find("bits") != std::string::npos);
  for (const double power : {1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9})
    CHECK(hint(150 * power).find("prefix") != std::string::npos);
  CHECK(hint(150 * 1.073741824) == "Multiply.");
  CHECK(hint(999) == "Multiply.");
  CHECK(hint(150) == "Multiply.");
}

TEST_CASE("lesson: binary units are a mistake of bytes, not of times") {
  const Lesson l = small("\"unit\": \"ns\"", "\"unit\": \"MB/s\"");
  const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
  for (const double factor : {1.048576, 1.073741824})
    for (const double answer : {150 * factor * 1.005, 150 / factor / 1.005})
      CHECK(hint_for(l.questions[0], a.questions[0], answer).find("binary") != std::string::npos);
}

TEST_CASE("lesson: a share is a mistake of percent, not of times") {
  const auto hint = [](const char* unit) {
    const Lesson l = small("\"unit\": \"ns\"", std::string("\"unit\": \"") + unit + "\"");
    const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
    return hint_for(l.questions[0], a.questions[0], a.questions[0].expected / 100);
  };
  CHECK(hint("%").find("percent") != std::string::npos);
  CHECK(hint("ns") == "Multiply.");
}

TEST_CASE("lesson: of two mistakes near each other the nearest one is told") {
  const std::string first = "\"hint\": \"One too many.\"}";
  const Lesson l = small(first, first + R"(, {"formula": "({n}+1)*{each}*1.005/ns", "hint": "A bit more."})");
  const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
  CHECK(hint_for(l.questions[0], a.questions[0], 180) == "One too many.");
  CHECK(hint_for(l.questions[0], a.questions[0], 181) == "A bit more.");
}

TEST_CASE("lesson: a file that could not be answered is refused, with its place") {
  CHECK(refusal("({n}+1)", "({n}+0.01)").find("mistake 0 leads to the right answer") != std::string::npos);
  CHECK(refusal("\"unit\": \"ns\"", "\"unit\": \"apples\"").find("no unit") != std::string::npos);
  CHECK(refusal("\"30 ns\"", "\"thirty\"").find("neither a number nor a quantity") != std::string::npos);
  CHECK(refusal("\"name\": \"each\"", "\"name\": \"n\"").find("two draws are called \"n\"") != std::string::npos);
  CHECK(refusal("{n}*{each}/ns", "{m}*{each}/ns").find("m") != std::string::npos);
  CHECK(refusal("{n}*{each}/ns", "{n}/0").find("no finite number") != std::string::npos);
  CHECK(refusal("max(run.time)/ns", "max(walk.time)/ns").find("walk") != std::string::npos);
  CHECK(refusal("/n={n}", "/n='{n}'").find("single quotes") != std::string::npos);
  CHECK(refusal("\"within\": 0.05", "\"within\": 0.6").find("within") != std::string::npos);
  CHECK(refusal("[\"2\", \"5\", \"7\"]", "[]").find("at least") != std::string::npos);
}

TEST_CASE("lesson: what is handed in holds if all answers are right and the runs give the same") {
  const Lesson l = small();
  const Assignment a(l, {{"n", "5"}, {"each", "30 ns"}});
  const Notebook book{"ada", "1", {}};
  const auto fault = [&](const Page& page, const std::string& digest = "abc", const std::string& version = "1") {
    const std::string wrong = wrong_answer(page, a);
    return wrong.empty() ? other_run(book, page, {{"run", digest}}, version) : wrong;
  };
  CHECK(fault(answered("150", "3")).empty());
  CHECK(fault(answered("151 ns", "3")).empty());
  CHECK(fault(answered("170", "3")) == "question a: 170 is not right");
  CHECK(fault(answered("150", "3 ns")).find("question b: \"3 ns\" is a time") == 0);
  CHECK(fault(answered("150", "3"), "abd") == "run run gives other rows here");
  CHECK(fault(answered("150", "3"), "abd", "2") == "run run gives other rows here: it was of 1, this is 2");
  Page page = answered("150", "3");
  page.runs.clear();
  CHECK(fault(page) == "run run was not simulated");
  page.predictions.pop_back();
  CHECK(fault(page) == "question b has no answer");
  CHECK(most_predictions(answered("150", "3")) == 2);
}

TEST_CASE("lesson: a notebook is read as it was written") {
  Notebook book{"ada \"</x>", "1", {}};
  book.page("01_small") = answered("150", "3");
  book.page("01_small").hints = 2;
  CHECK(book.pages.size() == 1);
  const std::string text = to_text(book);
  Notebook again = read_notebook(config::parse(text, "notes.json"));
  CHECK(to_text(again) == text);
  REQUIRE(again.find("01_small") != nullptr);
  CHECK(*again.find("01_small")->last("a") == "150");
  CHECK(again.find("02") == nullptr);
  CHECK_THROWS_AS(read_notebook(config::parse(R"({"student": "x", "pages": [{"lesson": 3}]})", "n.json")),
                  config::ConfigError);
}

TEST_CASE("lesson: verdicts as JUnit XML, a suite a student") {
  const std::string xml =
      junit({{"a<b", "01", "", 1, 0}, {"c", "01", "it's \"wrong\"", 1, 0}, {"c", "02", "", 1, 0}}, "1");
  CHECK(xml.find("<testsuites name=\"tsunagi 1\" tests=\"3\" failures=\"1\">") != std::string::npos);
  CHECK(xml.find("<testsuite name=\"a&lt;b\" tests=\"1\" failures=\"0\">") != std::string::npos);
  CHECK(xml.find("<testsuite name=\"c\" tests=\"2\" failures=\"1\">") != std::string::npos);
  CHECK(xml.find("&quot;wrong&quot;") != std::string::npos);
}

}  // namespace lesson_test
