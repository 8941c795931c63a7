// SPDX-License-Identifier: Apache-2.0
// When packets leave a PCIe switch, against formulas.
#include "model/infiniband/switch_bench.hpp"
#include "support/child.hpp"

namespace pcie_switch_test {

using namespace tsunagi;
using namespace tsunagi::test;
using B = SwitchBench;

namespace {

/// A card's first write of 256 B, as it comes to the host.
Time first_write(SwitchBench& b) {
  b.build();
  b.at(0_ns, [&] { b.card(0).write(B::host_memory, 256_B); });
  b.run();
  b.expect_all_home();
  REQUIRE(b.top().arrivals().size() == 1);
  return b.top().arrivals()[0].head;
}

}  // namespace

TEST_CASE("what cuts through leaves a switch its latency after its head came") {
  SwitchBench b(1);
  CHECK(first_write(b) == B::flight + B::latency + B::on_wire(B::write_size) + B::flight);
}

TEST_CASE("what is stored and forwarded leaves a switch its latency after its tail came") {
  SwitchBench b(1);
  b.c.forwarding = pcie::Forwarding::store_and_forward;
  CHECK(first_write(b) == 2 * (B::on_wire(B::write_size) + B::flight) + B::latency);
}

TEST_CASE("what cuts through to a faster wire ends with its tail and not before") {
  SwitchBench b(1);
  b.links[0] = B::lanes(4);
  CHECK(first_write(b) == B::flight + B::on_wire(B::write_size, 4) + B::latency + B::flight);
}

TEST_CASE("what cuts through to a slower wire starts with its head") {
  SwitchBench b(1);
  b.above = B::lanes(4);
  CHECK(first_write(b) == B::flight + B::latency + B::on_wire(B::write_size, 4) + B::flight);
}

TEST_CASE("what is stored and forwarded to a faster wire waits for its tail alone") {
  SwitchBench b(1);
  b.c.forwarding = pcie::Forwarding::store_and_forward;
  b.links[0] = B::lanes(4);
  CHECK(first_write(b) ==
        B::on_wire(B::write_size, 4) + B::flight + B::latency + B::on_wire(B::write_size) + B::flight);
}

TEST_CASE("a packet that comes slowly does not keep the fast wire from others") {
  SwitchBench b(2);
  b.links[0] = B::lanes(1);
  b.build();
  const Time slow = B::flight + B::on_wire(B::write_size, 1) + B::latency + B::flight;  // at the host
  const Time later = 200_ns;
  REQUIRE(later + B::on_wire(B::write_size) * 2 < B::on_wire(B::write_size, 1));
  b.at(0_ns, [&] { b.card(0).write(B::host_memory, 256_B); });
  b.at(later, [&] { b.card(1).write(B::host_memory + 4096, 256_B); });
  b.run();
  b.top().expect_at(0, later + B::flight + B::latency + B::on_wire(B::write_size) + B::flight);
  b.top().expect_at(1, slow);
  CHECK(b.top().arrivals()[0].address == B::host_memory + 4096);
  b.expect_all_home();
}

TEST_CASE("the short last packet of a train that comes slowly takes the fast wire no longer than it is") {
  SwitchBench b(2);
  b.links[0] = B::lanes(1);
  b.build();
  constexpr Bytes short_write{64 + 24};
  const Time there = B::flight + B::latency;
  const Time tail = B::on_wire(B::write_size + short_write, 1) + there;  // of the last one, at the wire above
  const Time other = tail - B::on_wire(short_write) - B::on_wire(short_write) - 1_ns;
  REQUIRE(other > tail - B::on_wire(B::write_size));
  b.at(0_ns, [&] { b.card(0).write_train(B::host_memory, 2, 256_B, 64_B); });
  b.at(other - there, [&] { b.card(1).write(B::host_memory + 4096, 64_B); });
  b.run();
  REQUIRE(b.top().arrivals().size() == 3);
  b.top().expect_at(1, other + B::on_wire(short_write) + B::flight);
  b.top().expect_at(2, tail + B::flight);
  b.expect_all_home();
}

TEST_CASE("writes leave a switch without a gap whichever way they are forwarded") {
  for (const auto forwarding : {pcie::Forwarding::cut_through, pcie::Forwarding::store_and_forward})
    for (const int lanes_in : {4, 8, 16}) {
      const std::string gaps = in_child([&] {
        SwitchBench b(1);
        b.c.forwarding = forwarding;
        b.links[0] = B::lanes(lanes_in);
        b.build();
        b.at(0_ns, [&] { b.card(0).write_train(B::host_memory, 64, 256_B, 256_B); });
        b.run();
        b.expect_all_home();
        const auto& seen = b.top().arrivals();
        std::string out = std::to_string(seen.size());
        for (std::size_t i = 1; i < seen.size(); ++i)
          if (seen[i].head - seen[i - 1].head != B::on_wire(B::write_size, std::min(lanes_in, 8))) out += " gap";
        return out;
      });
      CAPTURE(lanes_in);
      CHECK(gaps == "64");
    }
}

TEST_CASE("two switches in a row cost two latencies") {
  Bench b;
  pcie::SwitchConfig inner;
  inner.downstream = {{"a", 64_GiB, 1_GiB}, {"b", 65_GiB, 1_GiB}};
  pcie::SwitchConfig outer;
  outer.latency = 140_ns;
  outer.downstream = {{"x", 64_GiB, 2_GiB}};
  b.device("host", port("link"));
  b.device("outer", outer);
  b.device("inner", inner);
  for (const char* name : {"card0", "card1"}) b.device(name, port("link"));
  const pcie::LinkConfig wire = quiet(gen2_x8());
  b.wire("host.link", "outer.up", wire);
  b.wire("outer.x", "inner.up", wire);
  b.wire("inner.a", "card0.link", wire);
  b.wire("inner.b", "card1.link", wire);
  b.build();
  b.at(0_ns, [&] {
    b.probe("card1").write(B::host_memory, 256_B);
    b.probe("host").write(B::window(1), 256_B);
    b.probe("card0").write(B::host_memory + 4096, 64_B);
  });
  b.run();
  const Time there = 100_ns + 140_ns + 3 * B::flight + B::on_wire(B::write_size);
  b.probe("card1").expect_first_at(there);
  const auto& seen = b.probe("host").arrivals();
  REQUIRE(seen.size() == 2);
  // Both want the inner switch's wire at one time: the lower port first.
  CHECK(seen[0].address == B::host_memory + 4096);
  CHECK(seen[1].head == there + B::on_wire(88_B));
  b.expect_all_home();
}

TEST_CASE("a full buffer above is felt by the card and nothing is lost") {
  SwitchBench b(1);
  constexpr Time hold = 1_us;
  b.c.buffers.posted_headers = 2;
  b.host.ports[0].rx.buffers = {{1, flow::Credits::infinite}};
  b.host.hold = hold;
  b.host.fifo = true;
  b.build();
  b.at(0_ns, [&] {
    for (unsigned i = 0; i < 5; ++i) b.card(0).write(B::host_memory + 256 * i, 256_B);
  });
  // The first goes on at once; when its tail has left, its place is free for the third.
  const Time length = B::on_wire(B::write_size);
  const Time first = B::flight + B::latency + length + B::flight;
  const auto sent = [&](Time t, std::int64_t n) { b.at(t, [&b, n] { CHECK(b.backward(1).counters().packets == n); }); };
  const Time third = first;  // its tail left, and the credit flew home
  sent(third - 1_ps, 2);
  sent(third + 1_ps, 3);
  // From then on a place gets free when the host has let one go: a credit to the switch, a packet out, one to the card.
  const Time second_left = first + hold + B::flight + length;
  sent(second_left + B::flight - 1_ps, 3);
  sent(second_left + B::flight + 1_ps, 4);
  b.run();
  const auto& seen = b.top().arrivals();
  REQUIRE(seen.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(seen[i].address == B::host_memory + 256 * i);
    CHECK(seen[i].head == first + (hold + 2 * B::flight + length) * static_cast<std::int64_t>(i));
  }
  b.expect_all_home();
}

TEST_CASE("a wire that is full in one direction leaves the other card's way free") {
  SwitchBench b(3);
  b.build();
  b.at(0_ns, [&] {
    for (unsigned i = 0; i < 20; ++i) b.card(0).write(B::host_memory + 256 * i, 256_B);
    b.card(1).write(B::window(2), 256_B);
  });
  b.run();
  b.card(2).expect_first_at(B::flight + B::latency + B::on_wire(B::write_size) + B::flight);
  CHECK(b.backward(0).counters().packets == 20);  // peer to peer does not touch the wire above
  CHECK(b.forward(0).counters().packets == 0);
  b.expect_all_home();
}

TEST_CASE("ports have turns where they want one wire") {
  SwitchBench b(2);
  b.build();
  b.at(0_ns, [&] {
    for (unsigned i = 0; i < 8; ++i) {
      b.card(0).write(B::host_memory + 4096 * i, 256_B);
      b.card(1).write(B::window(4) + 4096 * i, 256_B);
    }
  });
  b.run();
  const auto& seen = b.top().arrivals();
  REQUIRE(seen.size() == 16);
  for (std::size_t i = 1; i < 16; ++i) {
    CHECK((seen[i].address < B::window(0)) != (seen[i - 1].address < B::window(0)));
    CHECK(seen[i].head - seen[i - 1].head == B::on_wire(B::write_size));
  }
}

}  // namespace pcie_switch_test
