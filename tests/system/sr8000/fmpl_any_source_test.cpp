// SPDX-License-Identifier: Apache-2.0
// FMPL's messages without a named source (paper 002, 2.4 and 3.2.3): sends with method "any", receives from any rank.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"

namespace fmpl_any_source_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::any_source;
using comm::any_tag;
using comm::Buffer;
using comm::Rank;

namespace {

/// Of send_any.
Buffer any(Bytes offset, Bytes n) { return {offset, n, {}, "any"}; }

const config::Override any_sources{"/library/any_source", "true"};

Overrides and_buffer() { return {any_sources, {"/library/send_buffer", "\"64 KiB\""}}; }

}  // namespace

TEST_CASE("fmpl, any source: a server receives everybody's messages, in the order in which they come") {
  constexpr int rounds = 3;
  constexpr int ranks = 16;
  ProgramBench b("fmpl_ping_pong", {any_sources});
  b.world().check_data();
  std::vector<int> order;
  b.program(0, [&](Rank& r) {
    for (int i = 0; i < rounds * (ranks - 1); ++i) {
      const comm::Status s = r.world().recv(any_source, any_tag, at(1_MiB, 8_KiB));
      CHECK(s.size == 100_B * s.source);
      r.ledger()->expect(0, at(1_MiB, s.size), fmt::format("{} in {}", s.source, s.tag), {}, "test");
      order.push_back(s.tag * ranks + s.source);
    }
  });
  for (int rank = 1; rank < ranks; ++rank)
    b.program(rank, [rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        r.wait_until(1_ms * (round + 1) + 50_us * (rank * 5 % ranks));
        r.ledger()->fill(rank, at({}, 100_B * rank), fmt::format("{} in {}", rank, round));
        r.world().send(0, round, any({}, 100_B * rank));
      }
    });
  b.run();
  std::vector<int> expected;
  for (int round = 0; round < rounds; ++round)
    for (int turn = 1; turn < ranks; ++turn)
      for (int rank = 1; rank < ranks; ++rank)
        if (rank * 5 % ranks == turn) expected.push_back(round * ranks + rank);
  CHECK(order == expected);
}

TEST_CASE("fmpl, any source: everybody's messages at once all come") {
  constexpr int rounds = 10;
  constexpr int ranks = 9;
  ProgramBench b("fmpl_ping_pong", {any_sources});
  b.world().check_data();
  std::vector<int> came(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      const auto text = [](int from, int to, int round) { return fmt::format("{} to {} in {}", from, to, round); };
      for (int round = 0; round < rounds; ++round) {
        const int to = (rank + 1 + round % (ranks - 1)) % ranks;
        r.ledger()->fill(rank, at({}, 5000_B), text(rank, to, round));
        const comm::Request sent = r.world().isend(to, round, any({}, 5000_B));
        r.compute(1_us * ((rank * 7 + round * 3) % 11));
        const comm::Status s = r.world().recv(any_source, round, at(1_MiB, 5000_B));
        r.ledger()->expect(rank, at(1_MiB, 5000_B), text(s.source, rank, round), {}, "test");
        r.world().wait(sent);
        ++came[static_cast<std::size_t>(rank)];
      }
    });
  b.run();
  CHECK(came == std::vector<int>(ranks, rounds));
}

TEST_CASE("fmpl, any source: receives take messages by tag, those that came first and those that come") {
  ProgramBench b("fmpl_ping_pong", and_buffer());
  std::vector<std::pair<int, int>> got;
  b.program(0, [&](Rank& r) {
    r.wait_until(1_ms);
    for (const int tag : {7, any_tag, 5, any_tag}) {
      const comm::Status s = r.world().recv(any_source, tag, at(1_MiB, 8_B));
      got.emplace_back(s.source, s.tag);
    }
  });
  // Announced by then, in this order: 1: 5, 2: 6, 3: 7; later 4: 5.
  for (int rank = 1; rank <= 4; ++rank)
    b.program(rank, [rank](Rank& r) {
      r.wait_until(rank == 4 ? 2_ms : 10_us * rank);
      r.world().send(0, rank == 4 ? 5 : 4 + rank, any({}, 8_B));
    });
  b.run();
  REQUIRE(got.size() == 4);
  CHECK(got[0] == std::pair(3, 7));
  CHECK(got[1] == std::pair(1, 5));
  CHECK(got[2] == std::pair(4, 5));
  CHECK(got[3] == std::pair(2, 6));
}

TEST_CASE("fmpl, any source: receives that name their source and messages of send_any do not meet") {
  ProgramBench b("fmpl_ping_pong", {any_sources});
  std::vector<int> sizes;
  b.program(0, [&](Rank& r) {
    const comm::Request anybody = r.world().irecv(any_source, 3, at({}, 100_B));
    const comm::Request named = r.world().irecv(1, 3, at(4_KiB, 100_B));
    r.world().wait_all({named, anybody});
    for (const comm::Request& q : {anybody, named}) sizes.push_back(static_cast<int>(q.status().size.count()));
  });
  b.program(1, [](Rank& r) {
    r.world().send(0, 3, at({}, 10_B));
    r.compute(100_us);
    r.world().send(0, 3, any({}, 20_B));
  });
  b.run();
  CHECK(sizes == std::vector<int>{20, 10});
}

TEST_CASE("fmpl, any source: several receives of one sender's messages, the last one waited for first") {
  ProgramBench b("fmpl_ping_pong", {any_sources});
  std::vector<int> tags;
  b.program(0, [&](Rank& r) {
    std::vector<comm::Request> all;
    for (int i = 0; i < 3; ++i) all.push_back(r.world().irecv(any_source, any_tag, at(1_KiB * i, 8_B)));
    r.world().wait(all[2]);
    r.world().wait_all(all);
    for (const comm::Request& q : all) tags.push_back(q.status().tag);
  });
  b.program(1, [](Rank& r) {
    for (int tag = 0; tag < 3; ++tag) r.world().send(0, tag, any({}, 8_B));
  });
  b.run();
  CHECK(tags == std::vector<int>{0, 1, 2});
}

TEST_CASE("fmpl, any source: who tests a receive gets on with it") {
  ProgramBench b("fmpl_ping_pong", {any_sources});
  int looks = 0;
  b.program(0, [&](Rank& r) {
    const comm::Request first = r.world().irecv(any_source, any_tag, at({}, 8_B));
    const comm::Request second = r.world().irecv(any_source, any_tag, at({}, 8_B));
    while (!r.world().test(second)) ++looks;
    CHECK(r.world().test(first));
  });
  b.program(1, [](Rank& r) {
    for (int tag = 0; tag < 2; ++tag) r.world().send(0, tag, any({}, 8_B));
  });
  b.run();
  CHECK(looks > 10);
}

TEST_CASE("fmpl, any source: a receive that looks on waits for two ways more than one that names its source") {
  std::vector<Time> took;
  ProgramBench b("fmpl_ping_pong", {any_sources});
  b.program(0, [&](Rank& r) {
    for (const int source : {1, any_source}) {
      r.wait_until(source == 1 ? 1_ms : 2_ms);
      const Time begin = r.now();
      r.world().recv(source, 0, at({}, 8_B));
      took.push_back(r.now() - begin);
    }
  });
  b.program(1, [](Rank& r) {
    r.world().send(0, 0, at({}, 8_B));
    r.wait_until(2_ms);
    r.world().send(0, 0, any({}, 8_B));
  });
  b.run();
  REQUIRE(took.size() == 2);
  // The announcement goes before: about as long as a header takes to be seen.
  CHECK(took[1] > took[0] + 4_us);
  CHECK(took[1] < took[0] + 8_us);
}

TEST_CASE("fmpl, any source: sends and receives that do not meet are told") {
  ProgramBench b("fmpl_ping_pong", and_buffer());
  b.program(0, [](Rank& r) {
    r.world().irecv(any_source, 4, at({}, 8_B));
    r.compute(100_us);
  });
  b.program(1, [](Rank& r) { r.world().send(0, 5, any({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 posted a receive of any rank with tag 4") &&
                                 Catch::Contains("rank 1 with tag 5 to rank 0"));
}

TEST_CASE("fmpl, any source: what is not there is refused") {
  ProgramBench b("fmpl_ping_pong", {any_sources});
  std::vector<std::string> said;
  b.program(0, [&](Rank& r) {
    try {
      r.world().isend(0, 0, any({}, 8_B));
    } catch (const std::exception& e) {
      said.push_back(e.what());
    }
    try {
      for (int i = 0; i < 65; ++i) r.world().irecv(any_source, i, at({}, 8_B));
    } catch (const std::exception& e) {
      said.push_back(e.what());
    }
    for (int i = 0; i < 64; ++i) r.world().recv(any_source, any_tag, at({}, 8_B));
  });
  b.program(1, [](Rank& r) {
    for (int i = 0; i < 128; ++i) r.world().send(0, i % 64, any({}, 8_B));
  });
  CHECK_THROWS(b.run());  // the first ones are never waited for
  REQUIRE(said.size() == 2);
  CHECK_THAT(said[0], Catch::Contains("rank 0 sends to rank 0 by send_any"));
  CHECK_THAT(said[1], Catch::Contains("rank 0 has 64 receives from any rank at a time"));
}

TEST_CASE("fmpl, any source: without that a send to it is refused, and so is a receive") {
  ProgramBench b("fmpl_ping_pong");
  b.program(0, [](Rank& r) { r.world().send(1, 0, any({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("\"any_source\""));
}

}  // namespace fmpl_any_source_test
