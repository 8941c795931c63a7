// SPDX-License-Identifier: Apache-2.0
// Remote DMA and FMPL between nodes of an SR8000.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"
#include "stats/random.hpp"
#include "system/program_bench.hpp"

namespace fmpl_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

Buffer at(Bytes offset, Bytes n) { return {offset, n, {}, {}}; }

/// The part files' values.
constexpr Time cycle = 4_ns;        // of the processor
constexpr Time adapter = 8_ns;      // of adapter and routers
constexpr Time bus_flight = 4_ns;   // and 4 B a ns
constexpr Time controller = 60_ns;  // through it
constexpr Time cable = 20_ns;
constexpr Time header = 32_ns;        // a ns a byte
constexpr Time small_packet = 64_ns;  // with a flit behind it

Time edge(Time t, Time period) { return Time::from_fs((t.fs() + period.fs() - 1) / period.fs() * period.fs()); }
Time after(Time t, int cycles) { return edge(t, adapter) + adapter * cycles; }
/// `n` bytes over two buses and the storage controller between them.
Time across(Time t, int n) { return t + Time::from_fs(250'000 * n) * 2 + bus_flight * 2 + controller; }

/// When the word behind 8 B is in the receiver's memory that a core sends by a kick at `t`, the receiver three routers
/// away.
Time flag_there(Time t) {
  t += cycle * 250 + cycle * 2 + 80_ns;   // kick, a store of 8 B, which leaves the processor
  t = after(across(t, 8), 10);            // the adapter fetches the TCW
  t = across(across(t, 0) + 150_ns, 64);  // from memory
  t = after(t, 200);                      // and decodes it
  t = across(across(t, 0) + 150_ns, 8);   // data
  t = after(t, 10) + small_packet;        // their packet goes first
  for (int router = 0; router < 3; ++router) t = after(t + cable, 10);
  t = after(t + small_packet + cable, 20);
  return across(t, 8) + 50_ns;
}

/// When a loop of 10 cycles since `begin` that polls has seen what is there at `t`, and the call is over.
Time polled(Time begin, Time t) { return begin + edge(t - begin, cycle * 10) + 300_ns + cycle * 20; }

}  // namespace

TEST_CASE("remote DMA: 8 B take what the parts on their way take") {
  constexpr Time begin = 100_us;
  ProgramBench b("tcw_ping_pong");
  b.program(0, [](Rank& r) {
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
  CHECK(came == polled(begin, flag_there(begin)));
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

// The crossbars of both dimensions wait for the last byte of who comes; relays pass on what they have the head of.
TEST_CASE("hmpp_barrier: 8 x 2 nodes take what two crossbars and the ways between take") {
  constexpr Time begin = 100_us;
  ProgramBench b("fmpl_ping_pong");
  std::vector<Time> over(16);
  for (int rank = 0; rank < 16; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      r.wait_until(begin);
      r.first(16).barrier();
      over[static_cast<std::size_t>(rank)] = r.now();
    });
  b.run();
  Time t = after(across(begin + cycle * 250 + cycle * 2 + 80_ns, 8), 10);
  for (int crossbar = 0; crossbar < 2; ++crossbar) t = after(after(t + cable, 10) + cable + header, 10);
  t = after(after(t + cable, 10) + cable + header, 20);
  t = across(t, 8) + 50_ns;
  for (const Time o : over) CHECK(o == polled(begin + cycle * 250 + cycle * 2, t));
}

TEST_CASE("hmpp_barrier: nobody goes before the last has come, again and again, in several groups") {
  ProgramBench b("fmpl_ping_pong");
  constexpr int rounds = 20;
  std::vector<Time> came(rounds);
  std::vector<Time> gone(rounds, Time::max());
  for (int rank = 0; rank < 16; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        if (rank < 8) r.first(8).barrier();
        r.compute(1_us * ((rank * 5 + round * 7) % 13));
        Time& last = came[static_cast<std::size_t>(round)];
        last = std::max(last, r.now());
        r.first(16).barrier();
        Time& first = gone[static_cast<std::size_t>(round)];
        first = std::min(first, r.now());
      }
    });
  b.run();
  for (std::size_t round = 0; round < rounds; ++round) CHECK(gone[round] > came[round]);
}

TEST_CASE("hmpp_barrier: nodes that fill no box are refused, and so is a ninth colour") {
  CHECK_THAT(
      refusal("fmpl_ping_pong", {{"/scenario", R"({"kind": "barrier", "ranks": 12, "algorithms": ["hardware"]})"}}),
      Catch::Contains("12 nodes do not fill a box of the crossbars' dimensions, the smallest around them has 16"));
  ProgramBench b("fmpl_ping_pong");
  std::string why;
  for (int rank = 0; rank < 9; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      // Groups of 1 .. 9 ranks, of which those of 1 .. 8 fill a box.
      for (int n = rank + 1; n <= 8; ++n) r.first(n).barrier();
    });
  b.run();
  comm::CollectiveCall call;
  call.kind = comm::Collective::barrier;
  CHECK(b.library().hardware()->refusal({0, 1, 2}, call).empty());
  CHECK_THAT(b.library().hardware()->refusal({8, 9}, call), Catch::Contains("8 colours"));
}

TEST_CASE("fmpl: broadcasts by hardware bring every byte, whoever is the root and whoever is late") {
  constexpr int rounds = 24;
  ProgramBench b("fmpl_ping_pong", {{"/library/broadcast_buffer", "\"8 KiB\""}});
  const auto memory = [&](int rank) -> host::Memory& {
    return b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
  };
  const std::uint64_t user = unsigned_of(host::buffers_from(memory(0).config().size));
  const Bytes sizes[] = {1_B, 8_B, 600_B, 8_KiB, 8193_B, 40_KiB};
  const auto size = [&](int round) { return sizes[static_cast<std::size_t>(round) % 6]; };
  const auto root = [](int round) { return round * 5 % 16; };
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
  for (int rank = 0; rank < 16; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        if (round % 3 != 0) r.compute(1_us * ((rank * 7 + round * 11) % 40));
        r.first(16).broadcast(root(round), at(place(round), size(round)));
        for (const Bytes at : marks(round))
          CHECK(memory(rank).bytes(user + unsigned_of(place(round) + at), 1_B).front() == said(round));
      }
    });
  b.run();
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

// Two copies by processors and one transfer, cut into pieces that overlap: the first copy, all on the wire, the last.
TEST_CASE("fmpl: a long broadcast by hardware is as fast as its wire but for two copies of a buffer") {
  const auto rows = rows_of("fmpl_ping_pong", {{"/scenario", R"({"kind": "broadcast", "ranks": 16, "sizes": ["64 MiB"],
                                                 "algorithms": ["hardware"], "iterations": 1, "warm_up": 0})"}});
  const double time = cell<Time>(rows.rows.front(), "time").fs() * 1e-15;
  const double copy = 1024.0 * 1024 / 2.5e9, wire = 64 * 1024.0 * 1024 * (4128.0 / 4096) / 1e9;
  CHECK(time > copy * 2 + wire);
  CHECK(time < (copy * 2 + wire) * 1.01);
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
