// SPDX-License-Identifier: Apache-2.0
// What a user gets wrong: one clear message with its place, exit 2, nothing written.
#include <algorithm>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace bad_input_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string run_file = configs + "/runs/tca_pio_ping_pong.json";

/// A run file in a folder of its own that must be refused: exit 2, the place, these words, no output file.
void expect_refused(const std::string& text, const std::string& place, const std::string& says) {
  const TemporaryFolder folder;
  const auto file = folder.write("bad.json", text);
  const auto out = folder.path() / "out.csv";
  const Ended end = run_program({"run", file.string(), "--out", out.string()});
  CAPTURE(text, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("bad.json:" + place) && Catch::Contains(says));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(run_program({"validate", file.string()}).exit_code == 2);
}

/// A ping-pong over the shipped machine with something in it replaced.
std::string run_with(const std::string& scenario, const std::string& more = "") {
  return "{\n \"machine\": {\"$use\": \"" + configs +
         "/machines/tca_pair.json\"},\n \"library\": {\"kind\": \"tca\"},\n" + " \"scenario\": " + scenario + more +
         "\n}\n";
}

/// An override of the shipped run that must be refused.
void expect_set_refused(const std::string& set, const std::string& says) {
  const Ended end = run_program({"run", run_file, "--set", set});
  CAPTURE(set, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

}  // namespace

TEST_CASE("a missing file") {
  const Ended end = run_program({"run", "nowhere.json"});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::StartsWith("nowhere.json: ") && Catch::Contains("No such file"));
  CHECK_THAT(run_program({"run", ""}).err, Catch::StartsWith("\"\": cannot be read: "));
}

TEST_CASE("a file that is no JSON") {
  expect_refused("{\"machine\": \n  {", "2:", "");
  expect_refused("", "1:1", "");
}

TEST_CASE("an unknown key") {
  expect_refused(run_with(R"({"kind": "ping_pong", "iteration": 5})"), "4:", "did you mean \"iterations\"");
}

TEST_CASE("a wrong unit and a bare number") {
  expect_refused(run_with(R"({"kind": "ping_pong", "sizes": ["8 ns"]})"), "4:", "8 ns");
  expect_refused(run_with(R"({"kind": "ping_pong", "sizes": [8]})"), "4:46: /scenario/sizes/0", "needs a unit");
  expect_set_refused("/options/limit_simulated_time=5", "needs a unit");
}

TEST_CASE("a value out of range") {
  expect_refused(run_with(R"({"kind": "ping_pong"})", R"(, "options": {"max_train": 65})"), "4:", "65");
}

TEST_CASE("a duplicate key") {
  expect_refused(run_with(R"({"kind": "ping_pong", "iterations": 5, "iterations": 6})"), "4:", "iterations");
}

TEST_CASE("an unknown kind") {
  expect_refused(run_with(R"({"kind": "pingpong"})"), "4:", "did you mean \"ping_pong\"");
}

TEST_CASE("a $use that leads nowhere or round in a circle") {
  expect_refused(R"({"machine": {"$use": "nowhere.json"}})", "1:", "nowhere.json");
  const TemporaryFolder folder;
  folder.write("a.json", R"({"$use": "b.json"})");
  folder.write("b.json", R"({"$use": "a.json"})");
  const Ended end = run_program({"run", (folder.path() / "a.json").string()});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("circle"));
}

TEST_CASE("what is wrong with a line that $lines brings is told at that line of the text file") {
  const TemporaryFolder folder;
  const auto list = folder.write("list.txt", "# of broadcasts\nbinomial\n\nchain\nchian  # no such\n");
  const auto file = folder.write("run.json", "{\"machine\": {\"$use\": \"" + configs +
                                                 R"(/machines/ring_16.json"}, "library": {"kind": "datagram"},
    "scenario": {"kind": "broadcast", "algorithms": {"$lines": "list.txt"}}})");
  for (const char* command : {"run", "validate"}) {
    const Ended end = run_program({command, file.string()});
    CAPTURE(command, end.out, end.err);
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.out + end.err,
               Catch::Contains(list.string() + ":5:1: /scenario/algorithms/2: ") && Catch::Contains("\"chian\""));
  }
}

TEST_CASE("several faults of a file are told at once") {
  const TemporaryFolder folder;
  const auto file =
      folder.write("bad.json", run_with(R"({"kind": "ping_pong", "iteration": 5, "sizes": [8]})", ", \"optons\": {}"));
  const Ended end = run_program({"run", file.string()});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("iteration") && Catch::Contains("sizes") && Catch::Contains("optons"));
}

TEST_CASE("a --set that leads nowhere or says nothing") {
  expect_set_refused("/scenario/iteration=5", "did you mean \"iterations\"");
  expect_set_refused("/machine/topology/devices/node7/rc=5", "node7");
  expect_set_refused("scenaro=5", "--set scenaro: there is no \"scenaro\"; did you mean \"scenario\"?");
  expect_set_refused("=5", "POINTER is missing");
  expect_set_refused("/scenario/iterations", "POINTER=VALUE");
}

TEST_CASE("a value given by --set is named once") {
  expect_set_refused("/scenario/iterations=0", "--set /scenario/iterations: must be 1 to 1000000, not 0\n");
}

TEST_CASE("a file of another type is no run, and told so in one line") {
  for (const std::string file : {"/machines/tca_pair.json", "/parts/peach2.json", "/figures/peach2.json"}) {
    const Ended end = run_program({"run", configs + file});
    CAPTURE(end.err);
    CHECK(end.exit_code == 2);
    CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
    CHECK_THAT(end.err, Catch::Contains(file + ":") && Catch::Contains("is no run, but of type"));
  }
}

TEST_CASE("sizes that the machine cannot move") {
  expect_set_refused("/scenario/sizes=[\"0 B\"]", "size");
  expect_set_refused("/scenario/sizes=[\"1 TiB\"]", "window");
}

TEST_CASE("a machine that is wired wrongly") {
  const std::string wire = R"("wire": {"$use": ")" + configs + R"(/parts/pcie_cable_gen2_x8.json"}})";
  const std::string first = R"({"ends": ["node0.peach2.e", "node1.peach2.w"], )" + wire;
  expect_set_refused(
      "/machine/topology/links=[" + first + ", " + R"({"ends": ["node0.peach2.e", "node1.peach2.s"], )" + wire + "]",
      "port node0.peach2.e is connected twice: to node1.peach2.w and to node1.peach2.s");
  expect_set_refused(
      "/machine/topology/links=[" + std::string(R"({"ends": ["node0.peach2.e", "node9.peach2.w"], )") + wire + "]",
      "node9");
  expect_set_refused("/machine/topology/links=[]", "peach2");
}

TEST_CASE("a destination that no route reaches") {
  expect_set_refused("/machine/topology/devices/node0/devices/peach2/routes=[]", "cannot be reached");
}

TEST_CASE("parts that do not go together are refused before time 0") {
  const std::string node0 = "/machine/topology/devices/node0";
  expect_set_refused(
      node0 + "/devices/peach2/window_base=\"1 TiB\"",
      "node0.peach2: its window is 512 GiB from 1 TiB, but slot0 of node0.rc shows 512 GiB from 512 GiB");
  expect_set_refused(
      node0 + "/devices/peach2/buffers/posted_data=1",
      "the posted buffer of node0.peach2.n does not hold one packet of 256 B, as node0.rc.slot0 may send");
  expect_set_refused(node0 + "/links/2/wire/max_payload_size=\"100 B\"", "must be one of 128 B");
  expect_set_refused("/scenario/methods=[\"pigeon\"]", "the library has no method \"pigeon\"; methods: pio, dma");
}

TEST_CASE("validate says which files are good and which are not") {
  const TemporaryFolder folder;
  const auto bad = folder.write("bad.json", R"({"what": "is this"})");
  const Ended end = run_program({"validate", run_file, bad.string(), configs + "/machines/tca_pair.json"});
  CHECK(end.exit_code == 2);
  CHECK(end.out == run_file + ": ok\n" + configs + "/machines/tca_pair.json: ok\n");
  CHECK_THAT(end.err, Catch::Contains("bad.json:1:1: is no run, sweep, machine, part"));
}

TEST_CASE("a kind of two families is judged by the one that it fits best") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& part) {
    return run_program({"validate", folder.write("tca.json", part).string()}).err;
  };
  CHECK_THAT(complaint(R"({"kind": "tca", "interupt_cycles": 1})"),
             Catch::Contains("did you mean \"interrupt_cycles\""));
  CHECK_THAT(complaint(R"({"kind": "tca", "nodes": 4, "rngs": 2, "node": {"kind": "group", "devices": {}, "links": []},
    "cable": {"kind": "pcie"}})"),
             Catch::Contains("did you mean \"rings\""));
}

TEST_CASE("a part of an unknown kind may have been meant for any family") {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& text) {
    const Ended end = run_program({"validate", folder.write("part.json", text).string()});
    CHECK(end.exit_code == 2);
    return end.err;
  };
  CHECK_THAT(said(R"({"kind": "pci"})"),
             Catch::Contains("part.json:1:10: unknown kind \"pci\"; did you mean \"pcie\"?"));
  CHECK_THAT(said(R"({"kind": "ping_pongg"})"), Catch::Contains("did you mean \"ping_pong\"?"));
  CHECK_THAT(said(R"({"kind": "nothing"})"), Catch::Contains("router,") && Catch::Contains("torus,"));
  CHECK_THAT(said(R"({"kind": "pci", "lanes": 4, "lanes": 8})"), Catch::Contains("duplicate key \"lanes\""));
}

TEST_CASE("every shipped config is valid") {
  std::vector<std::string> arguments{"validate"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(configs))
    if (entry.path().extension() == ".json") arguments.push_back(entry.path().string());
  CHECK(arguments.size() > 10);
  const Ended end = run_program(arguments);
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
}

}  // namespace bad_input_test
