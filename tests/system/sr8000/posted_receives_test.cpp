// SPDX-License-Identifier: Apache-2.0
// Receives that are posted long before their messages: the scenario against closed forms.
#include "scenarios/benchmarks/posted_receives.hpp"

#include <string>

#include "report/digest.hpp"
#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/sender_matched.hpp"
#include "system/simulated.hpp"

namespace posted_receives_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Datagrams on a crossbar of two ports: links of 16 B a nanosecond, 8 B of header, flits of 16 B.
report::Row datagrams(const std::string& scenario) {
  const report::Rows all = rows_of(
      "broadcast_crossbar",
      {{"/machine/topology/terminals", "2"}, {"/scenario", R"({"kind": "posted_receives", )" + scenario + "}"}});
  REQUIRE(all.rows.size() == 1);
  return all.rows.front();
}

/// By a library whose messages meet at their sender.
report::Row sender_matched(scenarios::PostedReceivesConfig c) {
  sim::Simulation sim;
  SenderMatched library(3);
  comm::World world(library);
  scenarios::PostedReceives scenario(c);
  scenario.fit(world);
  report::Recorder recorder;
  for (int id = 0; id < library.ranks(); ++id)
    sim.spawn("rank " + std::to_string(id), [&, id](Fiber& fiber) {
      comm::Rank rank(world, fiber, id);
      scenario.program(rank, recorder);
      world.finish(fiber, id);
    });
  REQUIRE(sim.run(1_s));
  REQUIRE(sim.unfinished().empty());
  CHECK(world.leftovers() == std::vector<std::string>{});
  CHECK(library.accounts().messages() == 2 * (c.warm_up + c.outstanding));
  REQUIRE(recorder.rows().rows.size() == 1);
  return recorder.rows().rows.front();
}

constexpr Time call = SenderMatched::call;
constexpr Time flight = SenderMatched::flight;

}  // namespace

TEST_CASE("posted receives: datagrams cost what they cost alone, and posting costs nothing") {
  // Terminals' cycles, two wires, a router of three cycles, one flit.
  const Time packet = 1_ns * 2 + 5_ns * 2 + 3_ns + 1_ns;
  const report::Row many = datagrams(R"("outstanding": 600)");
  CHECK(cell<std::int64_t>(many, "outstanding") == 600);
  CHECK(cell<Bytes>(many, "size") == 4_B);
  CHECK(cell<Time>(many, "gap") == 0_ns);
  CHECK(cell<Time>(many, "latency") == packet);
  const report::Row one = datagrams(R"("outstanding": 1, "size": "256 B", "settle": "0 ns")");
  CHECK(one.find("gap") == nullptr);
  CHECK(cell<Time>(one, "latency") == packet + 1_ns * 16);  // 264 B in 17 flits
}

TEST_CASE("posted receives: where senders know of them a message is one call and one flight") {
  const report::Row row = sender_matched({600, 4_B, 2, 1_us});
  CHECK(cell<Time>(row, "gap") == call);
  CHECK(cell<Time>(row, "last_gap") == call);
  CHECK(cell<Time>(row, "latency") == call + flight);
}

TEST_CASE("posted receives: a message that does not wait until its sender can know of the receive waits for that") {
  const report::Row row = sender_matched({1, 4_B, 0, 0_ns});
  CHECK(row.find("last_gap") == nullptr);
  // Rank 0 hears of the receive, its bytes go; rank 1 has heard long before, calls, and its bytes go.
  CHECK(cell<Time>(row, "latency") == Time::from_fs((flight + flight + call + flight).fs() / 2));
}

TEST_CASE("posted receives: the same with trains and without") {
  const auto digest = [](const std::string& max_train) {
    return report::digest(rows_of(
        "posted_receives_mpi",
        {{"/options/max_train", max_train}, {"/scenario/outstanding", "50"}, {"/scenario/size", "\"20 KiB\""}}));
  };
  CHECK(digest("1") == digest("64"));
}

TEST_CASE("posted receives: one of MPI is osu_latency") {
  const report::Rows one =
      rows_of("posted_receives_mpi", {{"/scenario/outstanding", "1"}, {"/scenario/warm_up", "40"}});
  const report::Rows osu = rows_of(
      "mpi_latency", {{"/scenario/sizes", R"(["4 B"])"}, {"/scenario/warm_up", "40"}, {"/scenario/iterations", "1"}});
  CHECK(cell<Time>(one.rows.front(), "latency") == cell<Time>(osu.rows.front(), "latency"));
}

TEST_CASE("posted receives: what does not go together is refused") {
  CHECK_THAT(refusal("posted_receives_mpi", {{"/scenario/outstanding", "32769"}}), Catch::Contains("1 to 32768"));
  CHECK_THAT(refusal("posted_receives_mpi", {{"/scenario/size", "\"1 GiB\""}}), Catch::Contains("601 GiB"));
  CHECK_THAT(refusal("osu_bw", {{"/library/service", "\"unreliable_datagram\""},
                                {"/scenario", R"({"kind": "posted_receives"})"}}),
             Catch::Contains("needs two-sided messages"));
}

}  // namespace posted_receives_test
