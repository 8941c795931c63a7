// SPDX-License-Identifier: Apache-2.0
// What library verbs knows before time 0 that it cannot do, what it says when messages are lost for good, and bounds
// beside which a card buffers.

#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace verbs_refusal_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* two_rails = "ib_write_bw_two_rails";

std::string device(int node, const std::string& path) {
  return "/machine/topology/devices/node" + std::to_string(node) + "/devices/" + path;
}

/// Host memory of a node.
Overrides memory(const std::string& node, const std::string& size) {
  return {{node + "/devices/memory/size", size}, {node + "/devices/rc/memory_size", size}};
}

/// The cables of two cards with two ports.
config::Override cables(const std::string& first, const std::string& of_first, const std::string& second,
                        const std::string& of_second) {
  const auto cable = [](const std::string& a, const std::string& b) {
    return R"({"ends": ["node0.hca.)" + a + R"(", "node1.hca.)" + b + R"("], "wire": {"kind": "infiniband"}})";
  };
  return {"/machine/topology/links", "[" + cable(first, of_first) + ", " + cable(second, of_second) + "]"};
}

}  // namespace

TEST_CASE("verbs: a rail is one cable's two ends, not two ports of one name at different cables") {
  const config::Override straight = cables("port1", "port1", "port2", "port2");
  const config::Override crossed = cables("port1", "port2", "port2", "port1");
  const config::Override small = {"/scenario/sizes", R"(["8 B"])"};
  for (const std::string rails : {R"(["hca.port1"])", R"(["hca.port2"])", R"(["hca.port1", "hca.port2"])"}) {
    CAPTURE(rails);
    CHECK(refusal(two_rails, {straight, small, {"/library/rails", rails}}) == "no error");
    CHECK_THAT(refusal(two_rails, {crossed, small, {"/library/rails", rails}}),
               Catch::Contains("of node1.hca and of node0.hca are not in one subnet"));
  }
}

TEST_CASE("verbs: nodes of two subnets are refused") {
  const auto node = [](int i) {
    const std::string n = std::to_string(i);
    return config::Override{"/machine/topology/devices/node" + n,
                            R"({"$use": ")" TSUNAGI_TEST_CONFIGS
                            R"(/parts/ib_node.json", "devices": {"hca": {"ports": 2}}})"};
  };
  const auto cable = [](const std::string& a, const std::string& b) {
    return R"({"ends": ["node)" + a + R"(", "node)" + b + R"("], "wire": {"kind": "infiniband"}})";
  };
  // Two pairs, each of cards with LIDs 0 and 1; three cards in a row.
  const std::string pairs = "[" + cable("0.hca.port1", "1.hca.port1") + "," + cable("2.hca.port1", "3.hca.port1") + "]";
  const std::string row = "[" + cable("0.hca.port1", "1.hca.port1") + "," + cable("1.hca.port2", "2.hca.port1") + "]";
  const config::Override first = {"/library/rails", R"(["hca.port1"])"};
  CHECK_THAT(refusal(two_rails, {node(2), node(3), first, {"/machine/topology/links", pairs}}),
             Catch::Contains("one LID"));
  CHECK_THAT(refusal(two_rails, {node(2), first, {"/machine/topology/links", row}}), Catch::Contains("one LID"));
}

TEST_CASE("verbs: a switch's two ports of a node may be two rails, each with LIDs of its own") {
  const auto cable = [](int node, int port) {
    return R"({"ends": ["node)" + std::to_string(node) + ".hca.port" + std::to_string(port) + R"(", "switch.p)" +
           std::to_string(2 * node + port) + R"("], "wire": {"kind": "infiniband"}})";
  };
  Overrides both = {
      {"/machine/topology/devices/switch", R"({"kind": "infiniband_switch"})"},
      {"/machine/topology/links", "[" + cable(0, 1) + "," + cable(0, 2) + "," + cable(1, 1) + "," + cable(1, 2) + "]"},
      {"/machine/topology/networks", R"([{"name": "a", "routers": ["switch"], "routes": {"kind": "shortest"}}])"},
      {"/scenario/sizes", R"(["8 B", "5 KiB"])"}};
  CHECK(rows_of(two_rails, both).rows.size() == 2);
  // The terminals of that network are ports, not ranks.
  both.back() = {"/scenario", R"({"kind": "traffic", "size": "5 KiB", "loads": ["10 %"]})"};
  CHECK(rows_of(two_rails, both).rows.front().find("bound_ppm") == nullptr);
}

TEST_CASE("verbs: messages that the smallest node has no room for are refused") {
  // Half of what queues leave is for what arrives.
  const Overrides big = {{"/scenario/sizes", R"(["12 MiB"])"}};
  for (const std::string run : {"ib_write_bw", "ib_read_bw", "ib_send_lat", "ib_ping_pong", "ib_read"})
    for (const int node : {0, 1}) {
      CAPTURE(run, node);
      Overrides all = memory("/machine/topology/devices/node" + std::to_string(node), "\"32 MiB\"");
      all.insert(all.end(), big.begin(), big.end());
      CHECK_THAT(refusal(run, all), Catch::Contains("/scenario") && Catch::Contains("12 MiB of each rank's buffer"));
    }
  CHECK_THAT(refusal("ib_write_bw", memory("/machine/topology/devices/node1", "\"1 MiB\"")),
             Catch::Contains("node1.memory has 1 MiB, of which the driver keeps"));
}

TEST_CASE("verbs: messages of traffic that have no place of their own are refused before time 0") {
  Overrides all = memory("/machine/topology/node", "\"64 MiB\"");
  all.push_back({"/scenario/window", "\"20 us\""});
  all.push_back({"/scenario/loads", R"(["100 %"])"});
  const auto of_size = [&](const std::string& size) {
    Overrides more = all;
    more.push_back({"/scenario/size", size});
    return refusal("ib_traffic", more);
  };
  // Half of 64 MiB less the queues', for 15 others.
  CHECK(of_size("\"1 MiB\"") == "no error");
  CHECK_THAT(of_size("\"2100 KiB\""), Catch::Contains("/scenario") &&
                                          Catch::Contains("a message of 2100 KiB is started") &&
                                          Catch::Contains("from each queue pair"));
}

TEST_CASE("verbs: what lost packets keep from going on is told with how many") {
  const config::Override all_lost = {device(0, "hca/loss_ppm"), "999999"};
  CHECK_THAT(refusal("ib_send_lat",
                     {all_lost, {"/library/service", "\"unreliable_datagram\""}, {"/scenario/sizes", R"(["8 B"])"}}),
             Catch::Contains("1 packet was lost; nobody sends datagrams again"));
  CHECK_THAT(refusal("ib_write_bw", {all_lost, {"/library/timeout_code", "0"}, {"/scenario/sizes", R"(["8 B"])"}}),
             Catch::Contains("lost; \"timeout_code\" 0 never sends anything again"));
  CHECK_THAT(refusal("ib_write_bw", {all_lost, {"/library/timeout_code", "1"}, {"/scenario/sizes", R"(["8 B"])"}}),
             Catch::Contains("nobody acknowledges, retries exceeded"));
}

TEST_CASE("verbs: what is acknowledged and not written yet is no more than the cards buffer") {
  // 10 messages over a slot of two lanes: 1.8 GB/s. A port buffers 256 x 64 B.
  const auto time = [](const std::string& test, int node) {
    const config::Override slot = {"/machine/topology/devices/node" + std::to_string(node) + "/links/2/wire/lanes",
                                   "2"};
    const report::Rows rows = rows_of("ib_write_bw", {slot,
                                                      {"/scenario/test", "\"" + test + "\""},
                                                      {"/scenario/sizes", R"(["4095 B"])"},
                                                      {"/scenario/iterations", "10"}});
    return cell<Time>(rows.rows.front(), "time");
  };
  const auto least = [](std::int64_t bytes) { return Time::from_fs(bytes * 555'000); };
  const Time writes = time("write_bw", 1);
  CHECK(writes < least(10 * 4095));
  CHECK(writes > least(10 * 4095 - 256 * 64));
  // The entry of a read comes behind its data.
  CHECK(time("read_bw", 0) > least(10 * 4095));
}

TEST_CASE("verbs: two rails of a card have two links and one slot") {
  const auto bounds = [](const std::string& rails) {
    return rows_of(two_rails, {{"/library/rails", rails}, {"/scenario/sizes", R"(["64 KiB"])"}}).ceilings;
  };
  const auto one = bounds(R"(["hca.port1"])"), two = bounds(R"(["hca.port1", "hca.port2"])");
  REQUIRE(one.size() == 2);
  REQUIRE(two.size() == 2);
  for (const report::Ceiling& c : one)
    for (const report::Ceiling& d : two) {
      if (c.name != d.name) continue;
      CAPTURE(c.name);
      const bool link = c.name.find("link") == 0;
      CHECK(d.rate == c.rate.scaled(link ? 2 : 1, 1));
      CHECK(d.burst == (link ? 0_B : c.burst * 2));  // each port buffers
      CHECK(c.burst == (link ? 0_B : 16_KiB));
    }
}

TEST_CASE("verbs: a read is bound by the reader's slot and the other's link") {
  std::string names;
  for (const report::Ceiling& c : rows_of("ib_read_bw", {{"/scenario/sizes", R"(["64 KiB"])"}}).ceilings)
    names += c.name + ";";
  CHECK(names == "link payload, node1.hca;PCIe writes, node0.hca;");
}

TEST_CASE("verbs: loads of traffic are shares of what link and slot carry") {
  const auto load = [](const std::string& lanes) {
    Overrides all = {{"/scenario", R"({"kind": "traffic", "size": "64 KiB", "loads": ["1.8 GB/s"]})"}};
    for (const std::string node : {"0", "1"})
      all.push_back({"/machine/topology/devices/node" + node + "/links/2/wire/lanes", lanes});
    return static_cast<double>(cell<std::int64_t>(rows_of("ib_write_bw", all).rows.front(), "load_ppm")) * 1e-6;
  };
  // Writes of 256 B with 24 around them; 2,048 B with 28, and 16 more in the first of 32.
  CHECK(load("4") == Approx(1.8 / (4 * 128.0 / 130 * 256 / 280)).epsilon(1e-5));
  CHECK(load("8") == Approx(1.8 / (5 * 65536.0 / (32 * 2076 + 16))).epsilon(1e-5));
}

TEST_CASE("verbs: traffic is related to what rails of different speed carry, whichever is first") {
  const config::Override slow = {"/machine/topology/links/1/wire/width", "1"};
  const auto offered = [&](const std::string& rails) {
    const report::Rows rows = rows_of(
        two_rails, {slow,
                    {"/library/rails", rails},
                    {"/scenario", R"({"kind": "traffic", "size": "4 KiB", "loads": ["50 %"], "window": "100 us"})"}});
    return cell<Bytes>(rows.rows.front(), "offered");
  };
  CHECK(offered(R"(["hca.port1", "hca.port2"])") == offered(R"(["hca.port2", "hca.port1"])"));
}

}  // namespace verbs_refusal_test
