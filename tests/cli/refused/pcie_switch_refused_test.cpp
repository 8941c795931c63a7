// SPDX-License-Identifier: Apache-2.0
// Machines with PCIe switches that cannot be, told before time 0.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace pcie_switch_refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string devices = "/machine/topology/devices/";
const std::string links = "/machine/topology/links/";

void expect_refused(const std::vector<std::string>& sets, const std::string& says) {
  for (const char* command : {"run", "explain"}) {
    std::vector<std::string> arguments{command, configs + "/runs/cuda_switch_ping_pong.json"};
    for (const std::string& s : sets) arguments.insert(arguments.end(), {"--set", s});
    const Ended end = run_program(arguments);
    CAPTURE(arguments, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains(says));
  }
}

}  // namespace

TEST_CASE("windows of a switch that overlap, or are no pages, and ports of one name") {
  expect_refused({devices + "switch/downstream/1/window_base=\"256 GiB\""},
                 "the addresses of \"down0\", 272 MiB from 256 GiB, overlap the addresses of \"down1\"");
  expect_refused({devices + "switch/downstream/1/window_size=\"5000 B\""},
                 "the addresses of \"down1\", 5 kB from 257 GiB, are no whole pages of 4 KiB");
  expect_refused({devices + "switch/downstream/1/name=\"down0\""}, "two ports are called \"down0\"");
  expect_refused({devices + "switch/downstream/1/name=\"up\""}, "two ports are called \"up\"");
  expect_refused({devices + "switch/downstream=[]"}, "a switch has at least one downstream port");
}

TEST_CASE("a window of a switch that is not within that of the slot above") {
  expect_refused(
      {devices + "rc/slots/0/window_size=\"1 GiB\""},
      "switch: the addresses of \"down1\", 272 MiB from 257 GiB, are not all within what slot0 of rc shows, 1 GiB from "
      "256 GiB");
  expect_refused({devices + "rc/slots/0/window_base=\"257 GiB\""}, "the addresses of \"down0\", 272 MiB from 256 GiB");
}

TEST_CASE("a card below a switch whose window is another than its port shows") {
  expect_refused({devices + "gpu1/bar_base=\"258 GiB\""},
                 "gpu1: its window and registers are 272 MiB from 258 GiB, but down1 of switch shows 272 MiB from 257 "
                 "GiB");
}

TEST_CASE("a port of a switch with nothing at it") {
  expect_refused({devices + "switch/downstream=[{\"name\": \"down0\", \"window_base\": \"256 GiB\", \"window_size\": "
                            "\"272 MiB\"}, {\"name\": \"down1\", \"window_base\": \"257 GiB\", \"window_size\": \"272 "
                            "MiB\"}, {\"name\": \"down2\", \"window_base\": \"1 TiB\", \"window_size\": \"4 KiB\"}]"},
                 "port switch.down2 is connected to nothing");
}

TEST_CASE("links at a switch whose largest payloads differ, or exceed what it carries") {
  expect_refused({links + "4/wire/max_payload_size=\"128 B\""},
                 "packets pass a switch whole, but max_payload_size is 256 B at \"up\" and 128 B at \"down1\"");
  expect_refused(
      {devices + "switch/max_payload_size=\"128 B\""},
      "switch carries packets of at most 128 B (\"max_payload_size\"), but that of the link at \"up\" is 256 "
      "B");
}

TEST_CASE("a switch's buffer that does not hold a packet") {
  expect_refused({devices + "switch/buffers/posted_data=15"},
                 "the posted buffer of switch.up does not hold one packet of 256 B, as rc.slot0 may send");
}

TEST_CASE("a downstream port of a switch leads to no downstream port") {
  expect_refused({links + "2/ends=[\"rc.slot0\", \"switch.down0\"]", links + "3/ends=[\"switch.up\", \"gpu0.pcie\"]"},
                 "both ends are root complex ports: rc.slot0 and switch.down0");
}

TEST_CASE("switches in a circle, and more of them in a row than a request can remember") {
  const TemporaryFolder folder;
  const auto validate = [&](int switches, bool circle) {
    std::string all_devices;
    std::string all_links;
    const auto add = [](std::string& to, const std::string& s) { to += (to.empty() ? "" : ",\n") + s; };
    const auto sw = [](int i) { return "s" + std::to_string(i); };
    const std::string slot = R"("window_base": "1 GiB", "window_size": "1 GiB")";
    for (int i = 0; i < switches; ++i) {
      add(all_devices, "\"" + sw(i) + R"(": {"kind": "pcie_switch", "downstream": [{"name": "d", )" + slot + "}]}");
      if (i > 0 || circle)
        add(all_links, R"({"ends": [")" + sw(i) + R"(.up", ")" + sw((i + switches - 1) % switches) +
                           R"(.d"], "wire": {"kind": "pcie"}})");
    }
    if (!circle) {
      add(all_devices, R"("top": {"kind": "exerciser", "role": "root_complex"}, "card": {"kind": "exerciser"})");
      add(all_links, R"({"ends": ["top.link", "s0.up"], "wire": {"kind": "pcie"}})");
      add(all_links, R"({"ends": ["card.link", ")" + sw(switches - 1) + R"(.d"], "wire": {"kind": "pcie"}})");
    }
    return run_program(
        {"validate", folder
                         .write("m.json", R"({"name": "m", "topology": {"kind": "explicit", "devices": {)" +
                                              all_devices + "}, \"links\": [" + all_links + "]}}")
                         .string()});
  };
  CHECK(validate(16, false).exit_code == 0);  // two ports each: 2 to the 16th
  const Ended deep = validate(17, false);
  CHECK(deep.exit_code == 2);
  CHECK_THAT(deep.err, Catch::Contains("s16: too many switches are above each other"));
  const Ended circle = validate(2, true);
  CHECK(circle.exit_code == 2);
  CHECK_THAT(circle.err, Catch::Contains("s0: its port \"up\" leads to one of its own downstream ports"));
}

}  // namespace pcie_switch_refused_test
