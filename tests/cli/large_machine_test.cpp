// SPDX-License-Identifier: Apache-2.0
// A machine of 1,024 nodes of eleven devices: what it may take, and what is told of one node among them.
#include <functional>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace large_machine_test {

using namespace tsunagi::test;

namespace {

constexpr int nodes = 1024;
const std::string node_file = TSUNAGI_TEST_CONFIGS "/parts/ha_pacs_tca_node.json";

/// Validates, which builds, a machine of that many nodes; `beside(i)` is JSON text beside the "$use" of node i.
Ended validate(const std::function<std::string(int)>& beside) {
  std::string text = "{\"name\": \"many\", \"topology\": {\"kind\": \"explicit\", \"devices\": {";
  for (int i = 0; i < nodes; ++i)
    text += (i == 0 ? "\n\"node" : ",\n\"node") + std::to_string(i) + R"(": {"$use": ")" + node_file + "\"" +
            beside(i) + "}";
  const TemporaryFolder folder;
  folder.write("machine.json", text + "\n}}}\n");
  Surroundings there;
  there.folder = folder.path().string();
  return run_program({"validate", "machine.json"}, there);
}

/// On a quiet core it takes a fifth of that time, and up to 70 MB.
void expect_small(const std::function<std::string(int)>& beside) {
  const Ended end = validate(beside);
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
  if (sanitized) return;
  CHECK(end.peak_rss <= 100'000'000);
  CHECK(end.cpu_s <= 1);
}

std::string nothing(int) { return ""; }

}  // namespace

TEST_CASE("1024 equal nodes of eleven devices take at most 100 MB and a second") { expect_small(nothing); }

TEST_CASE("1024 nodes of which one differs take at most 100 MB and a second") {
  expect_small([](int i) { return i == 7 ? R"(, "devices": {"gpu0": {"memory_size": "6 GiB"}})" : ""; });
}

TEST_CASE("1024 nodes that all differ in one device take at most 100 MB and a second") {
  expect_small([](int i) { return R"(, "devices": {"gpu0": {"memory_size": ")" + std::to_string(i + 1) + " MiB\"}}"; });
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
