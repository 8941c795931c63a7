// SPDX-License-Identifier: Apache-2.0
// Remote DMA and FMPL between nodes of an SR8000.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"
#include "system/sr8000/sr8000_times.hpp"

namespace fmpl_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

TEST_CASE("remote DMA: 8 B take what the parts on their way take") {
  constexpr Time begin = 100_us;
  ProgramBench b("tcw_ping_pong");
  b.program(0, [begin](Rank& r) {
    r.send(1, at({}, 8_B));  // builds the transfer control word
    r.wait_until(begin);
    r.send(1, at({}, 8_B));
  });
  Time came;
  b.program(1, [&](Rank& r) {
    r.recv(0, at({}, 8_B));
    r.wait_until(begin);
    r.recv(0, at({}, 8_B));
    came = r.now();
  });
  b.run();
  CHECK(came == sr_polled(begin, sr_flag_there(begin)));
}

TEST_CASE("remote DMA: a message that overtakes the look at the flag before is refused") {
  ProgramBench b("tcw_ping_pong");
  b.program(0, [](Rank& r) {
    r.send(1, at({}, 8_B));
    r.send(1, at({}, 8_B));
  });
  b.program(1, [](Rank& r) {
    r.compute(100_us);
    r.recv(0, at({}, 8_B));
  });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 sends to rank 1") && Catch::Contains("would be lost"));
}

// A rank's round trip is one send and one receive: nothing is left between the steps.
TEST_CASE("fmpl: the steps of a send and a receive make up a round trip") {
  const runner::Outcome o =
      simulated(run_of("fmpl_ping_pong", {{"/scenario/sizes", R"(["8 B"])"}, {"/scenario/warm_up", "0"}}));
  const report::Accounts& a = *o.rows.accounts;
  Time steps;
  for (const report::StepAccount& step : a.steps) steps += step.total;
  // Both ranks are in a step all the time, but for a message at the ends.
  const auto latency = cell<Time>(o.rows.rows.front(), "latency");
  const Time all = latency * a.messages * 2;
  CHECK(steps >= all - latency * 2);
  CHECK(steps <= all + latency * 2);
}

TEST_CASE("fmpl: messages of any size come whole whichever side is first") {
  constexpr int rounds = 12;
  ProgramBench b("fmpl_ping_pong");
  b.world().check_data();
  const int ranks = 9;  // two rows of the machine
  int checked = 0;
  for (int rank = 0; rank < ranks; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        std::vector<comm::Request> all;
        const Bytes n[] = {0_B, 1_B, 8_B, 4_KiB, 4097_B, 20000_B};
        const auto size = [&](int from, int to) { return n[static_cast<std::size_t>(from + 2 * to + round) % 6]; };
        const auto text = [&](int from, int to) { return fmt::format("{} to {} in {}", from, to, round); };
        const auto receive = [&](int shift) {
          const int from = (rank + ranks - shift) % ranks;
          all.push_back(r.world().irecv(from, shift, at(1_MiB * (10 + shift), size(from, rank))));
        };
        const auto send = [&](int shift) {
          const int to = (rank + shift) % ranks;
          const Buffer what = at(1_MiB * shift, size(rank, to));
          if (what.size > Bytes::zero()) r.ledger()->fill(rank, what, text(rank, to));
          all.push_back(r.world().isend(to, shift, what));
        };
        for (int shift = 1; shift < 5; ++shift) (rank + round) % 2 == 0 ? send(shift) : receive(shift);
        r.compute(1_us * ((rank * 7 + round * 3) % 11));
        for (int shift = 1; shift < 5; ++shift) (rank + round) % 2 == 0 ? receive(shift) : send(shift);
        r.world().wait_all(all);
        for (int shift = 1; shift < 5; ++shift) {
          const int from = (rank + ranks - shift) % ranks;
          const Buffer into = at(1_MiB * (10 + shift), size(from, rank));
          if (into.size > Bytes::zero())
            r.ledger()->expect(rank, into, text(from, rank), {}, fmt::format("rank {}", rank));
          ++checked;
        }
      }
    });
  b.run();
  CHECK(checked == ranks * rounds * 4);
}

// Two transfers of 1 MiB, one behind the other, take what their link takes; the core has both started long before.
TEST_CASE("fmpl: a send that does not block returns when its transfer is started") {
  ProgramBench b("fmpl_ping_pong");
  const Time wire = Time::from_fs(1'000'000 * (1_MiB).count() / 4096 * 4128);
  Time started, computed, left, all_left;
  b.program(0, [&](Rank& r) {
    const comm::Request never = r.world().irecv(1, 0, at(2_MiB, 8_B));
    r.wait_until(100_us);
    const comm::Request first = r.world().isend(1, 0, at({}, 1_MiB));
    const comm::Request second = r.world().isend(1, 1, at(1_MiB, 1_MiB));
    started = r.now();
    CHECK(first.at(comm::Milestone::completed) == Time::max());
    CHECK(!r.world().test(first));
    r.compute(500_us);
    CHECK(!r.world().test(first));
    computed = r.now();
    r.world().wait(first);
    left = r.now();
    CHECK(!r.world().test(second));
    CHECK(r.world().wait_any({never, second}) == 1);
    all_left = r.now();
    CHECK(first.at(comm::Milestone::completed) == left);
    CHECK(second.at(comm::Milestone::completed) == all_left);
    const comm::Request third = r.world().isend(1, 2, at({}, 8_B));
    while (!r.world().test(third)) r.compute(1_us);
    CHECK(third.at(comm::Milestone::completed) < all_left + 30_us);
    r.world().isend(1, 3, at({}, 8_B));  // the program's end waits for it
  });
  b.program(1, [&](Rank& r) {
    std::vector<comm::Request> all;
    for (int i = 0; i < 4; ++i) all.push_back(r.world().irecv(0, i, at(1_MiB * i, 1_MiB)));
    r.world().wait_all(all);
  });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 posted a receive of"));
  CHECK(started < 100_us + 25_us);
  CHECK(computed < started + 500_us + 3_us);
  CHECK(left > 100_us + wire);
  CHECK(left < 100_us + wire + 15_us);
  CHECK(all_left > 100_us + wire * 2);
  CHECK(all_left < 100_us + wire * 2 + 20_us);
}

TEST_CASE("fmpl: a matching slot has one receive at a time") {
  ProgramBench b("fmpl_ping_pong");
  b.program(0, [](Rank& r) {
    const comm::Request first = r.world().irecv(1, 5, at({}, 8_B));
    r.world().irecv(1, 5, at({}, 8_B));
    r.world().wait(first);
  });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 receives from rank 1 by matching slot 5"));
}

TEST_CASE("fmpl: a matching slot has one send at a time") {
  ProgramBench b("fmpl_ping_pong");
  b.program(0, [](Rank& r) {
    const comm::Request first = r.world().isend(1, 5, at({}, 8_B));
    r.world().isend(1, 5, at({}, 8_B));
    r.world().wait(first);
  });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 sends to rank 1 by matching slot 5"));
}

TEST_CASE("fmpl: a tag beyond the matching slots, any source and any tag are refused") {
  ProgramBench b("fmpl_ping_pong");
  std::vector<std::string> said;
  b.program(0, [&](Rank& r) {
    const auto attempt = [&](int source, int tag) {
      try {
        r.world().irecv(source, tag, at({}, 8_B));
      } catch (const std::exception& e) {
        said.push_back(e.what());
      }
    };
    attempt(1, 1024);
    attempt(comm::any_source, 0);
    attempt(1, comm::any_tag);
  });
  b.run();
  REQUIRE(said.size() == 3);
  CHECK_THAT(said[0], Catch::Contains("tag 1024") && Catch::Contains("0 to 1023"));
  CHECK_THAT(said[1], Catch::Contains("matches at the sender"));
  CHECK_THAT(said[2], Catch::Contains("any tag"));
}

TEST_CASE("fmpl: a message longer than its receive is refused") {
  ProgramBench b("fmpl_ping_pong");
  b.program(0, [](Rank& r) { r.world().send(1, 0, at({}, 9_B)); });
  b.program(1, [](Rank& r) { r.world().recv(0, 0, at({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("truncated: rank 0 sends 9 B to rank 1 by matching slot 0"));
}

// Without a buffer (paper 002, 2.3: zero-copy sends are synchronous) nobody gets to the receive.
TEST_CASE("fmpl: ranks that both send first wait for each other, and are told so") {
  ProgramBench b("fmpl_ping_pong");
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [rank](Rank& r) {
      r.world().send(1 - rank, 3, at({}, 8_B));
      r.world().recv(1 - rank, 3, at({}, 8_B));
    });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 in send with rank 1") && Catch::Contains("circle"));
}

}  // namespace fmpl_test
