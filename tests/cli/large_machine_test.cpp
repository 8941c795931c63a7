// SPDX-License-Identifier: Apache-2.0
// A machine of 1,024 nodes of eleven devices: what it may take, and what is told of one node among them.
#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace large_machine_test {

using namespace tsunagi::test;

namespace {

constexpr int nodes = 1024;
const std::string node_file = TSUNAGI_TEST_CONFIGS "/parts/ha_pacs_tca_node.json";

/// Runs the program in a folder with machine.json, a machine of that many nodes; `beside(i)` is JSON text beside the
/// "$use" of node i.
Ended with_machine(const std::vector<std::string>& arguments, const std::function<std::string(int)>& beside) {
  std::string text = "{\"name\": \"many\", \"topology\": {\"kind\": \"explicit\", \"devices\": {";
  for (int i = 0; i < nodes; ++i)
    text += (i == 0 ? "\n\"node" : ",\n\"node") + std::to_string(i) + R"(": {"$use": ")" + node_file + "\"" +
            beside(i) + "}";
  const TemporaryFolder folder;
  folder.write("machine.json", text + "\n}}}\n");
  Surroundings there;
  there.folder = folder.path().string();
  return run_program(arguments, there);
}

/// Validates it, which builds it.
Ended validate(const std::function<std::string(int)>& beside) {
  return with_machine({"validate", "machine.json"}, beside);
}

/// On a quiet core all takes a fifth of that time, and up to 70 MB.
void expect_small(const Ended& end) {
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
  if (sanitized) return;
  CHECK(end.peak_rss <= 100'000'000);
  CHECK(end.cpu_s <= 1);
}

std::string nothing(int) { return ""; }

}  // namespace

TEST_CASE("1024 equal nodes of eleven devices take at most 100 MB and a second") { expect_small(validate(nothing)); }

TEST_CASE("1024 nodes of which one differs take at most 100 MB and a second") {
  expect_small(validate([](int i) { return i == 7 ? R"(, "devices": {"gpu0": {"memory_size": "6 GiB"}})" : ""; }));
}

TEST_CASE("1024 nodes that all differ in one device take at most 100 MB and a second") {
  expect_small(validate(
      [](int i) { return R"(, "devices": {"gpu0": {"memory_size": ")" + std::to_string(i + 1) + " MiB\"}}"; }));
}

TEST_CASE("a run on one of 1024 equal nodes takes at most 100 MB and a second") {
  const Ended end = with_machine(
      {"run", TSUNAGI_TEST_CONFIGS "/runs/cuda_peer_ping_pong.json", "--set", R"(/machine={"$use": "machine.json"})",
       "--set", "/scenario/iterations=1", "--set", R"(/scenario/sizes=["8 B"])", "--format", "csv"},
      nothing);
  expect_small(end);
  CHECK_THAT(end.out, Catch::Contains("\nuva,8,"));
}

TEST_CASE("what is wrong with one of 1024 equal nodes is told of that one") {
  const Ended ranges = validate(
      [](int i) { return i == 7 ? R"(, "devices": {"gpu0": {"memory_size": "7 KiB", "bar_size": "6 KiB"}})" : ""; });
  CHECK(ranges.exit_code == 2);
  CHECK_THAT(ranges.err,
             Catch::Contains("machine.json:9:") && !Catch::Contains("machine.json:8:") &&
                 Catch::Contains("/topology/devices/node7/devices/gpu0/memory_size: must be 1 MiB to 1 TiB") &&
                 Catch::Contains("/topology/devices/node7/devices/gpu0/bar_size: must be "));
  const Ended wires = validate([](int i) { return i == 9 ? R"(, "links": [])" : ""; });
  CHECK(wires.exit_code == 2);
  CHECK_THAT(wires.err,
             Catch::StartsWith(node_file + ":6:14: /topology/devices/node9/devices/core0: port node9.core0.bus "
                                           "is connected to nothing"));
}

}  // namespace large_machine_test
