// SPDX-License-Identifier: Apache-2.0
// Times on InfiniBand links, through switches, against closed forms.
#include <algorithm>

#include "model/infiniband/infiniband_bench.hpp"
#include "support/child.hpp"
#include "support/topo/networks.hpp"

namespace infiniband_link_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Opcode;
using infiniband::Speed;

namespace {

using Arrivals = std::vector<SubnetArrival>;

/// Bytes of a packet on the wire: data in words of 4 B, 26 B of a middle packet or 16 more of one that says where to,
/// two symbols.
Bytes on_wire(Opcode code, Bytes payload) {
  const bool remote = code == Opcode::write_first || code == Opcode::write_only;
  return Bytes((payload.count() + 3) / 4 * 4) + (remote ? 42_B : 26_B) + 2_B;
}

/// On a wire that has been idle: what is below a femtosecond is owed to the next packet.
Time length_of(const Subnet& s, Bytes packet) {
  Remainder owed;
  return infiniband::link_rate(s.link).time(packet, owed);
}

/// When a packet whose head comes into a switch at `in` may leave it: the clock adds the wait for its edge, and no wire
/// starts before it can run without a break.
Time through(const Subnet& s, Time in, Bytes packet) {
  const Clock clock(s.device.clock);
  const Time tail = clock.after(in + length_of(s, packet), s.device.latency);
  return std::max(clock.after(in, s.device.latency), tail - infiniband::link_rate(s.link).time(packet));
}

/// When the tail of one packet that is sent at `t` arrives in an empty subnet.
Time arrival(const Subnet& s, Bytes packet, int wires, Time t) {
  Time head = t;
  for (int i = 1; i < wires; ++i) head = through(s, head + s.link.flight, packet);
  return head + length_of(s, packet) + s.link.flight;
}

/// Port 0 writes to each other one in turn, alone.
void expect_latencies(const Subnet& s, topo::Graph graph, Opcode code, Bytes n) {
  InfiniBandBench b(std::move(graph));
  const topo::Network& network = b.machine().all<infiniband::Switch>().front()->routing().network();
  const auto at = [](int to) { return Time::from_fs(20'000'123'457 * to); };
  for (int to = 1; to < network.terminals(); ++to) b.at(at(to), [&b, code, n, to] { b.port(0).send(to, code, n); });
  b.run();
  for (int to = 1; to < network.terminals(); ++to) {
    CAPTURE(to);
    const Time expected = arrival(s, on_wire(code, n), wires_between(network, 0, to), at(to));
    REQUIRE(b.port(to).arrivals() == Arrivals{{0, 0, n, expected}});
  }
}

Subnet awkward(Speed speed) {
  Subnet s;
  s.link.speed = speed;
  s.link.flight = Time::from_fs(13'456'789);
  return s;
}

}  // namespace

TEST_CASE("InfiniBand: a packet through one switch of every generation, to the femtosecond") {
  for (const Speed speed :
       {Speed::sdr, Speed::ddr, Speed::qdr, Speed::fdr10, Speed::fdr, Speed::edr, Speed::hdr, Speed::ndr})
    for (const Bytes n : {1_B, 64_B, 2_KiB})
      for (const Opcode code : {Opcode::write_only, Opcode::send_only})
        in_child([&] {
          const Subnet s = awkward(speed);
          expect_latencies(s, crossbar_of(3, s), code, n);
          return std::string();
        });
}

TEST_CASE("InfiniBand: 100 ns a switch and each cable's flight, where everything is whole") {
  const Subnet s;  // QDR 4x: 100 B in 25 ns; 10 ns a cable; 25 cycles of 4 ns
  InfiniBandBench b(crossbar_of(2, s));
  b.at(2_ns, [&] { b.port(0).send(1, Opcode::write_only, 56_B); });
  b.run();
  // The head comes at an edge, but its tail 1 ns behind one: the wire behind starts 3 ns later, to run without a break.
  CHECK(b.port(1).arrivals() == Arrivals{{0, 0, 56_B, 2_ns + 10_ns + 100_ns + 3_ns + 25_ns + 10_ns}});
}

TEST_CASE("InfiniBand: zero-load latency in a fat-tree of three levels") {
  const Subnet s = awkward(Speed::fdr);
  expect_latencies(s, fat_tree_of(4, 3, s), Opcode::send_only, 300_B);
}

namespace {

/// Of a long write through one switch, when the last byte arrives if nothing is in the way but the wires.
Time long_write(const Subnet& s, std::int64_t packets) {
  Time sent, free;
  for (std::int64_t i = 0; i < packets; ++i) {
    const Bytes packet = on_wire(i == 0 ? Opcode::write_first : Opcode::write_middle, s.link.mtu);
    free = std::max(free, through(s, sent + s.link.flight, packet)) + length_of(s, packet);
    sent += length_of(s, packet);
  }
  return free + s.link.flight;
}

/// Of a write of a MiB, the last arrival.
Time write_mebibyte(const Subnet& s, int max_train) {
  return Time::from_fs(std::stoll(in_child([&] {
    InfiniBandBench b(crossbar_of(2, s), max_train);
    b.at(0_ns, [&] { b.port(0).write(1, 1_MiB); });
    b.run();
    return std::to_string(b.port(1).arrivals().back().tail.fs());
  })));
}

}  // namespace

TEST_CASE("InfiniBand: a long write has the wire's rate, 2048 of 2076 bytes, and costs nobody's credits") {
  const Subnet s;
  const Time end = write_mebibyte(s, 1);
  CHECK(end == long_write(s, 512));
  CHECK(end > Rate::bytes_per_second(4'000'000'000).time(2076_B) * 512);
  CHECK(end < Rate::bytes_per_second(4'000'000'000).time(2076_B) * 513);
  CHECK(write_mebibyte(s, 64) == end);
}

TEST_CASE("InfiniBand: credits of one packet bound the rate to a packet a loop, by flow control packets or without") {
  for (const bool updates : {true, false})
    in_child([&] {
      Subnet s;
      s.device.buffer_flits = 33;  // 2048 + 26 B in blocks of 64
      s.link.credit_updates = updates;
      InfiniBandBench b(crossbar_of(2, s));
      constexpr int packets = 50;
      b.at(0_ns, [&] { b.port(0).send(1, Opcode::write_middle, 2_KiB, 0, packets); });
      b.run();
      const Bytes packet = on_wire(Opcode::write_middle, 2_KiB);
      const Time length = length_of(s, packet);
      const Time told = updates ? s.link.update_delay + infiniband::link_rate(s.link).time(8_B) : 0_ns;
      Time sent;
      for (const SubnetArrival& a : b.port(1).arrivals()) {
        const Time out = through(s, sent + s.link.flight, packet);
        REQUIRE(a.tail == out + length + s.link.flight);
        sent = out + length + told + s.link.flight;
      }
      REQUIRE(b.port(1).arrivals().size() == packets);
      return std::string();
    });
}

TEST_CASE("InfiniBand: flow control packets take their bytes of the other direction") {
  Subnet s;
  InfiniBandBench b(crossbar_of(2, s));
  constexpr int packets = 500;
  b.at(0_ns, [&] {
    for (int i = 0; i < 2; ++i) b.port(i).send(1 - i, Opcode::write_middle, 2_KiB, 0, packets);
  });
  b.run();
  const Time data = length_of(s, on_wire(Opcode::write_middle, 2_KiB)) * packets;
  const net::ChannelCounters& sent = b.channel("terminal0", 0).counters();
  const Time updates = infiniband::link_rate(s.link).time(8_B * sent.dllps);
  const Time end = b.port(1).arrivals().back().tail;
  // A release each packet, farther apart than the update delay.
  CHECK(sent.dllps == packets);
  CHECK(end >= data + updates - infiniband::link_rate(s.link).time(8_B) * 2);  // the last packets' go behind the data
  // Both wires of the way carry them; each packet waits for an edge of the switch's clock at most once.
  CHECK(end <= data + updates * 2 + arrival(s, 0_B, 2, 0_ns) + 4_ns);
}

}  // namespace infiniband_link_test
