// SPDX-License-Identifier: Apache-2.0
// PM over Ethernet: whatever switches and cards drop, all arrives once and in order; what a packet costs.
#include <string>

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
                                 {"/machine/topology/node/devices/nic/receive_latency", "\"10 us\""},
                                 {"/machine/topology/router/latency", "50000"}}));
  CHECK(said.find("nobody acknowledges what goes to rank") != std::string::npos);
  CHECK(said.find("3 retries of 60 us") != std::string::npos);
}

TEST_CASE("pm_ethernet: what cannot be is refused by name") {
  const auto said = [](const Overrides& o) { return refusal("pm_messages_ethernet", o); };
  CHECK(said({{"/library/retransmission", "\"0 us\""}}).find("retransmission") != std::string::npos);
  CHECK(said({{"/library/window", "0"}}).find("window") != std::string::npos);
  CHECK(said({{"/library/window", "4"}}).find("\"acknowledge_each\" is more than a \"window\"") != std::string::npos);
  CHECK(said({{"/library/acknowledge_delay", "\"10 ms\""}}).find("is not shorter than \"retransmission\"") !=
        std::string::npos);
  CHECK(said({{"/library/longest", "\"1469 B\""}})
            .find("a message of 1469 B and a header of 32 B fit into no packet of 1.5 kB") != std::string::npos);
  CHECK(said({{"/scenario", R"({"kind": "checkpoint"})"}}).find("cannot bring its network to rest") !=
        std::string::npos);
}

}  // namespace pm_ethernet_test
