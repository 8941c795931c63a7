// SPDX-License-Identifier: Apache-2.0
// Datagrams between nodes with Ethernet cards and a switch, and stations without hosts, as users run them.
#include <fmt/format.h>

#include <algorithm>

#include "models/ethernet/card/card.hpp"
#include "models/ethernet/switch.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace ethernet_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const std::string nic = "/machine/topology/node/devices/nic/";
const config::Override no_throttle{nic + "interrupt_interval", "\"0 ns\""};

Time latency(const Overrides& more) {
  Overrides all{{"/scenario/sizes", R"(["8 B"])"}, {"/scenario/iterations", "20"}};
  all.insert(all.end(), more.begin(), more.end());
  return cell<Time>(rows_of("ethernet_ping_pong", all).rows.at(0), "latency");
}

}  // namespace

TEST_CASE("Ethernet: a ping-pong of datagrams waits for throttled interrupts, one a round trip at each node") {
  const Time plain = latency({no_throttle});
  CHECK(plain > 5_us);
  CHECK(plain < 25_us);
  for (const Time interval : {60_us, 125_us, 250_us}) {
    // Each node is interrupted once a round trip, not before the interval: two messages take one.
    const Time half = latency({{nic + "interrupt_interval", fmt::format("\"{} ns\"", interval.fs() / 1'000'000)}});
    CHECK(std::abs(half.fs() * 2 - interval.fs()) < Time(10_ns).fs());
  }
  CHECK(latency({no_throttle, {nic + "receive_delay", "\"10 us\""}}).fs() > (plain + 9_us).fs());
}

TEST_CASE("Ethernet: datagrams of two nodes come once, in order, whatever the rings hold") {
  for (const char* ring : {"2", "3", "64"}) {
    CAPTURE(ring);
    CHECK(in_child([ring] {
            ProgramBench b("ethernet_ping_pong", {{"/library/transmit_ring", ring}, no_throttle});
            constexpr int messages = 50;
            b.all([](comm::Rank& r) {
              const int peer = 1 - r.id();
              for (int i = 0; i < messages; ++i) {
                r.send(peer, {{}, Bytes(1 + 29 * i), {}, {}});
                r.recv(peer, {{}, Bytes(1 + 29 * i), {}, {}});
              }
            });
            b.run();
            for (const ethernet::Card* c : b.machine().all<ethernet::Card>()) {
              REQUIRE(c->sent() == messages);
              REQUIRE(c->received() == messages);
              REQUIRE(c->dropped() == 0);
            }
            return std::string("ok");
          }) == "ok");
  }
}

TEST_CASE("Ethernet: a card whose descriptors are all used up gets some when the program takes what has come") {
  CHECK(in_child([] {
          ProgramBench b("ethernet_ping_pong",
                         {{"/library/receive_ring", "4"}, {"/library/receive_buffers", "4"}, no_throttle});
          const auto n = [](int i) { return comm::Buffer{{}, Bytes(100 + i), {}, {}}; };
          b.program(0, [&n](comm::Rank& r) {
            for (int i = 0; i < 7; ++i) {
              r.compute(i == 4 ? 1_ms : 50_us);  // four lie in all buffers until rank 1 takes them
              r.send(1, n(i));
            }
          });
          b.program(1, [&n](comm::Rank& r) {
            r.compute(500_us);
            for (int i = 0; i < 7; ++i) r.recv(0, n(i));
          });
          b.run();
          return std::string("ok");
        }) == "ok");
}

TEST_CASE("Ethernet: what is dropped by switch or card is lost and counted, the rest is delivered") {
  struct Case {
    const char* what;
    Overrides more;
    bool by_switch;
    bool by_card;
  };
  const config::Override small_frames{"/machine/topology/router/largest_frame", "\"1518 B\""};
  for (const Case& c :
       {Case{"nothing", {}, false, false},
        Case{"memory", {small_frames, {"/machine/topology/router/port_limit", "\"3 KiB\""}}, true, false},
        Case{"ring", {{"/library/receive_ring", "4"}, {"/library/receive_buffers", "4"}}, false, true}}) {
    CAPTURE(c.what);
    CHECK(in_child([&c] {
            Overrides all = c.more;
            all.push_back({"/machine/topology/terminals", "5"});
            ProgramBench b("ethernet_traffic", all);
            std::int64_t delivered = 0, lost = 0;
            constexpr int messages = 30;
            b.all([&](comm::Rank& r) {
              if (r.id() == 0) return;
              std::vector<comm::Request> sent;
              for (int i = 0; i < messages; ++i) sent.push_back(r.isend(0, {{}, 1400_B, {}, {}}));
              for (const comm::Request& q : sent) {
                r.wait_settled(q);
                const bool there = r.test(q, comm::Milestone::delivered);
                REQUIRE(there != r.test(q, comm::Milestone::lost));
                ++(there ? delivered : lost);
              }
            });
            b.library().expect_no_recv();
            b.run();
            const std::int64_t by_switch = b.machine().all<ethernet::Switch>().front()->dropped(0);
            std::int64_t without = 0;
            for (const ethernet::Card* card : b.machine().all<ethernet::Card>()) without += card->without_descriptor();
            REQUIRE(delivered + lost == 4 * messages);
            REQUIRE(by_switch + without == lost);
            REQUIRE((by_switch > 0) == c.by_switch);
            REQUIRE((without > 0) == c.by_card);
            return std::string("ok");
          }) == "ok");
  }
}

TEST_CASE("Ethernet: with PAUSE no node's frame is dropped by the switch") {
  const auto lost = [](bool pause) {
    const report::Rows rows = rows_of("ethernet_incast", {{"/machine/topology/wire/pause", pause ? "true" : "false"},
                                                          {"/machine/topology/router/largest_frame", "\"1518 B\""},
                                                          {"/machine/topology/router/port_limit", "\"1 MiB\""},
                                                          {"/machine/topology/router/pause_above", "\"8 KiB\""},
                                                          {"/machine/topology/router/resume_below", "\"6 KiB\""},
                                                          {"/scenario/loads", R"(["30 %"])"},
                                                          {"/scenario/window", "\"10 ms\""}});
    return cell<std::int64_t>(rows.rows.at(0), "lost");
  };
  CHECK(lost(false) > 0);
  CHECK(lost(true) == 0);
}

TEST_CASE(
    "Ethernet: of what is offered to one output that is lost which its wire does not carry, and before that nothing") {
  // A full frame has 1538 B on the wire; 170 of them wait in 256 KiB, and what the window cuts off is two.
  constexpr double wire = 125e6 * 1500 / 1538, seconds = 40e-3;
  const report::Rows rows = rows_of("ethernet_incast", {{"/scenario/loads", R"(["5 %", "6.5 %", "8 %", "14 %"])"},
                                                        {"/scenario/warm_up", "\"60 ms\""}});
  for (const report::Row& row : rows.rows) {
    const double offered = static_cast<double>(cell<Bytes>(row, "offered").count());
    const double lost = 1500.0 * static_cast<double>(cell<std::int64_t>(row, "lost"));
    const double too_much = offered - wire * seconds;
    CAPTURE(offered, lost);
    CHECK(lost <= std::max(0.0, too_much + 2 * 1500));
    CHECK(lost >= std::max(0.0, too_much - 172 * 1500));
  }
  CHECK(cell<std::int64_t>(rows.rows[1], "lost") == 0);
  CHECK(cell<std::int64_t>(rows.rows[2], "lost") > 0);
}

TEST_CASE("Ethernet: traffic gives the same in trains, and whatever comes first of an instant") {
  const auto seen = [](int max_train, bool reversed) {
    return in_child([=] {
      ProgramBench b("ethernet_traffic", {{"/machine/topology/terminals", "4"}}, max_train);
      b.sim().agenda().reverse_ties(reversed);
      b.library().expect_no_recv();
      std::vector<std::string> by_rank(4);
      b.all([&by_rank](comm::Rank& r) {
        std::vector<comm::Request> sent;
        for (int i = 0; i < 20; ++i)
          sent.push_back(r.isend((r.id() + 1 + i % 3) % 4, {{}, Bytes(10 + 70 * i), {}, {}}));
        for (const comm::Request& q : sent) {
          r.wait_settled(q);
          by_rank[static_cast<std::size_t>(r.id())] += fmt::format("{}\n", q.at(comm::Milestone::delivered).fs());
        }
      });
      b.run();
      return by_rank[0] + by_rank[1] + by_rank[2] + by_rank[3];
    });
  };
  const std::string plain = seen(1, false);
  CHECK(seen(64, false) == plain);
  CHECK(seen(1, true) == plain);
}

TEST_CASE("Ethernet: what cannot be is refused with what is wrong") {
  CHECK_THAT(refusal("ethernet_ping_pong", {{"/scenario/sizes", R"(["1485 B"])"}}), Catch::Contains("1484 B"));
  CHECK_THAT(refusal("ethernet_ping_pong", {{"/library/card", "\"eth1\""}}),
             Catch::Contains("needs two nodes or more with an \"ethernet_card\" called \"eth1\""));
  CHECK_THAT(refusal("ethernet_ping_pong", {{"/library/receive_buffers", "100"}}),
             Catch::Contains("\"receive_buffers\" are fewer"));
  CHECK_THAT(refusal("ethernet_ping_pong", {{"/machine/topology/terminals", "25"}}),
             Catch::Contains("router0 has 24 ports (\"ports\"), but 25 wires come to it"));
  CHECK_THAT(refusal("ethernet_ping_pong", {{"/machine/topology/wire/mtu", "\"9000 B\""}}),
             Catch::Contains("\"jumbo\": true allows it"));
  CHECK_THAT(refusal("ethernet_ping_pong", {{"/machine/topology/wire/jumbo", "true"},
                                            {"/machine/topology/wire/mtu", "\"9000 B\""},
                                            {nic + "largest_frame", "\"1518 B\""}}),
             Catch::Contains("takes frames of up to 1518 B"));
  CHECK(refusal("ethernet_ping_pong", {{"/machine/topology/wire/jumbo", "true"},
                                       {"/machine/topology/wire/mtu", "\"9000 B\""}}) == "no error");
  CHECK_THAT(refusal("ethernet_traffic", {{"/scenario", R"({"kind": "ping_pong", "sizes": ["8 B"]})"}}),
             Catch::Contains("waits for messages that the library may lose"));
  CHECK_THAT(refusal("ethernet_traffic", {{"/library", R"({"kind": "datagram", "loss": "count"})"}}),
             Catch::Contains("needs a machine with terminals"));
}

}  // namespace ethernet_test
