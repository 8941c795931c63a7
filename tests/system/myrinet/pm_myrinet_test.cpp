// SPDX-License-Identifier: Apache-2.0
// PM over Myrinet: all arrives once and in order whatever is lost; one acknowledgement for several messages.
#include <string>

#include "system/pm_traffic.hpp"

namespace pm_myrinet_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// The same of both nodes' cards.
Overrides cards(const std::string& field, const std::string& value) {
  Overrides out;
  for (const char* node : {"node0", "node1"})
    out.push_back({"/machine/topology/devices/" + std::string(node) + "/devices/lanai/" + field, value});
  return out;
}

double per_message(const std::string& size, const Overrides& more) {
  const report::Rows rows =
      rows_of("pm_messages_myrinet",
              with({{"/scenario/sizes", "[\"" + size + "\"]"}, {"/scenario/volume", "\"64 KiB\""}}, more));
  return static_cast<double>(cell<Time>(rows.rows.front(), "per_message").fs());
}

}  // namespace

TEST_CASE("pm_myrinet: what is sent comes once and in order, whatever is lost, however few buffers there are") {
  const Overrides lossy = with(cards("loss_ppm", "20000"), cards("reliable/retransmit_after", "\"200 us\""));
  const Overrides few{{"/library/receive_memory", "\"16 KiB\""}, {"/library/send_memory", "\"24 KiB\""}};
  const Overrides alone = with(cards("reliable/window", "1"), cards("reliable/acknowledge_each", "1"));
  for (const Overrides& o : {Overrides{}, lossy, few, alone, with(lossy, few), with(lossy, alone), with(few, alone),
                             cards("send_queue", "\"host_memory\"")})
    CHECK(pm_all_to_all("pm_messages_myrinet", 60, o) == "");
}

TEST_CASE("pm_myrinet: one acknowledgement for several messages makes short ones faster, long ones not") {
  const Overrides each = cards("reliable/acknowledge_each", "1");
  CHECK(per_message("64 B", each) > 1.05 * per_message("64 B", {}));
  CHECK(per_message("8 KiB", each) == Approx(per_message("8 KiB", {})).epsilon(0.005));
}

TEST_CASE("pm_myrinet: with one packet under way each waits for its acknowledgement") {
  const Overrides alone = with(cards("reliable/window", "1"), cards("reliable/acknowledge_each", "1"));
  CHECK(per_message("64 B", alone) > 2 * per_message("64 B", {}));
}

TEST_CASE("pm_myrinet: a peer that never answers is given up after so many retries") {
  const std::string said =
      pm_all_to_all("pm_messages_myrinet", 2,
                    with(cards("loss_ppm", "999999"),
                         with(cards("reliable/retries", "3"), cards("reliable/retransmit_after", "\"100 us\""))));
  CHECK(said.find("does not answer: packet 0 to it was sent 4 times, with 100 us between each two") !=
        std::string::npos);
}

TEST_CASE("pm_myrinet: writes and reads of remote memory come to their ends") {
  for (const char* test : {"write", "read"}) {
    CAPTURE(test);
    const report::Rows rows = rows_of(
        "pm_write_myrinet", with({{"/scenario/test", "\"" + std::string(test) + "\""},
                                  {"/scenario/sizes", R"(["1 B","8 KiB","100 KB"])"},
                                  {"/scenario/volume", "\"200 KB\""}},
                                 with(cards("loss_ppm", "5000"), cards("reliable/retransmit_after", "\"200 us\""))));
    CHECK(rows.rows.size() == 3);
  }
}

TEST_CASE("pm_myrinet: what cannot be is refused by name") {
  const auto said = [](const Overrides& o) { return refusal("pm_messages_myrinet", o); };
  CHECK(said(cards("reliable/retransmit_after", "\"0 us\"")).find("retransmit_after") != std::string::npos);
  CHECK(said(cards("reliable/window", "0")).find("window") != std::string::npos);
  CHECK(said(cards("reliable/acknowledge_after", "\"9 ms\"")).find("senders would not wait for it") !=
        std::string::npos);
  CHECK(said({{"/scenario", R"({"kind": "checkpoint"})"}}).find("cannot bring its network to rest") !=
        std::string::npos);
}

}  // namespace pm_myrinet_test
