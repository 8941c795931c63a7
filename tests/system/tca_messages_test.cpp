// SPDX-License-Identifier: Apache-2.0
// Two-sided messages and collectives over PEACH2.
#include "system/program_bench.hpp"

namespace tca_messages_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::any_source;
using comm::Buffer;

TEST_CASE("short and long messages arrive by tag over PEACH2") {
  ProgramBench b("tca_pairs");
  b.program(0, [](comm::Rank& r) {
    comm::Group g = r.world();
    std::vector<comm::Request> all;
    for (const Bytes n : {0_B, 1_B, 100_B, 2048_B, 2049_B, 64_KiB, 1_MiB}) all.push_back(g.isend(1, 3, {{}, n, {}, {}}));
    g.send(1, 4, {{}, 8_B, {}, {}});
    g.wait_all(all);
  });
  b.program(1, [](comm::Rank& r) {
    comm::Group g = r.world();
    CHECK(g.recv(any_source, 4, {{}, 8_B, {}, {}}).source == 0);
    Time before = r.now();
    for (const Bytes n : {0_B, 1_B, 100_B, 2048_B, 2049_B, 64_KiB, 1_MiB}) {
      CHECK(g.recv(0, 3, {{}, 1_MiB, {}, {}}).size == n);
      WARN(n.count() << " " << (r.now() - before).fs() / 1000000 << " ns");
      before = r.now();
    }
  });
  b.run();
}

TEST_CASE("collectives on all nodes of a ring") {
  ProgramBench b("tca_pairs");
  b.world().check_data();
  b.world().set_scratch(64_MiB, 1_MiB);
  b.all([&](comm::Rank& r) {
    comm::Group g = r.world();
    for (const Bytes n : {8_B, 1000_B, 4_KiB, 100_KiB}) {
      const Buffer data{{}, n, {}, {}};
      for (int root = 0; root < g.size(); root += 3) {
        b.world().ledger()->fill(r.id(), data, r.id() == root ? "root" : "other");
        g.barrier();
        const Time begin = r.now();
        g.broadcast(root, data);
        b.world().ledger()->expect(r.id(), data, "root", {}, "broadcast");
        if (r.id() == g.size() - 1) WARN(n.count() << " " << (r.now() - begin).fs() / 1000000 << " ns");
      }
    }
  });
  b.run();
}

}  // namespace tca_messages_test
