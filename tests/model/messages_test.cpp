// SPDX-License-Identifier: Apache-2.0
// Two-sided messages over the datagram library: matching, order, requests, groups.
#include "support/grid_bench.hpp"

namespace messages_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::any_source;
using comm::any_tag;
using comm::Buffer;

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
