// SPDX-License-Identifier: Apache-2.0
// Scenarios of two-sided messages on an idle crossbar, against closed forms.
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace two_sided_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// On the wire: packets of 256 B and a header of 8 B, in flits of 16 B.
Time wire_time(Bytes n) {
  const std::int64_t rest = n.count() % 256;
  return 1_ns * (n / 256_B * 17 + (rest == 0 ? 0 : units_of(Bytes(rest) + 8_B, 16_B)));
}

/// A message's whole way: 1 cycle to send, two wires of 5 ns, 3 cycles of a router, 1 cycle to receive.
Time way(Bytes n) { return 1_ns + 5_ns * 2 + 3_ns + wire_time(n) + 1_ns; }

report::Rows crossbar(const std::string& scenario, const std::string& max_train = "64") {
  return rows_of("broadcast_crossbar", {{"/scenario", scenario}, {"/options/max_train", max_train}});
}

std::string with(const std::string& kind, const std::string& more) {
  return R"({"kind": ")" + kind + "\", " + more + "}";
}

}  // namespace

TEST_CASE("a binomial broadcast to 16 ranks takes four messages one behind the other") {
  const std::string scenario = with("broadcast", R"("sizes": ["1 B", "64 B", "4 KiB", "8 KiB", "1 MiB"],
    "algorithms": ["binomial"], "iterations": 2)");
  const report::Rows rows = crossbar(scenario);
  REQUIRE(rows.rows.size() == 5);
  for (const report::Row& row : rows.rows) {
    const auto size = cell<Bytes>(row, "size");
    CAPTURE(size);
    CHECK(cell<std::string>(row, "algorithm") == "binomial");
    CHECK(cell<std::int64_t>(row, "ranks") == 16);
    CHECK(cell<Time>(row, "time") == way(size) * 4);
    CHECK(cell<Time>(row, "rank_max") == way(size) * 4);
    CHECK(cell<Time>(row, "rank_min") == (1_ns + wire_time(size)) * 4);  // the root, which waits for nobody
  }
  CHECK(report::digest(rows) == report::digest(crossbar(scenario, "1")));
}

TEST_CASE("a broadcast to the first ranks leaves the others out") {
  const report::Rows rows = crossbar(with("broadcast", R"("sizes": ["1 B"], "algorithms": ["binomial"], "ranks": 5)"));
  CHECK(cell<std::int64_t>(rows.rows.front(), "ranks") == 5);
  // 0 sends to 4, then to 2, which sends to 3.
  CHECK(cell<Time>(rows.rows.front(), "time") == 1_ns + wire_time(1_B) + way(1_B) * 2);
}

TEST_CASE("roots that rotate change nothing in a symmetric network but who is done first") {
  const report::Rows rows = crossbar(with(
      "broadcast", R"("sizes": ["1 B"], "algorithms": ["binomial"], "rotate": true, "root": 3, "iterations": 16)"));
  CHECK(cell<Time>(rows.rows.front(), "time") == way(1_B) * 4);
  CHECK(cell<Time>(rows.rows.front(), "rank_min") == cell<Time>(rows.rows.front(), "rank_max"));
}

TEST_CASE("a broadcast to growing numbers of ranks has a row each") {
  const report::Rows rows = crossbar(with(
      "broadcast", R"("sizes": ["1 B", "2 MiB"], "algorithms": ["binomial", "scatter_allgather"], "ranks": [2, 8, 0],
    "iterations": 2)"));
  REQUIRE(rows.rows.size() == 12);
  std::size_t i = 0;
  for (const std::string algorithm : {"binomial", "scatter_allgather"})
    for (const int rounds : {1, 3, 4})
      for (const Bytes size : {1_B, 2_MiB}) {
        const report::Row& row = rows.rows[i++];
        CHECK(cell<std::string>(row, "algorithm") == algorithm);
        CHECK(cell<std::int64_t>(row, "ranks") == std::int64_t{1} << rounds);
        CHECK(cell<Bytes>(row, "size") == size);
        if (algorithm == "binomial") CHECK(cell<Time>(row, "time") == way(size) * rounds);
      }
  const auto alone = [](const std::string& ranks) {
    return crossbar(with("broadcast", R"("sizes": ["2 MiB"], "algorithms": ["scatter_allgather"], "ranks": )" + ranks));
  };
  CHECK(cell<Time>(alone("8").rows.front(), "time") == cell<Time>(rows.rows[9], "time"));
}

TEST_CASE("calls back to back overlap: a broadcast's root does not wait for those that it sends to") {
  const std::string scenario = with("broadcast", R"("sizes": ["1 B", "4 KiB", "1 MiB"], "algorithms": ["binomial"],
    "iterations": 5, "warm_up": 2, "back_to_back": true)");
  const report::Rows rows = crossbar(scenario);
  for (const report::Row& row : rows.rows) {
    const auto size = cell<Bytes>(row, "size");
    CAPTURE(size);
    const Time root = (1_ns + wire_time(size)) * 4;  // per call; nobody else has as much to do
    CHECK(cell<Time>(row, "time") == Time::from_fs((root * 4 + way(size) * 4).fs() / 5));
    CHECK(cell<Time>(row, "rank_min") == root);
    CHECK(cell<Time>(row, "rank_max") == cell<Time>(row, "time"));
  }
  CHECK(report::digest(rows) == report::digest(crossbar(scenario, "1")));
}

TEST_CASE("calls back to back whose root rotates wait for each other") {
  // Of two ranks each sends when it has received.
  const report::Rows rows = crossbar(with("broadcast", R"("sizes": ["64 B"], "algorithms": ["binomial"], "ranks": 2,
    "iterations": 6, "rotate": true, "back_to_back": true)"));
  CHECK(cell<Time>(rows.rows.front(), "time") == way(64_B));
  const report::Rows reduced = crossbar(with("reduction", R"("result": "reduce", "sizes": ["64 B"], "ranks": 2,
    "algorithms": ["binomial"], "iterations": 6, "rotate": true, "back_to_back": true)"));
  CHECK(cell<Time>(reduced.rows.front(), "time") == way(64_B));
  const std::string barrier = R"("algorithms": ["dissemination"], "ranks": [2, 5, 16], "iterations": 7)";
  const report::Rows apart = crossbar(with("barrier", barrier));
  const report::Rows close = crossbar(with("barrier", barrier + R"(, "back_to_back": true)"));
  CHECK(report::digest(apart) == report::digest(close));  // who leaves a barrier has heard of all
}

TEST_CASE("allreduces and all-to-alls take the rounds of their algorithms") {
  const auto time_of = [](const std::string& kind, const std::string& algorithm, const std::string& more) {
    const report::Rows rows =
        crossbar(with(kind, R"("sizes": ["1 MiB"], "iterations": 1, "algorithms": [")" + algorithm + "\"]" + more));
    return cell<Time>(rows.rows.front(), "time");
  };
  CHECK(time_of("reduction", "recursive_doubling", "") == way(1_MiB) * 4);
  CHECK(time_of("reduction", "ring", "") == way(64_KiB) * 30);
  CHECK(time_of("reduction", "rabenseifner", "") == (way(512_KiB) + way(256_KiB) + way(128_KiB) + way(64_KiB)) * 2);
  CHECK(time_of("all_to_all", "pairwise", R"(, "by": "messages")") == way(1_MiB) * 15);
  // 128 segments follow each other through 15 ranks.
  CHECK(time_of("broadcast", "chain", "") == way(8_KiB) * 15 + wire_time(8_KiB) * 127);
}

TEST_CASE("the library's choice is named in the row") {
  const report::Rows rows = crossbar(with("broadcast", R"("sizes": ["1 KiB", "1 MiB"], "iterations": 1)"));
  CHECK(cell<std::string>(rows.rows[0], "algorithm") == "binomial");
  CHECK(cell<std::string>(rows.rows[1], "algorithm") == "scatter_allgather");
}

TEST_CASE("a dissemination barrier takes a message a round") {
  for (const auto& [ranks, rounds] : {std::pair{1, 0}, {2, 1}, {5, 3}, {8, 3}, {16, 4}}) {
    const report::Rows rows =
        crossbar(with("barrier", R"("algorithms": ["dissemination"], "ranks": )" + std::to_string(ranks)));
    CAPTURE(ranks);
    CHECK(cell<Time>(rows.rows.front(), "time") == way(1_B) * rounds);
    CHECK(rows.rows.front().find("size") == nullptr);
  }
}

TEST_CASE("a halo exchange takes the faces of a rank one behind the other") {
  const report::Rows rows =
      crossbar(with("halo_exchange", R"("grid": [2, 2, 2, 2], "faces": ["4 KiB"], "scales": [1, 3])"));
  REQUIRE(rows.rows.size() == 2);
  for (const std::int64_t scale : {1, 3}) {
    const report::Row& row = rows.rows[scale == 1 ? 0 : 1];
    const Bytes face = 4_KiB * scale;
    CHECK(cell<Bytes>(row, "bytes") == face * 8);
    CHECK(cell<Time>(row, "time") == way(face * 8));
    CHECK(cell<Time>(row, "exposed") == way(face * 8));
  }
}

TEST_CASE("a dimension of one is copied and an open end has no neighbour") {
  const auto row = [](const std::string& more) {
    return crossbar(with("halo_exchange", R"("grid": [8, 1, 2], "faces": ["4 KiB", "1 MiB", "256 B"], )" + more))
        .rows.front();
  };
  CHECK(cell<Bytes>(row(R"("iterations": 2)"), "bytes") == 4_KiB * 2 + 256_B * 2);
  CHECK(cell<Time>(row(R"("iterations": 2)"), "time") == way(4_KiB * 2 + 256_B * 2));
  CHECK(cell<Bytes>(row(R"("open": [2])"), "bytes") == 4_KiB * 2 + 256_B);
  CHECK(cell<Bytes>(row(R"("open": [0, 1, 2], "packing": false)"), "bytes") == 4_KiB * 2 + 256_B);
}

TEST_CASE("computation hides messages that it overlaps and adds to others") {
  const auto row = [](const std::string& compute, const std::string& overlap) {
    return crossbar(with("halo_exchange",
                         R"("grid": [16], "faces": ["4 KiB"], "compute": ")" + compute + R"(", "overlap": )" + overlap))
        .rows.front();
  };
  const Time alone = way(8_KiB);
  CHECK(cell<Time>(row("20 us", "true"), "time") == 20_us);
  CHECK(cell<Time>(row("20 us", "true"), "exposed") == 0_ns);
  CHECK(cell<Time>(row("300 ns", "true"), "time") == alone);
  CHECK(cell<Time>(row("300 ns", "true"), "exposed") == alone - 300_ns);
  CHECK(cell<Time>(row("20 us", "false"), "time") == alone + 20_us);
  CHECK(cell<Time>(row("20 us", "false"), "exposed") == alone);
}

TEST_CASE("random partners all get the same where nobody meets anybody") {
  for (const std::string pairing : {"matching", "permutation"}) {
    const report::Rows rows = crossbar(
        with("random_pairs", R"("pairing": ")" + pairing + R"(", "sizes": ["64 KiB"], "messages": 2, "rounds": 5)"));
    const report::Row& row = rows.rows.front();
    CAPTURE(pairing);
    CHECK(cell<Bytes>(row, "bytes") == 128_KiB);
    CHECK(cell<Time>(row, "time") == way(128_KiB));
    CHECK(cell<Time>(row, "slowest") == way(128_KiB));
    CHECK(cell<Time>(row, "mean") == way(128_KiB));
    CHECK(cell<std::int64_t>(row, "jain_ppm") == 1'000'000);
  }
}

TEST_CASE("random partners on a ring share wires and are not alike") {
  const report::Rows rows = rows_of("random_pairs_ring", {{"/scenario/sizes", R"(["16 KiB"])"}});
  const report::Row& row = rows.rows.front();
  CHECK(cell<Time>(row, "slowest") > cell<Time>(row, "mean"));
  CHECK(cell<std::int64_t>(row, "jain_ppm") < 1'000'000);
  const report::Rows others =
      rows_of("random_pairs_ring", {{"/scenario/sizes", R"(["16 KiB"])"}, {"/scenario/seed", "2"}});
  CHECK(report::digest(rows) != report::digest(others));
}

}  // namespace two_sided_test
