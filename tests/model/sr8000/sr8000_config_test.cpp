// SPDX-License-Identifier: Apache-2.0
// The shipped parts, and networks that cannot be an SR8000's, which are refused.
#include "config/config.hpp"
#include "model/sr8000/sr8000_bench.hpp"
#include "support/child.hpp"

namespace sr8000_config_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

struct Shipped {
  config::AnyConfig crossbar;
  config::AnyConfig link;
};
void describe(Shipped& c, config::Describer& d) {
  d.any("crossbar", c.crossbar, "device", "", config::required);
  d.any("link", c.link, "wire", "", config::required);
}

/// When, in a network of shipped parts, the last node that hears anything hears its first byte.
Time heard(std::vector<std::int64_t> sizes, const std::function<void(Sr8000Bench&)>& program) {
  const std::string part = R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/parts/sr8000_";
  const auto text = "{\"crossbar\": " + part + "crossbar.json\"}, \"link\": " + part + "link.json\"}}";
  config::KindTable devices{"device", {}}, wires{"wire", {}};
  for (const DeviceKind& k : model_catalog().devices) devices.kinds.push_back(k.kind);
  for (const WireKind& k : model_catalog().wires) wires.kinds.push_back(k.kind);
  config::Kinds kinds;
  kinds.add(devices);
  kinds.add(wires);
  const auto shipped = config::read<Shipped>(config::parse(text, "shipped.json"), kinds);
  Sr8000Network net{std::move(sizes)};
  net.crossbar = shipped.crossbar.as<sr8000::CrossbarConfig>();
  net.link = shipped.link.as<router::LinkConfig>();
  const std::string said = in_child([&] {
    Sr8000Bench b(net);
    b.at(0_ns, [&] { program(b); });
    b.run();
    Time last;
    for (int n = 0; n < b.nodes(); ++n)
      if (!b.station(n).arrivals().empty()) last = std::max(last, b.station(n).arrivals().front().head);
    return std::to_string(last.fs());
  });
  return Time::from_fs(std::stoll(said));
}

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

TEST_CASE("SR8000: first bytes over shipped parts are as docs/sr8000-network.md has them") {
  const auto sends = [](int to) { return [to](Sr8000Bench& b) { b.station(9).send(to, 8_B); }; };
  const auto casts = [](int from, unsigned last) {
    return [from, last](Sr8000Bench& b) { b.station(from).broadcast({0, last}, 8_B); };
  };
  const auto meet = [](unsigned last) {
    return [last](Sr8000Bench& b) {
      for (unsigned n = 0; n <= last; ++n) b.station(static_cast<int>(n)).barrier({0, last});
    };
  };
  CHECK(heard({8, 8}, sends(10)) == 332_ns);
  CHECK(heard({8, 8}, sends(2)) == 540_ns);
  CHECK(heard({8, 8}, casts(8, 15)) == 564_ns);
  CHECK(heard({8, 8}, casts(9, 15)) == 772_ns);
  CHECK(heard({8, 8}, meet(15)) == 604_ns);
  CHECK(heard({16}, sends(2)) == 124_ns);
  CHECK(heard({8}, casts(1, 7)) == 132_ns);
  CHECK(heard({8}, meet(7)) == 156_ns);
}

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
