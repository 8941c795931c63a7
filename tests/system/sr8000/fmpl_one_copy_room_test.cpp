// SPDX-License-Identifier: Apache-2.0
// Room in the buffer of FMPL's one-copy sends (paper 002, 2.3 and 3.2.1), and what has no room there.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "report/digest.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"
#include "system/sr8000/fmpl_buffered.hpp"

namespace fmpl_one_copy_room_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

TEST_CASE("fmpl, one copy: a send waits for the slot that a buffered one has") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  Texts texts(b);
  texts.preset(0, {}, "one");
  texts.preset(0, 4_KiB, "two");
  std::vector<Time> sent;
  b.program(0, [&](Rank& r) {
    for (const Bytes from : {0_B, 4_KiB}) {
      r.world().send(1, 7, at(from, 3_B));
      sent.push_back(r.now());
    }
  });
  b.program(1, [&](Rank& r) {
    r.wait_until(1_ms);
    r.world().recv(0, 7, at({}, 3_B));
    CHECK(texts.read(1, {}, 3) == "one");
    r.wait_until(2_ms);
    r.world().recv(0, 7, at({}, 3_B));
    CHECK(texts.read(1, {}, 3) == "two");
  });
  b.run();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0] < 10_us);
  CHECK(sent[1] > 1_ms);
  CHECK(sent[1] < 1_ms + 30_us);  // buffered in its turn
}

TEST_CASE("fmpl, one copy: where the buffer has no room a send waits for its receive, or for room") {
  ProgramBench b("fmpl_ping_pong", buffered("4 KiB"));
  std::vector<Time> sent;
  b.program(0, [&](Rank& r) {
    const Bytes sizes[] = {3_KiB, 2_KiB, 5_KiB};
    for (int tag = 0; tag < 3; ++tag) {
      r.world().send(1, tag, at({}, sizes[tag]));
      sent.push_back(r.now());
    }
  });
  b.program(1, [](Rank& r) {
    for (int tag = 0; tag < 3; ++tag) {
      r.wait_until(1_ms * (tag + 1));
      r.world().recv(0, tag, at({}, 8_KiB));
    }
  });
  b.run();
  REQUIRE(sent.size() == 3);
  CHECK(sent[0] < 10_us);
  CHECK(sent[1] > 1_ms);  // when the first has left
  CHECK(sent[1] < 1_ms + 40_us);
  CHECK(sent[2] > 3_ms);  // never
  CHECK(b.library().accounts().copies(comm::Copier::core).bytes == 5_KiB);
}

TEST_CASE("fmpl, one copy: who only tests gets room, too") {
  ProgramBench b("fmpl_ping_pong", buffered("4 KiB"));
  Time second;
  b.program(0, [&](Rank& r) {
    const comm::Request requests[] = {r.world().isend(1, 0, at({}, 3_KiB)), r.world().isend(1, 1, at({}, 3_KiB))};
    for (const comm::Request& q : requests)
      while (!r.world().test(q) && r.now() < 3_ms) r.compute(1_us);
    second = r.now();
  });
  b.program(1, [](Rank& r) {
    for (const int tag : {0, 1}) {
      r.wait_until(tag == 0 ? 100_us : 2_ms);
      r.world().recv(0, tag, at({}, 3_KiB));
    }
  });
  b.run();
  CHECK(second > 100_us);
  CHECK(second < 200_us);
}

TEST_CASE("fmpl, one copy: a message that is too long for its receive is refused, as without a buffer") {
  ProgramBench b("fmpl_ping_pong", buffered("4 KiB"));
  b.program(0, [](Rank& r) { r.world().send(1, 0, at({}, 9_B)); });
  b.program(1, [](Rank& r) { r.world().recv(0, 0, at({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("truncated: rank 0 sends 9 B to rank 1 by matching slot 0"));
}

TEST_CASE("fmpl, one copy: messages of any size come whole, whoever waits for his sends first") {
  constexpr int rounds = 12;
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB", "6 us"));
  b.world().check_data();
  const int ranks = 9;
  int checked = 0;
  for (int rank = 0; rank < ranks; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      for (int round = 0; round < rounds; ++round) {
        const Bytes n[] = {0_B, 1_B, 8_B, 4_KiB, 4097_B, 20000_B};
        const auto size = [&](int from, int to) { return n[static_cast<std::size_t>(from + 2 * to + round) % 6]; };
        const auto text = [&](int from, int to) { return fmt::format("{} to {} in {}", from, to, round); };
        std::vector<comm::Request> sends;
        for (int shift = 1; shift < 5; ++shift) {
          const int to = (rank + shift) % ranks;
          const Buffer what = at(1_MiB * shift, size(rank, to));
          if (what.size > Bytes::zero()) r.ledger()->fill(rank, what, text(rank, to));
          sends.push_back(r.world().isend(to, shift, what));
        }
        r.compute(1_us * ((rank * 7 + round * 3) % 11));
        // Some wait for their sends first, which is what a buffer is for.
        if (round % 3 == 0 && rank % 2 == 0) r.world().wait_all(sends);
        for (int shift = 4; shift > 0; --shift) {
          const int from = (rank + ranks - shift) % ranks;
          const Buffer into = at(1_MiB * (10 + shift), size(from, rank));
          r.world().recv(from, shift, into);
          if (into.size > Bytes::zero())
            r.ledger()->expect(rank, into, text(from, rank), {}, fmt::format("rank {}", rank));
          ++checked;
        }
        r.world().wait_all(sends);
      }
    });
  b.run();
  CHECK(checked == ranks * rounds * 4);
  CHECK(b.library().accounts().copies(comm::Copier::core).copies > 0);
}

TEST_CASE("fmpl, one copy: a rank may send to itself before it receives") {
  ProgramBench b("fmpl_ping_pong", buffered("12 KiB", "10 us"));
  Texts texts(b);
  for (const Bytes from : {0_B, 64_KiB, 128_KiB}) texts.preset(0, from, "to itself");
  texts.preset(0, 2_MiB, "over that");
  Time sent;
  b.program(0, [&](Rank& r) {
    for (int i = 0; i < 3; ++i) {  // the buffer holds two of them
      const Time begin = r.now();
      const comm::Request request = r.world().isend(0, 1, at(64_KiB * i, 5000_B));
      r.world().wait(request);
      sent = r.now() - begin;
      CHECK(r.world().test(request));
      r.copy(at(64_KiB * i, 9_B), at(2_MiB, 9_B));
      CHECK(r.world().recv(0, 1, at(1_MiB, 5000_B)).size == 5000_B);
      CHECK(texts.read(0, 1_MiB, 9) == "to itself");
      CHECK(texts.read(0, 64_KiB * i, 9) == "over that");
    }
  });
  b.run();
  CHECK(sent == 10_us + copied(b, 5000_B) + noted);
  CHECK(b.library().accounts().copies(comm::Copier::core).copies == 6);
}

TEST_CASE("fmpl, one copy: the same with trains and without") {
  const auto digest = [](const std::string& max_train) {
    Overrides o = buffered("64 KiB");
    o.push_back({"/options/max_train", max_train});
    o.push_back({"/scenario/sizes", R"(["8 B", "20000 B"])"});
    return report::digest(rows_of("fmpl_ping_pong", o));
  };
  CHECK(digest("1") == digest("64"));
}

TEST_CASE("fmpl, one copy: a timeout without a buffer, and a buffer larger than the memory, are refused") {
  CHECK_THAT(refusal("fmpl_ping_pong", {{"/library/timeout", "\"1 ms\""}}),
             Catch::Contains("\"timeout\" needs a \"send_buffer\""));
  CHECK_THAT(refusal("fmpl_ping_pong", buffered("16 GiB")), Catch::Contains("memory"));
}

}  // namespace fmpl_one_copy_room_test
