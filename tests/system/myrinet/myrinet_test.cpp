// SPDX-License-Identifier: Apache-2.0
// Shipped machines with Myrinet-2000: what crossbars on the way cost, and what is lost when nobody looks.
#include "support/catch.hpp"
#include "system/simulated.hpp"
#include "units/time.hpp"

namespace myrinet_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Catch::Matchers::Contains;

namespace {

std::string machine(const std::string& name) {
  return R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/machines/" + name + R"(.json"})";
}

Time latency(const Overrides& more) {
  Overrides all{{"/scenario/sizes", "[\"8 B\"]"}, {"/scenario/iterations", "50"}};
  all.insert(all.end(), more.begin(), more.end());
  return cell<Time>(rows_of("myrinet_ping_pong", all).rows.front(), "latency");
}

}  // namespace

TEST_CASE("Myrinet: nodes of one leaf have one crossbar between them, others three") {
  const Overrides big{{"/machine", machine("myrinet_128")}};
  const auto between = [&big](const char* ranks) {
    Overrides o = big;
    o.push_back({"/scenario/between", ranks});
    return latency(o);
  };
  const Time near = between("[0, 7]"), far = between("[0, 8]"), farthest = between("[0, 127]");
  CHECK(near == latency({}));  // as at a single crossbar
  CHECK(far == farthest);
  // Two crossbars of 50 ns and a byte, two backplane wires of 22 ns; a poll takes a few nanoseconds.
  const Time more = 2 * (50_ns + 4_ns + 22_ns);
  CHECK(far - near > more - 20_ns);
  CHECK(far - near < more + 20_ns);
}

TEST_CASE("Myrinet: descriptors in host memory cost another read of it") {
  const Time more = latency({{"**/send_queue", "\"host_memory\""}}) - latency({});
  CHECK(more > 400_ns);
  CHECK(more < 2_us);
}

TEST_CASE("Myrinet: packets for which there is no receive buffer are lost, and the run says so") {
  CHECK_THAT(refusal("myrinet_neighbours_128", {{"/machine", machine("myrinet_pair")},
                                                {"/scenario/sizes", "[\"64 KiB\"]"},
                                                {"/library/receive_buffers", "10"},
                                                {"/library/buffers", "40"}}),
             Contains("no progress is possible") &&
                 Contains("packets for which there was no receive buffer (\"receive_buffers\")"));
}

TEST_CASE("Myrinet: who sends looks for packets meanwhile, and few buffers in the card are enough") {
  const Overrides few{
      {"/machine", machine("myrinet_pair")}, {"/scenario/sizes", "[\"64 KiB\"]"}, {"/library/receive_buffers", "4"}};
  CHECK(refusal("myrinet_neighbours_128", few) == "no error");
}

TEST_CASE("Myrinet: a machine without LANai cards, and a card of another name, are refused") {
  CHECK_THAT(refusal("myrinet_ping_pong", {{"/machine", machine("pm_e7501_pair")}}),
             Contains("needs two nodes with cards of kind \"lanai_card\" that are called \"lanai\""));
  CHECK_THAT(refusal("myrinet_ping_pong", {{"/library/card", "\"hca\""}}), Contains("that are called \"hca\""));
}

}  // namespace myrinet_test
