// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/text/printable.hpp"
#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_printable_test {

using namespace world;
using config::is_printable;
using config::printable;
using config::printable_lines;

namespace {

/// Whether text can go to a terminal: nothing in it moves the cursor, colours, or rings.
bool is_tame(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

TEST_CASE("what a terminal would obey is written out") {
  CHECK(printable("a\tb\r\nc") == "a\\tb\\r\\nc");
  CHECK(printable("\x1b[31mred\x07\x7f") == "\\x1b[31mred\\x07\\x7f");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");
  CHECK(printable_lines("a\n\x1b") == "a\n\\x1b");
}

TEST_CASE("what changes how its neighbours look and is not seen itself is written out") {
  CHECK(printable("a\u202eb\u2066c\u200f\ufeff") == "a\\u202eb\\u2066c\\u200f\\ufeff");
  CHECK(printable("\u2028\u2029\u00ad\u061c\u2060\ufffb") == "\\u2028\\u2029\\u00ad\\u061c\\u2060\\ufffb");
  CHECK(printable("\U000e0041") == "\\U000e0041");
  CHECK_FALSE(is_printable("a\u202eb"));
  const std::string neighbours = "\u00ac\u00ae\u200a\u2010\u2027\u202f\u205f\u2070\ufefe\ufffc";
  CHECK(printable(neighbours) == neighbours);
}

TEST_CASE("letters of all scripts stay, bytes that are none are written out") {
  const std::string words = "繋ぎ µs ≤ 🙂 \xc2\xa0";
  CHECK(printable(words) == words);
  CHECK(is_printable(words));
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80") == "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  CHECK(printable("\x80") == "\\x80");
  CHECK_FALSE(is_printable("a\nb"));
  CHECK_FALSE(is_printable("\xe3\x81"));
  CHECK(config::is_utf8("a\nb"));
  CHECK_FALSE(config::is_utf8("\xe3\x81"));
}

TEST_CASE("a library's names for its errors are not told") {
  std::string told;
  try {
    nlohmann::json("\xff").dump();
  } catch (const std::exception& e) {
    told = config::told_by(e);
  }
  CHECK_THAT(told, Catch::StartsWith("invalid UTF-8 byte") && !Catch::Contains("json.exception"));
  CHECK(config::told_by(std::runtime_error("why: [json.exception.x.1] no\x1b")) == "why: no\\x1b");
  CHECK(config::told_by(std::runtime_error("[json.exception")).empty());
}

TEST_CASE("a message is one tame line, whatever file names, keys and values are") {
  for (const std::string text : {R"({"a\u001b[2J\nb": 1})", R"({"low": "\u0007\n"})", R"({"tags": ["x\u0000"]})"}) {
    const std::string told = complaint<Options>(text);
    CAPTURE(text);
    CHECK_FALSE(told.empty());
    CHECK(is_tame(told));
  }
  try {
    config::read<Options>(config::parse("{\"a\": 1}", "evil\x1b\nname.json"), kinds());
    FAIL("read it");
  } catch (const config::ConfigError& e) {
    CHECK(is_tame(e.what()));
    CHECK_THAT(e.what(), Catch::StartsWith("evil\\x1b\\nname.json:1:2: unknown key \"a\""));
  }
  CHECK(is_tame(complaint<Options>("{}", {{"/x\n\x1b", "1"}})));
}

TEST_CASE("strings and names in configs hold no control and format characters, overrides are UTF-8") {
  CHECK(complaint<Options>(R"({"tags": ["a", "b\tc"]})") ==
        "m.json:1:16: /tags/1: \"b\\tc\" holds a control character");
  CHECK(complaint<Options>("{\"tags\": [\"safe\u202efdp\"]}") ==
        "m.json:1:11: /tags/0: \"safe\\u202efdp\" holds a format character");
  CHECK_THAT(
      complaint(
          "{\"name\": \"m\", \"topology\": {\"kind\": \"explicit\", \"devices\": {\"a\u200b\": {\"kind\": \"gpu\"}}}}"),
      Catch::Contains("\"a\\u200b\" is no name"));
  CHECK_THAT(complaint(R"({"name": "m", "topology": {"kind": "explicit", "devices": {"a\u001b": {"kind": "gpu"}}}})"),
             Catch::Contains("\"a\\x1b\" is no name"));
  CHECK(complaint<Options>("{}", {{"/tags", "\xff"}}) == "--set /tags: is no UTF-8");
}

}  // namespace config_printable_test
