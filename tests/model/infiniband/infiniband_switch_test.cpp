// SPDX-License-Identifier: Apache-2.0
// Virtual lanes in InfiniBand switches: whose turn it is, and who is in whose way.
#include <fmt/format.h>

#include <algorithm>

#include "model/infiniband/infiniband_bench.hpp"
#include "stats/random.hpp"
#include "support/child.hpp"

namespace infiniband_switch_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Opcode;

namespace {

using Arrivals = std::vector<SubnetArrival>;

/// Three ports, 0 and 1 send to 2; 33 blocks a packet.
constexpr Bytes full = 2_KiB;

std::int64_t of_lane(const Arrivals& all, std::size_t first, std::size_t n, int lane, int from = -1) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return std::count_if(begin, begin + static_cast<std::ptrdiff_t>(n),
                       [&](const SubnetArrival& a) { return a.lane == lane && (from < 0 || a.from == from); });
}

}  // namespace

TEST_CASE("InfiniBand: weights of 3 to 1 share a congested output 3 to 1") {
  Subnet s = Subnet().lanes(2);
  s.device.weights = {97, 32};  // in 64 B: three packets of 2076 B, and one
  InfiniBandBench b(crossbar_of(3, s));
  b.at(0_ns, [&] {
    for (int from = 0; from < 2; ++from) b.port(from).send(2, Opcode::write_middle, full, from, 120);
  });
  b.run();
  const Arrivals& all = b.port(2).arrivals();
  REQUIRE(all.size() == 240);
  for (std::size_t i = 8; i < 100; i += 4) {
    CAPTURE(i);
    CHECK(of_lane(all, i, 4, 0) == 3);
    CHECK(of_lane(all, i, 4, 1) == 1);
  }
  const Time packet = infiniband::link_rate(s.link).time(2076_B);
  CHECK(all[99].tail - all[19].tail == packet * 80);
}

TEST_CASE("InfiniBand: within a virtual lane inputs have turns, whatever the lanes' weights") {
  Subnet s = Subnet().lanes(2);
  s.device.weights = {97, 32};
  InfiniBandBench b(crossbar_of(3, s));
  b.at(0_ns, [&] {
    for (int i = 0; i < 120; ++i)
      for (int from = 0; from < 2; ++from)
        for (int level = 0; level < 2; ++level) b.port(from).send(2, Opcode::write_middle, full, level);
  });
  b.run();
  const Arrivals& all = b.port(2).arrivals();
  REQUIRE(all.size() == 480);
  for (int from = 0; from < 2; ++from) {
    CHECK(of_lane(all, 20, 160, 0, from) == 60);
    CHECK(of_lane(all, 20, 160, 1, from) == 20);
  }
}

TEST_CASE("InfiniBand: without weights inputs have turns, however many virtual lanes they use") {
  InfiniBandBench b(crossbar_of(3, Subnet().lanes(2)));
  b.at(0_ns, [&] {
    for (int lane = 0; lane < 2; ++lane) b.port(0).send(2, Opcode::write_middle, full, lane, 120);
    b.port(1).send(2, Opcode::write_middle, full, 0, 120);
  });
  b.run();
  const Arrivals& all = b.port(2).arrivals();
  const auto from = [&](int port) { return of_lane(all, 20, 160, 0, port) + of_lane(all, 20, 160, 1, port); };
  CHECK(from(0) == 80);
  CHECK(from(1) == 80);
}

TEST_CASE("InfiniBand: lanes of high priority go first") {
  for (const bool high : {true, false})
    in_child([&] {
      Subnet s = Subnet().lanes(2);
      if (high) s.device.high_priority = {1};
      InfiniBandBench b(crossbar_of(3, s));
      b.at(0_ns, [&] { b.port(0).send(2, Opcode::write_middle, full, 0, 100); });
      b.at(10_us, [&] { b.port(1).send(2, Opcode::write_middle, full, 1, 10); });
      b.run();
      const Arrivals& all = b.port(2).arrivals();
      const auto first = std::find_if(all.begin(), all.end(), [](const SubnetArrival& a) { return a.lane == 1; });
      const auto from = static_cast<std::size_t>(first - all.begin());
      REQUIRE(from + 10 < all.size());
      REQUIRE(of_lane(all, from, 10, 1) == (high ? 10 : 5));
      return std::string();
    });
}

namespace {

/// Port 2 keeps what comes on lane 0 for 100 us. Port 0 sends it `blocked` packets on lane 0, then ten to port `to` on
/// `lane`; when the last of these arrives.
Time last_behind_blocked(int blocked, int to, int lane) {
  return Time::from_fs(std::stoll(in_child([&] {
    Subnet s = Subnet().lanes(2);
    s.port.vl_blocks = 33;
    InfiniBandBench b(crossbar_of(3, s));
    b.port(2).hold_until(0, 100_us);
    b.at(0_ns, [&] {
      b.port(0).send(2, Opcode::write_middle, full, 0, blocked);
      b.port(0).send(to, Opcode::write_last, 1_KiB, lane, 10);
    });
    b.run();
    Time last;
    for (const SubnetArrival& a : b.port(to).arrivals())
      if (a.payload == 1_KiB) last = a.tail;
    return std::to_string(last.fs());
  })));
}

}  // namespace

TEST_CASE("InfiniBand: a blocked virtual lane does not block another one") {
  // Seven packets get off the wire: one is at port 2, six of 33 blocks are in the switch. The buffer of lane 1 there is
  // its own, that at port 2 has room for one packet at a time.
  CHECK(last_behind_blocked(20, 2, 1) < 20_us);
  CHECK(last_behind_blocked(20, 2, 0) > 100_us);
}

TEST_CASE("InfiniBand: an output that is blocked holds up others of its inputs' when their buffers are full") {
  CHECK(last_behind_blocked(5, 1, 0) < 20_us);
  CHECK(last_behind_blocked(20, 1, 0) > 100_us);
}

namespace {

std::string failure(const topo::Graph& graph) {
  try {
    InfiniBandBench b(graph);
  } catch (const config::ConfigError& e) {
    return e.messages().front().text;
  }
  return "no error";
}

}  // namespace

TEST_CASE("an InfiniBand wire with other virtual lanes than the switch is refused") {
  Subnet s = Subnet().lanes(4);
  s.device.virtual_channels = 2;
  CHECK(failure(crossbar_of(2, s)) == "router0 has 2 virtual lanes, the wire at t0 4");
}

TEST_CASE("an InfiniBand torus with one virtual lane is refused") {
  CHECK(failure(topo::build(any_of("torus", topo::GridConfig{{4, 4}, 1, {}, Subnet().parts()}))) ==
        "router0: the routes need 2 virtual lanes to be free of deadlock, not 1; write \"virtual_lanes\": 2 at the "
        "routers, their wires and the cards, or --set '**/virtual_lanes=2'");
}

TEST_CASE("a plain wire does not fit an InfiniBand switch, nor does its wire a plain router") {
  topo::NetworkParts parts = Subnet().parts();
  parts.wire = any_of("link", router::LinkConfig{});
  const std::string wrong_wire = failure(topo::build(any_of("crossbar", topo::CrossbarConfig{2, parts})));
  CHECK(wrong_wire.find("infiniband") != std::string::npos);
  parts = Subnet().parts();
  parts.router = any_of("router", router::RouterConfig{});
  const std::string wrong_router = failure(topo::build(any_of("crossbar", topo::CrossbarConfig{2, parts})));
  CHECK(wrong_router.find("infiniband") != std::string::npos);
}

TEST_CASE("an MTU for which a virtual lane's buffer has no room is refused") {
  Subnet s;
  s.link.mtu = 4_KiB;
  s.device.buffer_flits = 64;  // a packet has 65 blocks
  CHECK(failure(crossbar_of(2, s)) != "no error");
  s.device.buffer_flits = 65;
  CHECK(failure(crossbar_of(2, s)) == "no error");
}

namespace {

/// Random writes between random ports of a fat-tree at random times, on random lanes: when each packet arrived.
std::string random_writes(const Subnet& s, int max_train, std::string& findings) {
  return in_child([&] {
    InfiniBandBench b(fat_tree_of(4, 3, s), max_train, findings);
    stats::RandomStream random(1, "writes");
    for (int from = 0; from < 16; ++from)
      for (int i = 0; i < 8; ++i) {
        const int to = static_cast<int>((from + 1 + random.below(15)) % 16);
        const Bytes n(1 + random.below(20'000));
        const int level = static_cast<int>(random.below(s.link.virtual_lanes));
        b.at(Time::from_fs(random.below(40'000'000'000)),
             [&b, from, to, n, level] { b.port(from).write(to, n, level); });
      }
    if (const std::string found = b.attempt(); !found.empty()) return "found " + found;
    std::string out;
    for (int i = 0; i < 16; ++i)
      for (const SubnetArrival& a : b.port(i).arrivals())
        out += fmt::format("{} {} {} {} {}\n", i, a.from, a.lane, a.payload.count(), a.tail.fs());
    return out;
  });
}

}  // namespace

TEST_CASE("InfiniBand: random writes in a fat-tree arrive, in trains as packet by packet") {
  Subnet s = Subnet().lanes(2);
  s.device.weights = {97, 32};
  s.device.buffer_flits = 80;
  std::string none;
  const std::string alone = random_writes(s, 1, none);
  CHECK(std::count(alone.begin(), alone.end(), '\n') > 500);
  std::string findings, trains;
  for (int attempts = 0; attempts < 20; ++attempts) {
    trains = random_writes(s, 16, findings);
    if (trains.rfind("found ", 0) != 0) break;
    findings = trains.substr(6);
  }
  CHECK(trains == alone);
}

}  // namespace infiniband_switch_test
