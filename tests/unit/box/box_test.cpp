// SPDX-License-Identifier: Apache-2.0
// Measured values as a file says them, and what is said of them.
#include <algorithm>
#include <random>

#include "box/causes.hpp"
#include "box/measured/measured.hpp"
#include "support/catch.hpp"

namespace box_test {

using namespace tsunagi;
using namespace tsunagi::box;

namespace {

Plan plan_with(const std::vector<std::string>& places) {
  Plan out;
  for (const std::string& name : places)
    out.server.places.push_back({name, "node0." + name, Place::Kind::gpu, 0, 0, {}});
  return out;
}

const Plan three = plan_with({"memory", "gpu0", "gpu1"});

std::vector<std::string> faults(const std::string& text) {
  try {
    read_measured("own.csv", text, three);
  } catch (const config::ConfigError& e) {
    std::vector<std::string> out;
    for (const config::Message& m : e.messages()) out.push_back(m.place.text() + ": " + m.text);
    return out;
  }
  return {};
}

Measured rate(double value) { return {0, 1, What::one_way, value, 2}; }

Value model(double value) {
  Value out;
  out.value = value;
  return out;
}

}  // namespace

TEST_CASE("box: measured values are read in any order of columns, with comments and blanks") {
  const auto all = read_measured("own.csv",
                                 "# mine\n\nwhat, value ,to,from\r\none_way,12.5 GB/s,gpu0,memory\r\n"
                                 "latency, 1.5 us,memory,gpu1\n",
                                 three)
                       .cells;
  REQUIRE(all.size() == 2);
  CHECK(all[0].from == 0);
  CHECK(all[0].to == 1);
  CHECK(all[0].value == 12.5e9);
  CHECK(all[0].line == 4);
  CHECK(all[1].what == What::latency);
  CHECK(all[1].value == Approx(1.5e-6));
}

TEST_CASE("box: everything that is wrong with measured values is told, each with its line") {
  const std::string head = "from,to,what,value\n";
  CHECK(faults("") == std::vector<std::string>{"own.csv:1:1: has no line that names its columns, from,to,what,value, "
                                               "and no table of nvbandwidth, of CUDA's samples or of perftest"});
  CHECK(faults("from,to,what\n").back() == "own.csv:1:1: has no column \"value\"");
  CHECK(faults("from,to,from,what,value\n").front() == "own.csv:1:1: column \"from\" stands there twice");
  const auto lines = faults(head + "gpu7,gpu0,one_way,1 GB/s\ngpu0,gpu1,one_wey,1 GB/s\ngpu0,gpu1,one_way,1\n" +
                            "gpu0,gpu1,latency,0 us\ngpu0,gpu0,latency,1 us\ngpu0,gpu1\n");
  REQUIRE(lines.size() == 6);
  CHECK_THAT(lines[0], Catch::StartsWith("own.csv:2:1: unknown place \"gpu7\"; did you mean"));
  CHECK_THAT(lines[1], Catch::StartsWith("own.csv:3:1: unknown word \"one_wey\"; did you mean \"one_way\"?"));
  CHECK_THAT(lines[2], Catch::Contains("own.csv:4:1: \"1\" needs a unit"));
  CHECK(lines[3] == "own.csv:5:1: \"0 us\" is not above 0");
  CHECK(lines[4] == "own.csv:6:1: from a place to itself");
  CHECK(lines[5] == "own.csv:7:1: has 2 cells, the line that names them 4");
  // Both ways are one cell, whichever comes first; one way and the other are two.
  CHECK(faults(head + "gpu0,gpu1,both_ways,1 GB/s\ngpu1,gpu0,both_ways,1 GB/s\n") ==
        std::vector<std::string>{"own.csv:3:1: stands in line 2, too"});
  CHECK(faults(head + "gpu0,gpu1,one_way,1 GB/s\ngpu1,gpu0,one_way,1 GB/s\n").empty());
}

TEST_CASE("box: any bytes are measured values or are refused with places") {
  const std::string good = "from,to,what,value\nmemory,gpu0,one_way,12.5 GB/s\ngpu0,gpu1,latency,2 us\n";
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (auto n = random() % 4; n < 4; ++n) {
      const std::size_t at = random() % text.size();
      const char c = random() % 2 == 0 ? ",\n\"# \r0"[random() % 7] : static_cast<char>(random() % 256);
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 9);
      else if (random() % 2 == 0)
        text.insert(at, 1 + random() % 3, c);
      else
        text[at] = c;
      if (text.empty()) text = "\n";
    }
    try {
      for (const Measured& m : read_measured("own.csv", text, three).cells) REQUIRE(m.value > 0);
    } catch (const config::ConfigError& e) {
      ++refused;
      for (const config::Message& m : e.messages()) REQUIRE(m.place.line >= 1);
    }
  }
  CHECK(refused > 5000);
  CHECK(refused < 20000);
}

TEST_CASE("box: a value is low beyond the tolerance below the model or its interval, a latency above it") {
  CHECK(judge(rate(96), model(100), 0.05) == Verdict::as_modelled);
  CHECK(judge(rate(94), model(100), 0.05) == Verdict::low);
  CHECK(judge(rate(106), model(100), 0.05) == Verdict::high);
  CHECK(judge({0, 1, What::latency, 106, 2}, model(100), 0.05) == Verdict::low);
  CHECK(judge({0, 1, What::latency, 94, 2}, model(100), 0.05) == Verdict::high);
  CHECK(judge(rate(94), {}, 0.05) == Verdict::not_simulated);
  Value wide = model(100);
  wide.interval = Interval{80, 100, ""};
  CHECK(judge(rate(80), wide, 0) == Verdict::as_modelled);
  CHECK(judge(rate(79), wide, 0) == Verdict::low);
  // With a cause that halves it the interval is 40 .. 50.
  CHECK(explains(rate(41), wide, 50, 0));
  CHECK_FALSE(explains(rate(39), wide, 50, 0));
  CHECK_FALSE(explains(rate(41), model(100), 50, 0.05));
}

TEST_CASE("box: causes that explain a value stand first, then the nearest") {
  Comparison c{rate(50), 0, Verdict::low, {}};
  const auto tried = [](const char* name, double value, bool is_it) {
    return Tried{{name, "", {}, nullptr}, value, "", is_it};
  };
  c.tried = {tried("far", 20, false), tried("near", 49, false), tried("it", 45, true), tried("best", 51, true)};
  c.tried.push_back({{"refused", "", {}, nullptr}, std::nullopt, "no", false});
  rank(c);
  std::string order;
  for (const Tried& t : c.tried) order += t.cause.name + " ";
  CHECK(order == "best it near far refused ");
}

}  // namespace box_test
