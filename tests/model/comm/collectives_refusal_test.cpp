// SPDX-License-Identifier: Apache-2.0
// Collective calls that do not match or cannot be done: the errors name ranks and calls.
#include "support/grid_bench.hpp"
#include "support/sanitized.hpp"

namespace collectives_refusal_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

Buffer at(Bytes begin, Bytes n) { return {begin, n, {}, {}}; }

/// Ranks 1 and 2 of four, as group ranks 0 and 1; rank 2 comes later with another call.
void expect_mismatch(const std::function<void(comm::Group&)>& first, const std::function<void(comm::Group&)>& second,
                     const std::string& error) {
  GridBench b(crossbar(4));
  b.world().set_scratch(1_MiB, 1_MiB);
  int thrown = 0;
  for (int rank = 0; rank < 4; ++rank)
    b.program(rank, [&, rank](comm::Rank& r) {
      comm::Group g = r.world().split(rank == 1 || rank == 2 ? 1 : 0, rank);
      if (rank == 1) {
        first(g);
      } else if (rank == 2) {
        r.wait_until(100_us);
        CHECK_THROWS_WITH(second(g), error);
        ++thrown;
      }
    });
  b.sim().run(1_s);  // rank 1 may wait for ever
  CHECK(thrown == 1);
}

}  // namespace

TEST_CASE("collective calls of different kinds do not match") {
  expect_leaks();
  expect_mismatch([](comm::Group& g) { g.barrier(); }, [](comm::Group& g) { g.broadcast(0, at({}, 8_B)); },
                  "collective calls do not match: as its call 0 in a group of 2, rank 2 does broadcast of 8 B, root 1, "
                  "but rank 1 barrier");
}

TEST_CASE("collective calls with different roots do not match") {
  expect_leaks();
  expect_mismatch([](comm::Group& g) { g.broadcast(0, at({}, 8_B)); },
                  [](comm::Group& g) { g.broadcast(1, at({}, 8_B)); },
                  "collective calls do not match: as its call 0 in a group of 2, rank 2 does broadcast of 8 B, root 2, "
                  "but rank 1 broadcast of 8 B, root 1");
}

TEST_CASE("collective calls of different sizes do not match") {
  expect_leaks();
  const auto reduce = [](Bytes n) { return [n](comm::Group& g) { g.reduce(0, at({}, n), at(1_KiB, n)); }; };
  expect_mismatch(
      reduce(16_B), reduce(8_B),
      "collective calls do not match: as its call 0 in a group of 2, rank 2 does reduce of 8 B, root 1, but "
      "rank 1 reduce of 16 B, root 1");
}

TEST_CASE("collective calls by different algorithms do not match") {
  expect_leaks();
  const auto by = [](const char* name) {
    return [name](comm::Group& g) { g.allreduce(at({}, 8_B), at(64_B, 8_B), {name}); };
  };
  expect_mismatch(by("ring"), by("rabenseifner"),
                  "collective calls do not match: as its call 0 in a group of 2, rank 2 does allreduce of 8 B, by "
                  "\"rabenseifner\", but rank 1 allreduce of 8 B, by \"ring\"");
}

TEST_CASE("collective calls with different blocks do not match") {
  expect_leaks();
  const auto of = [](std::vector<Bytes> sizes) {
    return [sizes](comm::Group& g) { g.gather_v(0, at({}, 9_B), at(1_KiB, 64_B), sizes); };
  };
  expect_mismatch(
      of({8_B, 9_B}), of({9_B, 8_B}),
      "collective calls do not match: as its call 0 in a group of 2, rank 2 does gather of blocks of 9 8 B, "
      "root 1, but rank 1 gather of blocks of 8 9 B, root 1");
}

TEST_CASE("an all-to-all whose ranks expect other blocks than they are sent names both") {
  expect_leaks();
  expect_mismatch(
      [](comm::Group& g) {
        g.all_to_all_v(at({}, 16_B), at(64_B, 16_B), {8_B, 8_B}, {8_B, 8_B});
      },
      [](comm::Group& g) {
        g.all_to_all_v(at({}, 64_B), at(64_B, 64_B), {8_B, 8_B}, {16_B, 8_B});
      },
      "rank 2 expects 16 B of rank 1 in a collective, which sends 8 B");
}

TEST_CASE("a rank that waits in a collective says in which one") {
  expect_leaks();
  GridBench b(crossbar(4));
  b.program(1, [](comm::Rank& r) { r.world().broadcast(0, at({}, 4_KiB)); });
  b.sim().run(1_s);
  CHECK(b.world().calls().text(1) == "in broadcast, 4 KiB");
}

TEST_CASE("a collective that cannot be done is refused before anything is sent") {
  expect_leaks();
  GridBench b(crossbar(4));
  b.world().set_scratch(1_MiB, 64_B);
  const auto refuse = [](int rank, const std::string& why) { return "rank " + std::to_string(rank) + ": " + why; };
  for (int rank = 0; rank < 4; ++rank)
    b.program(rank, [&, rank](comm::Rank& r) {
      comm::Group g = r.world();
      const Buffer b8 = at({}, 8_B);
      CHECK_THROWS_WITH(g.barrier({"tre"}),
                        refuse(rank,
                               "there is no barrier by \"tre\"; did you mean \"tree\"? algorithms: dissemination, "
                               "tree, hardware, software"));
      CHECK_THROWS_WITH(g.reduce(1, at({}, 100_B), at(1_KiB, 100_B), {"binomial"}),
                        refuse(rank,
                               "reduce by \"binomial\" of 4 ranks needs 200 B of memory beside its buffers, but "
                               "there are 64 B"));
      CHECK_THROWS_WITH(g.broadcast(4, b8), refuse(rank, "broadcast: there is no rank 4 in a group of 4"));
      CHECK_THROWS_WITH(g.broadcast(0, b8, {"chain", 0_B}),
                        refuse(rank, "broadcast by \"chain\": segments of at least 1 B, not 0 B"));
      CHECK_THROWS_WITH(g.allgather(b8, at(64_B, 31_B)),
                        refuse(rank, "allgather: `out` has 31 B, but the call moves 32 B there"));
      CHECK_THROWS_WITH(g.all_to_all(at({}, 33_B), at(64_B, 64_B)),
                        refuse(rank, "all_to_all: `in` of 33 B is not 4 equal blocks"));
      CHECK_THROWS_WITH(g.all_to_all(at({}, 32_B), at(31_B, 32_B)), refuse(rank, "all_to_all: `in` and `out` overlap"));
      CHECK_THROWS_WITH(g.allgather_v(b8, at(64_B, 64_B), {8_B}),
                        refuse(rank, "allgather: has sizes of 1 blocks in a group of 4"));
      if (rank == 1)
        CHECK_THROWS_WITH(g.gather(1, b8, at(64_B, 8_B)),
                          refuse(1, "gather: `out` has 8 B, but the call moves 32 B there"));
    });
  b.run();
}

}  // namespace collectives_refusal_test
