// SPDX-License-Identifier: Apache-2.0
// PAUSE frames: who is told when, and what it saves.
#include "model/ethernet/ethernet_bench.hpp"

namespace ethernet_pause_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Bytes cell{64};
constexpr Bytes full = cell * 24;  // 1518 B in the memory

EthernetLan pausing(Bytes memory, Bytes above, Bytes below) {
  EthernetLan lan;
  lan.wire.pause = true;
  lan.device.memory = {memory, {}, cell};
  lan.device.pause_above = above;
  lan.device.resume_below = below;
  return lan;
}

}  // namespace

TEST_CASE("Ethernet: who is paused completes its frame and goes on when the time is over") {
  EthernetLan lan;
  lan.wire.pause = true;
  EthernetBench b(lan.star(2));
  b.at(0_ns, [&] { b.station(0).send(1, 1500_B, 6); });
  const Time told = lan.through(1500_B) + 3_us;  // the second frame is on its way to the station then
  b.at(told, [&] { b.station(1).pause(100); });
  b.run();
  const auto& seen = b.station(1).frames();
  REQUIRE(seen.size() == 6);
  const Time turn = lan.turn(1500_B);
  CHECK(seen[1].tail == lan.through(1500_B) + turn);
  const Time heard = told + 576_ns + lan.wire.flight;  // 64 B behind a preamble
  const Time next = heard + 51'200_ns;                 // 100 x 512 bit times
  CHECK(seen[2].tail == next + lan.on_wire(1500_B) + lan.wire.flight);
  CHECK(seen[5].tail == seen[2].tail + turn * 3);
}

TEST_CASE("Ethernet: a PAUSE of no quanta lets go on at once") {
  EthernetLan lan;
  lan.wire.pause = true;
  EthernetBench b(lan.star(2));
  b.at(0_ns, [&] { b.station(0).send(1, 1500_B, 3); });
  const Time told = lan.through(1500_B) + 3_us;
  b.at(told, [&] { b.station(1).pause(60000); });
  b.at(told + 100_us, [&] { b.station(1).pause(0); });
  b.run();
  CHECK(b.station(1).frames().at(2).tail ==
        told + 100_us + 576_ns + lan.wire.flight + lan.on_wire(1500_B) + lan.wire.flight);
}

TEST_CASE("Ethernet: PAUSE goes before the frames that wait, and is not stopped itself") {
  EthernetLan lan;
  lan.wire.pause = true;
  EthernetBench b(lan.star(2));
  b.at(0_ns, [&] {
    b.station(0).send(1, 1500_B, 2);
    b.station(1).send(0, 1500_B, 9);
  });
  b.at(1_us, [&] { b.station(1).pause(1000); });  // behind the frame that is on the wire
  b.at(20_us, [&] { b.station(0).pause(1000); });
  b.run();
  CHECK(b.station(1).frames().at(0).tail ==
        lan.turn(1500_B) + 576_ns + lan.wire.flight + 512_us + lan.on_wire(1500_B) + lan.wire.flight);
}

TEST_CASE("Ethernet: with room for what comes until a PAUSE is obeyed nothing is dropped, with less some is") {
  // A PAUSE takes 576 ns and a cycle: the frame that is being sent then is the last one.
  const auto dropped = [](int senders, Bytes memory) {
    return in_child([senders, memory] {
      const EthernetLan lan = pausing(memory, full * 2, full * 2);
      EthernetBench b(lan.star(senders + 1));
      constexpr int frames = 100;
      b.at(0_ns, [&b, senders] {
        for (int i = 1; i <= senders; ++i) b.station(i).send(0, 1500_B, frames);
      });
      b.run();
      REQUIRE(b.sw().pauses() > 0);
      const auto& seen = b.station(0).frames();
      REQUIRE(static_cast<std::int64_t>(seen.size()) + b.sw().dropped(0) == frames * senders);
      // Whoever is paused is let go on in time: the wire to the receiver is never idle.
      if (b.sw().dropped(0) == 0)
        REQUIRE(seen.back().tail - seen.front().tail == lan.turn(1500_B) * (frames * senders - 1));
      return std::to_string(b.sw().dropped(0));
    });
  };
  for (const int senders : {2, 3, 6}) {
    CAPTURE(senders);
    // Three in the memory when it is told and one more on its way, of each; two have left by then.
    CHECK(dropped(senders, full * (4 * senders - 2)) == "0");
    CHECK(dropped(senders, full * (4 * senders - 3)) != "0");
  }
}

TEST_CASE("Ethernet: without PAUSE on the wire nobody is told, and without a threshold nobody is either") {
  for (const bool wire : {false, true}) {
    CHECK(in_child([wire] {
            EthernetLan lan = pausing(full * 4, wire ? 0_B : full, full);
            lan.wire.pause = wire;
            EthernetBench b(lan.star(3));
            b.at(0_ns, [&b] {
              for (int i = 1; i < 3; ++i) b.station(i).send(0, 1500_B, 20);
            });
            b.run();
            REQUIRE(b.sw().dropped(0) > 0);
            return std::to_string(b.sw().pauses());
          }) == "0");
  }
}

}  // namespace ethernet_pause_test
