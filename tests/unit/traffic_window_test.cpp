// SPDX-License-Identifier: Apache-2.0
// What a window of scenario traffic measures.
#include "scenarios/traffic/traffic_window.hpp"

#include "support/catch.hpp"
#include "support/print.hpp"

namespace traffic_window_test {

using namespace tsunagi;
using namespace tsunagi::scenarios;

TEST_CASE("a window counts what was posted and what was delivered in it") {
  TrafficWindow w;
  w.open(100_ns, 200_ns, 3);
  w.posted(0, 1, 99_ns, 64_B);
  w.posted(2, 1, 100_ns, 64_B);
  w.posted(2, 1, 199_ns, 64_B);
  w.posted(2, 1, 200_ns, 64_B);
  w.delivered(0, 1, 99_ns, 110_ns, 64_B);   // counts as accepted only
  w.delivered(2, 1, 100_ns, 130_ns, 64_B);  // as both
  w.delivered(2, 1, 199_ns, 249_ns, 64_B);  // as latency only
  w.delivered(2, 1, 200_ns, 250_ns, 64_B);  // as neither
  report::Row row;
  w.report(row, [](int rank) { return rank == 1 ? 0 : 500'000 * (1 + rank / 2); });
  CHECK(std::get<Bytes>(*row.find("offered")) == 128_B);
  CHECK(std::get<Bytes>(*row.find("accepted")) == 128_B);
  CHECK(std::get<std::int64_t>(*row.find("messages")) == 2);
  CHECK(std::get<Time>(*row.find("mean")) == 40_ns);
  CHECK(std::get<Time>(*row.find("p99")) == 50_ns);
  CHECK(std::get<std::string>(*row.find("saturated")) == "no");
  REQUIRE(row.accounts() != nullptr);
  CHECK(row.accounts()->latency->messages == 2);
  CHECK(*row.accounts()->latency->find("max") == 50_ns);
  const report::ServiceAccount& s = *row.accounts()->accepted;
  CHECK(s.senders == 2);
  CHECK(s.mean == 64_B);
  CHECK(s.jain_ppm == 900'000);  // 2 to 1: 3^2 / (2 (4 + 1))
}

TEST_CASE("a window in which more than two hundredths of the bytes offered are missing is saturated") {
  const auto saturated = [](int offered, int accepted) {
    TrafficWindow w;
    w.open(100_ns, 200_ns, 1);
    w.posted(0, 0, 100_ns, Bytes(offered));
    if (accepted > 0) w.delivered(0, 0, 90_ns, 150_ns, Bytes(accepted));
    report::Row row;
    w.report(row, [](int) { return 1'000'000; });
    return std::get<std::string>(*row.find("saturated"));
  };
  CHECK(saturated(64, 0) == "yes");
  CHECK(saturated(99, 97) == "yes");  // 97.98 %
  CHECK(saturated(100, 98) == "no");
  CHECK(saturated(149, 146) == "yes");  // 97.99 %
  CHECK(saturated(150, 147) == "no");
  CHECK(saturated(0, 0) == "no");
}

TEST_CASE("a saturated window has no mean of latencies and says why") {
  TrafficWindow w;
  w.open(100_ns, 200_ns, 2);
  for (const Time when : {110_ns, 120_ns, 130_ns}) w.posted(0, 1, when, 64_B);
  w.delivered(0, 1, 110_ns, 150_ns, 64_B);
  w.delivered(0, 1, 120_ns, 250_ns, 64_B);
  w.delivered(0, 1, 130_ns, 350_ns, 64_B);
  report::Row row;
  w.report(row, [](int) { return 1'000'000; });
  CHECK(std::get<std::string>(*row.find("saturated")) == "yes");
  CHECK(std::get<std::string>(*row.find("overloaded")) == "all together");
  CHECK(row.find("mean") == nullptr);
  CHECK(row.find("half_width") == nullptr);
  CHECK(std::get<Time>(*row.find("p50")) == 130_ns);
  CHECK(row.headline().column == "accepted_rate");
}

TEST_CASE("a window is saturated by one flow of many whose backlog grows") {
  TrafficWindow w;
  w.open(0_ns, 2000_ns, 8);
  // Seven ranks get all through at once; of rank 3's message each 10 ns only each second one, two in a hundred of all.
  for (Time when = 5_ns; when < 2000_ns; when += 10_ns)
    for (int rank = 0; rank < 7; ++rank)
      for (int i = 0; i < (rank == 3 ? 1 : 9); ++i) {
        w.posted(rank, 7, when, 64_B);
        const Time due = rank == 3 ? when * 2 : when + 1_ns;
        w.delivered(rank, 7, when, due, 64_B);
      }
  report::Row row;
  w.report(row, [](int) { return 1'000'000; });
  CHECK(std::get<Bytes>(*row.find("accepted")).count() * 100 > std::get<Bytes>(*row.find("offered")).count() * 98);
  CHECK(std::get<std::string>(*row.find("saturated")) == "yes");
  CHECK(std::get<std::string>(*row.find("overloaded")) == "1 of 7 pairs, most 3 > 7");
  CHECK(row.find("mean") == nullptr);
}

TEST_CASE("where losses make the load too much, those that arrive have a mean, unless they wait ever longer, too") {
  // Of two ranks one loses every second message within 1 ns. `slow`: what arrives takes twice as long since time 0.
  const auto row_of = [](bool slow) {
    TrafficWindow w;
    w.open(0_ns, 2000_ns, 3);
    w.count_losses();
    int n = 0;
    for (Time when = 5_ns; when < 2000_ns; when += 10_ns, ++n)
      for (const int rank : {0, 1}) {
        w.posted(rank, 2, when, 64_B);
        if (rank == 0 && n % 2 == 0)
          w.lost(rank, 2, when, when + 1_ns, 64_B);
        else
          w.delivered(rank, 2, when, slow ? when * 2 : when + 3_ns, 64_B);
      }
    report::Row row;
    w.report(row, [](int) { return 1'000'000; });
    return row;
  };
  const report::Row bounded = row_of(false), growing = row_of(true);
  for (const report::Row* row : {&bounded, &growing}) {
    CHECK(std::get<std::int64_t>(*row->find("lost")) == 100);
    CHECK(std::get<std::string>(*row->find("saturated")) == "yes");
    CHECK(row->headline().column == "accepted_rate");
  }
  REQUIRE(bounded.find("mean") != nullptr);
  CHECK(std::get<Time>(*bounded.find("mean")) == 3_ns);
  CHECK(growing.find("mean") == nullptr);
}

TEST_CASE("ranks that get all of their unequal parts through are served fairly however few bytes that is") {
  TrafficWindow w;
  w.open(100_ns, 200_ns, 3);
  for (const auto& [rank, bytes] : {std::pair(0, 3_B), std::pair(1, 2_B), std::pair(2, 1_B)})
    w.delivered(rank, 0, 90_ns, 150_ns, bytes);
  report::Row row;
  w.report(row, [](int rank) { return rank == 0 ? 1'000'000 : rank == 1 ? 666'667 : 333'333; });
  CHECK(row.accounts()->accepted->jain_ppm >= 999'999);
  CHECK(row.accounts()->accepted->jain_ppm <= 1'000'000);
}

}  // namespace traffic_window_test
