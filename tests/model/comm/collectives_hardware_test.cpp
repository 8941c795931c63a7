// SPDX-License-Identifier: Apache-2.0
// A library whose hardware does some collectives, in place of messages.
#include <map>

#include "support/grid_bench.hpp"

namespace collectives_hardware_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Collective;
using comm::CollectiveCall;

namespace {

/// Datagrams, and a network that does barriers, broadcasts and reductions of an even number of ranks in 100 ns.
class Wired final : public comm::Library, private comm::HardwareCollectives {
 public:
  explicit Wired(comm::Library& below) : below_(below) {
    add_facet<comm::HardwareCollectives>(*this);
    add_facets_of<comm::Transport>(below);
  }
  int ranks() const override { return below_.ranks(); }
  Bytes largest_message() const override { return below_.largest_message(); }
  void send(Fiber& f, int from, int to, const Buffer& b) override { below_.send(f, from, to, b); }
  void recv(Fiber& f, int to, int from, const Buffer& b) override { below_.recv(f, to, from, b); }
  std::string place(int rank) const override { return below_.place(rank); }
  /// Lets ranks go before all have come.
  void break_down() { broken_ = true; }

 private:
  std::string refusal(const std::vector<int>& ranks, const CollectiveCall& c) override {
    if (ranks.size() % 2 != 0) return "an even number of ranks only";
    return c.kind == Collective::reduce ? "no reduce to one" : "";
  }
  void run(Fiber& f, const std::vector<int>& ranks, int, const CollectiveCall&) override {
    if (!broken_) lines_[ranks].meet(f, static_cast<int>(ranks.size()), [] {});
    f.wait_for(100_ns);
  }
  comm::Library& below_;
  std::map<std::vector<int>, comm::StartLine> lines_;
  bool broken_ = false;
};

const Buffer in{0_B, 64_B, {}, {}};
const Buffer out{1_KiB, 64_B, {}, {}};

/// Four ranks with that library.
struct WiredBench {
  GridBench grid{crossbar(4)};
  Wired library{grid.library()};
  comm::World world{library};
  WiredBench() {
    world.check_data();
    world.set_scratch(1_MiB, 1_MiB);
  }
  void program(int rank, const std::function<void(comm::Rank&, comm::Group&)>& f) {
    grid.sim().spawn("rank " + std::to_string(rank), [this, rank, f](Fiber& fiber) {
      comm::Rank r(world, fiber, rank);
      comm::Group g = r.world();
      f(r, g);
      world.finish(fiber, rank);
    });
  }
};

}  // namespace

TEST_CASE("hardware does the collectives that it offers") {
  WiredBench b;
  for (int rank = 0; rank < 4; ++rank)
    b.program(rank, [&, rank](comm::Rank& r, comm::Group& g) {
      if (rank == 2) r.wait_until(1_us);
      g.barrier();
      CHECK(r.now() == 1_us + 100_ns);
      b.world.ledger()->fill(rank, in, std::to_string(rank));
      g.allreduce(in, out);
      b.world.ledger()->expect(rank, out, "(((0+1)+2)+3)", {}, "allreduce");
      g.broadcast(3, in);
      b.world.ledger()->expect(rank, in, "3", {}, "broadcast");
      CHECK(r.now() == 1_us + 300_ns);
      g.broadcast(3, in, {"binomial"});
      g.reduce(0, in, out);
      CHECK(r.now() > 1_us + 300_ns);
      if (rank == 0) b.world.ledger()->expect(rank, out, "((3+3)+(3+3))", {}, "reduce");
    });
  b.grid.run();
}

TEST_CASE("hardware refuses what it does not offer") {
  WiredBench b;
  for (int rank = 0; rank < 4; ++rank)
    b.program(rank, [&, rank](comm::Rank&, comm::Group& g) {
      CHECK_THROWS_WITH(g.reduce(0, in, out, {"hardware"}),
                        "rank " + std::to_string(rank) + ": reduce by \"hardware\": no reduce to one");
      CHECK_THROWS_WITH(g.gather(0, in, {1_KiB, 256_B, {}, {}}, {"hardware"}),
                        "rank " + std::to_string(rank) + ": gather by \"hardware\": no hardware does that");
      comm::Group three = g.split(rank < 3 ? 0 : 1, rank);
      CHECK_THROWS_WITH(three.barrier({"hardware"}),
                        "rank " + std::to_string(rank) + ": barrier by \"hardware\": an even number of ranks only");
      three.barrier();
      const comm::CollectiveCall barrier{Collective::barrier, 0, {}, {}};
      CHECK(comm::refusal(4, barrier, "hardware", comm::means(b.world, {0, 1, 2, 3}, barrier)).empty());
    });
  b.grid.run();
}

TEST_CASE("hardware that lets a rank go before the others have come is found out") {
  WiredBench b;
  b.library.break_down();
  b.program(1, [&](comm::Rank&, comm::Group& g) {
    CHECK_THROWS_WITH(g.broadcast(0, in), "rank 1 leaves a broadcast by hardware before rank 0 has come to it");
  });
  b.grid.run();
}

}  // namespace collectives_hardware_test
