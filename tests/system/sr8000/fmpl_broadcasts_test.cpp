// SPDX-License-Identifier: Apache-2.0
// FMPL's broadcasts by hardware between nodes of an SR8000.
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"
#include "support/child.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"
#include "system/sr8000/sr8000_times.hpp"

namespace fmpl_broadcasts_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

/// Ranks 0 .. p - 1 broadcast by hardware in turn; who is late changes.
void expect_every_byte(int p) {
  constexpr int rounds = 24;
  ProgramBench b("fmpl_ping_pong", {{"/library/broadcast_buffer", "\"8 KiB\""}});
  const auto memory = [&](int rank) -> host::Memory& {
    return b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
  };
  const std::uint64_t user = unsigned_of(host::buffers_from(memory(0).config().size));
  const Bytes sizes[] = {1_B, 8_B, 600_B, 8_KiB, 8193_B, 40_KiB};
  const auto size = [&](int round) { return sizes[static_cast<std::size_t>(round) % 6]; };
  const auto root = [p](int round) { return round * 5 % p; };
  const auto place = [](int round) { return 64_KiB * round; };
  const auto said = [](int round) { return static_cast<std::uint8_t>(round + 100); };
  // The first and the last byte of each piece say which round it is.
  const auto marks = [&](int round) {
    std::vector<Bytes> out{Bytes::zero(), size(round) - 1_B};
    for (Bytes at = 8_KiB; at < size(round); at += 8_KiB) out.insert(out.end(), {at - 1_B, at});
    return out;
  };
  for (int round = 0; round < rounds; ++round)
    for (const Bytes at : marks(round)) {
      const std::uint8_t byte = said(round);
      memory(root(round)).preset(user + unsigned_of(place(round) + at), {&byte, 1});
    }
  for (int rank = 0; rank < p; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        if (round % 3 != 0) r.compute(1_us * ((rank * 7 + round * 11) % 40));
        r.first(p).broadcast(root(round), at(place(round), size(round)), by("hardware"));
        for (const Bytes at : marks(round))
          CHECK(memory(rank).bytes(user + unsigned_of(place(round) + at), 1_B).front() == said(round));
      }
    });
  b.run();
}

}  // namespace

TEST_CASE("fmpl: broadcasts by hardware bring every byte, whoever is the root and whoever is late") {
  expect_every_byte(16);
}
TEST_CASE("fmpl: broadcasts by hardware to nine nodes bring every byte") { expect_every_byte(9); }
TEST_CASE("fmpl: broadcasts by hardware to two lines, one of them not full, bring every byte") {
  expect_every_byte(13);
}

// But a wait for its buffer, a broadcast like an earlier one through the same buffer saves the TCW's building.
TEST_CASE("fmpl: broadcasts of one size use their transfer control words again") {
  ProgramBench b("fmpl_ping_pong");
  std::vector<Time> took;
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (const Bytes n : {8_B, 8_B, 8_B, 16_B, 8_B}) {
        r.compute(100_us);
        const Time begin = r.now();
        r.first(2).broadcast(0, at({}, n));
        if (rank == 0) took.push_back(r.now() - begin);
      }
    });
  b.run();
  const Time build = sr_cycle * 620, waited = sr_polled({}, {});
  REQUIRE(took.size() == 5);
  CHECK(took[1] == took[0]);
  CHECK(took[2] <= took[0] - build + waited);
  CHECK(took[3] >= took[2] + build);
  CHECK(took[4] == took[2]);  // the other buffer's
}

TEST_CASE("fmpl: two groups broadcast by hardware in turn, a third by messages") {
  ProgramBench b("fmpl_ping_pong");
  int rounds = 0;
  for (int rank = 0; rank < 16; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < 9; ++round) {
        r.compute(1_us * ((rank * 7 + round * 11) % 30));
        for (const int n : {16, 8, 4})
          if (rank < n) r.first(n).broadcast(round * 3 % n, at(1_MiB * n, 3000_B));
      }
      ++rounds;
    });
  b.run();
  CHECK(rounds == 16);
}

TEST_CASE("fmpl: who gets no buffers of broadcasts knows before time 0, and rows say so") {
  const config::Override groups{"/scenario/ranks", "[2, 4, 8]"};
  const auto rows = rows_of(
      "fmpl_broadcast",
      {groups, {"/scenario/sizes", R"(["8 KiB"])"}, {"/scenario/algorithms", "[]"}, {"/scenario/iterations", "2"}});
  REQUIRE(rows.rows.size() == 3);
  CHECK(cell<std::string>(rows.rows[1], "algorithm") == "hardware");
  CHECK(cell<std::string>(rows.rows[2], "algorithm") == "binomial");
  CHECK_THAT(refusal("fmpl_broadcast", {groups, {"/scenario/algorithms", R"(["hardware"])"}}),
             Catch::Contains("/scenario/algorithms/0: broadcast by \"hardware\": other groups have the buffers"));
  CHECK_THAT(refusal("fmpl_barrier", {{"/scenario/ranks", "[2, 3, 4, 5, 6, 7, 8, 9, 10]"},
                                      {"/scenario/algorithms", R"(["hardware"])"}}),
             Catch::Contains("/scenario/algorithms/0: barrier by \"hardware\": barriers have 8 colours"));
}

// Two copies by processors and one transfer, cut into pieces that overlap: the first copy, all on the wire, the last.
TEST_CASE("fmpl: a long broadcast by hardware is as fast as its wire but for two copies of a buffer") {
  const auto rows = rows_of("fmpl_ping_pong", {{"/scenario", R"({"kind": "broadcast", "ranks": 16, "sizes": ["64 MiB"],
                                                 "algorithms": ["hardware"], "iterations": 1, "warm_up": 0})"}});
  const double time = cell<Time>(rows.rows.front(), "time").fs() * 1e-15;
  const double copy = 1024.0 * 1024 / 2.94e9, wire = 64 * 1024.0 * 1024 * (4128.0 / 4096) / 1e9;
  CHECK(time > copy * 2 + wire);
  CHECK(time < (copy * 2 + wire) * 1.01);
}

}  // namespace fmpl_broadcasts_test
