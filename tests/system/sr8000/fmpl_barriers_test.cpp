// SPDX-License-Identifier: Apache-2.0
// FMPL's barriers between nodes of an SR8000, and what those who wait in a collective call do for others.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"
#include "system/sr8000/sr8000_times.hpp"

namespace fmpl_barriers_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

/// When ranks 0 .. p - 1 leave their second barrier, to which all come at `begin`.
std::vector<Time> leave(int p, const char* algorithm, Time begin) {
  ProgramBench b("fmpl_ping_pong");
  std::vector<Time> out(static_cast<std::size_t>(p));
  for (int rank = 0; rank < p; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      r.first(p).barrier(by(algorithm));
      r.wait_until(begin);
      r.first(p).barrier(by(algorithm));
      out[static_cast<std::size_t>(rank)] = r.now();
    });
  b.run();
  return out;
}

/// Routers between two nodes of the first two lines of eight.
int routers(int a, int b) { return a / 8 == b / 8 || a % 8 == b % 8 ? 3 : 5; }

/// A word that is there when somebody begins to poll for it: its line may have been fetched for another one.
constexpr Time found = sr_cycle * (2 + 20);

/// The same of FMPL's tree, from its parts' figures; `there`: what a word costs that is there.
std::vector<Time> tree(int p, Time begin, Time there) {
  std::vector<SrAdapter> adapters(static_cast<std::size_t>(p));
  const auto at = [](auto& all, int i) -> auto& { return all[static_cast<std::size_t>(i)]; };
  std::vector<Time> word(static_cast<std::size_t>(p)), now(static_cast<std::size_t>(p), begin);
  const auto tell = [&](int from, int to) {
    at(word, std::max(from, to)) = sr_there(at(adapters, from).leaves(at(now, from), 2), routers(from, to));
    at(now, from) = sr_kicked(at(now, from), 2);
  };
  const auto hear = [&](int rank, int child) {
    const Time w = at(word, child), t = at(now, rank);
    at(now, rank) = w <= t ? t + there : sr_polled(t, w);
  };
  for (int i = p - 1; i >= 0; --i) {
    for (int child = 2 * i + 1; child <= std::min(2 * i + 2, p - 1); ++child) hear(i, child);
    if (i > 0) tell(i, (i - 1) / 2);
  }
  for (int i = 0; i < p; ++i) {
    if (i > 0) hear(i, i);
    for (int child = 2 * i + 1; child <= std::min(2 * i + 2, p - 1); ++child) tell(i, child);
  }
  return now;
}

}  // namespace

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
  Time t = sr_after(sr_across(begin + sr_cycle * 252 + 80_ns, 8), 10);
  for (int crossbar = 0; crossbar < 2; ++crossbar) t = sr_after(sr_after(t + sr_cable, 10) + sr_cable + sr_header, 10);
  t = sr_after(sr_after(t + sr_cable, 10) + sr_cable + sr_header, 20);
  t = sr_across(t, 8) + 50_ns;
  for (const Time o : over) CHECK(o == sr_polled(begin + sr_cycle * 252, t));
}

namespace {

/// Barriers of ranks 0 .. p - 1, those of 0 .. 3 between them, and of the same four in another order: nobody goes
/// before the last one has come.
void expect_meetings(int p, const char* algorithm) {
  ProgramBench b("fmpl_ping_pong");
  constexpr int rounds = 20;
  std::vector<Time> came(rounds);
  std::vector<Time> gone(rounds, Time::max());
  for (int rank = 0; rank < p; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      comm::Group turned = r.first(p).split(rank < 4 ? 0 : 1, -rank);
      for (int round = 0; round < rounds; ++round) {
        if (rank < 4) r.first(4).barrier(by(algorithm));
        if (rank < 4) turned.barrier(by(algorithm));
        r.compute(1_us * ((rank * 5 + round * 7) % 13));
        Time& last = came[static_cast<std::size_t>(round)];
        last = std::max(last, r.now());
        r.first(p).barrier(by(algorithm));
        Time& first = gone[static_cast<std::size_t>(round)];
        first = std::min(first, r.now());
      }
    });
  b.run();
  for (std::size_t round = 0; round < rounds; ++round) CHECK(gone[round] > came[round]);
}

}  // namespace

TEST_CASE("hmpp_barrier: nobody goes before the last has come, again and again, in several groups") {
  expect_meetings(16, "hardware");
}
TEST_CASE("hmpp_barrier: nodes that fill no box do not go before the last has come either") {
  expect_meetings(11, "hardware");
}
TEST_CASE("fmpl: nobody goes before the last has come to a barrier by words") { expect_meetings(13, "software"); }

namespace {

/// Rank 0 begins to send what rank 1 receives before it comes to a collective call in which rank 0 is.
void expect_messages_meanwhile(int p, const std::function<void(comm::Group&)>& collective) {
  ProgramBench b("fmpl_ping_pong");
  b.world().check_data();
  Time received;
  for (int rank = 0; rank < p; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      comm::Group g = r.first(p);
      if (rank == 1) {
        r.compute(100_us);
        g.recv(0, 3, at(1_MiB, 64_KiB));
        r.ledger()->expect(1, at(1_MiB, 64_KiB), "sent", {}, "received");
        received = r.now();
      }
      comm::Request sent;
      if (rank == 0) {
        r.ledger()->fill(0, at({}, 64_KiB), "sent");
        sent = g.isend(1, 3, at({}, 64_KiB));
      }
      collective(g);
      if (rank == 0) g.wait(sent);
    });
  b.run();
  CHECK(received > 100_us);
}

}  // namespace

TEST_CASE("fmpl: who waits in a barrier by hardware sends what is asked for") {
  expect_messages_meanwhile(16, [](comm::Group& g) { g.barrier(by("hardware")); });
}
TEST_CASE("fmpl: who waits in a barrier over lines sends what is asked for") {
  expect_messages_meanwhile(11, [](comm::Group& g) { g.barrier(by("hardware")); });
}
TEST_CASE("fmpl: who waits in a barrier by words sends what is asked for") {
  expect_messages_meanwhile(13, [](comm::Group& g) { g.barrier(by("software")); });
}
TEST_CASE("fmpl: who waits for a broadcast by hardware sends what is asked for") {
  expect_messages_meanwhile(8, [](comm::Group& g) { g.broadcast(1, at(2_MiB, 9000_B), by("hardware")); });
}

TEST_CASE("fmpl: two ranks' barrier by words is a kick each way") {
  constexpr Time begin = 100_us;
  const Time heard = sr_polled(begin, sr_there(SrAdapter().leaves(begin, 2), 3));
  const Time back = sr_polled(sr_kicked(begin, 2), sr_there(SrAdapter().leaves(heard, 2), 3));
  CHECK(leave(2, "software", begin) == std::vector<Time>{sr_kicked(heard, 2), back});
}

TEST_CASE("fmpl: a barrier by words goes up a binary tree and down again") {
  constexpr Time begin = 200_us;
  for (const int p : {3, 7, 8, 15, 16}) {
    CAPTURE(p);
    const std::string said = in_child([p, begin] {
      std::string out;
      const std::vector<Time> came = leave(p, "software", begin);
      const std::vector<Time> first = tree(p, begin, found), last = tree(p, begin, sr_polled({}, {}));
      for (std::size_t i = 0; i < came.size(); ++i)
        // Polling loops begin when they begin, and words that come to a rank's memory together are some of the bus's
        // time apart.
        if (came[i] < first[i] - 40_ns || came[i] > last[i] + 40_ns)
          out += fmt::format("rank {} leaves at {} ns, not {} to {}; ", i, came[i].fs() / 1000000,
                             first[i].fs() / 1000000, last[i].fs() / 1000000);
      return out;
    });
    CHECK(said == "");
  }
}

// All tell their line's first rank; the second line's first one the first line's, which answers; then each broadcasts a
// word to its line. Words that come to a rank together are on one wire.
TEST_CASE("hmpp_barrier: nodes that fill no box take two words and a broadcast") {
  constexpr Time begin = 200_us;
  const std::vector<Time> came = leave(12, "hardware", begin);
  // Rank 0 hears its line's seven others, then rank 8, which hears its three; the first word each has to wait for.
  const auto times = [begin](Time there) {
    SrAdapter zero, eight;
    const Time first = sr_polled(begin, sr_there(SrAdapter().leaves(begin, 2), 3));
    const Time all = std::max(sr_polled(begin, sr_there(eight.leaves(first + there * 2, 2), 3)), first + there * 7);
    const Time answered = sr_polled(begin, sr_there(zero.leaves(all, 2), 3));
    return std::pair(sr_there(zero.leaves(sr_kicked(all, 2), 2), 5, 2), sr_there(eight.leaves(answered, 2), 5, 2));
  };
  const auto lower = times(found), upper = times(sr_polled({}, {}));
  // Words that come to a rank together are on one wire, and polling loops begin when they begin.
  const Time apart = 7 * sr_small_packet + 3 * 10 * sr_cycle;
  for (int rank = 1; rank < 12; ++rank) {
    if (rank == 8) continue;
    CAPTURE(rank);
    const Time came_at = came[static_cast<std::size_t>(rank)];
    CHECK(came_at >= (rank < 8 ? lower.first : lower.second) + 300_ns);
    CHECK(came_at <= sr_polled({}, (rank < 8 ? upper.first : upper.second) + apart));
  }
}

TEST_CASE("hmpp_barrier: a ninth colour is refused, and a group with gaps in its lines") {
  ProgramBench b("fmpl_ping_pong");
  for (int rank = 0; rank < 9; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      // Groups of 1 .. 9 ranks, of which those of 1 .. 8 fill a box.
      for (int n = rank + 1; n <= 8; ++n) r.first(n).barrier();
    });
  b.run();
  comm::CollectiveCall call;
  call.kind = comm::Collective::barrier;
  CHECK(b.library().facet<comm::HardwareCollectives>()->refusal({0, 1, 2}, call).empty());
  CHECK_THAT(b.library().facet<comm::HardwareCollectives>()->refusal({8, 9}, call), Catch::Contains("8 colours"));
  CHECK_THAT(b.library().facet<comm::HardwareCollectives>()->refusal({1, 2, 3, 9}, call), Catch::Contains("8 colours"));
  CHECK_THAT(b.library().facet<comm::HardwareCollectives>()->refusal({0, 1, 3, 8}, call),
             Catch::Contains("4 nodes do not fill a box of the crossbars' dimensions, the smallest around them has 8"));
  CHECK(b.library().facet<comm::SoftwareCollectives>()->refusal({0, 1, 3, 8}, call).empty());
}

}  // namespace fmpl_barriers_test
