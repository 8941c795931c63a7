// SPDX-License-Identifier: Apache-2.0
// The critical path through ranks, of histories made by hand.
#include "explain/critical_path.hpp"
#include "unit/explain/explain_fixture.hpp"

namespace explain_critical_path_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Envelope;
using comm::Together;
using comm::Wait;
using explain::CriticalPath;
using explain::History;
using explain::Leg;
using For = Wait::For;

namespace {

std::string where(int rank) { return rank == 0 ? core_name : peer_name; }

Together part(int rank, int ranks, Time begin, Time end, std::uint64_t number = 0) {
  return {rank, "broadcast", "binomial", 0, number, ranks, 0, 8_B, begin, end};
}

/// Rank `rank` waited from `begin` until a message of `peer`, posted at `posted`, had come at `end`.
Wait message(int rank, int peer, Time posted, Time begin, Time end) {
  return {rank, For::envelope, peer, begin, end, Envelope::Kind::eager, 1, 8_B, posted, end};
}

/// "message 0>1 0..50" for each leg, in nanoseconds.
std::vector<std::string> legs(const CriticalPath& p) {
  std::vector<std::string> out;
  const auto ns = [](Time t) { return std::to_string(t / 1_ns); };
  for (const Leg& l : p.legs) {
    const std::string ends =
        (l.kind == Leg::Kind::message ? std::to_string(l.peer) + ">" : "") + std::to_string(l.rank);
    out.push_back(std::string(name(l.kind)) + " " + ends + " " + ns(l.begin) + ".." + ns(l.end));
  }
  return out;
}

void expect_tiles(const CriticalPath& p) {
  Time at = p.begin;
  for (const Leg& l : p.legs) {
    CHECK(l.begin == at);
    CHECK(l.end > l.begin);
    at = l.end;
    Time sum;
    for (const auto& [name, time] : l.parts) sum += time;
    if (l.kind == Leg::Kind::message || l.kind == Leg::Kind::work) CHECK(sum == l.took());
  }
  CHECK(at == p.end);
}

CriticalPath path_of(const History& h) {
  const auto p = explain::critical_path(h, where);
  REQUIRE(p);
  expect_tiles(*p);
  return *p;
}

using Legs = std::vector<std::string>;

}  // namespace

TEST_CASE("critical path: a message and the work on both sides of it") {
  History h(two_wires());
  h.step({0, "compute", 0_ns, 30_ns});
  h.wait(message(1, 0, 40_ns, 0_ns, 90_ns));
  h.step({1, "copy the message", 90_ns, 95_ns});
  h.together(part(0, 2, 0_ns, 45_ns));
  h.together(part(1, 2, 0_ns, 100_ns));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"work 0 0..40", "message 0>1 40..90", "work 1 90..100"});
  CHECK(p.ranks == std::vector<int>{0, 1});
  CHECK(p.took() == 100_ns);
  CHECK(p.legs[0].parts == decltype(Leg::parts){{"compute", 30_ns}, {"in the library", 10_ns}});
  CHECK(p.legs[2].parts == decltype(Leg::parts){{"copy the message", 5_ns}, {"in the library", 5_ns}});
  CHECK(p.slack.ranks == 0);
}

TEST_CASE("critical path: a message that came before its receiver waited keeps nobody") {
  History h(two_wires());
  Wait early = message(1, 0, 0_ns, 60_ns, 64_ns);
  early.arrived = 50_ns;
  h.step({1, "compute", 0_ns, 60_ns});
  h.step({1, "poll the rings", 60_ns, 64_ns});
  h.wait(early);
  h.together(part(0, 2, 0_ns, 10_ns));
  h.together(part(1, 2, 0_ns, 80_ns));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"work 1 0..80"});
  CHECK(p.legs[0].parts ==
        decltype(Leg::parts){{"compute", 60_ns}, {"poll the rings", 4_ns}, {"in the library", 16_ns}});
  CHECK(p.slack.ranks == 1);
  CHECK(p.slack.least == 70_ns);
  CHECK(p.slack.most == 70_ns);
}

TEST_CASE("critical path: a message that comes in the instant in which its receiver begins to wait keeps nobody") {
  History h(two_wires());
  Wait tie = message(1, 0, 0_ns, 60_ns, 64_ns);
  tie.arrived = 60_ns;
  h.wait(tie);
  h.together(part(0, 2, 0_ns, 10_ns));
  h.together(part(1, 2, 0_ns, 80_ns));
  CHECK(legs(path_of(h)) == Legs{"work 1 0..80"});
}

TEST_CASE("critical path: a rank that is late because of what it did before is followed into that") {
  // Rank 0 waits in iteration 0 for a message until 60, computes until 70 and sends; rank 1 has begun iteration 1
  // at 10.
  History h(two_wires());
  h.wait(message(0, 1, 5_ns, 0_ns, 60_ns));
  h.step({0, "compute", 60_ns, 70_ns});
  h.wait(message(1, 0, 75_ns, 10_ns, 90_ns));
  h.together(part(1, 2, 0_ns, 10_ns, 0));
  h.together(part(0, 2, 0_ns, 70_ns, 0));
  h.together(part(0, 2, 70_ns, 80_ns, 1));
  h.together(part(1, 2, 10_ns, 100_ns, 1));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"message 1>0 10..60", "work 0 60..75", "message 0>1 75..90", "work 1 90..100"});
  CHECK(p.legs[0].before);
  CHECK_FALSE(p.legs[1].before);
  CHECK_FALSE(p.legs[2].before);
  CHECK_THAT(to_text(p),
             Catch::Contains("\nbefore: rank 1 > rank 0") && Catch::Contains("\nbefore: in what the rank did"));
}

TEST_CASE("critical path: a rank that paused before it began is late") {
  History h(two_wires());
  h.wait(message(1, 0, 75_ns, 10_ns, 90_ns));
  h.together(part(1, 2, 0_ns, 10_ns, 0));
  h.together(part(0, 2, 0_ns, 60_ns, 0));
  h.together(part(0, 2, 70_ns, 80_ns, 1));
  h.together(part(1, 2, 10_ns, 100_ns, 1));
  CHECK(legs(path_of(h)) == Legs{"late 0 10..70", "work 0 70..75", "message 0>1 75..90", "work 1 90..100"});
}

TEST_CASE("critical path: of ranks that end together the lowest is looked at") {
  History h(two_wires());
  h.wait(message(1, 0, 0_ns, 0_ns, 50_ns));
  h.wait(message(0, 1, 0_ns, 0_ns, 50_ns));
  h.together(part(1, 2, 0_ns, 50_ns));
  h.together(part(0, 2, 0_ns, 50_ns));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"message 1>0 0..50"});
  CHECK(p.call.rank == 0);
}

TEST_CASE("critical path: a rank that waits until its own message has left goes back to where it handed that over") {
  History h(two_wires());
  h.wait(message(0, 1, 0_ns, 20_ns, 40_ns));  // came meanwhile and kept nobody
  h.wait({0, For::leaving, 1, 45_ns, 70_ns, Envelope::Kind::eager, 2, 64_B, 10_ns, 70_ns});
  h.together(part(0, 2, 0_ns, 75_ns));
  h.together(part(1, 2, 0_ns, 60_ns));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"work 0 0..10", "leaving 0 10..70", "work 0 70..75"});
  CHECK(p.legs[1].peer == 1);
  CHECK(p.slack.least == 15_ns);
}

TEST_CASE("critical path: room and answers are waited for like messages") {
  History h(two_wires());
  Wait answer = message(0, 1, 20_ns, 5_ns, 40_ns);
  answer.kind = Envelope::Kind::clear_to_send;
  answer.size = 0_B;
  h.wait(answer);
  h.wait({1, For::room, 0, 10_ns, 20_ns, {}, 0, {}, {}, {}});
  h.wait({1, For::envelope, 0, 25_ns, 90_ns, Envelope::Kind::finished, 1, 64_KiB, 40_ns, 88_ns});
  h.together(part(0, 2, 0_ns, 50_ns));
  h.together(part(1, 2, 0_ns, 90_ns));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"work 1 0..10", "room 1 10..20", "message 1>0 20..40", "message 0>1 40..90"});
  const std::string text = to_text(p);
  CHECK_THAT(text, Catch::StartsWith("broadcast of 8 B among 2 ranks, root 0, by binomial: 90 ns\n"
                                     "critical path, 2 messages: rank 1 > 0 > 1\n"));
  CHECK_THAT(text, Catch::Contains("\nrank 1 until rank 0 has room ") &&
                       Catch::Contains("\nrank 1 > rank 0, clear to send ") &&
                       Catch::Contains("\nrank 0 > rank 1, 64 KiB ") &&
                       Catch::EndsWith("\nAll ranks are on the path.\n"));
}

TEST_CASE("critical path: a rank that begins after the others is named") {
  History h(two_wires());
  h.wait(message(1, 0, 60_ns, 0_ns, 90_ns));
  h.together(part(0, 2, 50_ns, 70_ns));
  h.together(part(1, 2, 0_ns, 90_ns));
  const CriticalPath p = path_of(h);
  CHECK(legs(p) == Legs{"late 0 0..50", "work 0 50..60", "message 0>1 60..90"});
  CHECK_THAT(to_text(p), Catch::Contains("\nrank 0 has not begun "));
}

TEST_CASE("critical path: what was waited for before a rank began is no part of it") {
  History h(two_wires());
  h.wait(message(0, 1, 0_ns, 0_ns, 50_ns));
  h.together(part(0, 1, 50_ns, 60_ns));
  CHECK(legs(path_of(h)) == Legs{"work 0 50..60"});
}

TEST_CASE("critical path: of the last call that all ranks have made") {
  History h(two_wires());
  for (const int rank : {0, 1}) h.together(part(rank, 2, 0_ns, 10_ns, 0));
  for (const int rank : {0, 1}) h.together(part(rank, 2, 10_ns, 30_ns, 1));
  h.together(part(0, 2, 30_ns, 60_ns, 2));
  const CriticalPath p = path_of(h);
  CHECK(p.call.number == 1);
  CHECK(legs(p) == Legs{"work 0 10..30"});
  CHECK_FALSE(explain::critical_path(History(two_wires()), where));
}

TEST_CASE("critical path: one whose beginning was dropped is refused") {
  History h(two_wires(), 16);
  h.step({0, "compute", 0_ns, 5_ns});
  for (int i = 0; i < 30; ++i) h.step({0, "compute", 10_ns * i, 10_ns * i + 10_ns});
  h.together(part(0, 1, 0_ns, 300_ns));
  CHECK_THROWS_WITH(explain::critical_path(h, where), Catch::Contains("--size"));
}

TEST_CASE("critical path: the longest message is explained by its stages") {
  History h(two_wires());
  const auto to_memory = [](int rank) { return rank == 0 ? core_name : std::string("b.mem"); };
  h.hop(hop(1, 0, 1, 40_ns));
  h.wait(message(1, 0, 40_ns, 0_ns, 90_ns));
  h.together(part(0, 2, 0_ns, 45_ns));
  h.together(part(1, 2, 0_ns, 90_ns));
  const auto p = explain::critical_path(h, to_memory);
  REQUIRE(p);
  CHECK(p->legs.back().parts == decltype(Leg::parts){{"wires and chips", 50_ns}});
  const auto longest = explain::longest_message(h, *p, to_memory);
  REQUIRE(longest);
  CHECK(longest->first.latency() == 50_ns);
  test::expect_tiles(longest->second);
  CHECK(names(longest->second).front() == "s: transmit pipeline");
}

TEST_CASE("critical path: long ones are printed from both ends and in JSON whole") {
  History h(two_wires());
  for (int i = 0; i < 60; ++i) h.wait(message((i + 1) % 2, i % 2, 10_ns * i, 10_ns * i - 5_ns, 10_ns * i + 10_ns));
  h.together(part(0, 2, 0_ns, 600_ns));
  h.together(part(1, 2, 0_ns, 590_ns));
  const CriticalPath p = path_of(h);
  CHECK(p.legs.size() == 60);
  const std::string text = to_text(p);
  CHECK_THAT(text, Catch::Contains("\n... 36 more ") && Catch::Contains("rank 0 > 1 > 0 > 1 > 0 > 1 > ... > "));
  CHECK(std::count(text.begin(), text.end(), '\n') < 60);
  const auto json = explain::to_json(p);
  CHECK(json["critical_path"].size() == 60);
  CHECK(json["critical_path"][1]["kind"] == "message");
  CHECK(json["critical_path"][1]["from"] == 1);
  CHECK(json["critical_path"][1]["start_fs"] == 10'000'000);
  CHECK(json["slack"]["ranks"] == 0);
}

}  // namespace explain_critical_path_test
