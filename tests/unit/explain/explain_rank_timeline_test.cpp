// SPDX-License-Identifier: Apache-2.0
#include "explain/rank_timeline.hpp"
#include "explain_fixture.hpp"

namespace explain_rank_timeline_test {

using namespace tsunagi;
using namespace tsunagi::explain;

comm::Wait wait(int rank, comm::Wait::For what, int peer, Time begin, Time end) {
  comm::Wait w;
  w.rank = rank;
  w.what = what;
  w.peer = peer;
  w.begin = begin;
  w.end = end;
  return w;
}

/// "step 0..4, wait 4..9": in whole nanoseconds.
std::string text(const RankLine& line) {
  std::string out;
  for (const RankStage& s : line.stages)
    out += (out.empty() ? "" : ", ") + s.what + " " + std::to_string(s.begin.fs() / 1'000'000) + ".." +
           std::to_string(s.end.fs() / 1'000'000);
  return out;
}

TEST_CASE("rank timeline: waits stand in place of the steps of waiting, and what goes on is one") {
  History history(test::two_wires());
  history.step({0, "post", 0_ns, 10_ns});
  history.step({0, "poll", 10_ns, 20_ns});
  history.step({0, "poll", 20_ns, 30_ns});
  history.step({0, "copy", 30_ns, 40_ns});
  history.wait(wait(0, comm::Wait::For::envelope, 3, 12_ns, 28_ns));
  history.wait(wait(0, comm::Wait::For::room, 2, 45_ns, 50_ns));
  history.wait(wait(1, comm::Wait::For::leaving, 0, 5_ns, 15_ns));
  const RankTimeline all = rank_timeline(history, 0_ns, 100_ns, {});
  REQUIRE(all.lines.size() == 2);
  CHECK(text(all.lines[0]) ==
        "post 0..10, poll 10..12, wait for rank 3 12..28, poll 28..30, copy 30..40, wait for room at rank 2 45..50");
  CHECK(text(all.lines[1]) == "wait until the message to rank 0 has left 5..15");
  CHECK(all.lines[0].stages[2].is_wait);
  CHECK_FALSE(all.lines[0].stages[1].is_wait);
  const auto json = to_json(all, 5_ns);
  CHECK(json[1].dump() ==
        R"({"rank":1,"stages":[{"what":"wait until the message to rank 0 has left","kind":"wait","start_fs":0,)"
        R"("duration_fs":10000000}]})");
}

TEST_CASE("rank timeline: is cut to its time, never overlaps, and leaves ranks out by its limits") {
  History history(test::two_wires());
  for (int rank = 0; rank < 4; ++rank) {
    history.step({rank, "a", 0_ns, 10_ns});
    history.step({rank, "b", 8_ns, 20_ns});  // told wrongly: it begins inside the other
  }
  const RankTimeline cut = rank_timeline(history, 5_ns, 15_ns, {});
  REQUIRE(cut.lines.size() == 4);
  CHECK(cut.left_out == 0);
  CHECK(text(cut.lines[3]) == "a 5..10, b 10..15");
  const RankTimeline few = rank_timeline(history, 0_ns, 20_ns, {2, 2, 7}, 2);
  REQUIRE(few.lines.size() == 2);
  CHECK(few.lines[0].rank == 0);
  CHECK(few.lines[1].rank == 2);
  CHECK(few.left_out == 2);
  const RankTimeline short_one = rank_timeline(history, 0_ns, 20_ns, {3}, 128, 3);
  REQUIRE(short_one.lines.size() == 1);
  CHECK(short_one.lines[0].rank == 3);
  CHECK(short_one.left_out == 3);
  CHECK(rank_timeline(history, 30_ns, 40_ns, {1}).lines.empty());
}

}  // namespace explain_rank_timeline_test
