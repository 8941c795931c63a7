// SPDX-License-Identifier: Apache-2.0
// InfiniBand of 2003: one chip, a box of twelve, and 256 nodes at 24 switches of 32 ports.
#include <string>

#include "support/catch.hpp"
#include "system/simulated.hpp"

namespace infiniband_boxes_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::string part(const std::string& name, const std::string& more = "") {
  return R"({"$use": ")" + std::string(TSUNAGI_TEST_CONFIGS) + "/parts/" + name + R"(.json")" + more + "}";
}

/// A machine of SDR links with that topology and switch.
config::Override machine(const std::string& topology, const std::string& router) {
  return {"/machine", R"({"name": "m", "topology": {)" + topology + R"(, "router": )" + part(router) + R"(, "wire": )" +
                          part("infiniband_sdr_4x", R"(, "flight": "10 ns")") + R"(, "node": )" + part("ib_node") +
                          R"(, "attach": "hca.port1"}})"};
}
const std::string tree_256 = R"("kind": "fat_tree", "radix": 32, "levels": 2, "cables": [2])";

/// One way of a write of 8 B between two nodes.
Time latency(const config::Override& m, int from, int to) {
  const report::Rows rows =
      rows_of("ib_ping_pong", {m,
                               {"/scenario/methods", R"(["write"])"},
                               {"/scenario/sizes", R"(["8 B"])"},
                               {"/scenario/iterations", "2"},
                               {"/scenario/between", "[" + std::to_string(from) + "," + std::to_string(to) + "]"}});
  return cell<Time>(rows.rows.front(), "latency");
}

/// What `switches` more of 160 ns add, each up to a cycle of 4 ns more for the edge of its clock, and a cable.
bool is_more(Time more, int switches, Time cable) {
  return more >= (160_ns + cable) * switches && more <= (164_ns + cable) * switches;
}

}  // namespace

TEST_CASE("InfiniBand of 2003: in a box two chips more, of which the wires are short") {
  const config::Override box = machine(R"("kind": "crossbar", "terminals": 8)", "infinicon_32");
  const Time chip = latency(machine(R"("kind": "crossbar", "terminals": 2)", "redswitch_hdmp_2840"), 0, 1);
  CHECK(latency(box, 0, 3) == chip);
  CHECK(is_more(latency(box, 0, 4) - chip, 2, 1_ns));
}

TEST_CASE("InfiniBand of 2003: 256 nodes are one or three switches of 32 ports apart") {
  const config::Override chips = machine(tree_256, "redswitch_hdmp_2840");
  const Time leaf = latency(chips, 0, 15);
  CHECK(latency(chips, 0, 1) == leaf);
  for (const int to : {16, 24, 255}) CHECK(is_more(latency(chips, 0, to) - leaf, 2, 10_ns));
}

TEST_CASE("InfiniBand of 2003: 256 nodes at boxes cross three, of seven to nine chips") {
  const config::Override boxes = machine(tree_256, "infinicon_32");
  const Time chip = latency(boxes, 0, 3);
  CHECK(is_more(latency(boxes, 0, 4) - chip, 2, 1_ns));
  // Two cables of 10 ns and, of six links between seven chips, four of 1 ns; of nine chips six.
  const Time seven = latency(boxes, 0, 17) - chip - 20_ns;
  const Time nine = latency(boxes, 0, 255) - chip - 20_ns;
  CHECK(seven >= 160_ns * 6 + 4_ns);
  CHECK(seven <= 164_ns * 6 + 4_ns);
  CHECK(nine >= 160_ns * 8 + 6_ns);
  CHECK(nine <= 164_ns * 8 + 6_ns);
}

TEST_CASE("InfiniBand of 2003: a shift of 256 nodes has each cable to itself") {
  for (const char* router : {"redswitch_hdmp_2840", "infinicon_32"}) {
    CAPTURE(router);
    const report::Rows rows = rows_of("ib_traffic", {machine(tree_256, router),
                                                     {"/scenario/distance", "37"},
                                                     {"/scenario/loads", R"(["5 %"])"},
                                                     {"/scenario/size", "\"2 KiB\""},
                                                     {"/scenario/warm_up", "\"5 us\""},
                                                     {"/scenario/window", "\"20 us\""}});
    CHECK(cell<std::int64_t>(rows.rows.front(), "bound_ppm") == 1'000'000);
  }
}

}  // namespace infiniband_boxes_test
