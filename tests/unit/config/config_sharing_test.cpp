// SPDX-License-Identifier: Apache-2.0
// What is used many times is there once, until something is laid over one use of it.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_sharing_test {

using namespace world;
using Files = std::vector<std::pair<std::string, std::string>>;

namespace {

const char* const box =
    R"({"kind": "group", "devices": {"a": {"$use": "gpu.json"}, "b": {"$use": "gpu.json", "credits": 2}}})";

/// Boxes n0, n1, … with these texts beside their "$use".
Files boxes(const std::vector<std::string>& beside) {
  std::string devices;
  for (std::size_t i = 0; i < beside.size(); ++i)
    devices += (i == 0 ? "\"n" : ",\n\"n") + std::to_string(i) + R"(": {"$use": "box.json")" + beside[i] + "}";
  return {{"m.json", R"({"name": "m", "topology": {"kind": "explicit", "devices": {)" + devices + "}}}"},
          {"box.json", box},
          {"gpu.json", R"({"kind": "gpu", "credits": 7})"}};
}

/// The typed configs of the boxes, and the devices inside.
class Boxes {
 public:
  explicit Boxes(const config::Document& document)
      : machine_(config::read<Machine>(document, kinds())), devices_(machine_.topology.as<Explicit>().devices) {}
  const config::AnyConfig& operator[](std::size_t i) const { return devices_[i].second; }
  const config::AnyConfig& inside(std::size_t i, std::size_t device) const {
    return (*this)[i].as<Group>().devices[device].second;
  }
  std::int64_t credits(std::size_t i, std::size_t device) const { return inside(i, device).as<Gpu>().credits; }

 private:
  Machine machine_;
  const std::vector<std::pair<std::string, config::AnyConfig>>& devices_;
};

const config::Value& value_of(const config::Document& document, const std::vector<const char*>& path) {
  const config::Value* value = &document.root;
  for (const char* key : path) value = value->find(key);
  return *value;
}

const void* list_of(const config::Document& document, const std::vector<const char*>& path) {
  return value_of(document, path).members.identity();
}

}  // namespace

TEST_CASE("equal uses of a file are one value and one config") {
  const Folder folder(boxes({"", "", ""}));
  const auto document = config::load("m.json");
  CHECK(list_of(document, {"topology", "devices", "n0"}) == list_of(document, {"topology", "devices", "n2"}));
  CHECK(value_of(document, {"topology", "devices", "n0"}).place.text() == "m.json:1:66");
  CHECK(value_of(document, {"topology", "devices", "n2"}).place.text() == "m.json:3:7");
  const Boxes all(document);
  CHECK(all[0].object() == all[1].object());
  CHECK(all[0].object() == all[2].object());
  CHECK(all.inside(0, 0).object() != all.inside(0, 1).object());
}

TEST_CASE("what is laid over one use splits that one on the way to the change") {
  const Folder folder(boxes({"", R"(, "devices": {"b": {"credits": 5}})", ""}));
  const auto document = config::load("m.json");
  const auto list = [&](const char* of, const char* device) {
    return list_of(document, {"topology", "devices", of, "devices", device});
  };
  CHECK(list_of(document, {"topology", "devices", "n0"}) == list_of(document, {"topology", "devices", "n2"}));
  CHECK(list_of(document, {"topology", "devices", "n0"}) != list_of(document, {"topology", "devices", "n1"}));
  CHECK(list("n0", "a") == list("n1", "a"));
  CHECK(list("n0", "b") != list("n1", "b"));
  const Boxes all(document);
  CHECK(all[0].object() == all[2].object());
  CHECK(all[0].object() != all[1].object());
  CHECK(all.inside(0, 0).object() == all.inside(1, 0).object());
  CHECK(all.credits(0, 1) == 2);
  CHECK(all.credits(1, 1) == 5);
  CHECK(all.credits(2, 1) == 2);
}

TEST_CASE("an override of one use splits that one") {
  const Folder folder(boxes({"", "", ""}));
  const auto whole = config::load("m.json");
  for (const char* pointer : {"/topology/devices/n1/devices/a/credits", "/topology/devices/n1/devices/a"}) {
    const bool device = std::string(pointer).back() == 'a';
    const Boxes all(config::load("m.json", {{pointer, device ? R"({"kind": "gpu", "credits": 9})" : "9"}}));
    CAPTURE(pointer);
    CHECK(all[0].object() == all[2].object());
    CHECK(all[0].object() != all[1].object());
    CHECK(all.inside(0, 1).object() == all.inside(1, 1).object());
    CHECK(all.credits(0, 0) == 7);
    CHECK(all.credits(1, 0) == 9);
  }
  config::Document changed = whole;
  config::detail::apply_override(changed, {"/topology/devices/n1/count", "2"});
  CHECK(Boxes(changed)[1].as<Group>().count == 2);
  CHECK(Boxes(changed)[0].as<Group>().count == 1);
  CHECK(Boxes(whole)[1].as<Group>().count == 1);
  CHECK(config::to_json(whole) == config::to_json(config::load("m.json")));
}

TEST_CASE("sources go with the copy that they are of") {
  Files files = boxes({"", R"(, "devices": {"a": {"credits": 5}})"});
  files.back().second = R"({"kind": "gpu", "credits": 7, "derate": 0.5,
    "$sources": {"credits": {"class": "paper", "source": "p"}, "derate": {"class": "paper", "source": "p"}}})";
  const Folder folder(files);
  std::string pointers;
  for (const config::Provenance& p : config::provenance(config::load("m.json"))) pointers += p.pointer + " ";
  const std::string n0 = "/topology/devices/n0/devices/";
  const std::string n1 = "/topology/devices/n1/devices/";
  CHECK(pointers == n0 + "a/credits " + n0 + "a/derate " + n0 + "b/derate " + n1 + "a/derate " + n1 + "b/derate ");
}

TEST_CASE("what is wrong with one use is told there and what is wrong with the part itself once") {
  Files files = boxes({"", R"(, "devices": {"a": {"credits": 0}})", ""});
  {
    const Folder folder(files);
    CHECK(complaint(config::load("m.json")) ==
          "m.json:2:57: /topology/devices/n1/devices/a/credits: must be at least 1, not 0");
  }
  files = boxes({"", "", ""});
  files.back().second = R"({"kind": "gpu", "zebra": 7})";
  const Folder folder(files);
  CHECK_THAT(complaint(config::load("m.json")),
             Catch::StartsWith("gpu.json:1:17: /topology/devices/n0/devices/a: unknown key \"zebra\"; ") &&
                 !Catch::Contains("\n"));
}

TEST_CASE("what a part lacks is told of each use but of one that lost something to a failure") {
  const Folder folder(Files{{"m.json",
                             "{\"name\": \"m\", \"topology\": {\"kind\": \"explicit\", \"devices\": {\n"
                             "\"x\": {\"$use\": \"part.json\", \"devices\": {\"$lines\": \"gone.txt\"}},\n"
                             "\"y\": {\"$use\": \"part.json\"},\n"
                             "\"z\": {\"$use\": \"part.json\"}}}}"},
                            {"part.json", R"({"kind": "group"})"}});
  const std::string lacks = ": missing required field \"devices\" (what a group holds)";
  CHECK(complaint(config::load("m.json")) ==
        "m.json:2:50: /topology/devices/x/devices: \"$lines\" of \"gone.txt\" fails: No such file or directory\n"
        "m.json:3:6: /topology/devices/y" +
            lacks + "\nm.json:4:6: /topology/devices/z" + lacks);
}

TEST_CASE("what a file would have brought is not missed where that file is used in turn or set below") {
  const Folder folder(Files{{"m.json",
                             "{\"name\": \"m\", \"topology\": {\"kind\": \"explicit\", \"devices\": {\n"
                             "\"x\": {\"$use\": \"part.json\"},\n"
                             "\"y\": {\"$use\": \"part.json\", \"count\": 2}}}}"},
                            {"part.json", R"({"kind": "group", "$use": "gone.json"})"}});
  const std::string gone =
      "part.json:1:27: /topology/devices/x: \"$use\" of \"gone.json\" fails: No such file or directory";
  CHECK(complaint(config::load("m.json")) == gone);
  CHECK(complaint(config::load("m.json", {{"/topology/devices/x/devices/a/kind", "\"group\""}})) == gone);
  CHECK(
      complaint(config::load("m.json", {{"/topology/devices/z/kind", "\"group\""}})) ==
      "--set /topology/devices/z/kind: /topology/devices/z: missing required field \"devices\" (what a group holds)\n" +
          gone);
}

}  // namespace config_sharing_test
