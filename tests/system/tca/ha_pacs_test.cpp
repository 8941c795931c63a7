// SPDX-License-Identifier: Apache-2.0
// HA-PACS: its base cluster at full size, and TCA nodes with PEACH2 and InfiniBand on one machine.
#include <cstdlib>
#include <map>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/sanitized.hpp"
#include "system/simulated.hpp"

namespace ha_pacs_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::string use(const std::string& file) { return R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/" + file + "\"}"; }

const config::Override by_mpi = {"/library", use("parts/mvapich2_1_9b_second_socket.json")};

/// Times of an iteration of the halo exchange, by the bytes of a face.
std::map<std::int64_t, Time> halo(const Overrides& more = {}) {
  std::map<std::int64_t, Time> out;
  const auto add = [&](const char* scales, const char* warm_up) {
    Overrides all = more;
    all.insert(all.end(),
               {{"/scenario/scales", scales}, {"/scenario/warm_up", warm_up}, {"/scenario/iterations", "2"}});
    for (const report::Row& row : rows_of("halo_ha_pacs_tca", all).rows)
      out[cell<Bytes>(row, "bytes").count() / 4] = cell<Time>(row, "time");
  };
  add("[1, 2, 16]", "12");  // until MPI's slots are polled
  add("[256, 4096]", "1");  // which are too long for a slot
  return out;
}

Time ping_pong(const config::Override& library, Overrides more = {}) {
  more.push_back(library);
  more.push_back({"/scenario", R"({"kind": "ping_pong", "sizes": ["8 B"], "iterations": 4, "warm_up": 12})"});
  return cell<Time>(rows_of("halo_ha_pacs_tca", more).rows.front(), "latency");
}

/// Bytes a second, by a thousand million.
double giga(Bytes n, Time t) { return static_cast<double>(n.count()) / (static_cast<double>(t.fs()) * 1e-6); }

// Data of an MTU of 2,048 B at 4 GB/s, 28 B around them.
constexpr double qdr = 4.0 * 2048 / 2076;

int ranks_asked() {
  const char* text = std::getenv("TSUNAGI_RANKS");
  return text == nullptr ? 48 : std::atoi(text);
}

}  // namespace

TEST_CASE("HA-PACS/TCA: small halos are there first over PEACH2, large ones by MPI over InfiniBand") {
  const auto tca = halo(), mpi = halo({by_mpi});
  // A short message is stores of the core into the other node's memory, of eight bytes a PCIe write. MPI has headers to
  // build and to handle on top, a card at either end, and a completion to poll for.
  CHECK(mpi.at(64) > tca.at(64) * 2);
  // Beyond what goes inline with a request, the card reads it from memory: twice, one behind the other.
  // One of them takes 276 ns in the host and 52 in the card, and the other ends no sooner.
  CHECK(mpi.at(128) - mpi.at(64) > 328_ns);
  CHECK(tca.at(128) - tca.at(64) < 200_ns);
  CHECK(mpi.at(1024) > tca.at(1024));
  // A PEACH2 board's host link has 8 lanes of Gen2, less than a port of QDR.
  for (const std::int64_t face : {16384, 262144}) {
    CAPTURE(face);
    CHECK(tca.at(face) * 10 > mpi.at(face) * 11);
    CHECK(giga(Bytes(face * 4), mpi.at(face)) < qdr);
    CHECK(giga(Bytes(face * 4), tca.at(face)) < 4.0 * 256 / 280);
  }
}

TEST_CASE("HA-PACS/TCA: a second rail is for large halos") {
  const auto one = halo({by_mpi}), two = halo({{"/library", use("parts/mvapich2_1_9b_second_socket_two_rails.json")}});
  // No more than that a queue pair of its own is idle, and its context looked up: 17 cycles of 4 ns.
  CHECK(two.at(64) <= one.at(64) + 68_ns);
  CHECK(one.at(64) <= two.at(64) + 68_ns);
  CHECK(one.at(262144) * 2 > two.at(262144) * 3);
  CHECK(one.at(262144) < two.at(262144) * 2);
}

TEST_CASE("HA-PACS/TCA: from the socket without the card a message crosses QPI twice") {
  const config::Override far = {"/library", use("parts/mvapich2_1_9b.json")};
  // The core's store to the card, and at the other end the card's write to memory: 20 ns of flight each at least, and
  // a remote memory's.
  const Time more = ping_pong(far) - ping_pong(by_mpi);
  CHECK(more > 40_ns);
  CHECK(more < 120_ns);
}

TEST_CASE("HA-PACS/TCA: the same with trains and without") {
  for (const bool mpi : {false, true}) {
    CAPTURE(mpi);
    const auto digest = [&](const std::string& max_train) {
      Overrides all = {{"/options/max_train", max_train}, {"/scenario/scales", "[1, 300]"}};
      if (mpi) all.push_back(by_mpi);
      return report::digest(rows_of("halo_ha_pacs_tca", all));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("HA-PACS base cluster: two rails of a card carry more than one, less than its slot") {
  const auto rate = [](const std::string& rails) {
    const runner::Outcome out =
        simulated(run_of("ib_write_bw_two_rails", {{"/machine", use("machines/ha_pacs_base.json")},
                                                   {"/library/rails", rails},
                                                   {"/scenario/sizes", R"(["1 MiB"])"}}));
    // Two ranks of 268 send: what all others have posted is written down when somebody sends to them.
    if (!sanitized) CHECK(out.cost.peak_rss_bytes <= (std::int64_t{600} << 20));
    const report::Row& row = out.rows.rows.front();
    return giga(cell<Bytes>(row, "bytes"), cell<Time>(row, "time"));
  };
  const double one = rate(R"(["hca.port1"])"), other = rate(R"(["hca.port2"])");
  const double both = rate(R"(["hca.port1", "hca.port2"])");
  CHECK(one > 0.98 * qdr);
  CHECK(one < qdr);
  CHECK(other == Approx(one).epsilon(1e-6));
  // Writes of 256 B with 24 around them at 8 lanes of Gen3.
  CHECK(both > 1.7 * one);
  CHECK(both < 8 * 128.0 / 130 * 256 / 280);
}

TEST_CASE("HA-PACS base cluster: an all-to-all of 2 KiB a pair", "[all_to_all]") {
  const int ranks = ranks_asked();
  const auto run = run_of("all_to_all_mpi", {{"/scenario/ranks", std::to_string(ranks)},
                                             {"/scenario/sizes", R"(["2 KiB"])"},
                                             {"/scenario/algorithms", R"(["linear"])"},
                                             {"/scenario/warm_up", "0"}});
  const runner::Outcome out = simulated(run);
  UNSCOPED_INFO(out.cost.cpu_s << " s, " << out.cost.peak_rss_bytes << " B, " << out.cost.wakeups << " wake-ups");
  REQUIRE(out.rows.rows.size() == 1);
  const report::Row& row = out.rows.rows.front();
  CHECK(cell<Bytes>(row, "bytes") == 2_KiB * (ranks - 1));
  CHECK(giga(cell<Bytes>(row, "bytes"), cell<Time>(row, "time")) < qdr);
  // A message takes a core less than 1 us at each end, and the receiver's a look at up to 255 receives, 12 cycles each.
  CHECK(cell<Time>(row, "time") < (2_us + 1200_ns) * ranks);
  if (sanitized) return;
  // With 256 ranks it takes half of that on one core of a cloud machine.
  CHECK(out.cost.cpu_s <= 30);
  CHECK(out.cost.peak_rss_bytes <= (std::int64_t{1} << 30));
}

TEST_CASE("HA-PACS base cluster: what does not fit is refused before time 0") {
  const char* run = "all_to_all_mpi";
  CHECK_THAT(refusal(run, {{"/scenario/ranks", "269"}}), Catch::Contains("needs 269 ranks, the library has 268"));
  CHECK_THAT(refusal(run, {{"/machine/topology/networks/rail1/nodes", "100"}}),
             Catch::Contains("node100.hca: nothing is connected to port1"));
  const config::Override both = {"/library/rails", R"(["hca.port1", "hca.port2"])"};
  CHECK_THAT(refusal(run, {both, {"/machine/topology/networks/rail2/nodes", "100"}}),
             Catch::Contains("node100.hca: nothing is connected to port2"));
  CHECK_THAT(refusal(run, {{"/machine/topology/networks/rail2/nodes", "269"}}),
             Catch::Contains("has 269 terminals from node 0 on, but there are 268 nodes"));
  CHECK_THAT(refusal("halo_ha_pacs_tca", {by_mpi, {"/scenario/grid", "[8, 4]"}}),
             Catch::Contains("has 32 places for 16 ranks"));
}

}  // namespace ha_pacs_test
