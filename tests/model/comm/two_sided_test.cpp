// SPDX-License-Identifier: Apache-2.0
// A library that brings its own two-sided messages.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/sender_matched.hpp"

namespace two_sided_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

/// Ranks of that library; their programs begin at 0.
struct SenderBench {
  explicit SenderBench(int ranks) : library(ranks) {}
  void program(int rank, const std::function<void(comm::Rank&, comm::Group&)>& f) {
    sim.spawn("rank " + std::to_string(rank), [this, rank, f](Fiber& fiber) {
      comm::Rank r(world, fiber, rank);
      comm::Group g = r.world();
      f(r, g);
      world.finish(fiber, rank);
    });
  }
  void run() {
    REQUIRE(sim.run(1_s));
    REQUIRE(sim.unfinished().empty());
  }
  sim::Simulation sim;
  SenderMatched library;
  comm::World world{library};
};

struct Heard final : comm::Listener {
  std::vector<comm::Call> calls;
  std::vector<comm::Wait> waits;
  void call(const comm::Call& c) override { calls.push_back(c); }
  void step(const comm::Step&) override {}
  void wait(const comm::Wait& w) override { waits.push_back(w); }
};

constexpr Time call = SenderMatched::call;
constexpr Time flight = SenderMatched::flight;
const Buffer out{0_B, 64_B, {}, {}};
const Buffer in{1_KiB, 64_B, {}, {}};

}  // namespace

TEST_CASE("messages of a library's own meet where that library has them meet") {
  SenderBench b(2);
  b.world.check_data();
  Heard heard;
  b.world.set_listener(heard);
  b.program(0, [&](comm::Rank& r, comm::Group& g) {
    r.ledger()->fill(0, out, "here");
    g.send(1, 7, out);
    CHECK(r.now() == call * 2 + flight);  // the receive, its second call, is known
    r.wait_until(1_us);
    g.send(1, 8, out);
    CHECK(r.now() == 1_us + call);  // it was
  });
  b.program(1, [&](comm::Rank& r, comm::Group& g) {
    const comm::Request later = g.irecv(0, 8, in);
    g.recv(0, 7, in);
    CHECK(r.now() == call * 2 + flight * 2);
    r.ledger()->expect(1, in, "here", {}, "test");
    CHECK(!g.test(later));
    CHECK(g.wait(later).tag == 8);
    CHECK(r.now() == 1_us + call + flight);
  });
  b.run();
  CHECK(b.world.leftovers() == std::vector<std::string>{});
  CHECK(b.library.accounts().messages() == 2);
  REQUIRE(heard.calls.size() == 4);
  for (const std::uint64_t message : {1, 2})
    CHECK(std::count_if(heard.calls.begin(), heard.calls.end(),
                        [&](const comm::Call& c) { return c.message == message; }) == 2);
  REQUIRE(heard.waits.size() == 3);
  CHECK(heard.waits[0].kind == comm::Envelope::Kind::clear_to_send);
  CHECK(heard.waits[0].rank == 0);
  CHECK(heard.waits[0].message == 1);
  CHECK(heard.waits[0].arrived == call * 2 + flight);
}

TEST_CASE("collectives run over messages of a library's own") {
  constexpr int ranks = 5;
  SenderBench b(ranks);
  b.world.check_data();
  b.world.set_scratch(1_MiB, 1_MiB);
  for (int rank = 0; rank < ranks; ++rank)
    b.program(rank, [&, rank](comm::Rank& r, comm::Group& g) {
      r.ledger()->fill(rank, out, std::to_string(rank));
      g.barrier();
      g.broadcast(3, out, {"binomial"});
      r.ledger()->expect(rank, out, "3", {}, "broadcast");
      r.ledger()->fill(rank, out, std::to_string(rank));
      g.reduce(0, out, in, {"binomial"});
      if (rank == 0) r.ledger()->expect(rank, in, "(((0+1)+(2+3))+4)", {}, "reduce");
    });
  b.run();
  CHECK(b.world.leftovers() == std::vector<std::string>{});
}

TEST_CASE("areas in blocks are refused where a library does not take them") {
  SenderBench b(2);
  b.program(0, [&](comm::Rank& r, comm::Group& g) {
    const std::string refusal = "rank 0 uses an area in blocks: this library takes contiguous areas alone";
    const Buffer blocks{0_B, 64_B, {}, {}, {}, 16_B, 32_B};
    CHECK_THROWS_WITH(g.send(1, 0, blocks), refusal);
    CHECK_THROWS_WITH(g.recv(1, 0, blocks), refusal);
    CHECK_THROWS_WITH(g.isend(1, 0, blocks), refusal);
    CHECK_THROWS_WITH(g.irecv(1, 0, blocks), refusal);
    CHECK_THROWS_WITH(r.send(1, blocks), refusal);
    CHECK_THROWS_WITH(r.recv(1, blocks), refusal);
    CHECK_NOTHROW(r.copy(in, blocks));  // within a rank's memory all go
    CHECK_THROWS_WITH(g.broadcast(0, blocks), Catch::Contains("contiguous areas alone"));
    CHECK_THROWS_WITH(g.allreduce(blocks, out), Catch::Contains("contiguous areas alone"));
  });
  b.run();
}

TEST_CASE("what a library's own messages cannot do is refused, and what they leave is told") {
  SenderBench b(2);
  b.program(0, [&](comm::Rank&, comm::Group& g) {
    const std::string refusal = "rank 0 looks for messages that it has not received, which this library does not show";
    CHECK_THROWS_WITH(g.probe(1, 0), refusal);
    CHECK_THROWS_WITH(g.iprobe(1, 0), refusal);
    CHECK_THROWS_WITH(g.irecv(comm::any_source, 0, in), "rank 0 has to name a source");
    g.irecv(1, 4, in);
    g.isend(1, 5, out);
  });
  b.program(1, [](comm::Rank&, comm::Group&) {});
  b.run();
  CHECK(b.world.leftovers() == std::vector<std::string>{"nobody received a message of rank 0 with tag 5 to rank 1",
                                                        "rank 0 posted a receive of rank 1 with tag 4"});
}

}  // namespace two_sided_test
