// SPDX-License-Identifier: Apache-2.0
#include "runner/title.hpp"
#include "support/catch.hpp"

namespace runner_title_test {

using namespace tsunagi;

namespace {

std::string titled(const std::string& title, const runner::Varied& varied = {}) {
  return runner::title_of(config::parse(R"({"title": ")" + title + R"(", "a": {"one": "8 B", "n": 16, "yes": true},
    "none": [], "single": ["8 B"], "two": ["8 B", "1 KiB"], "sizes": ["8 B", "1 KiB", "1 MiB"], "grid": [4, 2],
    "mixed": [{"x": 1}]})",
                                        "x.json"),
                          varied);
}

}  // namespace

TEST_CASE("a title says the values that it names") {
  CHECK(titled("no value") == "no value");
  CHECK(titled("{/a/one} and {/a/n}, {/a/yes}") == "8 B and 16, true");
  CHECK(titled("{/single}; {/two}; {/sizes}") == "8 B; 8 B and 1 KiB; 8 B to 1 MiB");
  CHECK(titled("a {/grid} grid") == "a 4x2 grid");
  CHECK(titled("a {/none} grid") == "a chosen grid");
  CHECK(titled("up to {/sizes/2}") == "up to 1 MiB");
}

TEST_CASE("a title that names nothing is still printed, and refused by whoever asks") {
  CHECK(titled("{/b} {/a} {/mixed} {/a/one/x}") == "? ? ? ?");
  CHECK_NOTHROW(runner::check_title(config::parse(R"({"title": "{/a}", "a": 1})", "x.json")));
  try {
    runner::check_title(config::parse("{\n \"title\": \"{/b} of {/a}\", \"a\": {\"x\": 1}}", "x.json"));
    FAIL("not refused");
  } catch (const config::ConfigError& e) {
    REQUIRE(e.messages().size() == 2);
    CHECK(e.messages()[0].line() == "x.json:2:11: /title: names \"/b\", where nothing is written");
    CHECK(e.messages()[1].line() == "x.json:2:11: /title: names \"/a\", which is no value that a line can say");
  }
}

TEST_CASE("braces of somebody's own stay") {
  CHECK(titled("{}, {a} {n {/a/n} }") == "{}, {a} {n 16 }");
  CHECK(titled("{") == "{");
  CHECK(titled("{/a/n") == "{/a/n");
}

TEST_CASE("a name in braces that is no axis is told with what was meant") {
  const config::Document d = config::parse(R"({"title": "{flihgt}, {a b}, {}", "a": 1})", "x.json");
  const auto faults = runner::title_faults(d, {{"flight", {"1 ns"}}, {"/a", {"1"}}});
  REQUIRE(faults.size() == 1);
  CHECK(
      faults[0].line() ==
      "x.json:1:11: /title: names {flihgt}, which is no axis; did you mean \"flight\"?; a value of the run is named by "
      "its place, {/scenario/...}");
  CHECK(runner::title_faults(config::parse(R"({"title": "{flight}"})", "x.json"), {{"flight", {"1 ns"}}}).empty());
}

TEST_CASE("what is varied is said by its ends, by path or by name") {
  const runner::Varied sizes{{"/sizes", {"1 B", "2 B", "3 B"}}, {"nodes", {"4", "8"}}};
  CHECK(titled("{/sizes}, {nodes} nodes of {/a/n}", sizes) == "1 B to 3 B, 4 and 8 nodes of 16");
  CHECK(titled("{/sizes}", {{"/sizes/0", {"x"}}}) == "x");
  CHECK(titled("{/sizes/1}", {{"/sizes", {"x"}}}) == "x");
  CHECK(titled("{/sizes}", {{"/size", {"x"}}}) == "8 B to 1 MiB");
}

}  // namespace runner_title_test
