// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "sweep/plan/quantity.hpp"
#include "unit/sweep/sweep_plan_fixture.hpp"

namespace sweep_axis_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// The values of one axis that is given by `how`.
std::string values(const std::string& how) {
  try {
    return values_of(sweep_of(R"("axes": [{"name": "x", "path": "/options/seed", )" + how + "}]").dimensions[0][0]);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
}

std::string range(const std::string& ends) { return values("\"range\": {" + ends + "}"); }

}  // namespace

TEST_CASE("sweep: a range goes from end to end, both included") {
  CHECK(range(R"("from": "0 ns", "to": "30 ns", "step": "10 ns")") == "0 ns | 10 ns | 20 ns | 30 ns");
  CHECK(range(R"("from": "0 ns", "to": "25 ns", "step": "10 ns")") == "0 ns | 10 ns | 20 ns");
  CHECK(range(R"("from": "1 us", "to": "0.5 us", "step": "250 ns")") == "1 us | 750 ns | 500 ns");
  CHECK(range(R"("from": 4, "to": 4, "step": 1)") == "4");
  CHECK(range(R"("from": 0, "to": 1, "step": 0.1)") == "0 | 0.1 | 0.2 | 0.3 | 0.4 | 0.5 | 0.6 | 0.7 | 0.8 | 0.9 | 1");
  CHECK(range(R"("from": "10 %", "to": "30 %", "step": "10 %")") == "10 % | 20 % | 30 %");
  CHECK(range(R"("from": "1 GB/s", "to": "2 GB/s", "step": "500 MB/s")") == "1 GB/s | 1.5 GB/s | 2 GB/s");
  CHECK(range(R"("from": "2.5 GT/s", "to": "7.5 GT/s", "step": "2.5 GT/s")") == "2.5 GHz | 5 GHz | 7.5 GHz");
  CHECK(range(R"("from": "50 cm", "to": "1.5 m", "step": "50 cm")") == "50 cm | 1 m | 1.5 m");
}

TEST_CASE("sweep: a range of a count is rounded to whole base units") {
  CHECK(range(R"("from": "0 ns", "to": "100 ns", "count": 3)") == "0 ns | 50 ns | 100 ns");
  CHECK(range(R"("from": "0 B", "to": "10 B", "count": 4)") == "0 B | 3 B | 7 B | 10 B");
  CHECK(range(R"("from": 1, "to": 2, "count": 5)") == "1 | 1.25 | 1.5 | 1.75 | 2");
}

TEST_CASE("sweep: ranges reach to the ends of what numbers can be") {
  CHECK(range(R"("from": 5e-324, "to": 1, "count": 2)") == "5e-324 | 1");
  CHECK(range(R"("from": 1, "to": 1e300, "count": 2)") == "1 | 1e+300");
  CHECK(range(R"("from": "1 B", "to": "9223372036854775807 B", "count": 2)") ==
        "1 B | 9007199254740991 KiB");  // the last double of 63 bits
}

TEST_CASE("sweep: powers of two double from the first value") {
  CHECK(values(R"("powers_of_two": {"from": "64 B", "to": "1 KiB"})") == "64 B | 128 B | 256 B | 512 B | 1 KiB");
  CHECK(values(R"("powers_of_two": {"from": 3, "to": 20})") == "3 | 6 | 12");
}

TEST_CASE("sweep: a range that is none is told at its place") {
  CHECK(range(R"("from": "0 ns", "to": "9 B", "step": "1 ns")")
            .find(R"(/axes/0/range: "from" is a time, but "to" is a size)") != std::string::npos);
  CHECK(range(R"("from": "0 ns", "to": "9 ns", "step": 1)").find(R"("from" is a time, but "step" is a bare number)") !=
        std::string::npos);
  CHECK(range(R"("from": 1, "to": 2, "step": 0)").find("\"step\" must be above 0") != std::string::npos);
  CHECK(range(R"("from": 1, "to": 2, "count": 1)").find("must be at least 2, not 1") != std::string::npos);
  CHECK(range(R"("from": 0, "to": 2e9, "step": 1)").find("gives more than a million values") != std::string::npos);
  CHECK(range(R"("from": 1, "to": 2)").find("a range needs either \"step\" or \"count\"") != std::string::npos);
  CHECK(range(R"("from": 1, "to": 2, "step": 1, "count": 2)").find("either \"step\" or \"count\"") !=
        std::string::npos);
  CHECK(range(R"("from": "low", "to": 2, "step": 1)")
            .find(R"(/axes/0/range/from: "low" is neither a number nor a quantity)") != std::string::npos);
  CHECK(range(R"("from": 1, "step": 1)").find("missing required field \"to\"") != std::string::npos);
  CHECK(values(R"("powers_of_two": {"from": 0, "to": 4})").find("\"from\" must be above 0") != std::string::npos);
  CHECK(values(R"("powers_of_two": {"from": 8, "to": 4})").find("must not be above \"to\"") != std::string::npos);
}

TEST_CASE("sweep: quantities enter expressions in bytes, nanoseconds, bytes a second, hertz, metres and percent") {
  const auto number = [](const char* json) { return sweep::in_expressions(*sweep::quantity_of(json)); };
  CHECK(number("4") == 4);
  CHECK(number("\"4 KiB\"") == 4096);
  CHECK(number("\"1.5 us\"") == 1500);
  CHECK(number("\"10 ps\"") == 0.01);
  CHECK(number("\"2 GB/s\"") == 2e9);
  CHECK(number("\"5 GT/s\"") == 5e9);
  CHECK(number("\"50 cm\"") == 0.5);
  CHECK(number("\"30 %\"") == 30);
  CHECK_FALSE(sweep::quantity_of("\"infinite\""));
  CHECK_FALSE(sweep::quantity_of("\"uniform\""));
  CHECK_FALSE(sweep::quantity_of("\"5 apples\""));
  CHECK_FALSE(sweep::quantity_of("[1]"));
}

}  // namespace sweep_axis_test
