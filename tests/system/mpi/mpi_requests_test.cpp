// SPDX-License-Identifier: Apache-2.0
// A card that reads requests ahead, while the core writes the next one.
#include "comm/rank.hpp"
#include "system/program_bench.hpp"

namespace mpi_requests_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Rank;

// The first message is fetched by the card, which goes on to look whether there is another one. That takes three lines
// of the queue, and says in its last bytes that it is there: had the card taken it with the first line alone, they
// would be missing.
TEST_CASE("mpi: a request that is being written is taken as a whole or not yet") {
  constexpr int most = 1500;  // ns, three reads of host memory
  constexpr Bytes fetched{1024}, inlined{100};
  ProgramBench b("mpi_latency");
  b.program(0, [&](Rank& rank) {
    for (int gap = 0; gap < most; ++gap) {
      rank.world().send(1, 0, {Bytes::zero(), fetched, {}, {}});
      rank.compute(1_ns * gap);
      rank.world().send(1, 0, {Bytes::zero(), inlined, {}, {}});
      rank.world().recv(1, 0, {4_KiB, inlined, {}, {}});
    }
  });
  int came = 0;
  b.program(1, [&](Rank& rank) {
    for (int gap = 0; gap < most; ++gap) {
      rank.world().recv(0, 0, {Bytes::zero(), fetched, {}, {}});
      rank.world().recv(0, 0, {Bytes::zero(), inlined, {}, {}});
      ++came;
      rank.world().send(0, 0, {4_KiB, inlined, {}, {}});
    }
  });
  b.run();
  CHECK(came == most);
}

}  // namespace mpi_requests_test
