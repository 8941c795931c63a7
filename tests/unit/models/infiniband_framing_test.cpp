// SPDX-License-Identifier: Apache-2.0
// Rates, sizes and credits of InfiniBand packets as in the InfiniBand Architecture Specification, volume 1.
#include <memory>
#include <set>

#include "models/infiniband/link.hpp"
#include "models/router/routing.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/topo/networks.hpp"

namespace infiniband_framing_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Header;
using infiniband::LinkConfig;
using infiniband::LinkFraming;
using infiniband::Opcode;
using infiniband::PortLimits;
using infiniband::Speed;

namespace {

flow::PacketPool pool;

constexpr Bytes delimiters = 2_B;

flow::PacketPtr packet(Opcode code) {
  flow::PacketPtr p = pool.make();
  p->header<Header>() = {};
  p->header<Header>().opcode = static_cast<std::uint32_t>(code);
  return p;
}

Bytes total(Opcode code, Bytes payload) { return LinkFraming(1).size(*packet(code), payload).total(); }
std::int64_t blocks(Opcode code, Bytes payload) { return LinkFraming(1).cost(*packet(code), payload).data; }

Rate rate(Speed speed, int width) {
  LinkConfig c;
  c.speed = speed;
  c.width = width;
  return link_rate(c);
}

net::WireSpec spec_of(LinkConfig c) {
  auto holder = std::make_shared<config::ConfigHolder<LinkConfig>>();
  holder->value = c;
  return infiniband::link_spec({"infiniband", std::move(holder)});
}

/// Calls `visit(router, hop)` on the way of packets with such a header.
template <class Visit>
void walk(const topo::Network& network, const router::Header& h, Visit&& visit) {
  for (int at = network.router_of(static_cast<int>(h.source));;) {
    const topo::Hop hop = network.routes().next(at, {h.source, h.destination, h.mix});
    visit(at, hop);
    const topo::Network::Peer& peer = network.peer(at, hop.port);
    if (peer.kind != topo::Network::Peer::Kind::router) return;
    at = peer.number;
  }
}

}  // namespace

TEST_CASE("data rates of InfiniBand links are exact") {
  CHECK(rate(Speed::sdr, 4) == Rate::bytes_per_second(1'000'000'000));
  CHECK(rate(Speed::ddr, 4) == Rate::bytes_per_second(2'000'000'000));
  CHECK(rate(Speed::qdr, 4) == Rate::bytes_per_second(4'000'000'000));
  CHECK(rate(Speed::fdr10, 4) == Rate::bytes_per_second(5'000'000'000));
  CHECK(rate(Speed::fdr, 4) == Rate::bytes_in(75'000'000'000, 11 * 1'000'000'000'000'000));  // 6.81818... GB/s
  CHECK(rate(Speed::edr, 4) == Rate::bytes_per_second(12'500'000'000));
  CHECK(rate(Speed::hdr, 4) == Rate::bytes_per_second(25'000'000'000));
  CHECK(rate(Speed::ndr, 4) == Rate::bytes_per_second(50'000'000'000));
  CHECK(rate(Speed::sdr, 1) == Rate::bytes_per_second(250'000'000));
  CHECK(rate(Speed::qdr, 8) == Rate::bytes_per_second(8'000'000'000));
  CHECK(rate(Speed::ddr, 12) == Rate::bytes_per_second(6'000'000'000));
}

TEST_CASE("around the data of a reliable connection are 26, 30 or 42 bytes and two symbols") {
  for (const Opcode code : {Opcode::write_first, Opcode::write_only})
    CHECK(total(code, 2_KiB) == 2_KiB + 42_B + delimiters);
  for (const Opcode code : {Opcode::write_middle, Opcode::write_last, Opcode::send_first, Opcode::send_middle,
                            Opcode::send_last, Opcode::send_only, Opcode::read_response_middle})
    CHECK(total(code, 2_KiB) == 2_KiB + 26_B + delimiters);
  for (const Opcode code : {Opcode::read_response_first, Opcode::read_response_last, Opcode::read_response_only,
                            Opcode::send_last_immediate, Opcode::send_only_immediate})
    CHECK(total(code, 2_KiB) == 2_KiB + 30_B + delimiters);
  CHECK(total(Opcode::read_request, 0_B) == 42_B + delimiters);
  CHECK(total(Opcode::acknowledge, 0_B) == 30_B + delimiters);
  CHECK(total(Opcode::datagram_send_only, 64_B) == 64_B + 34_B + delimiters);
}

TEST_CASE("atomic operations weigh their whole extended headers") {
  // LRH 8, BTH 12, AtomicETH 28, ICRC 4, VCRC 2; the operands are data here. The answer: AETH 4, AtomicAckETH 8.
  for (const Opcode code : {Opcode::compare_and_swap, Opcode::fetch_and_add})
    CHECK(total(code, 16_B) == 54_B + delimiters);
  CHECK(total(Opcode::atomic_acknowledge, 8_B) == 38_B + delimiters);
}

TEST_CASE("data travel in whole words of four bytes") {
  for (int n = 0; n <= 64; ++n) CHECK(total(Opcode::send_only, Bytes(n)) == Bytes((n + 3) / 4 * 4) + 26_B + delimiters);
  const flow::WireSize s = LinkFraming(1).size(*packet(Opcode::write_only), 5_B);
  CHECK(s.payload == 5_B);
  CHECK(s.header == 36_B);              // LRH, BTH, RETH
  CHECK(s.framing == 3_B + 6_B + 2_B);  // pad, CRCs, symbols
}

TEST_CASE("no packet is smaller than an empty send") {
  const LinkFraming f(1);
  CHECK(f.smallest() == 28_B);
  for (int code = 0; code <= static_cast<int>(Opcode::datagram_send_only); ++code)
    CHECK(f.size(*packet(static_cast<Opcode>(code)), 0_B).total() >= f.smallest());
}

TEST_CASE("a credit is a block of 64 bytes, headers and checks included, the symbols around them not") {
  CHECK(blocks(Opcode::acknowledge, 0_B) == 1);
  CHECK(blocks(Opcode::send_only, 38_B) == 2);  // 40 B with the pad, 66 in all
  CHECK(blocks(Opcode::send_only, 36_B) == 1);  // 62 B; 64 with the symbols
  CHECK(blocks(Opcode::write_only, 20_B) == 1);
  CHECK(blocks(Opcode::write_only, 24_B) == 2);
  CHECK(blocks(Opcode::write_only, 2_KiB) == 33);
  CHECK(blocks(Opcode::write_middle, 2_KiB) == 33);
  CHECK(blocks(Opcode::write_middle, 4_KiB) == 65);
  CHECK(LinkFraming(1).cost(*packet(Opcode::write_only), 2_KiB).headers == 0);  // packets are not counted
}

TEST_CASE("a class is a virtual lane, and lanes pass each other freely") {
  const LinkFraming f(15);
  CHECK(f.classes() == 15);
  const auto p = packet(Opcode::send_only);
  p->header<Header>().route.vc = 14;
  CHECK(f.flow_class(*p) == 14);
  CHECK(f.class_name(0) == "VL 0");
  CHECK(f.class_name(14) == "VL 14");
  CHECK(f.may_pass(3, 2));
  CHECK(f.may_pass(2, 3));
  CHECK(!f.may_pass(2, 2));
}

TEST_CASE("all packets of a train have its opcode") {
  const auto p = packet(Opcode::write_middle);
  p->set_train(10, 2_KiB, 8_B);
  CHECK(LinkFraming(1).alike(*p) == 10);
}

TEST_CASE("an InfiniBand link tells credits by packets of eight bytes, or not at all") {
  LinkConfig c;
  c.mtu = 4_KiB;
  c.flight = 15_ns;
  c.virtual_lanes = 4;
  c.update_delay = 100_ns;
  net::WireSpec w = spec_of(c);
  CHECK(w.protocol == "infiniband");
  CHECK(w.max_payload == 4_KiB);
  CHECK(w.flight == 15_ns);
  CHECK(w.framing->classes() == 4);
  CHECK(w.coding_data * 10 == w.coding_line * 8);
  CHECK(w.link_layer.credit_updates);
  CHECK(w.link_layer.dllp == 8_B);
  CHECK(w.link_layer.update_delay == 100_ns);
  CHECK(!w.link_layer.acks);
  c.credit_updates = false;
  c.speed = Speed::fdr;
  w = spec_of(c);
  CHECK(!w.link_layer.credit_updates);
  CHECK(w.coding_data * 66 == w.coding_line * 64);
}

TEST_CASE("a service level is one virtual lane all the way") {
  const SharedNetwork network = grid_network({4, 3}, false, 2);
  for (const int lanes : {1, 2, 4, 8, 15}) {
    const router::Routing routing(network, lanes, true);
    for (int from = 0; from < network->terminals(); ++from)
      for (int to = 0; to < network->terminals(); ++to)
        for (int level = 0; level < lanes; ++level) {
          const router::Header h = infiniband::route_header(from, to, lanes, level);
          REQUIRE(h.vc == level);
          walk(*network, h, [&](int at, topo::Hop) { REQUIRE(routing.next(at, h).vc == level); });
        }
  }
}

TEST_CASE("where routes need classes, a service level has a virtual lane of each") {
  const SharedNetwork network = grid_network({6}, true);
  constexpr int classes = 2;
  for (const int lanes : {2, 4, 8, 15}) {
    const router::Routing routing(network, lanes, true);
    for (int from = 0; from < 6; ++from)
      for (int to = 0; to < 6; ++to)
        for (int level = 0; level < lanes / classes; ++level) {
          const router::Header h = infiniband::route_header(from, to, lanes, level);
          walk(*network, h, [&](int at, topo::Hop hop) {
            const bool any = hop.channel_class == topo::Hop::any_class;
            REQUIRE(routing.next(at, h).vc == (any ? level : classes * level + hop.channel_class));
          });
        }
  }
}

TEST_CASE("a route's draw is that of the pair, but for the level") {
  std::set<std::uint32_t> mixes;
  for (int from = 0; from < 64; ++from)
    for (int to = 0; to < 64; ++to) {
      const std::uint32_t mix = infiniband::route_header(from, to, 4, 3).mix;
      const std::uint32_t pair = topo::mix_of(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
      mixes.insert(mix);
      REQUIRE((mix & 0xff) == (pair & 0xff));
      REQUIRE(mix >> 11 == (pair & 0x7fffffff) >> 11);
    }
  CHECK(mixes.size() > 4000);
}

TEST_CASE("InfiniBand: a port takes wires up to its speed and width") {
  const auto wire = [](Speed speed, int width) {
    net::WireSpec w;
    w.framing = std::make_shared<LinkFraming>(1, speed, width);
    return w;
  };
  const PortLimits port{Speed::fdr10, 4};
  CHECK(refusal(port, wire(Speed::fdr10, 4)).empty());
  CHECK(refusal(port, wire(Speed::sdr, 1)).empty());
  CHECK(refusal(port, wire(Speed::fdr, 4)) == "is one of up to 4x fdr10, the wire there of 4x fdr");
  CHECK(refusal(port, wire(Speed::fdr10, 8)) == "is one of up to 4x fdr10, the wire there of 8x fdr10");
}

}  // namespace infiniband_framing_test
