// SPDX-License-Identifier: Apache-2.0
// An Ethernet card's interrupts that wait: what brings them forward, and what does not; descriptors that it reads
// ahead.
#include <string>

#include "model/ethernet/card_bench.hpp"

namespace ethernet_interrupts_test {

using namespace tsunagi;
using namespace tsunagi::test;
using ethernet::Card;
using ethernet::Descriptor;

namespace {

/// A frame that node 1 sends, who asks for an interrupt when it has been read.
void answer(EthernetCardBench& b) {
  Descriptor d;
  d.address = EthernetCardBench::transmit_buffer(0);
  d.length = 114;
  d.command = Descriptor::report | Descriptor::interrupt;
  const auto bytes = d.encoded();
  b.memory(1).preset(EthernetCardBench::transmit_ring, {bytes.data(), bytes.size()});
}

}  // namespace

TEST_CASE("Ethernet card: a cause that is due earlier brings the interrupt forward, and tells both") {
  const auto seen = [](bool answers) {
    return in_child([answers] {
      EthernetCardBench::Parts p;
      p.card.interrupts.receive_delay = 100_us;
      EthernetCardBench b(p);
      b.frame(0, 100_B);
      b.send(1);
      answer(b);
      b.program(1, [&b, answers](Fiber& f) {
        f.wait_until(30_us);
        if (answers) b.write_register(f, 1, Card::transmit_tail, 1);
      });
      b.run();
      REQUIRE(b.card(1).received() == 1);
      REQUIRE(b.interrupts(1).size() == 1);
      return std::to_string(b.interrupts(1).front().when / 1_us);
    });
  };
  CHECK(std::stoi(seen(false)) >= 100);
  CHECK(std::stoi(seen(true)) < 40);
}

TEST_CASE("Ethernet card: interrupts that are turned on again keep their delay") {
  EthernetCardBench::Parts p;
  p.card.interrupts.receive_delay = 100_us;
  EthernetCardBench b(p);
  b.frame(0, 100_B);
  b.send(1);
  b.program(1, [&b](Fiber& f) {
    b.write_register(f, 1, Card::interrupts_off, 1);
    f.wait_until(30_us);
    b.write_register(f, 1, Card::interrupts_on, 1);
  });
  b.run();
  REQUIRE(b.interrupts(1).size() == 1);
  CHECK(b.interrupts(1).front().when > 100_us);
  CHECK(b.interrupts(1).front().when < 105_us);
}

TEST_CASE("Ethernet card: no more descriptors are read ahead than the card has room for") {
  EthernetCardBench::Parts p;
  p.card.descriptors = 4;
  EthernetCardBench b(p);
  for (int k = 0; k < 5; ++k) b.frame(k, 100_B);
  b.send(5);
  b.run();
  REQUIRE(b.card(1).received() == 5);
  // Four were there, and one is read for each that is taken.
  CHECK(b.card(1).ports()[0].incoming().counters().payload == Descriptor::size * 5);
}

}  // namespace ethernet_interrupts_test
