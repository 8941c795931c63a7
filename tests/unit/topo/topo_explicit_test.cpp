// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"

namespace topo_explicit_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::string explicit_text(const std::string& devices, const std::string& links) {
  return R"({"kind": "explicit", "devices": {)" + devices + R"(}, "links": [)" + links + "]}";
}

topo::Graph graph(const std::string& devices, const std::string& links) {
  return graph_of_text(explicit_text(devices, links));
}

std::string part(const std::string& name, int number = 0) {
  return "\"" + name + R"(": {"kind": "part", "number": )" + std::to_string(number) + "}";
}

std::string link(const std::string& a, const std::string& b) {
  return R"({"ends": [")" + a + R"(", ")" + b + R"("], "wire": {"kind": "cable", "number": 7}})";
}

std::string failure(const std::string& devices, const std::string& links) {
  return graph_failure(explicit_text(devices, links));
}

}  // namespace

TEST_CASE("an explicit topology is its list of devices and links, in order") {
  const topo::Graph g = graph(part("b", 1) + "," + part("a", 2), link("b.out", "a.in"));
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].name == "b");
  CHECK(g.nodes[1].name == "a");
  CHECK(g.nodes[1].config.as<PartConfig>().number == 2);
  REQUIRE(g.links.size() == 1);
  CHECK(g.links[0].a.node == 0);
  CHECK(g.links[0].a.port == "out");
  CHECK(g.links[0].b.node == 1);
  CHECK(g.links[0].b.port == "in");
  CHECK(g.links[0].wire.as<PartConfig>().number == 7);
  CHECK(g.links[0].pointer == "/machine/topology/links/0");
}

TEST_CASE("a group's parts and inner links carry its name") {
  const std::string node = R"({"kind": "group", "devices": {)" + part("x") + "," + part("y") + R"(}, "links": [)" +
                           link("x.p", "y.p") + "]}";
  const topo::Graph g = graph("\"n0\": " + node + ", \"n1\": " + node, link("n0.x.q", "n1.y.q"));
  REQUIRE(g.nodes.size() == 4);
  CHECK(g.nodes[3].name == "n1.y");
  CHECK(g.nodes[3].pointer == "/machine/topology/devices/n1/devices/y");
  REQUIRE(g.links.size() == 3);
  CHECK(g.links[1].a.node == 2);  // n1.x
  CHECK(g.links[1].b.node == 3);
  CHECK(g.links[2].a.node == 0);
  CHECK(g.links[2].a.port == "q");
  CHECK(g.links[2].b.node == 3);
}

TEST_CASE("an end that names no device says where, and which there are") {
  CHECK(failure(part("a") + "," + part("b"), link("a.p", "c.p")) ==
        "/machine/topology/links/0: no device \"c\"; devices: a, b");
}

TEST_CASE("an end that is no port is told") {
  CHECK(failure(part("a"), link("a", "a.p")) == "/machine/topology/links/0: \"a\" is not device.port");
}

TEST_CASE("inside a group only its own parts can be wired") {
  const std::string node =
      R"({"kind": "group", "devices": {)" + part("x") + R"(}, "links": [)" + link("x.p", "other.p") + "]}";
  const std::string text = failure(part("other") + ", \"n0\": " + node, "");
  CHECK(text == "/machine/topology/devices/n0/links/0: no device \"n0.other\"; devices: n0.x");
}

TEST_CASE("a link has two ends") {
  const std::string text = failure(part("a"), R"({"ends": ["a.p"], "wire": {"kind": "cable"}})");
  CHECK(text.find("a link has two ends") != std::string::npos);
}

}  // namespace topo_explicit_test
