// SPDX-License-Identifier: Apache-2.0
// What BLACS refuses, leaves to the library below, and what observers hear of it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "system/areas.hpp"
#include "system/sr8000/blacs_heard.hpp"

namespace blacs_calls_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

const std::string fmpl = "blacs_fmpl_ping_pong";

/// What a program is told.
std::vector<std::string> told(Rank& r, const std::vector<std::function<void(Rank&)>>& attempts) {
  std::vector<std::string> out;
  for (const auto& a : attempts) try {
      a(r);
      out.emplace_back("no error");
    } catch (const std::exception& e) {
      out.emplace_back(e.what());
    }
  return out;
}

}  // namespace

TEST_CASE("blacs: collectives, and bounds, are those of the library below") {
  for (const auto& [over, below] :
       {std::pair(fmpl, std::string("fmpl_ping_pong")),
        std::pair(std::string("blacs_mpi_ping_pong"), std::string("hitachi_mpi_ping_pong"))})
    for (const char* scenario : {R"({"kind": "barrier", "ranks": 16})", R"({"kind": "barrier", "ranks": 12})",
                                 R"({"kind": "broadcast", "ranks": 12, "sizes": ["64 KiB"]})",
                                 R"({"kind": "reduction", "result": "reduce", "ranks": 7, "sizes": ["8 KiB"]})"}) {
      const auto time = [&](const std::string& run) {
        return cell<Time>(rows_of(run, {{"/scenario", scenario}}).rows.front(), "time");
      };
      CHECK(time(over) == time(below));
    }
  const config::Override tree{"/scenario", R"({"kind": "barrier", "ranks": 5, "algorithms": ["software"]})"};
  CHECK(cell<Time>(rows_of(fmpl, {tree}).rows.front(), "time") ==
        cell<Time>(rows_of("fmpl_ping_pong", {tree}).rows.front(), "time"));
  const auto ceilings = [](const std::string& run) {
    std::vector<std::pair<std::string, Rate>> out;
    for (const report::Ceiling& c : rows_of(run, {{"/scenario/sizes", R"(["8 B"])"}}).ceilings)
      out.emplace_back(c.name, c.rate);
    return out;
  };
  CHECK(!ceilings(fmpl).empty());
  CHECK(ceilings(fmpl) == ceilings("fmpl_ping_pong"));
}

TEST_CASE("blacs: observers hear of its sends and receives, of steps of both libraries, and of no message below") {
  ProgramBench b(fmpl, {{"/library/pack_buffer", "\"4 KiB\""}});
  BlacsHeard heard;
  b.library().set_listener(heard);
  b.world().set_listener(heard);
  const Buffer area = columns({}, 10'000_B, 1000_B, 1500_B);
  Time begin, sent, received;
  comm::Request request;
  b.program(0, [&](Rank& r) {
    r.wait_until(begin = 5_us);
    request = r.world().isend(1, 3, area);
    sent = r.now();
    CHECK(r.world().test(request));
    CHECK(r.world().wait_any({request}) == 0);
    r.first(3).reduce(0, at(1_MiB, 64_B), at(2_MiB, 64_B), {"binomial"});
  });
  b.program(1, [&](Rank& r) {
    const comm::Request mine = r.world().irecv(0, 3, area);
    r.wait_until(3_us);
    r.world().wait(mine);
    received = r.now();
    CHECK(mine.at(comm::Milestone::posted) == Time::zero());
    CHECK(mine.at(comm::Milestone::delivered) == received);
    r.first(3).reduce(0, at(1_MiB, 64_B), at(2_MiB, 64_B), {"binomial"});
  });
  b.program(2, [&](Rank& r) { r.first(3).reduce(0, at(1_MiB, 64_B), at(2_MiB, 64_B), {"binomial"}); });
  b.run();
  CHECK(request.at(comm::Milestone::posted) == begin);
  CHECK(request.at(comm::Milestone::completed) == sent);
  std::vector<comm::Call> mine, others;
  for (const comm::Call& c : heard.calls) (c.context == 0 ? mine : others).push_back(c);
  REQUIRE(mine.size() == 2);
  for (const comm::Call& c : mine) {
    const bool sends = c.kind == comm::Call::Kind::send;
    CHECK(c.rank == (sends ? 0 : 1));
    CHECK(c.size == 10'000_B);
    CHECK(c.tag == 3);
    CHECK(c.message == mine.front().message);
    CHECK(c.begin == (sends ? begin : Time::zero()));
    CHECK(c.end == (sends ? sent : received));
  }
  CHECK(mine[0].kind != mine[1].kind);
  CHECK(others.size() == 4);  // two messages of the reduction
  for (const comm::Call& c : others) CHECK(c.message != mine.front().message);
  CHECK(heard.count(0, "pack") == 3);
  CHECK(heard.count(1, "unpack") == 3);
  CHECK(heard.count(1, "header send") >= 3);
  CHECK(b.library().accounts().messages() == 3 + 2);
  // Steps of a rank do not overlap.
  std::stable_sort(heard.steps.begin(), heard.steps.end(), [](const auto& x, const auto& y) {
    return std::pair(x.rank, x.begin) < std::pair(y.rank, y.begin);
  });
  for (std::size_t i = 1; i < heard.steps.size(); ++i)
    if (heard.steps[i].rank == heard.steps[i - 1].rank) CHECK(heard.steps[i].begin >= heard.steps[i - 1].end);
}

TEST_CASE("blacs: what cannot be is told before the run") {
  const auto library = [](const std::string& json) { return refusal(fmpl, {{"/library", json}}); };
  CHECK_THAT(library(R"({"kind": "blacs"})"), Catch::Contains("/library/over") && Catch::Contains("another one"));
  CHECK_THAT(library(R"({"kind": "blacs", "over": {"kind": "combuf"}})"),
             Catch::Contains("library combuf has no two-sided messages"));
  CHECK_THAT(library(R"({"kind": "blacs", "over": {"kind": "fmpl"}, "type_cycles": 1})"),
             Catch::Contains("\"type_cycles\" are of packing \"whole\" alone"));
  CHECK_THAT(refusal("ring_traffic", {{"/library", R"({"kind": "blacs", "over": {"kind": "datagram"}})"}}),
             Catch::Contains("runs on cores, but rank 0"));
  CHECK_THAT(refusal(fmpl, {{"/scenario/block", "\"16 B\""}, {"/scenario/every", "\"32 B\""}}),
             Catch::Contains("\"sizes\" are not whole blocks of 16 B"));
  CHECK_THAT(refusal(fmpl, {{"/scenario/block", "\"8 B\""}, {"/scenario/every", "\"4 B\""}}),
             Catch::Contains("\"every\" is shorter than a \"block\""));
  CHECK_THAT(refusal("fmpl_ping_pong", {{"/scenario/block", "\"8 B\""}, {"/scenario/every", "\"16 B\""}}),
             Catch::Contains("/scenario/block") && Catch::Contains("in one piece alone"));
  CHECK_THAT(refusal(fmpl, {{"/scenario/block", "\"8 B\""}, {"/scenario/every", "\"64 KiB\""}}),
             Catch::Contains("uses 137438887944 B"));
  CHECK_THAT(refusal(fmpl, {{"/library/packing", "\"whole\""}}),
             Catch::Contains("a message of 16 MiB does not fit the 256 KiB"));
}

TEST_CASE("blacs: buffers that do not fit a rank's memory are refused") {
  CHECK_THAT(refusal(fmpl, {{"/library/pack_buffer", "\"4 GiB\""}}),
             Catch::Contains("/library/pack_buffer") && Catch::Contains("2 of 4 GiB do not fit the"));
  CHECK_THAT(refusal(fmpl, {{"/library/packing", "\"whole\""}, {"/library/pack_buffer", "\"8 GiB\""}}),
             Catch::Contains("1 of 8 GiB do not fit the"));
}

TEST_CASE("blacs: areas that are none are refused, and what lies beyond a rank's memory") {
  ProgramBench b(fmpl);
  const comm::Library& library = b.library();
  const auto check = [&](const Buffer& area) {
    try {
      library.check(0, 1, area);
      return std::string("no error");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
  };
  const Bytes end = library.largest_message();
  CHECK(check(columns(end - 300_B, 200_B, 100_B, 200_B)) == "no error");
  CHECK_THAT(check(columns(end - 299_B, 200_B, 100_B, 200_B)), Catch::Contains("300 B at"));
  CHECK_THAT(check(columns({}, 150_B, 100_B, 200_B)), Catch::Contains("an area of 150 B is not whole blocks of 100 B"));
  CHECK_THAT(check(columns({}, 200_B, 100_B, 99_B)), Catch::Contains("are no area"));
  Buffer gpu = at({}, 200_B);
  gpu.place = "gpu1";
  CHECK_THAT(check(gpu), Catch::Contains("nodes of an SR8000 have no \"gpu1\""));
  gpu = columns({}, 200_B, 100_B, 200_B);
  gpu.target = "gpu0";
  CHECK_THAT(check(gpu), Catch::Contains("a core packs host memory, not \"gpu0\""));
  gpu.target.clear();
  gpu.place = "gpu1";
  CHECK_THAT(check(gpu), Catch::Contains("a core packs host memory, not \"gpu1\""));
}

TEST_CASE("blacs: calls that it does not have are refused") {
  ProgramBench b(fmpl);
  std::vector<std::string> said;
  b.program(0, [&](Rank& r) {
    const comm::Request open = r.world().irecv(1, 0, at({}, 8_B));
    said = told(
        r, {[](Rank& me) { me.world().irecv(comm::any_source, 0, at({}, 8_B)); },
            [](Rank& me) { me.world().irecv(1, comm::any_tag, at({}, 8_B)); }, [&](Rank& me) { me.world().test(open); },
            [&](Rank& me) { me.world().wait_any({open}); }, [](Rank& me) { me.world().isend(0, 0, at({}, 8_B)); },
            [](Rank& me) { me.world().isend(1, 0, columns({}, 150_B, 100_B, 200_B)); },
            [](Rank& me) { me.world().irecv(1, 0, columns({}, 150_B, 100_B, 200_B)); },
            [](Rank& me) { me.world().probe(1, 0); }});
  });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 never waited for what it receives from rank 1 with tag 0"));
  REQUIRE(said.size() == 8);
  CHECK_THAT(said[0], Catch::Contains("rank 0 receives from any rank with tag 0: BLACS names who sends what"));
  CHECK_THAT(said[1], Catch::Contains("with any tag"));
  CHECK_THAT(said[2], Catch::Contains("receives of BLACS block"));
  CHECK_THAT(said[3], Catch::Contains("receives of BLACS block"));
  CHECK_THAT(said[4], Catch::Contains("rank 0 sends to itself"));
  CHECK_THAT(said[5], Catch::Contains("rank 0 sends to rank 1: an area of 150 B"));
  CHECK_THAT(said[6], Catch::Contains("rank 0 receives from rank 1: an area of 150 B"));
  CHECK_THAT(said[7], Catch::Contains("does not show"));
}

TEST_CASE("blacs over fmpl: a long area in blocks does not go to one that is contiguous") {
  ProgramBench b(fmpl, {{"/library/pack_buffer", "\"4 KiB\""}});
  b.program(0, [](Rank& r) { r.send(1, columns({}, 8000_B, 400_B, 500_B)); });
  b.program(1, [](Rank& r) { r.recv(0, at({}, 8000_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 1 gets 4 kB of 8 kB from rank 0: their areas lie differently"));
}

TEST_CASE("blacs over fmpl: an area in blocks is as long at both ends") {
  ProgramBench b(fmpl);
  b.program(0, [](Rank& r) { r.send(1, at({}, 400_B)); });
  b.program(1, [](Rank& r) { r.recv(0, columns({}, 800_B, 400_B, 500_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 1 receives 800 B in blocks from rank 0, which sends 400 B"));
}

TEST_CASE("blacs over fmpl: a contiguous receive learns how much came") {
  ProgramBench b(fmpl);
  b.program(0, [](Rank& r) { r.send(1, columns({}, 800_B, 400_B, 500_B)); });
  b.program(1, [](Rank& r) { CHECK(r.world().recv(0, 0, at({}, 1000_B)).size == 800_B); });
  b.run();
}

TEST_CASE("blacs over fmpl: a long contiguous area does not go to one in blocks") {
  ProgramBench b(fmpl, {{"/library/pack_buffer", "\"4 KiB\""}});
  b.program(0, [](Rank& r) { r.send(1, at({}, 8000_B)); });
  b.program(1, [](Rank& r) { r.recv(0, columns({}, 8000_B, 400_B, 500_B)); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("truncated: rank 0 sends 8 kB to rank 1"));
}

TEST_CASE("blacs: ranks that both send first wait for each other, and are told so") {
  ProgramBench b(fmpl);
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [rank](Rank& r) {
      r.world().send(1 - rank, 3, at({}, 8_B));
      r.world().recv(1 - rank, 3, at({}, 8_B));
    });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 in send with rank 1") && Catch::Contains("circle"));
}

}  // namespace blacs_calls_test
