// SPDX-License-Identifier: Apache-2.0
// Documents that would take stack, time or memory without bound: each is read, or refused with a place, at once.
#include <algorithm>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_limits_test {

using namespace world;
using config::ConfigError;
using config::load;
using config::Override;
using Files = std::vector<std::pair<std::string, std::string>>;

namespace {

/// What went quadratic or exponential took twice as long; CPU time, so that a busy machine does no harm.
void expect_quick(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < (test::sanitized ? 30 : 5));
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// {"a": {"a": … inner …}}
std::string nested(const std::string& inner, int levels) {
  return repeated("{\"a\":", levels) + inner + repeated("}", levels);
}

std::string use(const std::string& file) { return R"({"$use": ")" + file + "\"}"; }

std::vector<std::string> faults_of(const std::string& file) {
  std::vector<std::string> out;
  try {
    const auto document = load(file);
    for (const config::Message& m : document.problems) out.push_back(m.line());
  } catch (const ConfigError& error) {
    for (const config::Message& m : error.messages()) out.push_back(m.line());
  }
  return out;
}

/// `count` members "k0", "k1", … of these values.
std::string object_of(int count, const std::string& value) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + value;
  return out + "}";
}

/// The number of lines that complaining of this document takes.
long lines_of(const std::string& text) {
  const std::string all = complaint(text);
  return std::count(all.begin(), all.end(), '\n') + 1;
}

}  // namespace

TEST_CASE("files are nested 40 levels deep, and no deeper together") {
  CHECK(complaint<Options>(nested("1", 40)).find("unknown key \"a\"") != std::string::npos);
  CHECK(complaint<Options>(nested("1", 41)) == "m.json:1:201: nested deeper than 40 levels");
  const Folder folder(Files{{"fits.json", nested(use("inner.json"), 32)},
                            {"deep.json", nested(use("inner.json"), 33)},
                            {"inner.json", nested("1", 8)}});
  CHECK(faults_of("fits.json").empty());
  const auto faults = faults_of("deep.json");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] == "deep.json:1:175: " + repeated("/a", 33) + ": nested deeper than 40 levels, with what is used");
}

TEST_CASE("many files that each nest as deep as a file may are refused") {
  Files files;
  for (int i = 0; i < 71; ++i) {
    const std::string name = "f" + std::to_string(i) + ".json";
    files.emplace_back(name, nested(i < 70 ? use("f" + std::to_string(i + 1) + ".json") : "{}", 39));
  }
  const Folder folder(files);
  const auto faults = faults_of("f0.json");
  REQUIRE_FALSE(faults.empty());
  for (const std::string& fault : faults) CHECK_THAT(fault, Catch::Contains(": nested deeper than 40 levels"));
}

TEST_CASE("an override leads no deeper than a file") {
  const auto of = [](int levels, const std::string& value) {
    return complaint<Options>("{}", {{repeated("/a", levels), value}});
  };
  CHECK(of(39, "{}").find("unknown key \"a\"") != std::string::npos);
  CHECK(of(41, "1") == "--set " + repeated("/a", 41) + ": leads deeper than 40 levels");
  CHECK(of(32, nested("1", 9)) == "--set " + repeated("/a", 32) + ": leads deeper than 40 levels");
  CHECK(of(20000, "1").find("leads deeper") != std::string::npos);
  const Folder folder(Files{{"inner.json", nested("1", 8)}});
  CHECK(of(33, use("inner.json")).find("with what is used") != std::string::npos);
}

TEST_CASE("a chain of files is followed a hundred times") {
  const auto chain = [](int files) {
    Files out;
    for (int i = 0; i + 1 < files; ++i)
      out.emplace_back("c" + std::to_string(i) + ".json", use("c" + std::to_string(i + 1) + ".json"));
    out.emplace_back("c" + std::to_string(files - 1) + ".json", R"({"low": 3})");
    return out;
  };
  {
    const Folder folder(chain(100));
    CHECK(config::read<Options>(load("c0.json"), kinds()).low == 3);
  }
  const Folder folder(chain(300));
  expect_quick([] {
    CHECK(faults_of("c0.json") ==
          std::vector<std::string>{"c99.json:1:10: more than 100 files in a row of which each uses the next"});
  });
}

TEST_CASE("files that use each other ten times over seven levels are read once each and end at four million values") {
  Files files;
  for (int level = 0; level < 7; ++level)
    files.emplace_back("l" + std::to_string(level) + ".json",
                       object_of(10, use("l" + std::to_string(level + 1) + ".json")));
  files.emplace_back("l7.json", R"({"a": 1})");
  const Folder folder(files);
  expect_quick([] {
    const auto document = load("l3.json");
    CHECK(document.problems.empty());
    CHECK(config::size_of(document.root).values == 1 + 10 + 100 + 1000 + 2 * 10000);
    CHECK(document.files.size() == 5);
    const auto faults = faults_of("l0.json");
    REQUIRE_FALSE(faults.empty());
    CHECK_THAT(faults[0], Catch::StartsWith("l0.json:1:") &&
                              Catch::EndsWith(": the document grows beyond 4000000 values by what is used"));
  });
}

TEST_CASE("a file with too many values, or one that is too long, is refused") {
  CHECK(complaint<Options>("[" + repeated("1,", 1'000'000) + "1]") == "m.json:1:2000000: more than 1000000 values");
  const Folder folder(Files{{"long.json", "{}"}});
  std::filesystem::resize_file("long.json", 65 << 20);
  CHECK(faults_of("long.json") == std::vector<std::string>{"long.json: cannot be read: is larger than 64 MiB"});
}

TEST_CASE("objects of many keys are read, laid over each other, written and told of quickly") {
  constexpr int many = 60'000;
  expect_quick([=] {
    const std::string devices = object_of(many, R"({"kind": "gpu"})");
    const auto document =
        config::parse(R"({"name": "m", "topology": {"kind": "explicit", "devices": )" + devices + "}}", "m.json");
    auto machine = config::read<Machine>(document, kinds());
    CHECK(static_cast<int>(machine.topology.as<Explicit>().devices.size()) == many);
    CHECK(config::resolved(machine)["topology"]["devices"].size() == many);
    CHECK(config::to_json(document)["topology"]["devices"].size() == many);
  });
  const Folder folder(Files{{"m.json", R"({"$use": "base.json", "options": )" + object_of(many, "2") + "}"},
                            {"base.json", R"({"options": {"$sources": )" + object_of(many, "{}") + ", " +
                                              object_of(many, "1").substr(1) + "}"}});
  expect_quick([=] {
    const auto document = load("m.json");
    const config::Value& options = *document.root.find("options");
    CHECK(options.members.size() == many + 1);
    CHECK(options.members.back().value.integer == 2);
    CHECK(options.find("$sources")->members.empty());  // what was replaced has no source any more
  });
}

TEST_CASE("of many faults the first hundred are told, and how many more there are") {
  expect_quick([] {
    const std::string all = complaint<Options>(object_of(20'000, "1"));
    CHECK_THAT(all, Catch::StartsWith("m.json:1:2: unknown key \"k0\"") && Catch::EndsWith("\nand 19900 more faults"));
    CHECK(std::count(all.begin(), all.end(), '\n') == 100);
  });
  CHECK(lines_of(R"({"name": "m", "topology": {"kind": "explicit", "devices": {}}, "options": {"sizes": [)" +
                 repeated("0,", 99) + "0]}}") == 100);
  CHECK_THAT(complaint(R"({"name": "m", "topology": {"kind": "explicit", "devices": {}}, "options": {"sizes": [)" +
                       repeated("0,", 100) + "0]}}"),
             Catch::EndsWith("\nand 1 more fault"));
  // All at one place: of an override, which has no lines.
  expect_quick([] { complaint<Options>("{}", {{"/sizes", "[" + repeated("\"x\",", 60'000) + "1]"}}); });
}

TEST_CASE("a key or a value without end is told in a line that ends") {
  const std::string word = repeated("w", 3'000'000);
  expect_quick([&] {
    for (const std::string& text : {"{\"" + word + "\": 1}", "{\"low\": \"" + word + "\"}"}) {
      const std::string told = complaint<Options>(text);
      CHECK(told.size() < 5000);
      CHECK_THAT(told, Catch::StartsWith("m.json:1:") && Catch::EndsWith(" ..."));
    }
  });
}

}  // namespace config_limits_test
