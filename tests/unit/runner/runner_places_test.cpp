// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "runner/places.hpp"
#include "support/catch.hpp"

namespace runner_places_test {

using namespace tsunagi;

namespace {

config::Document document() { return config::parse("{\n \"a\": {\"b/c\": [1,\n  2]},\n \"d\": 3\n}", "x.json"); }

}  // namespace

TEST_CASE("a pointer leads to the line where its value was written") {
  CHECK(runner::place_of(document(), "/d").text() == "x.json:4:7");
  CHECK(runner::place_of(document(), "/a/b~1c/1").text() == "x.json:3:3");
}

TEST_CASE("a value that was not written has the place of what is around it") {
  CHECK(runner::place_of(document(), "/a/b~1c/9/deep").text() == runner::place_of(document(), "/a/b~1c").text());
  CHECK(runner::place_of(document(), "/a/b~1c/x").text() == runner::place_of(document(), "/a/b~1c").text());
  CHECK(runner::place_of(document(), "").text() == "x.json:1:1");
}

TEST_CASE("only messages without a place are given one") {
  std::vector<config::Message> messages(2);
  messages[0].place = {std::make_shared<const std::string>("y.json"), 1, 2};
  messages[0].pointer = messages[1].pointer = "/d";
  messages[0].text = "one";
  messages[1].text = "two";
  const auto out = runner::located(messages, document());
  CHECK(out[0].line() == "y.json:1:2: /d: one");
  CHECK(out[1].line() == "x.json:4:7: /d: two");
}

}  // namespace runner_places_test
