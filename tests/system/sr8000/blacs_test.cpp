// SPDX-License-Identifier: Apache-2.0
// BLACS over FMPL, between nodes of an SR8000.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/host/memory/memory.hpp"
#include "support/child.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"

namespace blacs_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

/// Columns of a matrix.

constexpr Time cycle = 4_ns;                                         // of the processor
Time copied(Bytes n) { return Time::from_fs(n.count() * 400'000); }  // at a round rate:
const config::Override round_rate{"/machine/topology/node/devices/core0/copy/memory_rate", "\"2500 MB/s\""};
Time wired(Bytes n) { return Time::from_fs(n.count() / 4096 * 4128 * 1'000'000); }  // packets of 4 KiB and 32 B

const std::string fmpl = "fmpl_ping_pong";
const std::string blacs = "blacs_fmpl_ping_pong";

Time one_way(const std::string& run, Overrides overrides, const Buffer& from, const Buffer& to) {
  overrides.push_back(round_rate);
  return test::one_way(run, overrides, from, to);
}

std::int64_t copies(const runner::Outcome& o) { return o.rows.accounts->by_core.copies; }

}  // namespace

// Rank 0 calls BLACS and posts its receive while rank 1 calls it for its send, which waits for that: one call a way.
TEST_CASE("blacs over fmpl: contiguous messages take what fmpl takes, and a call") {
  const auto latency = [](const std::string& run, const Overrides& overrides, std::size_t row) {
    return cell<Time>(rows_of(run, overrides).rows[row], "latency");
  };
  const config::Override sizes{"/scenario/sizes", R"(["8 B", "4 KiB", "256 KiB"])"};
  for (const std::size_t row : {0, 1, 2})
    for (const int cycles : {0, 500, 740}) {
      const config::Override call{"/library/call_cycles", std::to_string(cycles)};
      CHECK(latency(blacs, {sizes, call}, row) == latency(fmpl, {sizes}, row) + cycle * cycles);
    }
}

TEST_CASE("blacs over fmpl: contiguous messages are copied nowhere, others once at each side") {
  const Overrides few = {{"/scenario/iterations", "3"},
                         {"/scenario/warm_up", "0"},
                         {"/scenario/sizes", R"(["8 KiB", "512 KiB", "768 KiB"])"}};
  CHECK(copies(simulated(run_of(blacs, few))) == 0);
  const runner::Outcome o = simulated(run_of("blacs_fmpl_submatrix", few));
  CHECK(copies(o) == (1 + 2 + 3) * 3 * 2 * 2);  // pieces, round trips, ways, sides
  CHECK(o.rows.accounts->by_core.bytes == (8_KiB + 512_KiB + 768_KiB) * (3 * 2 * 2));
  CHECK(o.rows.accounts->messages == (1 + 2 + 3) * 3 * 2);
}

// 8000 B are copied in 3.2 us, as the polling loops' visits go into it.
TEST_CASE("blacs over fmpl: a submatrix that fits a buffer is packed, sent, and unpacked") {
  const Time plain = one_way(fmpl, {}, at({}, 8000_B), at({}, 8000_B));
  const Buffer blocks = columns(100_KiB, 8000_B, 400_B, 1000_B);
  const Buffer others = columns(1_MiB, 8000_B, 800_B, 808_B);
  const Time call = cycle * 740;
  CHECK(one_way(blacs, {}, at({}, 8000_B), at({}, 8000_B)) == plain + call);
  CHECK(one_way(blacs, {}, blocks, others) == plain + call + copied(8000_B) * 2);
  CHECK(one_way(blacs, {}, blocks, at({}, 8000_B)) == plain + call + copied(8000_B));
  CHECK(one_way(blacs, {}, at({}, 8000_B), blocks) == plain + call + copied(8000_B));
  CHECK(one_way(blacs, {}, at({}, 8000_B), columns({}, 8000_B, 400_B, 400_B)) == plain + call);
}

// Of areas in blocks and of contiguous ones alike: a call and a type at the sender, while the receiver waits, and two
// copies, which a ping-pong's latency has, too.
TEST_CASE("blacs over hitachi_mpi: everything is packed, sent and unpacked, one after the other") {
  for (const char* rdma : {"true", "false"})
    for (const Bytes n : {8_B, 4000_B, 80'000_B}) {
      const Time plain = one_way("hitachi_mpi_ping_pong", {{"/library/rdma", rdma}}, at({}, n), at({}, n));
      const Time more = cycle * (740 + 2760) + copied(n) * 2;
      const Time loop = 1_us;  // in which MPI polls the flags of all that may come
      for (const Buffer& b : {at({}, n), columns({}, n, 8_B, 32_B)}) {
        const Time packed = one_way("blacs_mpi_ping_pong", {{"/library/over/rdma", rdma}}, b, b);
        CHECK(packed > plain + more - loop);
        CHECK(packed < plain + more + loop);
      }
    }
}

// All pieces on the wire, one behind the other, between the packing of the first and the unpacking of the last.
TEST_CASE("blacs over fmpl: packing, sending and unpacking overlap") {
  const auto rows = rows_of("blacs_fmpl_submatrix", {{"/scenario/sizes", R"(["64 MiB"])"},
                                                     {"/scenario/iterations", "1"},
                                                     {"/scenario/warm_up", "0"},
                                                     {"/library/pack_buffer", "\"1 MiB\""},
                                                     round_rate});
  const Time time = cell<Time>(rows.rows.front(), "latency");
  const Time bound = copied(1_MiB) * 2 + wired(64_MiB);
  CHECK(time > bound);
  CHECK(time < bound + 10_us * 64);
}

// The first and the last byte of each block say which message they are of, and so does the ledger.
TEST_CASE("blacs over fmpl: areas of any shape come whole, and nothing lies between their blocks") {
  constexpr int ranks = 4;
  constexpr int rounds = 12;
  ProgramBench b(blacs, {{"/library/pack_buffer", "\"4 KiB\""}});
  b.world().check_data();
  struct Shape {
    Bytes size, block, every, elsewhere;
  };
  const Shape shapes[] = {{4000_B, 400_B, 512_B, 404_B},
                          {4096_B, 8_B, 64_B, 24_B},
                          {3000_B, 0_B, 0_B, 0_B},
                          {40'000_B, 1000_B, 1001_B, 3000_B},
                          {27'000_B, 9000_B, 9001_B, 20'000_B},
                          {8_B, 8_B, 64_B, 64_B},
                          {13'500_B, 1500_B, 2000_B, 1600_B},
                          {0_B, 0_B, 0_B, 0_B},
                          {20'000_B, 0_B, 0_B, 0_B},
                          {3900_B, 300_B, 300_B, 700_B}};
  const auto shape = [&](int from, int round) { return shapes[static_cast<std::size_t>(round * 3 + from) % 10]; };
  const auto memory = [&](int rank) -> host::Memory& {
    return b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
  };
  const std::uint64_t user = unsigned_of(host::buffers_from(memory(0).config().size));
  const auto area_out = [&](int from, int round) {
    return columns(1_MiB * round, shape(from, round).size, shape(from, round).block, shape(from, round).every);
  };
  const auto area_in = [&](int from, int round) {
    return columns(1_MiB * (32 + round), shape(from, round).size, shape(from, round).block,
                   shape(from, round).elsewhere);
  };
  const auto said = [](int from, int round, std::int64_t block) {
    return static_cast<std::uint8_t>(1 + (from * 50 + round * 7 + block) % 250);
  };
  for (int from = 0; from < ranks; ++from)
    for (int round = 0; round < rounds; ++round) {
      const Buffer area = area_out(from, round);
      // What is one piece at one end and blocks at the other says it at the places of the blocks.
      Bytes done;
      for_each_stretch(area_in(from, round), area, [&](Bytes, Bytes there, Bytes n) {
        for (const Bytes place : {there, there + n - 1_B}) {
          const std::uint8_t byte = said(from, round, done.count());
          memory(from).preset(user + unsigned_of(place), {&byte, 1});
        }
        done += n;
      });
    }
  int checked = 0;
  for (int rank = 0; rank < ranks; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        const int shift = 1 + round % 3;
        const int to = (rank + shift) % ranks;
        const int from = (rank + ranks - shift) % ranks;
        const std::string text = fmt::format("{} in {}", rank, round);
        const auto send = [&] {
          r.ledger()->fill(rank, area_out(rank, round), text);
          if (round % 4 != 0) r.compute(1_us * ((rank * 17 + round * 5) % 23));
          r.world().send(to, round % 5, area_out(rank, round));
        };
        const auto receive = [&] {
          const Buffer into = area_in(from, round);
          r.ledger()->fill(rank, at(into.offset, 900'000_B), "between");
          const comm::Status s = r.world().recv(from, round % 5, into);
          CHECK(s.size == into.size);
          CHECK(s.source == from);
          CHECK(s.tag == round % 5);
          r.ledger()->expect(rank, into, fmt::format("{} in {}", from, round), {}, text);
          if (!comm::is_contiguous(into))
            r.ledger()->expect(rank, at(into.offset + into.block, into.every - into.block), "between", into.block,
                               text);
          Bytes done;
          for_each_stretch(into, area_out(from, round), [&](Bytes here, Bytes, Bytes n) {
            for (const Bytes place : {here, here + n - 1_B})
              CHECK(memory(rank).bytes(user + unsigned_of(place), 1_B).front() == said(from, round, done.count()));
            done += n;
          });
          ++checked;
        };
        // Someone of each circle has to receive first.
        if (rank < shift) {
          receive();
          send();
        } else {
          send();
          receive();
        }
      }
    });
  b.run();
  CHECK(checked == ranks * rounds);
}

// The adapter reads a piece from its buffer while the next is packed, and writes one while the one before is unpacked.
TEST_CASE("blacs over fmpl: the buffers of long pieces take turns") {
  constexpr int blocks = 700;
  ProgramBench b(blacs, {{"/library/pack_buffer", "\"64 KiB\""}});
  const auto memory = [&](int rank) -> host::Memory& {
    return b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
  };
  const std::uint64_t user = unsigned_of(host::buffers_from(memory(0).config().size));
  const auto place = [&](int block) { return user + 3000 * static_cast<std::uint64_t>(block) + 999; };
  for (int block = 0; block < blocks; ++block) {
    const auto byte = static_cast<std::uint8_t>(block % 251 + 1);
    memory(0).preset(place(block), {&byte, 1});
  }
  const Buffer area = columns({}, 1000_B * blocks, 1000_B, 3000_B);
  b.program(0, [&](Rank& r) { r.send(1, area); });
  b.program(1, [&](Rank& r) { r.recv(0, area); });
  b.run();
  int wrong = 0;
  for (int block = 0; block < blocks; ++block)
    wrong += memory(1).bytes(place(block), 1_B).front() == static_cast<std::uint8_t>(block % 251 + 1) ? 0 : 1;
  CHECK(wrong == 0);
}

}  // namespace blacs_test
