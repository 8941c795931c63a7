// SPDX-License-Identifier: Apache-2.0
// One packet memory for all ports of a switch: who finds room, who is dropped, and what that costs.
#include <algorithm>
#include <set>

#include "model/ethernet/ethernet_bench.hpp"
#include "stats/random.hpp"

namespace ethernet_switch_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Bytes cell{64};
constexpr std::int64_t cells_of_full = 24;  // 1518 B

/// A switch with room for so many full frames, of which `limit` may wait for one output.
EthernetLan with_room(std::int64_t frames, std::int64_t limit = 0) {
  EthernetLan lan;
  lan.device.memory = {cell * cells_of_full * frames, cell * cells_of_full * limit, cell};
  return lan;
}

/// Stations 1 .. `senders` send as many full frames each to station 0 in lockstep.
void incast(EthernetBench& b, int senders, int frames) {
  b.at(0_ns, [&b, senders, frames] {
    for (int i = 1; i <= senders; ++i) b.station(i).send(0, 1500_B, frames);
  });
}

/// How many of those find room, where `room` fit: what left the memory before the last ones came, and what fits. The
/// memory is full then, and the wire is never idle: there is one more than the frame that leaves.
std::int64_t kept(const EthernetLan& lan, int frames, std::int64_t room) {
  const Time first = lan.on_wire(1500_B) + lan.wire.flight;
  const Time last = first + lan.turn(1500_B) * (frames - 1);
  const Time first_left = lan.forwarded(first) + lan.on_wire(1500_B);
  return room + (last - first_left) / lan.turn(1500_B) + 1;
}

}  // namespace

TEST_CASE("Ethernet: of senders in lockstep a shared memory keeps what fits and what has left, to the frame") {
  for (const int senders : {2, 3, 7})
    for (const std::int64_t room : {2, 3, 10, 40}) {
      CAPTURE(senders, room);
      CHECK(in_child([senders, room] {
              constexpr int frames = 100;
              const EthernetLan lan = with_room(room);
              EthernetBench b(lan.star(senders + 1));
              incast(b, senders, frames);
              b.run();
              const std::int64_t there = kept(lan, frames, room);
              REQUIRE(static_cast<std::int64_t>(b.station(0).frames().size()) == there);
              REQUIRE(b.sw().dropped(0) == senders * frames - there);
              for (int i = 1; i <= senders; ++i) {
                REQUIRE(b.sw().dropped(i) == 0);
                REQUIRE(std::abs(b.station(0).from(i) * senders - there) <= 2 * senders);  // they have turns
              }
              return std::string("ok");
            }) == "ok");
    }
}

TEST_CASE("Ethernet: a frame is dropped at the limit and not before, by cells") {
  // Frames of 65 B take two cells. While one leaves, four fit behind it; the fifth one does not.
  for (const std::int64_t limit : {0, 10})
    for (const std::int64_t cells : {9, 10}) {
      EthernetLan lan;
      lan.device.limits.largest_frame = 128_B;
      lan.wire.mtu = 47_B;
      lan.device.memory = {limit == 0 ? cell * cells : 1_MiB, limit == 0 ? 0_B : cell * cells, cell};
      CHECK(in_child([&] {
              EthernetBench b(lan.star(7));
              b.at(0_ns, [&b] {
                for (int i = 1; i < 7; ++i) b.station(i).send(0, 47_B);
              });
              b.run();
              return fmt::format("{} {}", b.station(0).frames().size(), b.sw().dropped(0));
            }) == fmt::format("{} {}", cells / 2, 6 - cells / 2));
    }
}

TEST_CASE("Ethernet: what one output may have leaves the rest of the memory to the others") {
  // Stations 2 and 3 send to 0, 4 and 5 to 1, later.
  const auto second_gets = [](std::int64_t limit) {
    return std::stoi(in_child([limit] {
      const EthernetLan lan = with_room(12, limit);
      EthernetBench b(lan.star(6));
      b.at(0_ns, [&b] {
        for (int i = 2; i < 4; ++i) b.station(i).send(0, 1500_B, 60);
      });
      b.at(500_us, [&b] {
        for (int i = 4; i < 6; ++i) b.station(i).send(1, 1500_B, 10);
      });
      b.run();
      return std::to_string(b.station(1).frames().size());
    }));
  };
  CHECK(second_gets(8) == 4 + 9);          // what is left of the memory, and what leaves while ten come
  CHECK(second_gets(0) < second_gets(8));  // the first output has it all, and its senders come again and again
}

TEST_CASE("Ethernet: frames leave in the order in which they came, and a port that waits holds up no other one") {
  EthernetLan lan = with_room(40);
  EthernetBench b(lan.star(5));
  b.at(0_ns, [&] {
    b.station(1).send(0, 1500_B, 10);
    b.station(2).send(0, 1500_B, 10);
    b.station(3).send(4, 1500_B, 10);
    b.station(3).send(0, 100_B);
  });
  b.run();
  CHECK(b.station(4).frames().front().tail == lan.through(1500_B));
  CHECK(b.station(4).frames().back().tail == lan.through(1500_B) + lan.turn(1500_B) * 9);
  // Twenty came before it, ten of them when the other ten did.
  CHECK(b.station(0).frames().back().from == 3);
  CHECK(b.station(0).frames().size() == 21);
}

TEST_CASE("Ethernet: a frame that is dropped costs no more than one that is not") {
  const auto wakeups = [](bool drops) {
    return std::stol(in_child([drops] {
      const EthernetLan lan = with_room(4);
      EthernetBench b(lan.star(4));
      constexpr int frames = 1000;
      b.at(0_ns, [&b, drops] {
        b.station(0).send(2, 1500_B, frames);
        b.station(1).send(drops ? 2 : 3, 1500_B, frames);
      });
      b.run();
      const std::int64_t dropped = b.sw().dropped(2);
      REQUIRE((drops ? dropped > frames * 9 / 10 : dropped == 0));
      return std::to_string(b.sim().agenda().wakeups());
    }));
  };
  const auto kept = wakeups(false), half = wakeups(true);
  CAPTURE(kept, half);
  CHECK(half <= kept);
  CHECK(kept <= 2000 * 5 + 100);  // a frame: a grant and an arrival a wire, and a decision
}

namespace {

/// Random frames between random stations of two switches at random times: when each arrived, what was dropped.
std::string random_frames(std::uint64_t seed, int max_train, bool reversed, bool pause) {
  return in_child([=] {
    stats::RandomStream random(seed, "frames");
    EthernetLan lan = with_room(2 + random.below(10));
    if (random.below(2) == 0) lan.device.memory.port_limit = cell * cells_of_full * (1 + random.below(2));
    lan.device.latency = static_cast<int>(random.below(300));
    lan.wire.pause = pause;
    lan.device.pause_above = cell * cells_of_full;
    lan.device.resume_below = cell * cells_of_full;
    EthernetBench b(lan.row(2, 3), max_train);
    b.sim().agenda().reverse_ties(reversed);
    std::int64_t sent = 0;
    for (int from = 0; from < 6; ++from)
      for (int i = 0; i < 12; ++i) {
        const int to = static_cast<int>((from + 1 + random.below(5)) % 6);
        const Bytes n(1 + random.below(1500));
        const int count = static_cast<int>(1 + random.below(8));
        sent += count;
        // On a raster, so that many come together.
        b.at(12'304_ns * random.below(40), [&b, from, to, n, count] { b.station(from).send(to, n, count); });
      }
    b.run();
    REQUIRE(b.findings() == "");
    std::int64_t there = 0, dropped = 0;
    for (int i = 0; i < 6; ++i) there += static_cast<std::int64_t>(b.station(i).frames().size());
    for (int s = 0; s < 2; ++s)
      for (int p = 0; p < static_cast<int>(b.sw(s).ports().size()); ++p)
        if (b.sw(s).ports()[static_cast<std::size_t>(p)].connected()) dropped += b.sw(s).dropped(p);
    REQUIRE(there + dropped == sent);
    for (int i = 0; i < 6; ++i) {  // of a pair each comes once, in order
      std::vector<std::int64_t> last(6, -1);
      for (const SeenFrame& f : b.station(i).frames()) {
        REQUIRE(static_cast<std::int64_t>(f.number) > last[static_cast<std::size_t>(f.from)]);
        last[static_cast<std::size_t>(f.from)] = static_cast<std::int64_t>(f.number);
      }
    }
    return fmt::format("{} dropped\n", dropped > 0 ? "some" : "none") + b.seen(6);
  });
}

}  // namespace

TEST_CASE("Ethernet: random frames are delivered or dropped, alike in trains and whatever comes first of an instant") {
  int some = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const bool pause : {false, true}) {
      CAPTURE(seed, pause);
      const std::string plain = random_frames(seed, 1, false, pause);
      REQUIRE(plain.size() > 1000);
      some += plain.find("some") == 0 ? 1 : 0;
      CHECK(random_frames(seed, 1, true, pause) == plain);
      CHECK(random_frames(seed, 64, false, pause) == plain);
    }
  CHECK(some > 5);
}

}  // namespace ethernet_switch_test
