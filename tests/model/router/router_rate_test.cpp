// SPDX-License-Identifier: Apache-2.0
// Routers between links of different rates: a packet that comes slowly takes a fast wire no longer than it needs.
#include "model/router/card_bench.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/grid_bench.hpp"
#include "support/random/random_machine.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/routes/catalog.hpp"

namespace router_rate_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;

namespace {

constexpr Time posting = 1_ns;  // a terminal's cycle; also to receive
constexpr Time flight = 5_ns;
constexpr Time passing = 3_ns;  // a router's cycles

Rate gigabytes(std::int64_t n) { return Rate::bytes_per_second(n * 1'000'000'000); }

/// Terminals at one router, each with its own rate. A flit is 16 B, of which the header takes 8.
struct Star {
  std::vector<Rate> rates;
  router::RouterConfig router = [] {
    router::RouterConfig c;
    c.buffer_flits = 64;
    return c;
  }();
  router::LinkConfig link = {};

  topo::Graph graph() const {
    topo::ExplicitConfig c;
    c.all.devices.emplace_back("hub", any_of("router", router));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const std::string host = "h" + std::to_string(i);
      c.all.devices.emplace_back(host, any_of("terminal", router::TerminalConfig{}));
      topo::LinkConfig l;
      l.ends = {host + ".net", "hub.p" + std::to_string(i)};
      l.wire = any_of("link", link);
      l.rate = rates[i];
      c.all.links.push_back(l);
    }
    c.networks.push_back({"net", {"hub"}, any_of("shortest", topo::ShortestConfig{})});
    return topo::build(any_of("explicit", c));
  }
  void worms() { link.switching = router.switching = router::Switching::wormhole; }
  Time on_wire(std::size_t i, Bytes payload) const {
    return rates[i].time(link.flit * units_of(link.header + payload, link.flit));
  }
  /// Of one packet alone: no wire runs dry.
  Time latency(std::size_t from, std::size_t to, Bytes payload) const {
    return posting + flight + passing + std::max(on_wire(from, payload), on_wire(to, payload)) + flight + posting;
  }
};

Star star(std::initializer_list<std::int64_t> rates) {
  Star s;
  for (const std::int64_t each : rates) s.rates.push_back(gigabytes(each));
  return s;
}

/// A packet from a slow terminal to a fast one, and another one from a fast terminal while the former comes in.
void expect_others_pass(const Star& s, Bytes payload) {
  GridBench b(s.graph());
  constexpr Time later = 50_ns;
  REQUIRE(later + s.latency(1, 2, payload) < s.latency(0, 2, payload) - s.on_wire(2, payload));
  b.program(0,
            [&](comm::Rank& r) { CHECK(deliver(r, 2, payload).at(Milestone::delivered) == s.latency(0, 2, payload)); });
  b.program(1, [&](comm::Rank& r) {
    r.wait_until(later);
    CHECK(deliver(r, 2, payload).at(Milestone::delivered) == later + s.latency(1, 2, payload));
  });
  b.run();
}

}  // namespace

TEST_CASE("a packet that comes slowly does not keep a router's fast output from others") {
  expect_others_pass(star({1, 16, 16}), 256_B);
}

TEST_CASE("a worm that comes slowly takes turns with another virtual channel's on a router's fast output") {
  Star s = star({1, 16, 16, 16, 16, 16, 16});
  s.worms();
  constexpr int to = 6;
  const auto vc = [](int from) { return router::header_of(from, to, router::RouterConfig{}.virtual_channels).vc; };
  int other = 1;
  while (other < to && vc(other) == vc(0)) ++other;
  REQUIRE(other < to);
  GridBench b(s.graph());
  constexpr Time later = 50_ns;
  constexpr Time flit = 1_ns;
  b.program(0,
            [&](comm::Rank& r) { CHECK(deliver(r, to, 256_B).at(Milestone::delivered) == s.latency(0, to, 256_B)); });
  b.program(other, [&](comm::Rank& r) {
    r.wait_until(later);
    const Time delivered = deliver(r, to, 256_B).at(Milestone::delivered);
    CHECK(delivered >= later + s.latency(1, to, 256_B));
    CHECK(delivered <= later + s.latency(1, to, 256_B) + 2 * flit);  // as many come of the slow one
  });
  b.run();
}

TEST_CASE("a packet that a slow output takes goes with its head") {
  const Star s = star({16, 1});
  GridBench b(s.graph());
  b.program(0, [&](comm::Rank& r) { CHECK(deliver(r, 1, 256_B).at(Milestone::delivered) == s.latency(0, 1, 256_B)); });
  b.run();
}

TEST_CASE("the short last packet of a message that comes slowly takes a fast output no longer than it is") {
  const Star s = star({1, 16, 16});
  GridBench b(s.graph());
  // Packets of 17 flits and of 1; the last one's wire begins a flit before its tail is there.
  const Time tail = posting + s.on_wire(0, 256_B) + s.on_wire(0, 8_B) + flight + passing;
  const Time free = tail - 2 * s.on_wire(2, 8_B);
  REQUIRE(free > tail - s.on_wire(2, 256_B));
  b.program(0, [&](comm::Rank& r) { CHECK(deliver(r, 2, 264_B).at(Milestone::delivered) == tail + flight + posting); });
  const Time posted = free - posting - flight - passing;
  b.program(1, [&](comm::Rank& r) {
    r.wait_until(posted);
    CHECK(deliver(r, 2, 8_B).at(Milestone::delivered) == posted + s.latency(1, 2, 8_B));
  });
  b.run();
}

TEST_CASE("copies of a packet that comes slowly do not keep a router's fast outputs from others") {
  router::LinkConfig link;
  link.virtual_channels = 1;
  router::RouterConfig router;
  router.virtual_channels = 1;
  router.buffer_flits = 64;
  const std::vector<Rate> rates{gigabytes(1), gigabytes(16), gigabytes(16), gigabytes(4)};
  CardBench b(any_of("router", router), 4, {}, link, rates);
  constexpr Time later = 50_ns;
  const auto on_wire = [&](std::size_t i) { return rates[i].time(272_B); };
  b.at(0_ns, [&] { b.card(0).send(b.card(0).header(1, 3), 256_B, 0); });
  b.at(later, [&] { b.card(1).send(b.card(1).header(2), 256_B, 1); });
  b.run();
  const Time at_router = on_wire(0) + flight + passing;  // the last byte
  CHECK(b.card(1).arrivals() == std::vector<CardArrival>{{0, at_router - on_wire(1) + flight, 0}});
  CHECK(b.card(2).arrivals() ==
        std::vector<CardArrival>{{1, later + 2 * flight + passing, 1}, {0, at_router - on_wire(2) + flight, 0}});
  CHECK(b.card(3).arrivals() == std::vector<CardArrival>{{0, at_router - on_wire(3) + flight, 0}});
}

namespace {

/// When what drawn senders of drawn rates sent was delivered.
std::string exchange(std::uint64_t seed, int max_train, const std::string& findings = {}) {
  const std::string seen = in_child([&] {
    Dice dice(seed);
    Star s;
    const int hosts = static_cast<int>(dice.number(3, 6));
    for (int i = 0; i < hosts; ++i) s.rates.push_back(Rate::bytes_per_second(dice.number(1, 32) * 500'000'000));
    if (dice.one_in(3)) s.worms();
    s.router.buffer_flits = static_cast<int>(dice.number(20, 100));
    GridBench b(s.graph(), max_train, findings);
    std::vector<std::string> of(static_cast<std::size_t>(hosts));
    for (int from = 0; from < hosts; ++from)
      b.program(from, [&, from, plan = Dice(seed * 100 + static_cast<unsigned>(from))](comm::Rank& r) mutable {
        std::vector<comm::Request> all;
        for (int i = 0; i < 20; ++i) {
          r.wait_until(r.now() + Time::from_fs(plan.number(0, 500'000'000)));
          const auto to = static_cast<int>((from + plan.number(1, hosts - 1)) % hosts);
          all.push_back(r.isend(to, {{}, Bytes(plan.number(1, 4000)), {}, {}}));
        }
        for (comm::Request& q : all) {
          r.wait(q, Milestone::delivered);
          of[static_cast<std::size_t>(from)] += std::to_string(q.at(Milestone::delivered).fs()) + " ";
        }
      });
    if (const std::string again = max_train > 1 ? b.attempt() : std::string(); !again.empty()) return "again " + again;
    b.run();
    std::string out;
    for (const std::string& each : of) out += each + "\n";
    return out;
  });
  return seen.rfind("again ", 0) == 0 ? exchange(seed, max_train, seen.substr(6)) : seen;
}

}  // namespace

TEST_CASE("trains pass a router between links of drawn rates at the times of single packets") {
  const auto last = static_cast<std::uint64_t>(from_environment("TSUNAGI_MACHINES", 30));
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    INFO("seed " << seed);
    CHECK(exchange(seed, 1) == exchange(seed, 64));
  }
}

}  // namespace router_rate_test
