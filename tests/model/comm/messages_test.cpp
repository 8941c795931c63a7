// SPDX-License-Identifier: Apache-2.0
// Two-sided messages over the datagram library: matching, order, requests, groups.
#include "support/grid_bench.hpp"

namespace messages_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::any_source;
using comm::any_tag;
using comm::Buffer;

namespace {

/// The messages of another library, and what `pass` was told.
class Passes final : public comm::Library, private comm::Transport {
 public:
  explicit Passes(comm::Library& carrier)
      : carrier_(carrier),
        below_(*carrier.facet<comm::Transport>()),
        heard_(static_cast<std::size_t>(carrier.ranks())) {
    add_facet<comm::Transport>(*this);
  }
  int ranks() const override { return carrier_.ranks(); }
  Bytes largest_message() const override { return carrier_.largest_message(); }
  std::string place(int rank) const override { return carrier_.place(rank); }
  /// Of a rank, since this was called last.
  std::string heard(int rank) { return std::exchange(heard_[static_cast<std::size_t>(rank)], {}); }

 private:
  Bytes eager_limit() const override { return below_.eager_limit(); }
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override {
    below_.post(f, from, to, e, b, request);
  }
  std::optional<comm::Arrival> next(Fiber& f, int rank) override { return below_.next(f, rank); }
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override {
    below_.wait(f, rank, events, until);
  }
  void pass(Fiber&, int rank, std::size_t pending) override {
    heard_[static_cast<std::size_t>(rank)] += std::to_string(pending) + " ";
  }

  comm::Library& carrier_;
  comm::Transport& below_;
  std::vector<std::string> heard_;
};

}  // namespace

TEST_CASE("receives take messages by source and tag in the order in which they were sent") {
  GridBench b(crossbar(4));
  b.program(0, [](comm::Rank& r) {
    comm::Group g = r.world();
    g.send(1, 7, {{}, 64_B, {}, {}});
    g.send(1, 8, {{}, 32_B, {}, {}});
    g.send(1, 7, {{}, 16_B, {}, {}});
  });
  b.program(1, [](comm::Rank& r) {
    comm::Group g = r.world();
    const Buffer in{{}, 64_B, {}, {}};
    CHECK(g.recv(0, 8, in).size == 32_B);
    CHECK(g.probe(any_source, any_tag).size == 64_B);
    CHECK(g.recv(any_source, 7, in).size == 64_B);
    const comm::Status last = g.recv(any_source, any_tag, in);
    CHECK(last.size == 16_B);
    CHECK(last.source == 0);
    CHECK(last.tag == 7);
  });
  b.run();
}

TEST_CASE("requests of both sides complete in calls") {
  GridBench b(crossbar(4));
  b.program(0, [](comm::Rank& r) {
    comm::Group g = r.world();
    std::vector<comm::Request> all;
    for (const int to : {1, 2, 3}) all.push_back(g.isend(to, 0, {{}, 256_B, {}, {}}));
    g.wait_all(all);
    for (const comm::Request& q : all) CHECK(q.at(comm::Milestone::completed) <= r.now());
    for (const int to : {1, 2, 3}) g.send(to, 1, {{}, 8_B, {}, {}});
  });
  for (const int rank : {1, 2, 3})
    b.program(rank, [](comm::Rank& r) {
      comm::Group g = r.world();
      const comm::Request later = g.irecv(0, 1, {{}, 8_B, {}, {}});
      const comm::Request q = g.irecv(0, 0, {{}, 256_B, {}, {}});
      CHECK(!g.test(q));
      CHECK(g.wait_any({later, q}) == 1);
      CHECK(q.status().size == 256_B);
      CHECK(!g.test(later));
      g.wait(later);
      const comm::Request own = g.isend(r.id(), 1, {{}, 8_B, {}, {}});
      CHECK(g.recv(r.id(), 1, {{}, 8_B, {}, {}}).size == 8_B);
      CHECK(g.test(own));
    });
  b.run();
}

TEST_CASE("who waits until a message has left is told with the message and when it had") {
  struct Waits final : comm::Listener {
    void call(const comm::Call&) override {}
    void step(const comm::Step&) override {}
    void wait(const comm::Wait& w) override {
      if (w.what == comm::Wait::For::leaving) all.push_back(w);
    }
    std::vector<comm::Wait> all;
  } waits;
  GridBench b(crossbar(2));
  b.world().set_listener(waits);
  Time left;
  b.program(0, [&](comm::Rank& r) {
    const comm::Request q = r.world().isend(1, 0, {{}, 256_B, {}, {}});
    r.world().wait(q);
    left = r.now();
  });
  b.program(1, [](comm::Rank& r) { r.world().recv(0, 0, {{}, 256_B, {}, {}}); });
  b.run();
  REQUIRE(waits.all.size() == 1);
  CHECK(waits.all[0].rank == 0);
  CHECK(waits.all[0].peer == 1);
  CHECK(waits.all[0].size == 256_B);
  CHECK(waits.all[0].arrived == left);
}

TEST_CASE("of several requests that have completed the first in the list is told") {
  GridBench b(crossbar(2));
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 3; ++i) r.world().send(1, i, {{}, 8_B, {}, {}});
  });
  b.program(1, [](comm::Rank& r) {
    comm::Group g = r.world();
    std::vector<comm::Request> all;
    for (int i = 2; i >= 0; --i) all.push_back(g.irecv(0, i, {{}, 8_B, {}, {}}));
    g.wait_all(all);
    CHECK(g.wait_any(all) == 0);
  });
  b.run();
}

TEST_CASE("a library hears how many receives wait when ranks call, and at each turn of their progress") {
  GridBench b(crossbar(2));
  Passes library(b.library());
  comm::World world(library);
  const auto program = [&](int id, const std::function<void(comm::Rank&)>& f) {
    b.sim().spawn("rank " + std::to_string(id), [&, id, f](Fiber& fiber) {
      comm::Rank r(world, fiber, id);
      f(r);
      world.finish(fiber, id);
    });
  };
  const Buffer in{{}, 8_B, {}, {}};
  program(0, [&](comm::Rank& r) {
    comm::Group g = r.world();
    std::vector<comm::Request> all;
    for (int i = 0; i < 3; ++i) all.push_back(g.irecv(1, i, in));
    CHECK(library.heard(0) == "0 1 2 ");  // before each
    CHECK(!g.test(all[1]));
    CHECK(library.heard(0) == "3 ");
    CHECK(!g.iprobe(1, 7));
    CHECK(library.heard(0) == "3 ");
    const comm::Request sent = g.isend(1, 0, in);
    CHECK(library.heard(0) == "3 ");
    g.wait(all[1]);
    // A turn that finds nothing, and one that finds what was waited for; nothing behind it.
    CHECK(library.heard(0) == "3 2 ");
    r.wait_until(10_us);
    g.wait_all(all);  // both are there
    CHECK(library.heard(0) == "1 0 ");
    CHECK(g.test(all[0]));  // which looks at nothing: it is done
    CHECK(library.heard(0).empty());
    g.wait_all(all);
    g.wait(sent);
    CHECK(library.heard(0).empty());
  });
  program(1, [&](comm::Rank& r) {
    r.wait_until(1_us);
    for (const int i : {1, 0, 2}) {
      r.world().send(0, i, in);
      r.wait_until(r.now() + 1_us);
    }
    r.world().recv(0, 0, in);
  });
  REQUIRE(b.sim().run(1_ms));
  CHECK(world.leftovers() == std::vector<std::string>{});
}

TEST_CASE("every rank of groups of 1 to 33 gets the root's bytes") {
  constexpr int most = 33;
  GridBench b(crossbar(most));
  b.world().check_data();
  b.world().set_scratch(1_MiB, 1_MiB);
  comm::StartLine line;
  const Buffer data{{}, 1000_B, {}, {}};
  for (int rank = 0; rank < most; ++rank)
    b.program(rank, [&, rank](comm::Rank& r) {
      for (int p = 1; p <= most; ++p) {
        comm::Group g = r.world().split(rank < p ? 0 : 1, rank);
        for (int root = 0; rank < p && root < p; root += 3) {
          b.world().ledger()->fill(rank, data, rank == root ? "root" : "other");
          g.barrier();
          g.broadcast(root, data);
          b.world().ledger()->expect(rank, data, "root", {}, "broadcast");
        }
        r.meet(line, [] {});
      }
    });
  b.run();
}

}  // namespace messages_test
