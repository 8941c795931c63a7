// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace draw_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string pair_file = configs + "/machines/tca_pair.json";

}  // namespace

TEST_CASE("draw: every shipped machine has a picture") {
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/machines")) {
    CAPTURE(entry.path().string());
    const Ended end = run_program({"draw", entry.path().string()});
    CHECK(end.exit_code == 0);
    CHECK(end.err.empty());
    CHECK_THAT(end.out, Catch::StartsWith("<?xml") && Catch::EndsWith("</svg>\n"));
  }
}

TEST_CASE("draw: --out writes a file, - is standard output") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "pair.svg";
  const Ended end = run_program({"draw", pair_file, "--out", file.string()});
  CHECK(end.exit_code == 0);
  CHECK(end.out.empty());
  CHECK(content(file) == run_program({"draw", pair_file, "--out", "-"}).out);
  CHECK(content(file) == run_program({"draw", pair_file}).out);
}

TEST_CASE("draw: of a run, its machine is drawn") {
  CHECK(run_program({"draw", configs + "/runs/tca_pio_ping_pong.json"}).out == run_program({"draw", pair_file}).out);
}

TEST_CASE("draw: --set changes what is drawn") {
  const Ended end = run_program({"draw", configs + "/machines/ring_16.json", "--set", "/topology/nodes=3"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("router2") && !Catch::Contains("router3"));
}

TEST_CASE("draw: what cannot be drawn is refused with exit code 2") {
  const TemporaryFolder folder;
  const auto refused = [](const std::vector<std::string>& arguments, const char* why) {
    const Ended end = run_program(arguments);
    CAPTURE(arguments, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains(why));
  };
  refused({"draw"}, "which machine?");
  refused({"draw", "/nonexistent.json"}, "/nonexistent.json");
  refused({"draw", configs + "/parts/peach2.json"}, "is no machine and no run");
  refused({"draw", folder.write("list.json", "[]").string()}, "is no machine and no run");
  refused({"draw", pair_file, "--out", "/nonexistent/x.svg"}, "there is no folder");
  refused({"draw", pair_file, "--out", folder.path().string()}, "is a folder");
  refused({"draw", pair_file, "--set", "/topology/link=[]"}, "link");
  refused({"draw", configs + "/machines/ring_16.json", "--set", "/topology/nodes=10001"}, "20002 devices are too many");
  const auto file = folder.write("m.json", R"({"name": "m", "topology": {"kind": "explicit", "devices": {},
    "links": [{"ends": ["a.x", "b.y"], "wire": {"kind": "pcie"}}]}})");
  refused({"draw", file.string()}, "m.json:2:15: /topology/links/0: no device \"a\"");
}

}  // namespace draw_test
