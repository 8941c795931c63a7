// SPDX-License-Identifier: Apache-2.0
// `tsunagi explain` of a message that was lost on its way: through the sender's timer to its second sending.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/explanation.hpp"
#include "support/program.hpp"

namespace explain_loss_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

/// The last answer of a round trip, of which some packet is lost: `seed` says which. How long it waited for timers of
/// `timer` each, or up to `late` more. Its path may begin within one, that of the other node, which is not counted.
std::int64_t timers(const std::string& run, const std::string& card, std::int64_t timer, std::int64_t late, int seed) {
  const Ended end = run_program(
      {"explain", TSUNAGI_TEST_CONFIGS "/runs/" + run + ".json", "--set", "/options/seed=" + std::to_string(seed),
       "--set", "[kind=" + card + "]/loss_ppm=300000", "--set", "/scenario/iterations=20", "--format", "json"});
  CAPTURE(run, seed, end.err);
  REQUIRE(end.exit_code == 0);
  const json message = json::parse(end.out);
  expect_whole_message(message);
  std::int64_t out = 0;
  for (const json& part : message["segments"]) {
    if (part["stage"] != "retransmission timer") continue;
    const auto waited = part["duration_fs"].get<std::int64_t>();
    if (&part == &message["segments"].front() && waited < timer) continue;
    CHECK(waited >= timer);
    CHECK(waited <= timer + late);
    out += waited;
  }
  return out;
}

}  // namespace

TEST_CASE("explain: a lost message of PM is followed through its timer and its second sending") {
  struct Case {
    std::string run, card;
    std::int64_t timer, late;
  };
  for (const Case& c : {Case{"pm_round_trip_ethernet", "ethernet_card", 4'800'000'000'000, 50'000'000'000},
                        Case{"pm_round_trip_myrinet", "lanai_card", 5'000'000'000'000, 0}}) {
    CAPTURE(c.run);
    std::int64_t most = 0;
    for (int seed = 1; seed <= 12; ++seed) most = std::max(most, timers(c.run, c.card, c.timer, c.late, seed));
    CHECK(most >= c.timer);
  }
}

}  // namespace explain_loss_test
