// SPDX-License-Identifier: Apache-2.0
#include "import/findings.hpp"

#include <string>

#include "support/catch.hpp"

namespace import_findings_test {

using namespace tsunagi::importing;

TEST_CASE("imported files: places count lines and characters from 1 on") {
  const Source s("f", "a\n\xc3\xa4x\r\n\nlast");
  CHECK(s.at(0).text() == "f:1:1");
  CHECK(s.at(1).text() == "f:1:2");
  CHECK(s.at(2).text() == "f:2:1");
  CHECK(s.at(4).text() == "f:2:2");
  CHECK(s.at(8).text() == "f:4:1");
  CHECK(s.at(1000).text() == "f:4:5");
  CHECK(s.line_count() == 4);
  CHECK(s.line_text(2) == "\xc3\xa4x");
  CHECK(s.line_text(3).empty());
  CHECK(s.line_text(4) == "last");
  const Source ended("f", "a\n");
  CHECK(ended.line_count() == 1);
  CHECK(Source("f", "").line_count() == 1);
  CHECK(Source("f", "").line_text(1).empty());
}

TEST_CASE("imported files: words, and numbers of digits alone") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed("a ") == "a");
  CHECK(trimmed(" \t").empty());
  CHECK(words_of("  a\tbc ") == std::vector<std::string_view>{"a", "bc"});
  CHECK(words_of("").empty());
  long n = 7;
  CHECK(parse_number("0", 10, 0, 9, n));
  CHECK(n == 0);
  CHECK(parse_number("9", 10, 0, 9, n));
  CHECK(parse_number("ff", 16, 0, 255, n));
  for (const char* wrong : {"", " 1", "1 ", "+1", "0x1", "10", "-1", "1.0", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_number(wrong, 10, 0, 9, n));
  }
  CHECK(n == 255);
}

TEST_CASE("imported files: words of others end no comment and are not long") {
  CHECK(comment("a*/b") == "a* /b");
  CHECK(comment("**//") == "** //");
  CHECK(comment("a\nb\\") == "a\\nb\\");
  CHECK(comment(std::string(100, 'x')) == std::string(100, 'x'));
  CHECK(comment(std::string(101, 'x')) == std::string(100, 'x') + "...");
  std::string umlauts;
  for (int i = 0; i < 101; ++i) umlauts += "\xc3\xa4";
  CHECK(comment(umlauts) == umlauts.substr(0, 200) + "...");
}

TEST_CASE("imported files: what is told often is told once, and not without end") {
  Findings findings;
  findings.warn({}, "a");
  findings.warn({}, "b");
  findings.warn({}, "a");
  REQUIRE(findings.warnings().size() == 2);
  CHECK(findings.warnings()[0].text == "a (2 times in the file)");
  CHECK(findings.warnings()[1].text == "b");
  for (int i = 0; i < 1000; ++i) findings.warn({}, std::to_string(i));
  CHECK(findings.warnings().size() == Findings::most_warnings + 1);
  CHECK(findings.warnings().back().text == "and 802 more warnings");
  CHECK_FALSE(findings.failed());
  for (int i = 0; i < 1000; ++i) findings.fail({}, "x");
  CHECK(findings.is_full());
  CHECK(findings.failed());
}

}  // namespace import_findings_test
