// SPDX-License-Identifier: Apache-2.0
// Measurements as text, parts as text, and units.
#include <stdexcept>

#include "fit/csv.hpp"
#include "fit/rewrite.hpp"
#include "fit/unit.hpp"
#include "support/catch.hpp"

namespace fit_data_test {

using namespace tsunagi::fit;

namespace {

std::string why(const std::string& text, const std::vector<std::string>& where = {}) {
  try {
    points_of(parse_csv(text), where, "size", "time");
  } catch (const DataError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("fit: points are the lines that are wanted, in order, those of one x their mean") {
  const Csv csv = parse_csv(
      "# measured\nhost,size,time\r\n\"a, \"\"b\"\"\",8,3\nother,1,9\n\"a, \"\"b\"\"\",4,1\n\n\"a, \"\"b\"\"\",8,5\n");
  const auto points = points_of(csv, {"host=a, \"b\""}, "size", "time");
  REQUIRE(points.size() == 2);
  CHECK(points[0].x == 4);
  CHECK(points[0].y == 1);
  CHECK(points[1].x == 8);
  CHECK(points[1].y == 4);
  CHECK(points_of(parse_csv("size,time\n1,2\n3,\n"), {}, "size", "time").size() == 1);  // nothing was measured there
}

TEST_CASE("fit: data that are none say why") {
  CHECK(why("") == "has no line that names its columns");
  CHECK(why("size,time\n1\n") == "line 2 has 1 cells, the first 2");
  CHECK(why("size,time\n1,\"2\n") == "a quote is open at its end");
  CHECK(why("size,time\n1,2 us\n") == "column \"time\": \"2 us\" is no number");
  CHECK(why("size,time\n1,nan\n") == "column \"time\": \"nan\" is no number");
  CHECK(why("size,time\n1,0\n") == "column \"time\": 0 is not above 0");
  CHECK(why("size,tine\n1,2\n").rfind("unknown column \"time\"; did you mean \"tine\"?", 0) == 0);
  CHECK(why("size,time\n1,2\n", {"size=2"}) == "has no line for this curve");
}

TEST_CASE("fit: numbers in units are what expressions take") {
  CHECK(in_base(2.5, *unit_of("us")) == Approx(2.5e-6));
  CHECK(in_base(8, *unit_of("Gb/s")) == Approx(1e9));
  CHECK(in_base(4, *unit_of("KiB")) == 4096);
  CHECK(in_base(7, *unit_of("")) == 7);
  CHECK_FALSE(unit_of("furlongs"));
}

TEST_CASE("fit: a value is replaced where it stands, and all around it stays") {
  const std::string part = "// ein Gerät\n{\"é\": \"x\", \"latency\": \"50 ns\", // \"cheap\"\n  \"n\": 12}\n";
  CHECK(with_value(part, 2, 23, "\"7 ns\"") ==
        "// ein Gerät\n{\"é\": \"x\", \"latency\": \"7 ns\", // \"cheap\"\n  \"n\": 12}\n");
  CHECK(with_value(part, 3, 8, "3") ==
        "// ein Gerät\n{\"é\": \"x\", \"latency\": \"50 ns\", // \"cheap\"\n  \"n\": 3}\n");
  CHECK_THROWS_AS(with_value(part, 9, 1, "3"), std::out_of_range);
  CHECK_THROWS_AS(with_value(part, 3, 11, "3"), std::out_of_range);  // the brace
}

TEST_CASE("fit: a member's value is replaced as a whole, braces and quotes inside it are no ends") {
  const std::string part = R"({"a": /* old */ {"class": "x} \" {", "r": [1, {"b": 2}]}, "c": 3})";
  CHECK(with_member(part, 1, 2, R"({"d": 4})") == R"({"a": /* old */ {"d": 4}, "c": 3})");
  CHECK_THROWS_AS(with_member(part, 1, 1, "3"), std::out_of_range);
}

}  // namespace fit_data_test
