// SPDX-License-Identifier: Apache-2.0
// Hitachi's MPI between nodes of an SR8000.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/libraries/hitachi_mpi/hitachi_config.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"
#include "system/sr8000/sr8000_times.hpp"

namespace hitachi_mpi_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

constexpr const char* ping_pong = "hitachi_mpi_ping_pong";

/// The part files' values: of the processor, the library,
const host::CoreConfig& core(ProgramBench& b) { return b.machine().get<host::Core>("node0.core0").config(); }
libraries::HitachiMpiConfig library() { return run_of(ping_pong, {}).library.as<libraries::HitachiMpiConfig>(); }
constexpr Time cycle = sr_cycle;
constexpr Time miss = 300_ns;  // of a header's line, or of a polled one

/// When the last word of `n` bytes, or the flag behind them, is in the memory of a receiver three routers away, of a
/// transfer whose kick is on the bus at `t`.
Time there(Time t, int n, bool flagged) {
  t = sr_after(sr_across(t, 8), 10);                         // the adapter fetches the TCW
  t = sr_across(sr_across(t, 0) + 150_ns, 64);               // from memory
  t = sr_after(t, 200);                                      // and decodes it
  t = sr_after(sr_across(sr_across(t, 0) + 150_ns, n), 10);  // data
  if (!flagged) return sr_there(t, 3);
  const Time packet = sr_header + 32_ns * ((n + 31) / 32);
  Time data = t, flag = t + packet;  // their heads
  for (int router = 0; router < 3; ++router) {
    data = sr_after(data + sr_cable, 10);
    flag = sr_after(flag + sr_cable, 10);
  }
  const Time written = sr_after(data + packet + sr_cable, 20) + 250_ps * n;  // over the adapter's bus
  return sr_across(std::max(sr_after(flag + sr_small_packet + sr_cable, 20), written), 8) + 50_ns;
}

/// Stores of lines or words that leave together take two cycles eight bytes, and are on the bus 80 ns later; the kick
/// behind a header's line waits until that has left.
constexpr Time header_store = cycle * 16;
constexpr Time word_store = cycle * 2;
constexpr Time to_bus = 80_ns;

Time cycles(std::int64_t n) { return cycle * n; }

/// A message of `n` bytes that is sent at `begin` by a call that takes `pending` receives along.
Time flag_of_message(ProgramBench& b, Time begin, int n, int pending) {
  const auto l = library();
  Time t = begin + cycles(l.visit_cycles) * pending + cycles(l.send_cycles);
  t += core(b).copy.rate(Bytes(n)).time(Bytes(n)) + cycles(l.kick_cycles) + header_store;
  return there(t + to_bus + 16_ns, 64 + n, true);
}

/// When the receive is over that polls since `begin`, with so many receives that wait, for a flag that is there at `t`.
Time received(ProgramBench& b, Time begin, Time t, int n, int pending) {
  const auto l = library();
  const Time look = cycle * 10;
  const Time turn = look + cycles(l.visit_cycles) * pending;  // the first one begins with the call
  t = begin + sr_edge(t - begin, turn) + miss + look;
  t += cycles(l.wait_cycles) + miss + cycles(l.receive_cycles) + core(b).copy.rate(Bytes(n)).time(Bytes(n));
  t += cycles(l.kick_cycles) + word_store * 2;        // the acknowledgement
  return t + cycles(l.visit_cycles) * (pending - 1);  // what is left of the turn
}

/// Steps of that name so far.
std::int64_t calls(ProgramBench& b, const std::string& step) {
  for (const comm::Accounts::Step& s : b.library().accounts().steps())
    if (step == s.name) return s.calls;
  return 0;
}

/// One message to and fro with everything built, and rights acquired.
void warm_up(Rank& r, Bytes n = 8_B) {
  if (r.id() == 0) r.world().send(1, 0, at({}, n));
  r.world().recv(1 - r.id(), 0, at(1_MiB, n));
  if (r.id() == 1) r.world().send(0, 0, at({}, n));
}

const Overrides one_slot{{"/library/slots", "1"}};

}  // namespace

TEST_CASE("hitachi mpi: 8 B take what the library and the parts on their way take") {
  constexpr Time begin = 1_ms;
  ProgramBench b(ping_pong, one_slot);
  Time came, delivered;
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      warm_up(r);
      r.wait_until(begin);
      if (rank == 0) return r.world().send(1, 0, at({}, 8_B));
      const comm::Request q = r.world().irecv(0, 0, at(1_MiB, 8_B));
      r.world().wait(q);
      delivered = q.at(comm::Milestone::delivered);
      came = r.now();
    });
  b.run();
  CHECK(delivered == flag_of_message(b, begin, 8, 0));
  CHECK(came == received(b, begin, flag_of_message(b, begin, 8, 0), 8, 1));
}

TEST_CASE("hitachi mpi: a send and a turn of polling visit all receives that wait") {
  constexpr Time begin = 10_ms;
  constexpr int waiting = 50;
  ProgramBench b(ping_pong, one_slot);
  Time came;
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      warm_up(r);
      std::vector<comm::Request> all;
      for (int i = 0; i < waiting; ++i) {
        const Time before = r.now();
        all.push_back(r.world().irecv(1 - rank, 1 + i, at(2_MiB, 8_B)));
        CHECK(r.now() - before == cycles(library().visit_cycles) * i);
      }
      r.wait_until(begin);
      if (rank == 0) r.world().send(1, 20, at({}, 8_B));
      if (rank == 1) r.world().wait(all[19]);
      if (rank == 1) came = r.now();
      // The others, so that nothing is left over.
      for (int i = 0; i < waiting; ++i) {
        if (rank == 0 && i != 19) r.world().send(1, 1 + i, at({}, 8_B));
        if (rank == 1) r.world().send(0, 1 + i, at({}, 8_B));
        r.world().wait(all[static_cast<std::size_t>(i)]);
      }
    });
  b.run();
  CHECK(came == received(b, begin, flag_of_message(b, begin, 8, waiting), 8, waiting));
}

TEST_CASE("hitachi mpi: posting receives takes the longer the more wait") {
  const auto rows = rows_of("hitachi_mpi_posted_receives", {{"/scenario/outstanding", "100"}});
  const Time visit = cycles(library().visit_cycles);
  CHECK(cell<Time>(rows.rows.front(), "last_gap") == visit * 99);
  CHECK(cell<Time>(rows.rows.front(), "gap") == visit * 50);  // the mean of 1 .. 99
}

TEST_CASE("hitachi mpi: a test is a call, too") {
  ProgramBench b(ping_pong);
  b.program(0, [](Rank& r) {
    const comm::Request q = r.world().irecv(1, 0, at({}, 8_B));
    const Time before = r.now();
    CHECK_FALSE(r.world().test(q));
    CHECK(r.now() - before == cycle * 10 + cycles(library().visit_cycles));
    r.world().wait(q);
  });
  b.program(1, [](Rank& r) {
    r.compute(50_us);
    r.world().send(0, 0, at({}, 8_B));
  });
  b.run();
}

TEST_CASE("hitachi mpi: the right to send to a peer is acquired once, by acknowledgements, too") {
  ProgramBench b(ping_pong, one_slot);
  std::vector<Time> took;
  b.program(0, [&](Rank& r) {
    for (int i = 0; i < 3; ++i) {
      const Time before = r.now();
      r.world().send(1, 0, at({}, 8_B));
      took.push_back(r.now() - before);
      r.compute(1_ms);
    }
    for (const int peer : {2, 3}) r.world().send(peer, 0, at({}, 8_B));
  });
  for (int rank = 1; rank < 4; ++rank)
    b.program(rank, [rank](Rank& r) {
      for (int i = 0; i < (rank == 1 ? 3 : 1); ++i) r.world().recv(0, 0, at({}, 8_B));
    });
  b.run();
  const auto l = library();
  const Time build = cycles(l.build_cycles) + header_store;  // the TCW of the first message: 64 B
  CHECK(took[0] == took[1] + l.sendright + build);
  CHECK(took[1] == took[2]);
  CHECK(calls(b, "combuf_get_sendright") == 6);
}

TEST_CASE("hitachi mpi: a slot's TCW is changed where another length goes by it, and at no other message") {
  ProgramBench b(ping_pong, {{"/library/slots", "2"}});
  const Bytes sizes[] = {8_B, 8_B, 8_B, 8_B, 9_B, 8_B, 8_B, 8_B};
  b.program(0, [&](Rank& r) {
    for (const Bytes n : sizes) r.world().send(1, 0, at({}, n));
  });
  b.program(1, [&](Rank& r) {
    for (const Bytes n : sizes) r.world().recv(0, 0, at({}, n));
  });
  b.run();
  CHECK(calls(b, "build TCW") == 4);  // both slots', for 9 B, and back
}

TEST_CASE("hitachi mpi: a slot is used again when its acknowledgement has come") {
  constexpr Time begin = 1_ms;
  constexpr int n = 2000;
  ProgramBench b(ping_pong, one_slot);
  Time came, delivered;
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      warm_up(r, Bytes(n));
      r.wait_until(begin);
      for (int i = 0; i < 2; ++i) {
        if (rank == 0) {
          r.world().send(1, 0, at({}, Bytes(n)));
          continue;
        }
        const comm::Request q = r.world().irecv(0, 0, at(1_MiB, Bytes(n)));
        r.world().wait(q);
        delivered = q.at(comm::Milestone::delivered);
        came = r.now();
      }
    });
  b.run();
  const auto l = library();
  const Time first = received(b, begin, flag_of_message(b, begin, n, 0), n, 1);
  // The acknowledgement's kick follows the store of its count.
  const Time acknowledged = there(first + to_bus, 8, false);
  // Rank 0 looks at two words a turn, its peer's flag and the acknowledgement, since the first message left.
  const Time sent = begin + cycles(l.send_cycles) + core(b).copy.rate(Bytes(n)).time(Bytes(n)) + cycles(l.kick_cycles) +
                    header_store + word_store;
  const Time seen = sent + sr_edge(acknowledged - sent, cycle * 20) + miss;
  CHECK(delivered == flag_of_message(b, seen, n, 0));
  CHECK(came == received(b, first, delivered, n, 1));
}

TEST_CASE("hitachi mpi: with -rdma 16 MiB are as fast as their wire but for the messages before") {
  const auto rows = rows_of(ping_pong, {{"/scenario/sizes", R"(["16 MiB"])"}});
  const Time wire = Time::from_fs(16 * 1024 * 1024 / 4096 * 4128 * 1'000'000LL);
  const auto latency = cell<Time>(rows.rows.front(), "latency");
  CHECK(latency > wire);
  CHECK(latency < wire + 80_us);  // three short messages and two turns
}

// A chunk is on its way until its acknowledgement has come; meanwhile the next is copied in, and the last one out.
TEST_CASE("hitachi mpi: without -rdma one chunk at a time is under way, and copies overlap with that") {
  // Microseconds that a further chunk takes.
  const auto further = [](int chunk, int copy) {
    const auto latency = [&](int chunks) {
      const auto rows = rows_of(
          ping_pong, {{"/library/rdma", "false"},
                      {"/library/chunk", fmt::format("\"{} KiB\"", chunk)},
                      {"/machine/topology/node/devices/core0/copy/memory_rate", fmt::format("\"{} MB/s\"", copy)},
                      {"/scenario", fmt::format(R"({{"kind": "ping_pong", "iterations": 1, "sizes": ["{} KiB"]}})",
                                                chunk * chunks)}});
      return cell<Time>(rows.rows.front(), "latency").fs() * 1e-9;
    };
    return (latency(24) - latency(16)) / 8;
  };
  const auto bytes = [](int chunk) { return chunk * 1024.0; };
  const auto wire = [&](int chunk) { return bytes(chunk) * 4128 / 4096 / 1e3; };
  const auto l = library();
  const auto us = [](std::int64_t core_cycles) { return static_cast<double>(core_cycles) * 0.004; };
  // There: a kick, the wire, a header to read, the acknowledgement's kick; an end: the longer one's header and copy.
  const auto way = [&](int chunk) { return us(2 * l.kick_cycles + l.receive_cycles) + wire(chunk); };
  const auto end = [&](int chunk, int copy) {
    return us(std::max(l.send_cycles, l.receive_cycles) + l.kick_cycles) + bytes(chunk) / copy;
  };
  for (const auto& [chunk, copy] : {std::pair(64, 2900), std::pair(64, 500), std::pair(16, 2500), std::pair(16, 500)}) {
    CAPTURE(chunk, copy);
    const double least = std::max(way(chunk), end(chunk, copy));
    CHECK(further(chunk, copy) > least);
    CHECK(further(chunk, copy) < least + 15);  // two transfers' starts, and polls
  }
}

TEST_CASE("hitachi mpi: a long message is copied by nobody with -rdma, and at both ends without") {
  for (const bool rdma : {true, false}) {
    const runner::Outcome o = simulated(run_of(ping_pong, {{"/library/rdma", rdma ? "true" : "false"},
                                                           {"/scenario/warm_up", "0"},
                                                           {"/scenario/iterations", "1"},
                                                           {"/scenario/sizes", R"(["300 KiB"])"}}));
    CHECK(o.rows.accounts->messages == 2);
    CHECK(o.rows.accounts->by_core.bytes == (rdma ? Bytes::zero() : 1200_KiB));
    CHECK(o.rows.accounts->by_dma.bytes == (rdma ? 600_KiB : Bytes::zero()));
  }
}

}  // namespace hitachi_mpi_test
