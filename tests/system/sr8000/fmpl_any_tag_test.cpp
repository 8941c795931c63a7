// SPDX-License-Identifier: Apache-2.0
// FMPL's receives with any tag (paper 002, 2.5 and 3.2.1).
#include <fmt/format.h>

#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "report/digest.hpp"
#include "system/areas.hpp"
#include "system/program_bench.hpp"

namespace fmpl_any_tag_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

const config::Override any_tags{"/library/any_tag", "true"};

}  // namespace

TEST_CASE("fmpl, any tag: a receive takes a message by whatever slot, posted before its send or behind it") {
  ProgramBench b("fmpl_ping_pong", {any_tags});
  b.world().check_data();
  std::vector<int> tags;
  b.program(0, [](Rank& r) {
    for (const int tag : {5, 0, 1023}) {
      r.compute(tag == 0 ? 1_ms : 0_s);
      r.ledger()->fill(0, at({}, 600_B), fmt::format("by {}", tag));
      r.world().send(1, tag, at({}, 600_B));
    }
  });
  b.program(1, [&](Rank& r) {
    r.compute(100_us);
    for (int i = 0; i < 3; ++i) {
      const comm::Status s = r.world().recv(0, comm::any_tag, at(1_MiB, 1000_B));
      tags.push_back(s.tag);
      CHECK(s.size == 600_B);
      r.ledger()->expect(1, at(1_MiB, 600_B), fmt::format("by {}", s.tag), {}, "test");
    }
  });
  b.run();
  CHECK(tags == std::vector<int>{5, 0, 1023});
}

TEST_CASE("fmpl, any tag: a receive with a tag beside it gets that message, whichever was posted first") {
  ProgramBench b("fmpl_ping_pong", {any_tags});
  std::vector<int> tags;
  b.program(0, [](Rank& r) {
    r.compute(100_us);
    for (const int tag : {3, 4, 4, 3}) r.world().send(1, tag, at({}, 8_B));
  });
  b.program(1, [&](Rank& r) {
    const auto both = [&](const comm::Request& any, const comm::Request& explicit_one) {
      r.world().wait_all({any, explicit_one});
      tags.insert(tags.end(), {any.status().tag, explicit_one.status().tag});
    };
    const comm::Request any = r.world().irecv(0, comm::any_tag, at({}, 8_B));
    both(any, r.world().irecv(0, 3, at({}, 8_B)));
    r.compute(100_us);
    const comm::Request three = r.world().irecv(0, 3, at({}, 8_B));
    both(r.world().irecv(0, comm::any_tag, at({}, 8_B)), three);
  });
  b.run();
  CHECK(tags == std::vector<int>{4, 3, 4, 3});
}

TEST_CASE("fmpl, any tag: of several sends that wait the one that was called first is taken") {
  ProgramBench b("fmpl_ping_pong", {any_tags});
  std::vector<int> tags;
  b.program(0, [](Rank& r) {
    std::vector<comm::Request> all;
    for (const int tag : {9, 2, 7}) all.push_back(r.world().isend(1, tag, at({}, 8_B)));
    all.push_back(r.world().isend(2, 2, at({}, 8_B)));
    r.world().wait_all(all);
  });
  for (const int rank : {1, 2})
    b.program(rank, [&, rank](Rank& r) {
      r.compute(rank == 1 ? 300_us : 100_us);
      for (int i = 0; i < (rank == 1 ? 3 : 1); ++i)
        tags.push_back(10 * rank + r.world().recv(0, comm::any_tag, at({}, 8_B)).tag);
      if (rank == 2) CHECK(r.now() < 130_us);
    });
  b.run();
  CHECK(tags == std::vector<int>{22, 19, 12, 17});
}

TEST_CASE("fmpl, any tag: buffered sends are taken before those that wait") {
  ProgramBench b("fmpl_ping_pong", {any_tags, {"/library/send_buffer", "\"64 KiB\""}});
  std::vector<int> tags;
  b.program(0, [](Rank& r) {
    for (const int tag : {9, 2, 7}) r.world().send(1, tag, at({}, 8_B));
    const comm::Request last = r.world().isend(1, 1, at({}, 8_B));
    r.compute(200_us);
    r.world().wait(last);
  });
  b.program(1, [&](Rank& r) {
    r.compute(100_us);
    for (int i = 0; i < 4; ++i) tags.push_back(r.world().recv(0, comm::any_tag, at({}, 8_B)).tag);
  });
  b.run();
  CHECK(tags == std::vector<int>{9, 2, 7, 1});
}

TEST_CASE("fmpl, any tag: a send whose receive has been posted before is not buffered") {
  ProgramBench b("fmpl_ping_pong", {any_tags, {"/library/send_buffer", "\"64 KiB\""}});
  b.program(0, [](Rank& r) {
    r.compute(100_us);
    r.world().send(1, 3, at({}, 8_B));
  });
  b.program(1, [](Rank& r) { r.world().recv(0, comm::any_tag, at({}, 8_B)); });
  b.run();
  CHECK(b.library().accounts().copies(comm::Copier::core).copies == 0);
}

TEST_CASE("fmpl, any tag: one receive of a pair at a time, and it never takes a collective's message") {
  ProgramBench b("fmpl_ping_pong", {any_tags});
  std::string said;
  int tag = 0;
  for (int rank = 0; rank < 9; ++rank)
    b.program(rank, [&, rank](Rank& r) {
      const comm::Request any = rank == 1 ? r.world().irecv(0, comm::any_tag, at(1_MiB, 8_B)) : comm::Request();
      if (rank == 1) try {
          r.world().irecv(0, comm::any_tag, at({}, 8_B));
        } catch (const std::exception& e) {
          said = e.what();
        }
      if (rank == 1) r.compute(200_us);  // its header for the broadcast comes later than that
      r.first(9).broadcast(0, at({}, 8_B), {"binomial"});
      if (rank == 0) r.world().send(1, 6, at({}, 8_B));
      if (rank != 1) return;
      r.world().wait(any);
      tag = any.status().tag;
    });
  b.run();
  CHECK_THAT(said, Catch::Contains("rank 1 receives from rank 0") && Catch::Contains("a receive before still has"));
  CHECK(tag == 6);
}

TEST_CASE("fmpl, any tag: of itself a rank receives, too") {
  ProgramBench b("fmpl_ping_pong", {any_tags});
  int tag = 0;
  b.program(0, [&](Rank& r) {
    const comm::Request sent = r.world().isend(0, 8, at({}, 8_B));
    tag = r.world().recv(0, comm::any_tag, at(1_MiB, 8_B)).tag;
    r.world().wait(sent);
  });
  b.run();
  CHECK(tag == 8);
}

TEST_CASE("fmpl, any tag: one that nobody sends to is told") {
  ProgramBench b("fmpl_ping_pong", {any_tags});
  b.program(0, [](Rank& r) { r.world().irecv(1, comm::any_tag, at({}, 8_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 posted a receive of rank 1 with any tag"));
}

// A send's polling loop has two words to visit.
TEST_CASE("fmpl, any tag: where receives may have any a message takes up to a round of the loop more") {
  const auto latency = [](const Overrides& o) {
    Overrides all = o;
    all.push_back({"/scenario/sizes", R"(["8 B"])"});
    return cell<Time>(rows_of("fmpl_ping_pong", all).rows.front(), "latency");
  };
  const Time without = latency({}), with = latency({any_tags});
  CHECK(with > without);
  CHECK(with <= without + 40_ns * 2);
  CHECK(latency({any_tags, {"/options/max_train", "1"}}) == with);
}

}  // namespace fmpl_any_tag_test
