// SPDX-License-Identifier: Apache-2.0
// Two-sided messages over PEACH2: rings of receive buffers, places aside, the DMA channel.
#include "system/program_bench.hpp"

namespace tca_message_rings_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::any_source;
using comm::Buffer;

TEST_CASE("what was kept aside gives its place back when it is received") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"unexpected": 4, "slots": 8})"}});
  constexpr int rounds = 5;
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < rounds; ++i) {
      for (int k = 0; k < 4; ++k) r.world().send(1, 0, {{}, 8_B, {}, {}});
      r.world().send(1, 1, {{}, 8_B, {}, {}});
      r.world().recv(1, 0, {{}, 8_B, {}, {}});
    }
  });
  b.program(1, [](comm::Rank& r) {
    for (int i = 0; i < rounds; ++i) {
      r.world().recv(0, 1, {{}, 8_B, {}, {}});
      for (int k = 0; k < 4; ++k) r.world().recv(0, 0, {{}, 8_B, {}, {}});
      r.world().send(0, 0, {{}, 8_B, {}, {}});
    }
  });
  b.run();
}

TEST_CASE("a sender learns of half a ring that is empty") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"slots": 4})"}});
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 6; ++i) r.world().send(1, 0, {{}, 8_B, {}, {}});
    CHECK(r.now() < 400_us);
  });
  b.program(1, [](comm::Rank& r) {
    for (int i = 0; i < 2; ++i) r.world().recv(0, 0, {{}, 8_B, {}, {}});
    r.compute(500_us);
    for (int i = 0; i < 4; ++i) r.world().recv(0, 0, {{}, 8_B, {}, {}});
  });
  b.run();
}

TEST_CASE("a program's end lets leave what waits for room") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"slots": 2})"}});
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 5; ++i) r.world().isend(1, 0, {{}, 8_B, {}, {}});
  });
  b.program(1, [](comm::Rank& r) {
    r.compute(100_us);
    for (int i = 0; i < 5; ++i) r.world().recv(0, 0, {{}, 8_B, {}, {}});
  });
  b.run();
}

TEST_CASE("the rings of all peers are looked at in turn") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"slots": 4})"}});
  for (const int rank : {1, 2})
    b.program(rank, [](comm::Rank& r) {
      for (int i = 0; i < 3; ++i) r.world().send(0, 0, {{}, 8_B, {}, {}});
    });
  b.program(0, [](comm::Rank& r) {
    r.compute(100_us);
    std::vector<int> sources;
    for (int i = 0; i < 6; ++i) sources.push_back(r.world().recv(any_source, 0, {{}, 8_B, {}, {}}).source);
    CHECK(sources == std::vector<int>{1, 2, 1, 2, 1, 2});
  });
  b.run();
}

TEST_CASE("bytes wait for a buffer for the envelope behind them") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"slots": 2, "eager_limit": "64 B"})"}});
  b.program(0, [](comm::Rank& r) {
    comm::Group g = r.world();
    const comm::Request large = g.isend(1, 0, {{}, 4_KiB, {}, {}});
    std::vector<comm::Request> all{large};
    for (int i = 0; i < 6; ++i) all.push_back(g.isend(1, 1, {{}, 8_B, {}, {}}));
    g.wait_all(all);
  });
  b.program(1, [](comm::Rank& r) {
    comm::Group g = r.world();
    const comm::Request large = g.irecv(0, 0, {{}, 4_KiB, {}, {}});
    r.compute(50_us);
    CHECK(!g.test(large));  // it answers, and looks at nothing more
    r.compute(100_us);      // while its ring fills up again
    for (int i = 0; i < 6; ++i) g.recv(0, 1, {{}, 8_B, {}, {}});
    g.wait(large);
  });
  b.run();
}

TEST_CASE("a message has been sent although its channel was started again before anybody looked") {
  ProgramBench b("tca_pairs", {{"/library/messages/eager_limit", R"("2 KiB")"}});  // all of them go by DMA
  const Buffer raw{1_MiB, 8_KiB, {}, "dma"};
  b.program(0, [&raw](comm::Rank& r) {
    comm::Group g = r.world();
    const comm::Request q = g.isend(1, 0, {{}, 8_KiB, {}, {}});
    r.compute(20_us);
    for (int i = 0; i < 2; ++i) CHECK(!g.test(q));
    r.compute(200_us);  // its bytes leave
    r.send(1, raw);
    g.wait(q);
  });
  b.program(1, [&raw](comm::Rank& r) {
    r.world().recv(0, 0, {{}, 8_KiB, {}, {}});
    r.recv(0, raw);
  });
  b.run();
}

}  // namespace tca_message_rings_test
