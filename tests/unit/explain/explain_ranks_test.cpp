// SPDX-License-Identifier: Apache-2.0
#include "explain/ranks.hpp"
#include "unit/explain/explain_fixture.hpp"

namespace explain_ranks_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Call;
using explain::CallView;
using explain::History;
using explain::Message;
using explain::views;
using net::Stage;

namespace {

std::string where(int rank) { return rank == 0 ? core_name : peer_name; }

const Call sends{0, Call::Kind::send, 1, 8_B, "dma", 100_ns, 150_ns};
const Call receives{1, Call::Kind::receive, 0, 8_B, "dma", 80_ns, 200_ns};
const Message message{sends, receives, 0};

void expect_tiles(const CallView& c) {
  Time at = c.call.begin;
  Time uncovered;
  for (const explain::StepView& s : c.steps) {
    CHECK(s.begin == at);
    at = s.end;
    if (s.name == "in the library") uncovered += s.end - s.begin;
  }
  CHECK(at == c.call.end);
  CHECK(uncovered == c.uncovered);
}

void record_message(History& h) {
  h.step({0, "ring the doorbell", 110_ns, 130_ns});
  h.step({0, "wait", 130_ns, 145_ns});
  h.step({1, "poll the flag", 80_ns, 200_ns});
  h.step({1, "of the next call", 200_ns, 210_ns});
  h.stage(stage(1, 0, Stage::buffer, "write-combining buffer", core_name, 120_ns, 126_ns));
  h.stage(stage(2, 0, Stage::poll, "polling loop", core_name, 125_ns, 135_ns));
  h.stage(stage(3, 0, Stage::poll, "polling loop", core_name, 140_ns, 142_ns));
  h.stage(stage(6, 0, Stage::poll, "polling loop", core_name, 141_ns, 142_ns));  // meanwhile: counts once
  h.stage(stage(4, 0, Stage::step, "store", core_name, 112_ns, 120_ns));
  h.stage(stage(5, 0, Stage::poll, "polling loop", peer_name, 190_ns, 200_ns));
  h.call(sends);
  h.call(receives);
  h.call({0, Call::Kind::send, 1, 8_B, "dma", 200_ns, 250_ns});  // after the message
}

}  // namespace

TEST_CASE("explain: steps and what lies between them sum to the call") {
  History h(two_wires());
  record_message(h);
  const auto both = views(h, message, where);
  REQUIRE(both.size() == 2);
  const auto& sender = both[0];
  const auto& receiver = both[1];
  REQUIRE(sender.calls.size() == 1);
  REQUIRE(receiver.calls.size() == 1);
  const CallView& c = sender.calls[0];
  expect_tiles(c);
  expect_tiles(receiver.calls[0]);
  CHECK(c.uncovered == 15_ns);
  CHECK(receiver.calls[0].uncovered == 0_ns);
  REQUIRE(c.steps.size() == 4);
  CHECK(c.steps[1].name == "ring the doorbell");
  REQUIRE(c.steps[1].waits.size() == 2);
  CHECK(c.steps[1].waits[0].name == "write-combining buffer");
  CHECK(c.steps[1].waits[0].took == 6_ns);
  CHECK(c.steps[1].waits[1].took == 5_ns);  // what lies in the step
  REQUIRE(c.steps[2].waits.size() == 1);    // equal names in one
  CHECK(c.steps[2].waits[0].begin == 130_ns);
  CHECK(c.steps[2].waits[0].took == 7_ns);
}

TEST_CASE("explain: both ranks stand side by side in order of time") {
  History h(two_wires());
  record_message(h);
  const auto both = views(h, message, where);
  CHECK(side_by_side(both, message) ==
        "    begin         ns rank 0                      |     begin         ns rank 1\n"
        "                                                 |     -20.0      120.0 receive 8 B from rank 0\n"
        "                                                 |     -20.0      120.0   poll the flag\n"
        "      0.0       50.0 send 8 B to rank 1          |\n"
        "      0.0       10.0   in the library            |\n"
        "     10.0       20.0   ring the doorbell         |\n"
        "     20.0        6.0     write-combining buffer  |\n"
        "     25.0        5.0     polling loop            |\n"
        "     30.0       15.0   wait                      |\n"
        "     30.0        7.0     polling loop            |\n"
        "     45.0        5.0   in the library            |\n"
        "                                                 |      90.0       10.0     polling loop\n"
        "rank 0: send 8 B to rank 1: 50.0 ns = 35.0 in steps + 15.0 in the library\n"
        "rank 1: receive 8 B from rank 0: 120.0 ns = 120.0 in steps + 0.0 in the library\n");
}

TEST_CASE("explain: many steps of a call are summed by name") {
  History h(two_wires());
  for (int i = 0; i < 25; ++i) h.step({0, i % 2 == 0 ? "copy" : "store", 100_ns + 2_ns * i, 102_ns + 2_ns * i});
  h.call(sends);
  h.call(receives);
  const auto both = views(h, message, where);
  expect_tiles(both[0].calls[0]);
  CHECK_THAT(side_by_side(both, message), Catch::Contains("      0.0       26.0   copy (13 times)"));
  CHECK_THAT(side_by_side(both, message), Catch::Contains("      2.0       24.0   store (12 times)"));
  const auto json = to_json(both[0], message);
  CHECK(json["calls"][0]["steps"].size() == 25);
  CHECK(json["calls"][0]["duration_fs"] == 50'000'000);
}

TEST_CASE("explain: a rank that sends to itself stands alone") {
  History h(two_wires());
  const Message own{{0, Call::Kind::send, 0, 8_B, "chain", 100_ns, 150_ns},
                    {0, Call::Kind::receive, 0, 8_B, "chain", 150_ns, 200_ns},
                    0};
  h.step({0, "poll the status", 150_ns, 190_ns});
  h.call(own.send);
  h.call(own.receive);
  const auto one = views(h, own, where);
  REQUIRE(one.size() == 1);
  CHECK(side_by_side(one, own) ==
        "    begin         ns rank 0\n"
        "      0.0       50.0 send 8 B to rank 0\n"
        "      0.0       50.0   in the library\n"
        "     50.0       50.0 receive 8 B from rank 0\n"
        "     50.0       40.0   poll the status\n"
        "     90.0       10.0   in the library\n"
        "rank 0: send 8 B to rank 0: 50.0 ns = 0.0 in steps + 50.0 in the library\n"
        "rank 0: receive 8 B from rank 0: 50.0 ns = 40.0 in steps + 10.0 in the library\n");
}

}  // namespace explain_ranks_test
