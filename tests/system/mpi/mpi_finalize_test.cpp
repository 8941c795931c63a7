// SPDX-License-Identifier: Apache-2.0
// What ranks of library mpi owe each other when their programs make no calls: credits that are told by messages into
// receives, of which a rank without any left hears nothing, and its peer tries for ever.
#include <fmt/format.h>

#include <cstdint>

#include "support/child.hpp"
#include "support/random/random_program.hpp"
#include "system/mpi/mpi_pair.hpp"

namespace mpi_finalize_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Few receives, and few slots that are used from the second message on, on 16 nodes.
Overrides scarce(int receives, int slots) {
  return {{"/library/receives", std::to_string(receives)},
          {"/library/fast_path/slots", std::to_string(slots)},
          {"/library/fast_path/after", "1"}};
}

/// How long it may take: no retry of a receiver that is not ready waits for so long.
constexpr Time soon = 100_ms;

std::int64_t calls(ProgramBench& b, const std::string& name) {
  for (const comm::Accounts::Step& s : b.library().accounts().steps())
    if (s.name == name) return s.calls;
  return 0;
}

/// Nothing that was posted or sent has not been taken: of each there is a completion, or a slot, that was polled.
void expect_quiet(ProgramBench& b) {
  REQUIRE(calls(b, "post the send") > 0);
  REQUIRE(calls(b, "poll a send's completion") == calls(b, "post the send") + calls(b, "post the write"));
  REQUIRE(calls(b, "poll a receive's completion") + calls(b, "poll a slot") == calls(b, "post the send"));
}

}  // namespace

TEST_CASE("mpi: a rank whose program has ended takes what others tell it of credits") {
  for (const int iterations : {3, 4, 5, 6, 18}) {
    Overrides all = scarce(2, 4);
    all.push_back({"/machine", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/machines/ib_fat_tree_16.json"})"});
    all.push_back(
        {"/scenario", fmt::format(R"({{"kind": "broadcast", "ranks": 4, "sizes": ["8 B"], "algorithms": ["linear"],
                                   "iterations": {}, "warm_up": 0, "back_to_back": true}})",
                                  iterations)});
    all.push_back({"/options/limit_simulated_time", "\"100 ms\""});
    CAPTURE(iterations);
    CHECK(rows_of("broadcast_mpi", all).rows.size() == 1);
  }
}

TEST_CASE("mpi: a rank whose program has ended has polled for all that was sent to it, whenever that came") {
  for (const int late : {0, 1}) {
    CHECK(in_child([late] {
            ProgramBench b(mpi_run, scarce(2, 4));
            b.program(0, [](comm::Rank& r) {
              for (int i = 0; i < 40; ++i) r.send(1, bytes(8_B));
            });
            b.program(1, [late](comm::Rank& r) {
              if (late == 1) r.compute(1_ms);
              for (int i = 0; i < 40; ++i) r.recv(0, bytes(8_B));
            });
            b.run(soon);
            REQUIRE(calls(b, "post the send") > 40);  // notices beside the messages
            expect_quiet(b);
            return std::string("ended");
          }) == "ended");
  }
}

TEST_CASE("mpi: a rank at a start line lets those go on that still send to it") {
  ProgramBench b(mpi_run, scarce(2, 0));
  comm::StartLine line;
  constexpr int messages = 20;
  b.program(0, [&line](comm::Rank& r) {
    std::vector<comm::Request> sent;
    for (int i = 0; i < messages; ++i) sent.push_back(r.world().isend(1, i, bytes(64_B)));
    r.world().wait_all(sent);
    r.meet(line, [] {});
  });
  b.program(1, [&line](comm::Rank& r) {
    r.meet(line, [] {});
    for (int i = messages; i-- > 0;) r.world().recv(0, i, bytes(64_B));
  });
  b.run(soon);
  expect_quiet(b);
}

TEST_CASE("mpi: a rank that waits for a message that never comes is named, and none that only waits for its end") {
  ProgramBench b(mpi_run);
  b.program(0, [](comm::Rank& r) { r.send(1, bytes(8_B)); });
  b.program(1, [](comm::Rank& r) {
    r.recv(0, bytes(8_B));
    r.recv(0, bytes(8_B));
  });
  std::string said;
  try {
    b.run(soon);
  } catch (const std::runtime_error& e) {
    said = e.what();
  }
  CHECK_THAT(said, Catch::Contains("no progress is possible any more"));
  CHECK_THAT(said, Catch::Contains("rank 1 waits for"));
  CHECK_THAT(said, !Catch::Contains("rank 0 waits for"));
}

TEST_CASE("mpi: messages that nobody receives are named, though all programs have ended") {
  ProgramBench b(mpi_run);
  b.program(0, [](comm::Rank& r) { r.send(1, bytes(8_B)); });
  b.program(1, [](comm::Rank&) {});
  std::string said;
  try {
    b.run(soon);
  } catch (const std::runtime_error& e) {
    said = e.what();
  }
  CHECK_THAT(said, Catch::StartsWith("the run ended, but not all came home"));
  CHECK_THAT(said, Catch::Contains("rank 1 never received"));
}

TEST_CASE("mpi: random programs end with however few receives and slots") {
  for (int receives = 2; receives <= 4; ++receives)
    for (int slots = 1; slots <= 8; slots += receives == 2 ? 1 : 3) {
      INFO(receives << " receives, " << slots << " slots");
      CHECK(in_child([receives, slots] {
              const Bytes eager = 256_B;
              Overrides all = scarce(receives, slots);
              all.push_back({"/library/eager_limit", "\"256 B\""});
              all.push_back({"/library/rendezvous", slots % 2 == 0 ? "\"rput\"" : "\"r3\""});
              all.push_back({"/library/r3_window", "\"17 KiB\""});
              ProgramBench b(mpi_run, all);
              b.world().check_data();
              RandomProgram program(b.ranks(), static_cast<std::uint64_t>(10 * receives + slots), eager);
              for (int rank = 0; rank < b.ranks(); ++rank) {
                b.world().ledger()->fill(rank, {{}, RandomProgram::source_size, {}, {}}, std::to_string(rank));
                b.program(rank, [&program](comm::Rank& r) { program.run(r, {}); });
              }
              b.run(soon);
              const std::string report = program.report();
              return report.find("WRONG") == std::string::npos ? std::string("ended") : report;
            }) == "ended");
    }
}

}  // namespace mpi_finalize_test
