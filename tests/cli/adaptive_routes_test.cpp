// SPDX-License-Identifier: Apache-2.0
// Adaptive routes where they cannot be followed are refused before time 0.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace adaptive_routes_test {

using namespace tsunagi::test;

namespace {

/// A shipped run with settings that cannot be together: exit 2, nothing on standard output, the reason.
void expect_refusal(const std::string& run, const std::vector<std::string>& settings, const std::string& reason) {
  std::vector<std::string> arguments = {"run", std::string(TSUNAGI_TEST_CONFIGS "/runs/") + run};
  for (const std::string& s : settings) {
    arguments.emplace_back("--set");
    arguments.push_back(s);
  }
  const Ended r = run_program(arguments);
  CAPTURE(settings);
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, Catch::Contains(reason));
}

const std::string minimal = R"(/machine/topology/routes="minimal_adaptive")";
const std::string six = "/machine/topology/router/virtual_channels=6";
const std::string six_on_wires = "/machine/topology/wire/virtual_channels=6";

}  // namespace

TEST_CASE("adaptive routes without the virtual channels that they need are refused") {
  expect_refusal("torus_traffic.json", {minimal},
                 "router0: the routes need 6 virtual channels to be free of deadlock, not 2");
  expect_refusal("torus_traffic.json",
                 {minimal, "/machine/topology/router/virtual_channels=5", "/machine/topology/wire/virtual_channels=5"},
                 "router0: the routes need 6 virtual channels to be free of deadlock, not 5");
}

TEST_CASE("adaptive routes of worms, or over wires without credits, are refused") {
  expect_refusal("torus_traffic.json",
                 {minimal, six, six_on_wires, R"(/machine/topology/router/switching="wormhole")",
                  R"(/machine/topology/wire/switching="wormhole")"},
                 "adaptive routes choose for whole packets, not for worms");
  for (const std::string policy : {"none", "stop_go"})
    expect_refusal("torus_traffic.json",
                   {minimal, six, six_on_wires, "/machine/topology/wire/flow_control=\"" + policy + '"'},
                   "adaptive routes look at the credits that are out, but the wire at");
}

TEST_CASE("adaptive routes below adapters that take packets in order are refused") {
  expect_refusal("ib_traffic.json", {R"(/machine/topology/routes="adaptive")"},
                 "/machine/topology/routes: packets of a pair can overtake each other on adaptive routes, but");
  const std::string parts = TSUNAGI_TEST_CONFIGS "/parts/";
  expect_refusal("fmpl_ping_pong.json",
                 {R"(/machine/topology={"kind":"mesh","sizes":[4,4],"routes":"minimal_adaptive","attach":"nia.net",)"
                  R"("router":{"kind":"router","buffer_flits":512},"wire":{"$use":")" +
                  parts + R"(sr8000_link.json"},"node":{"$use":")" + parts + R"(sr8000_node.json"}})"},
                 "node0.nia takes them in the order in which they come");
}

TEST_CASE("routes that a topology does not have are refused with those that it has") {
  expect_refusal("torus_traffic.json", {R"(/machine/topology/routes="adaptive_minimal")"},
                 "dimension_order, minimal_adaptive, valiant, ugal");
}

}  // namespace adaptive_routes_test
