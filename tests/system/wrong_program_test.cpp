// SPDX-License-Identifier: Apache-2.0
// Programs of two-sided messages that are wrong: the run ends, and says which ranks are in which calls.
#include <memory>

#include "cluster/cluster.hpp"
#include "model/tlm/tlm_bench.hpp"
#include "support/grid_bench.hpp"
#include "support/rendezvous.hpp"
#include "support/temporary_folder.hpp"

namespace wrong_program_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

/// Four ranks at a crossbar, as a program that embeds them has them.
struct Four {
  TemporaryFolder folder;
  Cluster cluster{folder
                      .write("four.json", R"({"machine": {"$use": ")" TSUNAGI_TEST_CONFIGS
                                          R"(/machines/crossbar_16.json", "topology": {"terminals": 4}},
                                              "library": {"kind": "datagram"}})")
                      .string()};
  void all(const std::function<void(comm::Group&)>& program) {
    for (int rank = 0; rank < 4; ++rank)
      cluster.program(rank, [program](comm::Rank& r) {
        comm::Group g = r.world();
        program(g);
      });
  }
  /// What finish() says.
  std::string says() {
    try {
      sc_core::sc_start(sc(1_ms));
      cluster.finish();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "nothing";
  }
};

Buffer bytes(Bytes n) { return {{}, n, {}, {}}; }

}  // namespace

TEST_CASE("ranks that all receive first are told with their calls as a circle") {
  Four f;
  f.all([](comm::Group& g) {
    g.recv((g.rank() + 1) % 4, 5, bytes(64_B));
    g.send((g.rank() + 3) % 4, 5, bytes(64_B));
  });
  const std::string said = f.says();
  for (const char* line : {"rank 0 waits for a message, in recv with rank 1, tag 5, 64 B",
                           "rank 3 waits for a message, in recv with rank 0",
                           "rank 2 posted a receive of rank 3 with tag 5 that got no message",
                           "ranks wait for each other in a circle: rank 0 in recv with rank 1"})
    CHECK_THAT(said, Catch::Contains(line));
}

TEST_CASE("ranks that do different collectives are told with both calls") {
  Four f;
  f.all([](comm::Group& g) {
    g.barrier();
    if (g.rank() == 2)
      g.barrier();
    else
      g.broadcast(1, bytes(4_KiB));
  });
  CHECK_THAT(f.says(), Catch::Contains("collective calls do not match") && Catch::Contains("rank 2 ") &&
                           Catch::Contains("barrier") && Catch::Contains("broadcast of 4 KiB, root 1"));
}

TEST_CASE("a collective that a rank leaves out is told") {
  Four f;
  f.all([](comm::Group& g) {
    if (g.rank() != 3) g.barrier();
  });
  const std::string said = f.says();
  CHECK_THAT(said, Catch::Contains("rank 0 waits for a message, in barrier"));
  CHECK_THAT(said, !Catch::Contains("rank 3 waits"));
}

TEST_CASE("a message that is longer than its receive is told with both ranks") {
  Four f;
  f.all([](comm::Group& g) {
    if (g.rank() == 0) g.send(1, 7, bytes(128_B));
    if (g.rank() == 1) g.recv(0, 7, bytes(64_B));
  });
  CHECK_THAT(f.says(),
             Catch::Contains("truncated: rank 1 receives 64 B of rank 0 with tag 7, but the message of rank 0 "
                             "with tag 7 has 128 B"));
}

TEST_CASE("a message that nobody receives is told") {
  Four f;
  f.all([](comm::Group& g) {
    if (g.rank() == 0) g.send(1, 7, bytes(128_B));
  });
  CHECK_THAT(f.says(), Catch::Contains("rank 1 never received the last 1 of the messages of rank 0"));
}

TEST_CASE("a message that its receiver has seen but not received is told") {
  Four f;
  f.all([](comm::Group& g) {
    if (g.rank() == 0) g.send(1, 7, bytes(128_B));
    if (g.rank() == 0) g.send(1, 8, bytes(8_B));
    if (g.rank() == 1) g.recv(0, 8, bytes(8_B));
  });
  CHECK_THAT(f.says(), Catch::Contains("rank 1 never received a message of rank 0 with tag 7, 128 B"));
}

TEST_CASE("collectives of programs that others write have memory beside buffers") {
  Four f;
  int in_halves = 0;
  f.all([&](comm::Group& g) { in_halves += g.split(g.rank() % 2, g.rank()).size(); });
  CHECK(f.says() == "nothing");
  CHECK(in_halves == 8);
}

namespace {

/// Ranks at a crossbar whose messages wait for their receivers.
struct Late {
  explicit Late(int ranks) : bench(crossbar(ranks)) {}
  void all(const std::function<void(comm::Rank&)>& program) {
    for (int rank = 0; rank < library.ranks(); ++rank)
      bench.sim().spawn("rank " + std::to_string(rank), [this, rank, program](Fiber& f) {
        comm::Rank r(world, f, rank);
        program(r);
        world.finish(f, rank);
      });
  }
  GridBench bench;
  Rendezvous library{bench.library()};
  comm::World world{library};
};

}  // namespace

TEST_CASE("ranks that all send first wait in a circle where messages wait for their receivers") {
  Late l(3);
  l.all([](comm::Rank& r) {
    comm::Group g = r.world();
    g.send((g.rank() + 1) % 3, 0, bytes(64_B));
    g.recv((g.rank() + 2) % 3, 0, bytes(64_B));
  });
  CHECK(l.bench.sim().run(1_s));
  CHECK(l.bench.sim().unfinished().size() == 3);
  CHECK(l.world.calls().circle() ==
        "ranks wait for each other in a circle: rank 0 in send with rank 1, tag 0, 64 B; rank 1 in send with rank 2, "
        "tag 0, 64 B; rank 2 in send with rank 0, tag 0, 64 B");
}

TEST_CASE("a wrong byte ends the program of the rank that has it") {
  Late l(2);
  l.world.check_data();
  l.all([](comm::Rank& r) {
    comm::Group g = r.world();
    r.ledger()->fill(r.id(), bytes(64_B), std::to_string(r.id()));
    if (r.id() == 0) g.send(1, 0, bytes(60_B));
    if (r.id() == 0) return;
    g.recv(0, 0, bytes(64_B));
    r.ledger()->expect(1, bytes(64_B), "0", {}, "the test");
  });
  CHECK_THROWS_WITH(l.bench.sim().run(1_s), "the test: rank 1 should have 0[0, 64) at 0, but has 0[0, 60), 1[60, 64)");
}

}  // namespace wrong_program_test
