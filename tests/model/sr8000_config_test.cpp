// SPDX-License-Identifier: Apache-2.0
// Networks that cannot be an SR8000's are refused.
#include "model/sr8000_bench.hpp"
#include "support/child.hpp"

namespace sr8000_config_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// What building the network, or a machine, says.
std::string refused(const std::function<void()>& build) {
  return in_child([&build]() -> std::string {
    try {
      build();
    } catch (const config::ConfigError& e) {
      return e.what();
    }
    return {};
  });
}

std::string refused(const Sr8000Network& net) {
  return refused([&net] { const Sr8000Bench b(net); });
}

}  // namespace

TEST_CASE("SR8000: a line that the last dimension has not cannot serialise") {
  Sr8000Network net{{8, 4}};
  net.crossbar.serialising = 7;
  CHECK(refused(net).empty());
  net.crossbar.serialising = 8;
  CHECK_THAT(refused(net), Catch::Contains("line 8 is to have the serialising crossbar, but there are 8"));
  net.sizes = {8};
  net.crossbar.serialising = 1;
  CHECK_THAT(refused(net), Catch::Contains("line 1 is to have the serialising crossbar, but there are 1"));
}

TEST_CASE("SR8000: relays and crossbars agree on the serialising one") {
  Sr8000Network net{{2, 2}};
  sr8000::CrossbarConfig relay = net.crossbar;
  net.relay = any_of("sr8000_crossbar", relay);
  CHECK(refused(net).empty());
  relay.serialising = 1;
  net.relay = any_of("sr8000_crossbar", relay);
  CHECK_THAT(refused(net), Catch::Contains("have different serialising crossbars"));
}

TEST_CASE("SR8000: wires have the channels of packets and of broadcasts that spread") {
  Sr8000Network net{{2, 2}};
  net.link.virtual_channels = 1;
  CHECK_THAT(refused(net), Catch::Contains("has 2 virtual channels, the wire at"));
}

TEST_CASE("SR8000: a crossbar of another topology is refused") {
  const std::string said = refused([] {
    const topo::NetworkParts parts{{any_of("terminal", router::TerminalConfig{})},
                                   any_of("sr8000_crossbar", sr8000::CrossbarConfig{}),
                                   any_of("link", router::LinkConfig{}),
                                   {}};
    sim::Simulation sim;
    const Machine machine(sim, topo::build(any_of("crossbar", topo::CrossbarConfig{4, parts})), model_catalog());
  });
  CHECK_THAT(said, Catch::Contains("router0: a crossbar takes its place from a topology \"crossbars\""));
}

}  // namespace sr8000_config_test
