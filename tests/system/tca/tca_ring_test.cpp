// SPDX-License-Identifier: Apache-2.0
// TCA sub-clusters: distance, all-to-all over rings, and what a ring without bubbles does.
#include <map>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace tca_ring_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

Overrides all_to_all(const std::string& size, const std::string& bubble, const std::string& max_train) {
  return {{"/scenario/sizes", "[\"" + size + "\"]"},
          {"/scenario/iterations", "1"},
          {"/machine/topology/node/devices/peach2/bubble", bubble},
          {"/options/max_train", max_train}};
}

}  // namespace

TEST_CASE("latency grows by the same for every cable, and eight nodes are three cables apart at most") {
  std::map<std::int64_t, Time> latency;
  for (const report::Row& row : rows_of("tca_pairs", {}).rows) {
    const auto hops = cell<std::int64_t>(row, "hops");
    const auto t = cell<Time>(row, "latency");
    // Where in a cycle a packet comes in differs.
    if (const auto [it, first] = latency.emplace(hops, t); !first)
      CHECK((t > it->second ? t - it->second : it->second - t) < 4_ns);
  }
  REQUIRE(latency.size() == 3);
  REQUIRE(latency.rbegin()->first == 3);
  // A chip: hard IP in 28, router 4, hard IP out 28 cycles, the TLP starts and is taken in on edges of 4 ns; a cable:
  // 32 bytes at 4 GB/s and 10 ns.
  for (const std::int64_t h : {2, 3}) {
    const Time a_cable = latency[h] - latency[h - 1];
    CHECK(a_cable >= 258_ns);
    CHECK(a_cable <= 258_ns + 8_ns);
  }
}

TEST_CASE("an all-to-all among 16 nodes completes over the rings, with and without trains alike") {
  const report::Rows rows = rows_of("tca_all_to_all", all_to_all("4 KiB", "4", "64"));
  REQUIRE(rows.rows.size() == 1);
  const Time time = cell<Time>(rows.rows[0], "time");
  // Eastern cables carry most: to distances 1, 2, 3 and 4 in both rings, 20 blocks each.
  const Time bound = Time::from_fs(std::int64_t{20} * 4096 * 250'000);  // at 4 GB/s
  CHECK(time > bound);
  CHECK(time < bound * 3);
  CHECK(report::digest(rows) == report::digest(rows_of("tca_all_to_all", all_to_all("4 KiB", "4", "1"))));
}

TEST_CASE("without bubbles the rings deadlock, and the message says what avoids it") {
  CHECK_THROWS_WITH(rows_of("tca_all_to_all", all_to_all("64 KiB", "0", "64")),
                    Catch::Contains("no progress is possible any more") &&
                        Catch::Contains("packets can wait for each other in a circle: node0.peach2.e node1.peach2.e") &&
                        Catch::Contains("\"bubble\": 1 at the chips avoids it"));
}

}  // namespace tca_ring_test
