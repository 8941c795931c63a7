// SPDX-License-Identifier: Apache-2.0
// Traffic over links without flow control, whose losses library datagram counts.
#include <fmt/format.h>

#include <algorithm>

#include "report/accounts/accounts.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace traffic_loss_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const config::Override no_flow_control{"/machine/topology/wire/flow_control", "\"none\""};
const config::Override counted{"/library/loss", "\"count\""};
constexpr Bytes message{64};  // with its header 5 flits of a ns

/// All but one of the terminals of a crossbar send to that one in every slot.
Overrides lockstep(int terminals, int buffer_flits, const std::string& router) {
  const std::string place = "/machine/topology/router";
  return {no_flow_control,
          counted,
          {"/machine/topology/terminals", std::to_string(terminals)},
          {place, fmt::format(R"({{"kind": "{}", "clock": "1 GHz", "latency": 3, "virtual_channels": 2,
                                   "buffer_flits": {}}})",
                              router, buffer_flits)},
          {"/scenario/arrivals", "\"bernoulli\""},
          {"/scenario/loads", R"(["100 %"])"},
          {"/scenario/window", "\"10 us\""}};
}

std::int64_t count(const report::Row& row, const char* name) { return cell<std::int64_t>(row, name); }

}  // namespace

TEST_CASE("loss: a network that may drop packets is refused unless losses are counted, with what to write") {
  const std::string why = refusal("incast", {no_flow_control});
  CHECK_THAT(why, Catch::Contains("drops what a buffer has no room for"));
  CHECK_THAT(why, Catch::Contains(R"("loss": "count")"));
}

TEST_CASE("loss: programs that wait for messages are refused where messages get lost") {
  const std::string why =
      refusal("incast", {no_flow_control, counted, {"/scenario", R"({"kind": "ping_pong", "sizes": ["8 B"]})"}});
  CHECK_THAT(why, Catch::Contains("waits for messages that the library may lose"));
  CHECK_THAT(why, Catch::Contains("traffic"));
  CHECK(refusal("incast", {counted, {"/scenario", R"({"kind": "ping_pong", "sizes": ["8 B"]})"}}) == "no error");
}

TEST_CASE("loss: where links have credits nothing is lost, and counting it moves nothing") {
  const Overrides few{{"/scenario/loads", R"(["5 %", "20 %"])"}};
  Overrides more = few;
  more.push_back(counted);
  const report::Rows plain = rows_of("incast", few), with = rows_of("incast", more);
  REQUIRE(plain.rows.size() == with.rows.size());
  for (std::size_t i = 0; i < plain.rows.size(); ++i) CHECK(plain.rows[i].cells() == with.rows[i].cells());
}

TEST_CASE("loss: senders in lockstep lose alike, and what arrives is what the wire carries") {
  for (const char* router : {"router", "input_queued_router"})
    for (const int senders : {2, 3, 7})
      for (const int buffer : {17, 20, 64}) {
        CAPTURE(router, senders, buffer);
        const report::Rows rows = rows_of("incast", lockstep(senders + 1, buffer, router));
        const report::Row& row = rows.rows.at(0);
        // Of those posted in the window each is delivered or lost.
        CHECK(count(row, "messages") + count(row, "lost") == 10'000 / 5 * senders);
        CHECK(cell<Bytes>(row, "offered") == message * (10'000 / 5 * senders));
        CHECK(std::abs(cell<Bytes>(row, "accepted") / message - 10'000 / 5) <= 1);
        const report::ServiceAccount& by = *row.accounts()->accepted;
        CHECK((by.most.bytes - by.least.bytes) / message <= 1);
      }
}

TEST_CASE("loss: each message is delivered or lost, and the receivers count as many packets as are missing") {
  for (const bool reversed : {false, true}) {
    CAPTURE(reversed);
    CHECK(in_child([reversed] {
            ProgramBench b("incast", {no_flow_control, counted, {"/machine/topology/terminals", "6"}});
            b.sim().agenda().reverse_ties(reversed);
            std::vector<int> delivered(6), lost(6);
            b.all([&](comm::Rank& r) {
              if (r.id() == 0) return;
              std::vector<comm::Request> sent;
              for (int i = 0; i < 100; ++i) sent.push_back(r.isend(0, {{}, message, {}, {}}));
              for (const comm::Request& q : sent) {
                r.wait_settled(q);
                const bool there = r.test(q, comm::Milestone::delivered);
                REQUIRE(there != r.test(q, comm::Milestone::lost));
                ++(there ? delivered : lost)[static_cast<std::size_t>(r.id())];
              }
            });
            b.run();
            std::int64_t dropped = 0, all = 0;
            std::string text;
            for (std::size_t r = 1; r < 6; ++r) {
              REQUIRE(delivered[r] + lost[r] == 100);
              all += lost[r];
              text += std::to_string(lost[r]) + " ";
            }
            for (const auto& w : b.machine().wires())
              for (const net::Channel* c : {&w->forward(), &w->backward()}) dropped += c->counters().dropped;
            REQUIRE(all > 0);
            REQUIRE(dropped == all);
            REQUIRE(*std::max_element(lost.begin() + 1, lost.end()) - *std::min_element(lost.begin() + 1, lost.end()) <=
                    1);
            return text;
          }) != "");
  }
}

TEST_CASE("loss: a long message of which a packet is dropped is lost, once, when its last packet has come") {
  ProgramBench b("incast", {no_flow_control, counted, {"/machine/topology/terminals", "3"}});
  b.all([](comm::Rank& r) {
    if (r.id() == 0) return;
    const comm::Request q = r.isend(0, {{}, 1_MiB, {}, {}});
    r.wait_settled(q);
    CHECK(r.test(q, comm::Milestone::lost));
    CHECK(q.at(comm::Milestone::delivered) == Time::max());
    // 4096 packets of 17 ns, of which the last comes one way or the other.
    CHECK(r.now() >= 17_ns * 4096);
  });
  b.run();
}

}  // namespace traffic_loss_test
