// SPDX-License-Identifier: Apache-2.0
// {"$lines": "file"}: a text file's lines as an array of strings.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_lines_test {

using namespace world;
using Files = std::vector<std::pair<std::string, std::string>>;

namespace {

const char* const use_list = "{\n \"low\": 1,\n \"tags\": {\"$lines\": \"list.txt\"}}";

/// What reading `m.json` as Options complains of.
std::string complaint_of(const Files& files, const std::vector<config::Override>& overrides = {}) {
  const Folder folder(files);
  return complaint<Options>(config::load("m.json", overrides));
}

std::string complaint_of_list(const std::string& text) {
  return complaint_of({{"m.json", use_list}, {"list.txt", text}});
}

}  // namespace

TEST_CASE("lines of a text file are strings without comments and blanks around them") {
  const Folder folder(
      Files{{"d/m.json", R"({"tags": {"$lines": "../t/list.txt"}})"},
            {"t/list.txt", "\xEF\xBB\xBF# all\na b\r\n\n  c\td \t\r\n# none\n\"e\" # the last\nf#\n \ng"}});
  const auto document = config::load("d/m.json");
  auto options = config::read<Options>(document, kinds());
  CHECK(options.tags == std::vector<std::string>{"a b", "c d", "\"e\"", "f", "g"});
  CHECK(config::resolved(options)["tags"].dump() == R"(["a b","c d","\"e\"","f","g"])");
  std::string lines;
  for (const config::Value& item : document.root.find("tags")->items) lines += item.place.text() + " ";
  CHECK(lines == "t/list.txt:2:1 t/list.txt:4:1 t/list.txt:6:1 t/list.txt:7:1 t/list.txt:9:1 ");
  std::vector<std::string> names;
  for (const auto& file : document.files) names.push_back(file.string());
  CHECK(names == std::vector<std::string>{"d/m.json", "t/list.txt"});
}

TEST_CASE("lines may be quantities and are placed where they stand") {
  const Files files{{"m.json", R"({"kind": "gpu", "blocks": {"$lines": "list.txt"}})"},
                    {"list.txt", "4 KiB\n\n8 ns\n"}};
  const Folder folder(files);
  CHECK_THROWS_WITH(config::read_any(config::load("m.json"), kinds(), "device"),
                    Catch::StartsWith("list.txt:3:1: /blocks/1: ") && Catch::Contains("8 ns"));
}

TEST_CASE(
    "of a file outside of the config's folder messages show where, and what kind of fault, and not what it says") {
  const std::string gpu = R"({"kind": "gpu", "blocks": {"$lines": ")";
  const Files files{{"d/outside.json", gpu + "../secret.txt\"}}"},
                    {"d/inside.json", gpu + "e/../e/f/list.txt\"}}"},
                    {"d/e/f/list.txt", "swordfish"},
                    {"secret.txt", "4 KiB\nswordfish:\"x\":0 é!\n"},
                    {"d/control.json", R"({"tags": {"$lines": "../control.txt"}})"},
                    {"control.txt", "swordfish\x1b\n"}};
  const Folder folder(files);
  const auto complaint_of_file = [](const std::string& file) -> std::string {
    try {
      config::read_any(config::load(file), kinds(), "device");
    } catch (const config::ConfigError& e) {
      return e.what();
    }
    return "";
  };
  const std::string outside = complaint_of_file("d/outside.json");
  CHECK_THAT(outside, Catch::StartsWith("secret.txt:2:1: /blocks/1: \"...\" is ") &&
                          Catch::EndsWith("not shown: its file is outside of the folder of the config)"));
  for (const char* part : {"swo", "ish", ":0", "é"}) CHECK_THAT(outside, !Catch::Contains(part));
  CHECK_THAT(complaint_of_file("d/inside.json"), Catch::Contains("swordfish") && !Catch::Contains("not shown"));
  try {
    config::read<Options>(config::load("d/control.json"), kinds());
    FAIL("read it");
  } catch (const config::ConfigError& e) {
    CHECK_THAT(e.what(), Catch::StartsWith("control.txt:1:1: /tags: \"...\" holds a control character"));
  }
}

TEST_CASE("a link in the config's folder does not make its file one of the folder") {
  const Folder folder(Files{{"d/m.json", R"({"kind": "gpu", "blocks": {"$lines": "link"}})"}, {"secret", "swordfish"}});
  std::filesystem::create_symlink("../secret", "d/link");
  CHECK_THROWS_WITH(config::read_any(config::load("d/m.json"), kinds(), "device"), !Catch::Contains("swordfish"));
}

TEST_CASE("lines are brought by used files and by overrides") {
  const Files files{{"m.json", R"({"$use": "d/o.json"})"}, {"d/o.json", use_list}, {"d/list.txt", "a"}, {"x.txt", "b"}};
  const Folder folder(files);
  CHECK(config::to_json(config::load("m.json")).dump() == R"({"low":1,"tags":["a"]})");
  const auto document = config::load("m.json", {{"/tags", R"({"$lines": "x.txt"})"}});
  CHECK(config::to_json(document).dump() == R"({"low":1,"tags":["b"]})");
  CHECK(document.files.back() == "x.txt");
  CHECK(complaint_of(files, {{"/tags/$lines", "x.txt"}}) ==
        "--set /tags/$lines: \"$lines\" can only be set with its object, as in /machine={\"$lines\": \"FILE\"}");
}

TEST_CASE("a file may be used and be one of lines at once") {
  const Folder folder(
      Files{{"m.json", R"({"$use": "o.json", "tags": {"$lines": "o.json"}})"}, {"o.json", R"({"low": 1})"}});
  CHECK(config::to_json(config::load("m.json")).dump() == R"({"low":1,"tags":["{\"low\": 1}"]})");
}

TEST_CASE("what \"$lines\" names must be a file of lines") {
  CHECK(complaint_of({{"m.json", use_list}}) ==
        "m.json:3:21: /tags: \"$lines\" of \"list.txt\" fails: No such file or directory");
  CHECK(complaint_of_list("") == "list.txt: /tags: holds no lines");
  CHECK(complaint_of_list("# none\n\n \t\n") == "list.txt: /tags: holds no lines");
  CHECK(complaint_of_list("a\n\xff # b\n") == "list.txt:2:1: /tags: is no UTF-8");
  CHECK(complaint_of_list("a\nb\x1b[2J\n\x01\n") ==
        "list.txt:2:1: /tags: \"b\\x1b[2J\" holds a control character\n"
        "list.txt:3:1: /tags: \"\\x01\" holds a control character");
  CHECK(complaint_of({{"m.json", R"({"tags": {"$lines": 3}})"}}) ==
        "m.json:1:21: /tags: \"$lines\" must be a file name");
  CHECK(complaint_of({{"m.json", R"({"tags": {"$lines": "l", "more": 1}})"}, {"l", "a"}}) ==
        "m.json:1:26: /tags: beside \"$lines\" there can be no \"more\"");
}

TEST_CASE("lines where no array is wanted are refused") {
  CHECK(complaint_of({{"m.json", R"({"low": {"$lines": "l"}})"}, {"l", "a"}}) ==
        "m.json:1:9: /low: must be a whole number, not an array");
  CHECK(complaint_of({{"m.json", R"({"$use": "o.json"})"}, {"o.json", R"({"$lines": "l"})"}, {"l", "a"}}) ==
        "m.json:1:10: \"$use\" of \"o.json\" fails: it holds an array, not an object");
}

TEST_CASE("lines that cannot be had are not missed besides") {
  const Folder folder(
      Files{{"m.json", "{\"topology\": {\"kind\": \"explicit\", \"devices\": {\"$lines\": \"gone\"}}}"}});
  const auto document = config::load("m.json");
  REQUIRE(document.problems.size() == 1);
  CHECK(document.root.find("topology")->find("devices") == nullptr);
  CHECK(document.root.find("topology")->incomplete);
}

TEST_CASE("a million lines are read and laid down, no more") {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "x\n";
  CHECK(complaint_of_list(text + "y\n") == "list.txt:1000001:1: /tags: more than 1000000 lines");
  CHECK(complaint_of_list(text).empty());
}

}  // namespace config_lines_test
