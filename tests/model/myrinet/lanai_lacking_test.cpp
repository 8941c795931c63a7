// SPDX-License-Identifier: Apache-2.0
// What a LANai card does when something is lacking, fails or is wrong.
#include "model/myrinet/lanai_bench.hpp"
#include "support/child.hpp"

namespace lanai_lacking_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Catch::Matchers::Contains;
using libraries::LanaiNode;

namespace {

LanaiParts parts() {
  LanaiParts p;
  p.card.bus.max_read = 4_KiB;
  p.cable.flight = 30_ns;
  p.cable.transceivers = 70_ns;
  return p;
}

std::string error_of(const LanaiParts& p, const std::function<void(LanaiBench&)>& f, int nodes = 2) {
  return in_child([&]() -> std::string {
    try {
      LanaiBench b(p, nodes);
      f(b);
      b.sim().run(1_s);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "none";
  });
}

}  // namespace

TEST_CASE("LANai: packets without a receive buffer are dropped and counted") {
  LanaiParts p = parts();
  p.node.receive_buffers = 5;
  LanaiBench b(p);
  b.program(0, [&](Fiber& f) {
    for (std::uint32_t i = 0; i < 12; ++i) b.node(0).post(f, 1, b.user(0), Bytes(100 + i), i, false);
  });
  b.run();
  CHECK(b.card(1).dropped() == 7);
  Bytes lost;
  for (int i = 5; i < 12; ++i) lost += Bytes(100 + i);
  CHECK(b.card(1).dropped_bytes() == lost);
  CHECK(b.card(0).dropped() == 0);
}

TEST_CASE("LANai: packets that fail their check are counted, the others come") {
  LanaiParts p = parts();
  p.card.loss_ppm = 300'000;
  p.node.receive_buffers = 200;
  LanaiBench b(p);
  b.program(0, [&](Fiber& f) {
    for (std::uint32_t i = 0; i < 100; ++i) {
      if (!b.node(0).room()) b.node(0).await_sent(f, b.node(0).oldest());
      b.node(0).post(f, 1, b.user(0), 8_B, i, false);
    }
  });
  std::int64_t came = 0;
  b.program(1, [&](Fiber& f) {
    f.wait_until(2_ms);
    while (b.node(1).any()) {
      b.node(1).next(f);
      ++came;
    }
  });
  b.run();
  CHECK(b.card(1).failed_checks() > 10);
  CHECK(b.card(1).failed_checks() + came == 100);
}

TEST_CASE("LANai: a card without room for packets stops the wire, and loses nothing") {
  LanaiParts p = parts();
  p.card.receive_buffers = 1;
  p.card.receive_cycles = 20'000;  // 89 us a packet
  LanaiBench b(p, 4);
  for (int from : {0, 1, 2})
    b.program(from, [&b, from](Fiber& f) {
      for (std::uint32_t i = 0; i < 6; ++i)
        b.node(from).post(f, 3, b.user(from), 1000_B, static_cast<std::uint32_t>(from) << 8 | i, false);
    });
  b.program(3, [&](Fiber& f) {
    std::uint32_t next[3] = {0, 0, 0};
    for (int i = 0; i < 18; ++i) {
      const LanaiNode::Came c = b.node(3).next(f);
      REQUIRE((c.type & 0xff) == next[c.type >> 8]++);
    }
    REQUIRE(f.now() > 18 * Clock(p.card.clock).after(0_ns, 20'000));
  });
  b.run();
  // Of 18 packets 17 waited, but for those that the slack buffer held a part of.
  CHECK(b.card(3).network_port().incoming().counters().credit_wait > 16 * Clock(p.card.clock).after(0_ns, 20'000));
  CHECK(b.card(3).dropped() == 0);
}

TEST_CASE("LANai: more sends than the card takes are an error") {
  LanaiParts p = parts();
  p.card.send_entries = 4;
  CHECK_THAT(error_of(p,
                      [](LanaiBench& b) {
                        b.program(0, [&b](Fiber& f) {
                          for (std::uint32_t i = 0; i < 12; ++i) b.node(0).post(f, 1, b.user(0), 8000_B, i, false);
                        });
                      }),
             Contains("of a send was written where descriptor"));
}

TEST_CASE("LANai: what cannot be is refused") {
  const auto nothing = [](LanaiBench&) {};
  LanaiParts p = parts();
  CHECK(error_of(p, nothing) == "none");
  p.card.sram = 64_KiB;
  CHECK_THAT(error_of(p, nothing), Contains("4 send and 8 receive buffers of 8 KiB and the descriptors take"));
  p = parts();
  p.card.slack = 200_B;
  CHECK_THAT(error_of(p, nothing), Contains("the slack buffer of node0_lanai.net has 200 units"));
  p = parts();
  const auto send = [](Bytes n, int to, std::uint32_t type) {
    return [=](LanaiBench& b) {
      b.program(0, [&b, n, to, type](Fiber& f) { b.node(0).post(f, to, b.user(0), n, type, false); });
    };
  };
  CHECK_THAT(error_of(p, send(9000_B, 1, 0)), Contains("a packet of 9000 B, of which the wire carries 8 KiB"));
  CHECK_THAT(error_of(p, send(8_B, 2, 0)), Contains("a send to terminal 2; there are 2"));
  CHECK_THAT(error_of(p, send(8_B, 1, 0x80000000u)), Contains("whose top bit says that it is a route byte"));
  CHECK_THAT(error_of(p,
                      [](LanaiBench& b) {
                        b.program(
                            0, [&b](Fiber& f) { b.node(0).core().store(f, b.card(0).receive_entry() + 8, 8_B, 1, 0); });
                      }),
             Contains("a write of 8 B to offset 0x48, where there is nothing of that size"));
}

}  // namespace lanai_lacking_test
