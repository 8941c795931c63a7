// SPDX-License-Identifier: Apache-2.0
// Hitachi's MPI on an SR8000: collectives by hardware and by messages, and what it refuses.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/host/memory/memory.hpp"
#include "models/libraries/hitachi_mpi/hitachi_config.hpp"
#include "report/digest.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"

namespace hitachi_collectives_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

constexpr const char* ping_pong = "hitachi_mpi_ping_pong";

std::string digest(const std::string& run, Overrides o, int max_train) {
  o.push_back({"/options/max_train", std::to_string(max_train)});
  return report::digest(rows_of(run, o));
}

}  // namespace

TEST_CASE("hitachi mpi: ranks that fill a box use the hardware, 9 to 15 of 8 x 2 their messages") {
  for (const char* kind : {R"("kind": "barrier")", R"("kind": "broadcast", "sizes": ["8 KiB"])"})
    for (int ranks = 2; ranks <= 16; ++ranks) {
      const auto rows =
          rows_of(ping_pong, {{"/scenario", fmt::format(R"({{{}, "ranks": {}, "iterations": 1}})", kind, ranks)}});
      CHECK((cell<std::string>(rows.rows.front(), "algorithm") == "hardware") == (ranks <= 8 || ranks == 16));
    }
}

TEST_CASE("hitachi mpi: reductions go along binomial trees") {
  const auto rows = rows_of(ping_pong, {{"/scenario", R"({"kind": "reduction", "result": "reduce", "ranks": 16,
                                                           "sizes": ["8 KiB"], "iterations": 1})"}});
  CHECK(cell<std::string>(rows.rows.front(), "algorithm") == "binomial");
}

// A copy in, the wire, a copy out, and what the library and the network take in between: nothing overlaps.
TEST_CASE("hitachi mpi: pieces of a broadcast follow each other, with -rdma and without") {
  const auto time = [](const char* rdma, Bytes n) {
    const auto rows = rows_of(
        ping_pong, {{"/library/rdma", rdma},
                    {"/machine/topology/node/devices/core0/copy/memory_rate", "\"2 GB/s\""},
                    {"/scenario", fmt::format(R"({{"kind": "broadcast", "ranks": 16, "iterations": 1, "warm_up": 0,
                                                   "sizes": ["{} B"]}})",
                                              n.count())}});
    return cell<Time>(rows.rows.front(), "time").fs() * 1e-9;
  };
  const double piece = time("true", 128_KiB) - time("true", 64_KiB);
  const double copies = 2 * 65536 / 2e3, wire = 65.536 * 4128 / 4096;
  CHECK(piece > copies + wire);
  CHECK(piece < copies + wire + 15);
  CHECK(time("false", 128_KiB) == time("true", 128_KiB));
}

TEST_CASE("hitachi mpi: groups that overlap share the buffer of broadcasts, and every byte comes") {
  constexpr int rounds = 30;
  ProgramBench b(ping_pong, {{"/library/chunk", "\"4 KiB\""}});
  const auto memory = [&](int rank) -> host::Memory& {
    return b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
  };
  const std::uint64_t user = unsigned_of(host::buffers_from(memory(0).config().size));
  const Bytes sizes[] = {1_B, 8_B, 600_B, 4_KiB, 4097_B, 20_KiB};
  const int groups[] = {16, 8, 2, 4};
  const auto size = [&](int round) { return sizes[static_cast<std::size_t>(round) % 6]; };
  const auto ranks = [&](int round) { return groups[static_cast<std::size_t>(round) % 4]; };
  const auto root = [&](int round) { return round * 5 % ranks(round); };
  const auto place = [](int round) { return 64_KiB * round; };
  const auto said = [](int round) { return static_cast<std::uint8_t>(round + 100); };
  const auto marks = [&](int round) {
    std::vector<Bytes> out{Bytes::zero(), size(round) - 1_B};
    for (Bytes m = 4_KiB; m < size(round); m += 4_KiB) out.insert(out.end(), {m - 1_B, m});
    return out;
  };
  for (int round = 0; round < rounds; ++round)
    for (const Bytes m : marks(round)) {
      const std::uint8_t byte = said(round);
      memory(root(round)).preset(user + unsigned_of(place(round) + m), {&byte, 1});
    }
  for (int rank = 0; rank < 16; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        if (rank >= ranks(round)) continue;
        if (round % 3 != 0) r.compute(1_us * ((rank * 7 + round * 11) % 40));
        r.first(ranks(round)).broadcast(root(round), at(place(round), size(round)));
        for (const Bytes m : marks(round))
          CHECK(memory(rank).bytes(user + unsigned_of(place(round) + m), 1_B).front() == said(round));
      }
    });
  b.run();
  for (const comm::Accounts::Step& s : b.library().accounts().steps())
    if (s.name == std::string("start the broadcast")) CHECK(s.calls == rounds / 6 * 11);  // 1, 1, 1, 1, 2 and 5 pieces
}

TEST_CASE("hitachi mpi: who waits in a hardware barrier or broadcast answers its peers") {
  ProgramBench b(ping_pong, {{"/library/slots", "1"}});
  int got = 0;
  b.program(0, [](Rank& r) {
    std::vector<comm::Request> all;
    for (int i = 0; i < 3; ++i) all.push_back(r.world().isend(1, i, at({}, 8_B)));
    all.push_back(r.world().isend(1, 3, at({}, 100_KiB)));
    r.first(2).barrier();
    r.world().wait_all(all);
  });
  b.program(1, [&](Rank& r) {
    for (int i = 3; i >= 0; --i) got += r.world().recv(0, i, at({}, 100_KiB)).size > Bytes::zero() ? 1 : 0;
    r.first(2).barrier();
  });
  b.run();
  CHECK(got == 4);
}

TEST_CASE("hitachi mpi: the same with trains and without") {
  for (const char* rdma : {"true", "false"}) {
    const Overrides o{{"/library/rdma", rdma}, {"/scenario/iterations", "3"}};
    CHECK(digest(ping_pong, o, 1) == digest(ping_pong, o, 64));
  }
  const Overrides some{{"/scenario/outstanding", "50"}};
  CHECK(digest("hitachi_mpi_posted_receives", some, 1) == digest("hitachi_mpi_posted_receives", some, 64));
}

TEST_CASE("hitachi mpi: messages that nobody waits for have so much memory") {
  ProgramBench b(ping_pong, {{"/library/unexpected", "2"}});
  b.program(0, [](Rank& r) {
    for (int i = 0; i < 4; ++i) r.world().send(1, i, at({}, 8_B));
  });
  b.program(1, [](Rank& r) { r.world().recv(0, 3, at({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 1 keeps 2 messages") && Catch::Contains("\"unexpected\""));
}

namespace {

/// Five long messages from rank 0 to rank 1, with -rdma; when the sender was told that they started and completed.
std::vector<std::pair<Time, Time>> five_long(ProgramBench& b) {
  std::vector<std::pair<Time, Time>> out;
  for (const int rank : {0, 1})
    b.program(rank, [&, rank](Rank& r) {
      std::vector<comm::Request> all;
      for (int i = 0; i < 5; ++i) {
        const Buffer what = at(1_MiB * i, 100_KiB);
        all.push_back(rank == 0 ? r.world().isend(1, i, what) : r.world().irecv(0, i, what));
      }
      r.world().wait_all(all);
      for (const comm::Request& q : all)
        if (rank == 0) out.emplace_back(q.at(comm::Milestone::started), q.at(comm::Milestone::completed));
    });
  b.run();
  return out;
}

}  // namespace

TEST_CASE("hitachi mpi: so many long messages leave at once, and are sent when they have left") {
  ProgramBench b(ping_pong, {{"/library/transfers", "1"}});
  const auto times = five_long(b);
  const Time wire = Time::from_fs(100 * 1024 / 4096 * 4128 * 1'000'000LL);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(times[i].second > times[i].first + wire);
    if (i > 0) CHECK(times[i].first >= times[i - 1].second);
  }
}

TEST_CASE("hitachi mpi: long messages follow each other on the wire") {
  ProgramBench b(ping_pong);
  const auto times = five_long(b);
  CHECK(times[4].first < times[2].second);
}

TEST_CASE("hitachi mpi: so many long messages come at once") {
  ProgramBench b(ping_pong, {{"/library/long_receives", "2"}});
  CHECK_THROWS_WITH(five_long(b), Catch::Contains("rank 1 receives more than 2 long messages at once"));
}

TEST_CASE("hitachi mpi: of a long message the ready to send is a message, the clear to send an answer") {
  ProgramBench b(ping_pong);
  b.program(0, [](Rank& r) { r.world().send(1, 0, at({}, 100_KiB)); });
  b.program(1, [](Rank& r) { r.world().recv(0, 0, at({}, 100_KiB)); });
  b.run();
  const auto l = run_of(ping_pong, {}).library.as<libraries::HitachiMpiConfig>();
  for (const comm::Accounts::Step& s : b.library().accounts().steps()) {
    const std::string name = s.name;
    if (name == "make a header") CHECK(s.total == 4_ns * l.send_cycles);
    if (name != "read the header") continue;
    CHECK(s.calls == 2);
    CHECK(s.total == 4_ns * (2 * l.wait_cycles + l.receive_cycles) + 300_ns * 2);
  }
}

// Nothing else happens that could wake the sender.
TEST_CASE("hitachi mpi: a slot that is given back while receives are visited is used") {
  constexpr int waiting = 7, rounds = 60;
  int done = 0;
  ProgramBench b(ping_pong, {{"/library/slots", "1"}});
  const auto begin = [](int round) { return 1_ms * (round + 1); };
  b.program(0, [&](Rank& r) {
    std::vector<comm::Request> all;
    for (int i = 0; i < waiting; ++i) all.push_back(r.world().irecv(1, i, at(1_MiB, 8_B)));
    for (int round = 0; round < rounds; ++round) {
      r.wait_until(begin(round));
      r.world().wait_all({r.world().isend(1, 0, at({}, 8_B)), r.world().isend(1, 1, at({}, 8_B))});
      ++done;
    }
    r.world().wait_all(all);
  });
  b.program(1, [&](Rank& r) {
    for (int round = 0; round < rounds; ++round) {
      r.wait_until(begin(round) + 500_ns * round);
      for (const int tag : {0, 1}) r.world().recv(0, tag, at(1_MiB, 8_B));
    }
    for (int i = 0; i < waiting; ++i) r.world().send(0, i, at({}, 8_B));
  });
  b.run();
  CHECK(done == rounds);
}

TEST_CASE("hitachi mpi: peers are served in turn") {
  ProgramBench b(ping_pong);
  std::string order;
  for (const int rank : {1, 2, 3})
    b.program(rank, [](Rank& r) {
      for (int i = 0; i < 3; ++i) r.world().send(0, 0, at({}, 8_B));
    });
  b.program(0, [&](Rank& r) {
    r.compute(1_ms);
    for (int i = 0; i < 9; ++i) order += std::to_string(r.world().recv(comm::any_source, 0, at({}, 8_B)).source);
  });
  b.run();
  CHECK(order == "123123123");
}

TEST_CASE("hitachi mpi: what cannot be is refused before time 0") {
  CHECK_THAT(refusal(ping_pong, {{"/scenario/sizes", R"(["8 GiB"])"}}), Catch::Contains("8 GiB of each rank's buffer"));
  CHECK_THAT(refusal(ping_pong, {{"/library/slots", "1024"}, {"/library/eager_limit", "\"1 MiB\""}}),
             Catch::Contains("buffers of messages"));
  CHECK_THAT(refusal(ping_pong, {{"/scenario", R"({"kind": "barrier", "ranks": 12, "algorithms": ["hardware"]})"}}),
             Catch::Contains("12 nodes do not fill a box"));
}

TEST_CASE("hitachi mpi: a message longer than its receive is refused") {
  ProgramBench b(ping_pong);
  b.program(0, [](Rank& r) { r.world().send(1, 0, at({}, 9_B)); });
  b.program(1, [](Rank& r) { r.world().recv(0, 0, at({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("truncated: rank 1 receives 8 B"));
}

}  // namespace hitachi_collectives_test
