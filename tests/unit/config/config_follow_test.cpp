// SPDX-License-Identifier: Apache-2.0
// Fields that follow another one unless they are written.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"
#include "units/parse.hpp"

namespace config_follow_test {

using namespace world;

namespace {

/// A link of which a generation says the lanes, and whether it is quick.
struct Preset {
  int generation = 2;
  std::int64_t lanes = 2;
  Policy policy = Policy::credits;
  Time flight = 1_ns;
};

void describe(Preset& c, config::Describer& d) {
  using namespace config;
  d.field("generation", c.generation, "which");
  d.derive([&c] { c.lanes = c.generation; });
  d.field("lanes", c.lanes, "how many", follows("generation"));
  d.choice("policy", c.policy, {{"credits", 0, ""}, {"stop_go", 1, ""}, {"none", 2, ""}}, "which",
           follows("generation", "none"));
  d.field("flight", c.flight, "delay", at_most(1_us), or_length);
  d.advise(c.lanes == c.generation, "lanes", "lanes are odd");
}

/// "generation lanes", of m.json.
std::string read(const std::vector<config::Override>& overrides = {}) {
  const auto c = config::read<Preset>(config::load("m.json", overrides), kinds());
  return std::to_string(c.generation) + " " + std::to_string(c.lanes) +
         (c.policy == Policy::credits ? ""
          : c.policy == Policy::none  ? " none"
                                      : " stop_go");
}

std::string flight(const std::string& text) {
  try {
    return to_string(config::read<Preset>(config::parse("{\"flight\": " + text + "}", "m.json"), kinds()).flight);
  } catch (const config::ConfigError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a field that follows has what the other says, unless it is written itself") {
  const Folder folder({{"m.json", R"({"generation": 3})"}, {"n.json", "{}"}});
  CHECK(read() == "3 3");
  CHECK(read({{"/generation", "5"}}) == "5 5");
  CHECK(read({{"/lanes", "7"}}) == "3 7");
  CHECK(read({{"/lanes", "7"}, {"/generation", "5"}}) == "5 7");
  CHECK(read({{"/generation", "5"}, {"/lanes", "7"}}) == "5 7");  // the command line is one layer
}

TEST_CASE("what is written later replaces what follows from it") {
  const Folder folder({{"part.json", R"({"generation": 3, "lanes": 4, "policy": "stop_go"})"},
                       {"bare.json", R"({"lanes": 4})"},
                       {"m.json", R"({"$use": "part.json", "flight": "2 ns"})"},
                       {"n.json", R"({"$use": "bare.json", "generation": 5})"},
                       {"o.json", R"({"$use": "n.json", "lanes": 6})"},
                       {"p.json", R"({"$use": "o.json", "generation": 5})"}});
  const auto of = [](const std::string& file, const std::vector<config::Override>& overrides = {}) {
    std::filesystem::copy_file(file, "m.json", std::filesystem::copy_options::overwrite_existing);
    return read(overrides);
  };
  CHECK(read() == "3 4 stop_go");  // both in one file
  CHECK(read({{"/generation", "5"}}) == "5 5");
  CHECK(read({{"/generation", "5"}, {"/policy", "stop_go"}}) == "5 5 stop_go");
  CHECK(of("n.json") == "5 5");
  CHECK(of("o.json") == "5 6");
  CHECK(of("p.json") == "5 5");
  CHECK(of("o.json", {{"/generation", "1"}}) == "1 1");
}

TEST_CASE("a word that the other never says stays") {
  const Folder folder({{"m.json", R"({"generation": 3, "policy": "none"})"}, {"n.json", "{}"}});
  CHECK(read({{"/generation", "5"}}) == "5 5 none");
}

TEST_CASE("what is odd, but works, is a warning at the field") {
  std::vector<config::Message> warnings;
  config::read<Preset>(config::parse(R"({"generation": 1, "lanes": 4})", "m.json"), kinds(), &warnings);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].line() == "m.json:1:28: /lanes: lanes are odd");
  warnings.clear();
  config::read<Preset>(config::parse(R"({"generation": 4, "lanes": 4})", "m.json"), kinds(), &warnings);
  CHECK(warnings.empty());
}

TEST_CASE("a flight may be the length of the cable") {
  CHECK(flight("\"3 m\"") == "15 ns");
  CHECK(flight("\"50cm\"") == "2.5 ns");
  CHECK(flight("\"15 ns\"") == "15 ns");
  CHECK(flight("\"1 um\"") == "5 fs");
  CHECK(flight("\"1 km\"") == "m.json:1:12: /flight: must be at most 1 us, not 5 us");
  CHECK(flight("\"2000000 km\"") == "m.json:1:12: /flight: \"2000000 km\" is longer than 1000000 km");
  CHECK_THAT(flight("\"3 ft\""), Catch::EndsWith("; or the length of the cable, for example \"3 m\""));
  CHECK(flight("3") == "m.json:1:12: /flight: needs a unit, for example \"120 ns\"");
  CHECK(complaint<Link>(R"({"from": "a", "flight": "3 m"})") ==
        "m.json:1:25: /flight: unknown unit \"m\" in \"3 m\"; a time takes one of: s, ms, us, ns, ps, fs");
  CHECK(complaint<Preset>(config::parse(R"({"flight": "1 m", "$sources": {"flight":
           {"class": "assumed", "source": "s", "range": ["2 m", "20 ns"]}}})",
                                        "m.json")) ==
        "m.json:1:12: /flight: 5 ns is outside its \"$sources\" range of 10 ns to 20 ns");
}

}  // namespace config_follow_test
