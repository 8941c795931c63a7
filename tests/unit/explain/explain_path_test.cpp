// SPDX-License-Identifier: Apache-2.0
#include "explain/crossing.hpp"
#include "unit/explain/explain_fixture.hpp"

namespace explain_path_test {

using namespace tsunagi;
using namespace tsunagi::test;
using explain::History;
using explain::Kind;
using explain::Path;
using explain::walk;
using net::Stage;
using Names = std::vector<std::string>;
using Times = std::vector<Time>;

namespace {

const std::string chip = "s";

Path crossing_of(const History& h, const net::Hop& last) {
  return walk(h, last.item, last.ready.head, last.arrived.tail);
}

}  // namespace

TEST_CASE("explain: a store, two wires and a poll tile the time exactly") {
  History h(two_wires());
  h.stage(stage(1, 0, Stage::step, "store", core_name, 0_ns, 7_ns));
  h.hop(hop(2, 1, 0, 7_ns));
  h.stage(stage(2, 0, Stage::pipeline, "route", chip, 57_ns, 60_ns));
  h.hop(hop(2, 1, 1, 60_ns));
  h.stage(stage(3, 2, Stage::poll, "poll", peer_name, 110_ns, 121_ns));
  const Path p = walk(h, 3, 2_ns, 121_ns);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core: store", "a.core: transmit pipeline", "a.core.out > s.in: serialise",
                          "a.core.out > s.in: flight", "s: receive pipeline", "s: route", "s: transmit pipeline",
                          "s.out > b.mem.in: serialise", "s.out > b.mem.in: flight", "b.mem: receive pipeline",
                          "b.core: poll"});
  CHECK(lengths(p) == Times{5_ns, 10_ns, 32_ns, 5_ns, 3_ns, 3_ns, 10_ns, 32_ns, 5_ns, 3_ns, 11_ns});
}

TEST_CASE("explain: a child may come from the middle of its parent") {
  History h(two_wires());
  h.hop(hop(1, 0, 0, 0_ns));
  h.stage(stage(2, 1, Stage::pipeline, "wake", core_name, 30_ns, 40_ns));  // 20 ns after the first byte left
  const Path p = walk(h, 2, 0_ns, 40_ns);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core: transmit pipeline", "a.core.out > s.in: serialise", "a.core: wake"});
  CHECK(lengths(p) == Times{10_ns, 20_ns, 10_ns});
}

TEST_CASE("explain: a hop that the next one cuts through is left by its head") {
  History h(two_wires());
  net::Hop first = hop(1, 0, 0, 0_ns);
  first.arrived.head = first.wire.head + 5_ns + 3_ns;
  h.hop(first);
  h.stage(stage(1, 0, Stage::pipeline, "route", chip, first.arrived.head, first.arrived.head + 4_ns));
  h.hop(hop(1, 0, 1, 22_ns));
  const Path p = walk(h, 1, 0_ns, 72_ns);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core: transmit pipeline", "a.core.out > s.in: flight", "s: receive pipeline", "s: route",
                          "s: transmit pipeline", "s.out > b.mem.in: serialise", "s.out > b.mem.in: flight",
                          "b.mem: receive pipeline"});
  CHECK(lengths(p) == Times{10_ns, 5_ns, 3_ns, 4_ns, 10_ns, 32_ns, 5_ns, 3_ns});
  // What waits for the last byte sees the hop whole.
  h.stage(stage(2, 1, Stage::poll, "poll", chip, first.arrived.tail, 60_ns));
  CHECK(lengths(walk(h, 2, 0_ns, 60_ns)) == Times{10_ns, 32_ns, 5_ns, 3_ns, 10_ns});
}

TEST_CASE("explain: a wait is split by whose packets went first and then by what was blocked") {
  History h(two_wires());
  net::Hop other = late_hop(1, 0, 0_ns, 0_ns);
  other.source = 1;
  other.datapath.tail = 10_ns;
  other.piped = 0_ns;
  other.wire = {0_ns, 20_ns};
  net::Hop own = late_hop(2, 0, 0_ns, 22_ns);  // 2 ns after the wire was free: on the edge
  own.datapath.tail = 30_ns;
  own.piped = 22_ns;
  own.wire = {22_ns, 50_ns};
  net::Hop third = late_hop(3, 0, 5_ns, 80_ns);
  third.blocked_by = net::BlockedBy::credit;
  third.flow_class = 1;
  third.blocked_since = 50_ns;
  for (const net::Hop& one : {other, own, third}) h.hop(one);
  const Path p = walk(h, 3, 5_ns, 90_ns);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core: arbitration", "a.core: behind own packets", "a.core: credit wait (non-posted)",
                          "a.core: transmit pipeline"});
  CHECK(lengths(p) == Times{15_ns, 30_ns, 30_ns, 10_ns});
  third.blocked_by = net::BlockedBy::replay_space;
  third.blocked_since = 0_ns;
  CHECK(names(crossing_of(h, third))[0] == "a.core: arbitration");
  CHECK(explain::crossing(h, third, false)[0].kind == Kind::replay_space);
}

TEST_CASE("explain: a port that was free waited for the clock or for the wire's overhead") {
  History h(two_wires());
  h.hop(late_hop(1, 0, 100_ns, 103_ns));
  CHECK(names(crossing_of(h, late_hop(1, 0, 100_ns, 103_ns)))[0] == "a.core: clock edge");
  h.overhead({0, net::Overhead::ack, {98_ns, 102_ns}});
  CHECK(names(crossing_of(h, late_hop(1, 0, 100_ns, 103_ns)))[0] == "a.core: wire busy");
}

TEST_CASE("explain: between the pipeline and the wire lie the datapath, the wire and replays") {
  History h(two_wires());
  net::Hop slow = hop(1, 0, 0, 0_ns);
  slow.datapath = {4_ns, 44_ns};  // 40 ns for what the wire does in 32
  slow.first_try = 25_ns;         // 8 ns later than the pipeline for the datapath, 7 ns for the wire
  slow.wire = {125_ns, 157_ns};
  slow.landed = 162_ns;
  slow.arrived = {165_ns, 165_ns};
  h.hop(slow);
  const Path p = crossing_of(h, slow);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core: clock edge", "a.core: transmit pipeline", "a.core: datapath", "a.core: wire busy",
                          "a.core.out > s.in: replay", "a.core.out > s.in: serialise", "a.core.out > s.in: flight",
                          "s: receive pipeline"});
  CHECK(lengths(p) == Times{4_ns, 6_ns, 8_ns, 7_ns, 100_ns, 32_ns, 5_ns, 3_ns});
  // A femtosecond of rounding is no wait for the wire.
  slow.first_try = 18_ns + 1_fs;
  CHECK(explain::crossing(h, slow, false)[2].end == slow.first_try);
  CHECK(explain::crossing(h, slow, false)[3].kind == Kind::replay);
}

TEST_CASE("explain: a request that waited for a tag goes on with the completion that brought it") {
  History h(two_wires());
  h.hop(hop(1, 0, 0, 0_ns));
  h.stage(stage(2, 1, Stage::tag, "read tag", chip, 50_ns, 54_ns));
  h.hop(hop(2, 1, 1, 54_ns));
  const Path p = walk(h, 2, 40_ns, 64_ns);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core.out > s.in: serialise", "a.core.out > s.in: flight", "s: receive pipeline",
                          "s: read tag", "s: transmit pipeline"});
  CHECK(p.segments[3].kind == Kind::tag);
}

TEST_CASE("explain: a hop's parent is asked where the packet has no stage before it") {
  History h(two_wires());
  h.stage(stage(1, 0, Stage::step, "store", core_name, 0_ns, 10_ns));
  h.hop(hop(2, 1, 0, 6_ns));  // the store goes on meanwhile
  CHECK(names(walk(h, 2, 0_ns, 16_ns)) == Names{"a.core: store", "a.core: transmit pipeline"});
  CHECK(lengths(walk(h, 2, 0_ns, 16_ns)) == Times{6_ns, 10_ns});
}

TEST_CASE("explain: wires that take no time are passed through") {
  History h(two_wires());
  h.stage(stage(1, 0, Stage::step, "store", core_name, 0_ns, 10_ns));
  net::Hop now = hop(2, 1, 0, 10_ns);
  now.piped = now.first_try = now.landed = 10_ns;
  now.wire = now.arrived = {10_ns, 10_ns};
  h.hop(now);
  h.stage(stage(2, 0, Stage::memory, "write", peer_name, 10_ns, 15_ns));
  CHECK(names(walk(h, 2, 0_ns, 15_ns)) == Names{"a.core: store", "b.core: write"});
}

TEST_CASE("explain: a gap is told as unexplained and the walk goes on before it") {
  History h(two_wires());
  h.stage(stage(1, 0, Stage::step, "store", core_name, 0_ns, 10_ns));
  h.stage(stage(2, 1, Stage::step, "fence", core_name, 14_ns, 20_ns));
  const Path p = walk(h, 2, 0_ns, 20_ns);
  expect_tiles(p);
  CHECK(names(p) == Names{"a.core: store", "unexplained: unexplained", "a.core: fence"});
  CHECK(p.segments[1].kind == Kind::unexplained);
  CHECK(lengths(p) == Times{10_ns, 4_ns, 6_ns});
  // Nothing at all, and events that name each other in a circle.
  CHECK(lengths(walk(h, 77, 3_ns, 9_ns)) == Times{6_ns});
  h.stage(stage(5, 6, Stage::step, "hen", core_name, 30_ns, 40_ns));
  h.stage(stage(6, 5, Stage::step, "egg", core_name, 30_ns, 40_ns));
  const Path circle = walk(h, 5, 0_ns, 40_ns);
  expect_tiles(circle);
  CHECK(circle.segments.front().kind == Kind::unexplained);
}

TEST_CASE("explain: a full history forgets the older half and says since when it is complete") {
  History h(two_wires(), 8);
  for (int i = 0; i < 8; ++i) {
    const Time t = 10_ns * i;
    h.stage(stage(static_cast<std::uint64_t>(i + 1), static_cast<std::uint64_t>(i), Stage::step, "step", core_name, t,
                  t + 10_ns));
  }
  CHECK(h.complete_since() == Time::zero());
  CHECK(lengths(walk(h, 8, 0_ns, 80_ns)).size() == 8);
  h.stage(stage(9, 8, Stage::step, "step", core_name, 80_ns, 90_ns));
  CHECK(h.complete_since() == 40_ns);
  CHECK(h.stages().size() == 5);
  CHECK(h.stages_of(4).empty());
  const Path p = walk(h, 9, 40_ns, 90_ns);
  CHECK(lengths(p) == Times(5, 10_ns));
}

}  // namespace explain_path_test
