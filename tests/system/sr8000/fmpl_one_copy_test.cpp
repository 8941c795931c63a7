// SPDX-License-Identifier: Apache-2.0
// FMPL's sends that turn to a buffer when nobody receives them in time (paper 002, 2.3 and 3.2.1).
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

namespace fmpl_one_copy_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

TEST_CASE("fmpl, one copy: ranks that both send first do not wait for each other") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  b.world().check_data();
  int received = 0;
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      r.ledger()->fill(rank, at({}, 5000_B), fmt::format("of {}", rank));
      r.world().send(1 - rank, 3, at({}, 5000_B));
      r.world().recv(1 - rank, 3, at(1_MiB, 5000_B));
      r.ledger()->expect(rank, at(1_MiB, 5000_B), fmt::format("of {}", 1 - rank), {}, "test");
      ++received;
    });
  b.run();
  CHECK(received == 2);
  CHECK(b.library().accounts().copies(comm::Copier::core).copies == 2);
  CHECK(b.library().accounts().copies(comm::Copier::core).bytes == 10000_B);
}

TEST_CASE("fmpl, one copy: a send that nobody receives takes its timeout, to a visit, and the copy") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB", "10 us"));
  std::vector<Time> took;
  b.program(0, [&](Rank& r) {
    for (const int tag : {0, 2}) {  // whose records share no line
      const Time begin = r.now();
      r.world().send(1, tag, at({}, 5000_B));
      took.push_back(r.now() - begin);
      r.compute(100_us);
    }
  });
  b.program(1, [](Rank& r) {
    r.compute(1_ms);
    for (const int tag : {2, 0}) r.world().recv(0, tag, at({}, 5000_B));
  });
  b.run();
  // The second send's loop visits the header of the first, too.
  CHECK(took == std::vector<Time>(2, begun + visit * 230 + copied(b, 5000_B) + noted));
}

TEST_CASE("fmpl, one copy: without a timeout a send that nobody receives is copied at once") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  Time took;
  b.program(0, [&](Rank& r) {
    r.world().send(1, 0, at({}, 5000_B));
    took = r.now();
  });
  b.program(1, [](Rank& r) {
    r.compute(1_ms);
    r.world().recv(0, 0, at({}, 5000_B));
  });
  b.run();
  CHECK(took == begun + copied(b, 5000_B) + noted);
}

TEST_CASE("fmpl, one copy: a send whose receive comes in time is copied nowhere") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB", "50 us"));
  b.program(0, [](Rank& r) {
    r.world().send(1, 0, at({}, 5000_B));
    r.compute(100_us);  // and one whose receive has been posted before
    r.world().send(1, 1, at({}, 5000_B));
  });
  b.program(1, [](Rank& r) {
    r.compute(20_us);
    r.world().recv(0, 0, at({}, 5000_B));
    r.world().recv(0, 1, at({}, 5000_B));
  });
  b.run();
  CHECK(b.library().accounts().copies(comm::Copier::core).copies == 0);
}

TEST_CASE("fmpl, one copy: a send whose time is over when its receive has been posted is copied nowhere") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB", "10 us"));
  b.program(0, [](Rank& r) {
    const comm::Request sent = r.world().isend(1, 0, at({}, 5000_B));
    r.compute(100_us);
    r.world().wait(sent);
  });
  b.program(1, [](Rank& r) {
    r.compute(20_us);
    r.world().recv(0, 0, at({}, 5000_B));
  });
  b.run();
  CHECK(b.library().accounts().copies(comm::Copier::core).copies == 0);
}

TEST_CASE("fmpl, one copy: of two sends whose time is over the one that has been asked for leaves") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB", "10 us"));
  b.program(0, [](Rank& r) {
    const comm::Request first = r.world().isend(1, 0, at({}, 5000_B));
    const comm::Request second = r.world().isend(1, 1, at({}, 5000_B));
    r.compute(100_us);
    r.world().wait(second);
    r.world().wait(first);
  });
  b.program(1, [](Rank& r) {
    r.compute(20_us);
    r.world().recv(0, 1, at({}, 5000_B));
    r.compute(100_us);
    r.world().recv(0, 0, at({}, 5000_B));
  });
  b.run();
  CHECK(b.library().accounts().copies(comm::Copier::core).copies == 1);
}

TEST_CASE("fmpl, one copy: who tests a send turns it to the buffer, too, and who waits for another does not") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB", "10 us"));
  Time done;
  b.program(0, [&](Rank& r) {
    const comm::Request first = r.world().isend(1, 0, at({}, 5000_B));
    const comm::Request second = r.world().isend(1, 1, at({}, 8_B));
    r.compute(9_us - r.now());
    CHECK_FALSE(r.world().test(first));
    r.compute(11_us - r.now());
    CHECK(r.world().test(first));
    done = r.now();
    r.world().recv(2, 0, at({}, 8_B));
    CHECK(b.library().accounts().copies(comm::Copier::core).bytes == 5000_B);
    r.world().wait(second);
  });
  b.program(1, [](Rank& r) {
    r.compute(1_ms);
    for (const int tag : {0, 1}) r.world().recv(0, tag, at({}, 5000_B));
  });
  b.program(2, [](Rank& r) {
    r.compute(100_us);
    r.world().send(0, 0, at({}, 8_B));
  });
  b.run();
  CHECK(done == 11_us + 500_ns + copied(b, 5000_B) + noted);
}

TEST_CASE("fmpl, one copy: data leave the buffer when their rank is in a call, and not before") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  std::vector<Time> came;
  b.program(0, [&](Rank& r) {
    r.world().send(1, 0, at({}, 8_B));
    r.world().send(1, 1, at({}, 8_B));
    r.wait_until(1_ms);
    r.world().recv(2, 0, at({}, 8_B));  // one leaves while it waits here
    r.wait_until(3_ms);
    const comm::Request never = r.world().irecv(2, 1, at({}, 8_B));
    r.world().test(never);  // the other here
    r.wait_until(5_ms);
    r.world().wait(never);
  });
  b.program(1, [&](Rank& r) {
    for (const int tag : {1, 0}) {
      r.world().recv(0, tag, at({}, 8_B));
      came.push_back(r.now());
      r.wait_until(2500_us);
    }
  });
  b.program(2, [](Rank& r) {
    r.wait_until(2_ms);
    r.world().send(0, 0, at({}, 8_B));
    r.wait_until(4_ms);
    r.world().send(0, 1, at({}, 8_B));
  });
  b.run();
  REQUIRE(came.size() == 2);
  CHECK(came[0] > 1_ms);
  CHECK(came[0] < 1_ms + 20_us);
  CHECK(came[1] > 3_ms);
  CHECK(came[1] < 3_ms + 30_us);
}

TEST_CASE("fmpl, one copy: what is left in the buffer at a program's end is sent") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  b.world().check_data();
  bool came = false;
  b.program(0, [](Rank& r) {
    r.ledger()->fill(0, at({}, 5000_B), "data");
    for (int tag = 0; tag < 3; ++tag) r.world().send(1, tag, at({}, 5000_B));
  });
  b.program(1, [&](Rank& r) {
    r.compute(1_ms);
    for (int tag = 2; tag >= 0; --tag) {
      r.world().recv(0, tag, at(1_MiB, 5000_B));
      r.ledger()->expect(1, at(1_MiB, 5000_B), "data", {}, "test");
    }
    came = true;
  });
  b.run();
  CHECK(came);
}

TEST_CASE("fmpl, one copy: a message that nobody receives is told at the end") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  b.program(0, [](Rank& r) { r.world().send(1, 4, at({}, 8_B)); });
  b.program(1, [](Rank& r) { r.compute(1_ms); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0") && Catch::Contains("tag 4 to rank 1"));
}

TEST_CASE("fmpl, one copy: the sender may write over what it has sent") {
  ProgramBench b("fmpl_ping_pong", buffered("64 KiB"));
  Texts texts(b);
  texts.preset(0, {}, "first of rank 0.");
  texts.preset(2, {}, "later of rank 2.");
  b.program(0, [](Rank& r) {
    r.world().send(1, 0, at({}, 16_B));
    r.world().recv(2, 0, at({}, 16_B));
    r.world().send(1, 1, at({}, 0_B));
  });
  b.program(1, [&](Rank& r) {
    r.compute(1_ms);
    r.world().recv(0, 0, at(4_KiB, 16_B));
    CHECK(texts.read(1, 4_KiB, 16) == "first of rank 0.");
    r.world().recv(0, 1, at(4_KiB, 16_B));
    CHECK(texts.read(1, 4_KiB, 16) == "first of rank 0.");
    CHECK(texts.read(0, {}, 16) == "later of rank 2.");
  });
  b.program(2, [](Rank& r) { r.world().send(0, 0, at({}, 16_B)); });
  b.run();
}

}  // namespace fmpl_one_copy_test
