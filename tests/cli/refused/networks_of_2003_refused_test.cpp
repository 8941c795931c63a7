// SPDX-License-Identifier: Apache-2.0
// Myrinet, Ethernet and PM over both, as a user gets them wrong: each is told with its place and what to do.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace networks_of_2003_refused_test {

using namespace tsunagi::test;

namespace {

using Words = std::vector<std::string>;

/// What `run` says of a shipped run with such values, each "POINTER=VALUE".
void expect(const std::string& run, const Words& set, int exit_code, const Words& says) {
  Words words{"run", run};
  for (const std::string& s : set) words.insert(words.end(), {"--set", s});
  const Ended end = run_program(words);
  CAPTURE(run, set, end.err, end.out);
  CHECK(end.exit_code == exit_code);
  for (const std::string& text : says) CHECK_THAT(end.err, Catch::Contains(text));
}

/// The machine `myrinet_pair` with the route to node 1 by another port of its crossbar, which a user has written.
Ended with_route_by(const std::string& port) {
  const TemporaryFolder folder;
  const std::string pair = R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/machines/myrinet_pair.json", "topology": )";
  const auto file = folder.write(
      "machine.json", pair + R"({"networks": [{"name": "myrinet", "routers": ["crossbar"], )" +
                          R"("routes": {"kind": "table", "entries": ["crossbar node1.lanai )" + port + R"("]}}]}})");
  return run_program({"validate", file.string()});
}

}  // namespace

TEST_CASE("PM/Ethernet: values that cannot work are told by their place before anything runs") {
  const std::string run = "pm_messages_ethernet", router = "/machine/topology/router",
                    nic = "/machine/topology/node/devices/nic";
  expect(run, {"/library/retransmission=0 us"}, 2, {"/library/retransmission: must be 1 us to 10 s"});
  expect(run, {"/library/window=0"}, 2, {"/library/window: must be 1 to 1024"});
  expect(run, {"/library/retries=0"}, 2, {"/library/retries: must be 1 to"});
  expect(run, {router + "/memory=1 KiB"}, 2,
         {router, "\"memory\" of 1 KiB holds no frame of 9018 B", "\"largest_frame\""});
  expect(run, {router + "/port_limit=1 KiB"}, 2, {router, "\"port_limit\" of 1 KiB holds no frame of 9018 B"});
  expect(run, {"/machine/topology/wire/mtu=9000 B"}, 2, {"/machine/topology/wire", "\"jumbo\": true allows it"});
  const Words jumbo{"/machine/topology/wire/mtu=9000 B", "/machine/topology/wire/jumbo=true"};
  const auto with = [&jumbo](const std::string& more) {
    Words w = jumbo;
    w.push_back(more);
    return w;
  };
  expect(run, with(nic + "/largest_frame=1518 B"), 2,
         {nic, "takes frames of up to 1518 B, the wire's MTU of 9 kB makes them 9018 B"});
  expect(run, with(router + "/largest_frame=1518 B"), 2,
         {router, "takes frames of up to 1518 B, the wire's MTU of 9 kB makes them 9018 B"});
  expect(run, {"/library/longest=1469 B"}, 2,
         {"/library/longest: a message of 1469 B and a header of 32 B fit into no packet of 1.5 kB"});
  expect(run, {"/machine/topology/terminals=25"}, 2,
         {router, "router0 has 24 ports (\"ports\"), but 25 wires come to it"});
  expect(run, {"**/nic/loss_ppm=1000000"}, 2, {nic + "/loss_ppm: must be 0 to 999999"});
}

TEST_CASE("PM/Ethernet: a run in which all frames are lost ends, and says who was given up") {
  expect("pm_messages_ethernet", {"**/nic/loss_ppm=999999", "/library/retries=3"}, 1,
         {"rank 0: nobody acknowledges what goes to rank 1, 3 retries of 4.8 ms"});
}

TEST_CASE("Myrinet: values that cannot work are told by their place before anything runs") {
  const std::string lanai = "/machine/topology/node/devices/lanai";
  expect("pm_messages_myrinet", {"**/reliable/retransmit_after=0 us"}, 2,
         {lanai + "/reliable/retransmit_after: must be 1 us"});
  expect("pm_messages_myrinet", {"**/reliable/window=0"}, 2, {lanai + "/reliable/window: must be 1 to 1024"});
  expect("myrinet_neighbours_128", {"**/max_route=2"}, 2,
         {lanai,
          "node0.lanai: the route to terminal 8 has 3 bytes, one a crossbar, but a packet carries 2 at most "
          "(\"max_route\" of the wire)"});
  expect("myrinet_neighbours_128", {"/machine/topology/nodes=129"}, 2,
         {"/machine/topology: 129 nodes, but the switches of the lowest level have ports for 128"});
  expect("myrinet_neighbours_128", {"/machine/topology/router/ports=8"}, 2,
         {"/machine/topology/router", "router0 has 8 ports, the network uses 16 of it"});
}

TEST_CASE("PM/Myrinet: a run in which all packets are lost ends, and says who was given up") {
  expect("pm_messages_myrinet", {"**/lanai/loss_ppm=999999", "**/reliable/retries=3"}, 1,
         {"node0.lanai: terminal 1 does not answer: packet 0 to it was sent 4 times, with 5 ms between each two"});
}

TEST_CASE("Myrinet: a route by a port with nothing connected names it") {
  CHECK(with_route_by("p1").exit_code == 0);
  for (const std::string port : {"p0", "p7", "p99"}) {
    const Ended end = with_route_by(port);
    CAPTURE(port, end.err, end.out);
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains("crossbar") && Catch::Contains(port));
  }
}

}  // namespace networks_of_2003_refused_test
