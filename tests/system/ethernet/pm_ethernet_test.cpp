// SPDX-License-Identifier: Apache-2.0
// PM over Ethernet: whatever switches and cards drop, all arrives once and in order; what a packet costs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "models/ethernet/card/card.hpp"
#include "stats/random.hpp"
#include "support/environment.hpp"
#include "system/infiniband/pm_traffic.hpp"

namespace pm_ethernet_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const Overrides quick{{"/library/retransmission", "\"200 us\""}, {"/library/acknowledge_delay", "\"50 us\""}};
/// `n` nodes at the switch.
Overrides nodes(int n) { return {{"/machine/topology/terminals", std::to_string(n)}}; }
/// Memory of the switch in which four frames of all have room.
const Overrides small_switch{{"/machine/topology/router/largest_frame", "\"1518 B\""},
                             {"/machine/topology/router/memory", "\"8 KiB\""},
                             {"/machine/topology/router/port_limit", "\"4 KiB\""}};
const Overrides few_buffers{{"/library/receive_memory", "\"3 KiB\""}, {"/library/send_memory", "\"8 KiB\""}};
const Overrides few_descriptors{{"/library/receive_ring", "4"},
                                {"/library/receive_buffers", "4"},
                                {"/machine/topology/node/devices/nic/descriptors", "4"}};

double per_message(const std::string& size, const Overrides& more) {
  const report::Rows rows = rows_of("pm_messages_ethernet", with({{"/scenario/sizes", "[\"" + size + "\"]"}}, more));
  return static_cast<double>(cell<Time>(rows.rows.front(), "per_message").fs());
}

}  // namespace

TEST_CASE("pm_ethernet: what is sent comes once and in order, whatever is dropped where") {
  const Overrides alone{{"/library/window", "1"}, {"/library/acknowledge_each", "1"}};
  for (const Overrides& o : {Overrides{}, small_switch, few_buffers, few_descriptors, alone,
                             with(small_switch, with(few_buffers, few_descriptors)), with(alone, small_switch)})
    CHECK(pm_all_to_all("pm_messages_ethernet", 30, with(with(nodes(5), quick), o)) == "");
}

namespace {

/// Nodes, memories, rings, windows, timers and losses as `seed` draws them.
Overrides random_network(std::uint64_t seed) {
  stats::RandomStream random(seed, "network");
  const auto between = [&](std::int64_t least, std::int64_t most) { return least + random.below(most - least + 1); };
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  const auto quantity = [](std::int64_t n, const char* unit) { return fmt::format("\"{} {}\"", n, unit); };
  const std::int64_t memory = between(1518, 20'000), window = between(1, 24), again = between(100, 1500);
  const std::int64_t receives = between(2, 40);
  Overrides o = nodes(static_cast<int>(between(2, 4)));
  o.push_back({"/options/seed", number(between(1, 1'000'000))});
  o.push_back({"/machine/topology/router/largest_frame", "\"1518 B\""});
  o.push_back({"/machine/topology/router/cell", "\"1 B\""});
  o.push_back({"/machine/topology/router/memory", quantity(memory, "B")});
  o.push_back({"/machine/topology/router/port_limit", quantity(random.below(2) * between(1518, memory), "B")});
  o.push_back({"/machine/topology/router/latency", number(between(0, 1000))});
  o.push_back({"**/nic/loss_ppm", number(random.below(3) == 0 ? 0 : between(1, 150'000))});
  o.push_back({"**/nic/interrupt_interval", quantity(random.below(2) * between(1, 60), "us")});
  o.push_back({"**/nic/descriptors", number(between(1, 16))});
  o.push_back({"/library/transmit_ring", number(between(2, 20))});
  o.push_back({"/library/receive_ring", number(receives)});
  o.push_back({"/library/receive_buffers", number(receives + between(0, 20))});
  o.push_back({"/library/receive_memory", quantity(between(1468, 30'000), "B")});
  o.push_back({"/library/send_memory", quantity(between(1468, 30'000), "B")});
  o.push_back({"/library/frame_cycles", number(between(0, 15'000))});
  o.push_back({"/library/window", number(window)});
  o.push_back({"/library/acknowledge_each", number(between(1, window))});
  o.push_back({"/library/retransmission", quantity(again, "us")});
  const std::int64_t jitter = between(10, std::min<std::int64_t>(200, again - 2));
  o.push_back({"/library/acknowledge_delay", quantity(between(1, again - jitter - 1), "us")});
  o.push_back({"/library/timer_jitter", quantity(jitter, "us")});
  // Who shares one receive buffer with two others, whose timers are as long, may find it taken a hundred times.
  o.push_back({"/library/retries", "10000"});
  return o;
}

}  // namespace

TEST_CASE("pm_ethernet: in random networks with random losses all comes once and in order, alike in trains") {
  const std::int64_t only = from_environment("TSUNAGI_SEED", 0);
  const std::int64_t last = only != 0 ? only : from_environment("TSUNAGI_SEEDS", 12);
  for (std::int64_t seed = std::max<std::int64_t>(1, only); seed <= last; ++seed) {
    CAPTURE(seed);
    const Overrides o = random_network(static_cast<std::uint64_t>(seed));
    CHECK(pm_all_to_all("pm_messages_ethernet", 20, o) == "");
  }
}

// Each is sent the acknowledgement of its burst while its own card's three descriptors are taken by its neighbour's:
// bursts that all go again at the same time meet for ever.
TEST_CASE("pm_ethernet: hosts whose timers are late by chance do not send again in step") {
  const Overrides ring{{"/library/receive_ring", "3"},
                       {"/library/receive_buffers", "8"},
                       {"**/nic/interrupt_interval", "\"34 us\""},
                       {"/library/frame_cycles", "9104"},
                       {"/library/window", "11"},
                       {"/library/acknowledge_each", "4"},
                       {"/library/retransmission", "\"347 us\""},
                       {"/library/acknowledge_delay", "\"13 us\""},
                       {"/library/retries", "100"},
                       {"/library/send_memory", "\"10645 B\""}};
  const auto jitter = [](const char* most) { return Overrides{{"/library/timer_jitter", most}}; };
  CHECK(pm_all_to_all("pm_messages_ethernet", 20, with(with(nodes(4), ring), jitter("\"50 us\""))) == "");
  CHECK(pm_all_to_all("pm_messages_ethernet", 20, with(with(nodes(4), ring), jitter("\"0 us\"")))
            .find("nobody acknowledges") != std::string::npos);
}

TEST_CASE("pm_ethernet: the rate of long messages is that of the wire less frames' and PM's headers") {
  // Beside 1,468 B of PM's a frame has 32 B of its header and 38 B around: 12.304 us at 1 Gb/s.
  const double time = per_message("1468 B", {{"/scenario/volume", "\"1 MiB\""}});
  CHECK(time >= 12.304e9);
  CHECK(time < 12.304e9 * 1.02);
}

TEST_CASE("pm_ethernet: a host that is slower than the wire is what limits") {
  const double time = per_message("1468 B", {{"/library/frame_cycles", "90000"}});
  CHECK(time > 90000 / 3.06 * 1e6);
}

TEST_CASE("pm_ethernet: a sender that is faster than its receiver waits for it, not for its timer") {
  const Overrides slow{{"/scenario/volume", "\"64000 B\""}};
  CHECK(per_message("64 B", with(slow, {{"/library/frame_cycles", "15000"}})) < 10e9);
}

// 7 x 39 messages are 1.8 ms of the wire: most wait longer for the card than the timer takes. Sent again meanwhile,
// they would wait ever longer, and acknowledgements behind them.
TEST_CASE("pm_ethernet: what waits for the card is not sent again") {
  const Overrides timer_shorter_than_queue{{"/library/window", "39"},
                                           {"/library/transmit_ring", "4"},
                                           {"/library/retransmission", "\"300 us\""},
                                           {"/library/acknowledge_delay", "\"50 us\""}};
  const std::string told = pm_traffic("pm_messages_ethernet", 39, with(nodes(8), timer_shorter_than_queue), 64);
  int us = 0;
  REQUIRE(std::sscanf(told.c_str(), "all came by %d us", &us) == 1);
  CHECK(us < 8000);  // 6.2 ms, of which acknowledgements that wait behind messages cost two thirds; else 10.2 ms
}

TEST_CASE("pm_ethernet: with one packet under way each waits for its acknowledgement") {
  const Overrides alone{{"/library/window", "1"}, {"/library/acknowledge_each", "1"}};
  CHECK(per_message("64 B", alone) > 2 * per_message("64 B", {}));
}

TEST_CASE("pm_ethernet: what nobody acknowledges ends the run after so many retries") {
  const std::string said =
      pm_all_to_all("pm_messages_ethernet", 3,
                    with(quick, {{"/library/retries", "3"},
                                 {"/library/receive_ring", "2"},
                                 {"/library/retransmission", "\"60 us\""},
                                 {"/library/timer_jitter", "\"5 us\""},
                                 {"/machine/topology/node/devices/nic/receive_latency", "\"10 us\""},
                                 {"/machine/topology/router/latency", "50000"}}));
  CHECK(said.find("nobody acknowledges what goes to rank") != std::string::npos);
  CHECK(said.find("3 retries of 60 us") != std::string::npos);
}

namespace {

/// What the cards of two nodes have sent when rank 0 has sent so many messages and `done` says when all were
/// acknowledged.
std::string sent_by_two(int messages, const Overrides& more, Time within) {
  const std::string buffers = std::to_string(messages * 1468);
  return in_child([&] {
    ProgramBench b("pm_messages_ethernet", with({{"/library/send_memory", "\"" + buffers + " B\""}}, more));
    b.program(0, [&](comm::Rank& r) {
      auto pm = r.buffered();
      for (int i = 0; i < messages; ++i) pm.send(1, 64_B);
      for (int i = 0; i < messages; ++i)  // all buffers are free again
        while (!pm.get_buffer(1, 64_B)) pm.wait();
      REQUIRE(r.now() < within);
    });
    b.program(1, [&](comm::Rank& r) {
      auto pm = r.buffered();
      for (int i = 0; i < messages; ++i) pm.release(pm.receive());
    });
    b.run();
    std::string out;
    for (const ethernet::Card* c : b.machine().all<ethernet::Card>()) out += std::to_string(c->sent()) + " ";
    return out;
  });
}

}  // namespace

TEST_CASE("pm_ethernet: one acknowledgement stands for so many messages, and for fewer when its time has come") {
  const Overrides late{{"/library/acknowledge_delay", "\"4 ms\""}, {"/library/window", "64"}};
  CHECK(sent_by_two(64, late, 2_ms) == "64 8 ");
  CHECK(sent_by_two(64, with(late, {{"/library/acknowledge_each", "16"}}), 2_ms) == "64 4 ");
  CHECK(sent_by_two(3, {{"/library/acknowledge_delay", "\"300 us\""}}, 400_us) == "3 1 ");  // nothing goes again
}

TEST_CASE("pm_ethernet: the kernel acknowledges while its program computes") {
  CHECK(in_child([] {
          ProgramBench b("pm_messages_ethernet", {{"/library/send_memory", "\"4404 B\""},  // of three messages
                                                  {"/library/acknowledge_delay", "\"300 us\""}});
          b.program(0, [](comm::Rank& r) {
            auto pm = r.buffered();
            for (int i = 0; i < 3; ++i) pm.send(1, 64_B);
            while (!pm.get_buffer(1, 64_B)) pm.wait();
            REQUIRE(r.now() > 300_us);
            REQUIRE(r.now() < 400_us);
          });
          b.program(1, [](comm::Rank& r) {
            auto pm = r.buffered();
            r.compute(4_ms);  // less than the sender waits before it sends again
            for (int i = 0; i < 3; ++i) pm.release(pm.receive());
          });
          b.run();
          return std::string("ok");
        }) == "ok");
}

TEST_CASE("pm_ethernet: the kernel sends again while its program computes") {
  int late = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Time came = Time::from_fs(std::stoll(in_child([seed] {
      ProgramBench b("pm_messages_ethernet",
                     with(quick, {{"**/nic/loss_ppm", "300000"}, {"/options/seed", std::to_string(seed)}}));
      Time end;
      b.program(0, [](comm::Rank& r) {
        r.buffered().send(1, 64_B);
        r.compute(50_ms);
      });
      b.program(1, [&end](comm::Rank& r) {
        r.buffered().receive();
        end = r.now();
      });
      b.run();
      return std::to_string(end.fs());
    })));
    CHECK(came < 5_ms);
    late += came > 200_us ? 1 : 0;
  }
  CHECK(late > 0);
}

TEST_CASE("pm_ethernet: the end of a write is acknowledged at once") {
  CHECK(in_child([] {
          ProgramBench b("pm_write_ethernet", {{"/library/acknowledge_delay", "\"4 ms\""}});
          b.program(0, [](comm::Rank& r) {
            auto pm = r.buffered();
            REQUIRE(pm.write(1, 0_B, 3000_B));
            while (pm.pending() > 0) pm.wait();
            REQUIRE(r.now() < 1_ms);
          });
          b.program(1, [](comm::Rank&) {});
          b.run();
          return std::string("ok");
        }) == "ok");
}

TEST_CASE(
    "pm_ethernet: a packet goes as often as it is retried and once, and who is heard of is asked as often again") {
  CHECK(
      in_child([] {
        ProgramBench b("pm_messages_ethernet", with(quick, {{"**/nic/loss_ppm", "999999"}, {"/library/retries", "5"}}));
        b.program(0, [](comm::Rank& r) { r.buffered().send(1, 64_B); });
        b.program(1, [](comm::Rank& r) { r.buffered().receive(); });
        REQUIRE_THROWS(b.run());
        return std::to_string(b.machine().all<ethernet::Card>().front()->sent());
      }) == "6");
  const Overrides alone{{"/library/window", "1"}, {"/library/acknowledge_each", "1"}};
  CHECK(pm_all_to_all("pm_messages_ethernet", 36,
                      with(with(nodes(3), quick),
                           with(alone, {{"**/nic/loss_ppm", "100000"}, {"/library/retries", "6"}}))) == "");
}

TEST_CASE("pm_ethernet: a window is under way to a peer, and as much waits behind it") {
  CHECK(in_child([] {
          ProgramBench b("pm_messages_ethernet", {{"/library/window", "4"},
                                                  {"/library/acknowledge_each", "1"},
                                                  {"/machine/topology/router/latency", "200000"}});  // 1.6 ms
          int taken = 0;
          b.program(0, [&taken](comm::Rank& r) {
            auto pm = r.buffered();
            for (; pm.get_buffer(1, 64_B); ++taken) pm.send_buffer();
          });
          b.program(1, [&taken](comm::Rank& r) {
            auto pm = r.buffered();
            r.compute(1_ms);
            for (int i = 0; i < taken; ++i) pm.release(pm.receive());
          });
          b.run();
          return std::to_string(taken);
        }) == "8");
}

TEST_CASE("pm_ethernet: who does not take what has come is named, with what might help") {
  const std::string said = refusal("pm_neighbours_ethernet", with(quick, {{"/machine/topology/terminals", "3"},
                                                                          {"/library/receive_memory", "\"16 KiB\""},
                                                                          {"/library/retries", "3"},
                                                                          {"/scenario/sizes", "[\"1 KiB\"]"},
                                                                          {"/scenario/messages", "40"}}));
  CHECK(said.find("nobody acknowledges what goes to rank") != std::string::npos);
  CHECK(said.find("which has no free receive buffer: its program does not take what has come (\"receive_memory\")") !=
        std::string::npos);
}

TEST_CASE("pm_ethernet: a run in which all frames are lost ends after its retries") {
  const std::string said =
      refusal("pm_messages_ethernet", with(quick, {{"**/nic/loss_ppm", "999999"}, {"/library/retries", "5"}}));
  CHECK(said.find("rank 0: nobody acknowledges what goes to rank 1, 5 retries of 200 us") != std::string::npos);
  CHECK(said.find("receive buffer") == std::string::npos);
}

TEST_CASE(
    "pm_ethernet: 16 nodes stream to both neighbours at nearly the wire's rate, more frames than one may have under "
    "way") {
  const report::Rows rows = rows_of("pm_neighbours_ethernet", {{"/scenario/sizes", R"(["1468 B"])"}});
  const double rate = 16 * 2 * 32 * 1468 / (static_cast<double>(cell<Time>(rows.rows.front(), "time").fs()) / 1e15);
  CHECK(rate < 16 * 119.31e6);
  CHECK(rate > 16 * 0.9 * 119.31e6);
}

TEST_CASE("pm_ethernet: what cannot be is refused by name") {
  const auto said = [](const Overrides& o) { return refusal("pm_messages_ethernet", o); };
  CHECK(said({{"/library/retransmission", "\"0 us\""}}).find("retransmission") != std::string::npos);
  CHECK(said({{"/library/window", "0"}}).find("window") != std::string::npos);
  CHECK(said({{"/library/window", "4"}}).find("\"acknowledge_each\" is more than a \"window\"") != std::string::npos);
  const std::string late =
      "\"acknowledge_delay\" and \"timer_jitter\" together are not shorter than \"retransmission\"";
  CHECK(said({{"/library/acknowledge_delay", "\"10 ms\""}}).find(late) != std::string::npos);
  CHECK(said({{"/library/timer_jitter", "\"4 ms\""}}).find(late) != std::string::npos);
  CHECK(said({{"/library/longest", "\"1469 B\""}})
            .find("a message of 1469 B and a header of 32 B fit into no packet of 1.5 kB") != std::string::npos);
  CHECK(said({{"/scenario", R"({"kind": "checkpoint"})"}}).find("cannot bring its network to rest") !=
        std::string::npos);
}

}  // namespace pm_ethernet_test
