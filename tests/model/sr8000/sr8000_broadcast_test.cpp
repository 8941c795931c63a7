// SPDX-License-Identifier: Apache-2.0
// Packets for one node and broadcasts through the SR8000's crossbars, against closed forms.
#include "model/sr8000/sr8000_times.hpp"

namespace sr8000_broadcast_test {

using namespace tsunagi;
using namespace tsunagi::test;
using sr8000::Box;
using sr8000::Purpose;
using Arrivals = std::vector<StationArrival>;

namespace {

constexpr Bytes large = 500_B;
const Time large_length = sr_wire(large);

StationArrival data(int from, Time head, std::uint32_t number = 0, Time last = large_length) {
  return {Purpose::remote_dma, from, head, head + last, number};
}
StationArrival copy(int from, Time head, std::uint32_t number = 0, Time last = large_length) {
  return {Purpose::spreading, from, head, head + last, number};
}

/// Node `from` sends to `to`, over so many relays and crossbars.
void expect_unicast(const std::vector<std::int64_t>& sizes, int from, int to, int over) {
  Sr8000Bench b(sizes);
  b.at(0_ns, [&] { b.station(from).send(to, large, 7); });
  b.run();
  for (int n = 0; n < b.nodes(); ++n)
    CHECK(b.station(n).arrivals() == (n == to ? Arrivals{data(from, sr_unicast(large_length, over), 7)} : Arrivals{}));
}

/// Node `root` broadcasts to a box: its nodes hear it when they should, the others never. `serialising`: a node at the
/// crossbar that serialises.
void expect_broadcast(const Sr8000Network& net, int root, const Box& box, int serialising = 0) {
  Sr8000Bench b(net);
  b.at(0_ns, [&] { b.station(root).broadcast(box, large, 7); });
  b.run();
  for (int n = 0; n < b.nodes(); ++n) {
    CAPTURE(n);
    const auto head = [&] { return sr_broadcast(net.sizes, box, root, n, serialising, large_length); };
    CHECK(b.station(n).arrivals() == (sr_within(net.sizes, box, n) ? Arrivals{copy(root, head(), 7)} : Arrivals{}));
  }
}

}  // namespace

TEST_CASE("SR8000: eight nodes send to each other over one crossbar") { expect_unicast({8}, 2, 7, 1); }
TEST_CASE("SR8000: nodes of a line send over relay, crossbar and relay") { expect_unicast({8, 8}, 2, 7, 3); }
TEST_CASE("SR8000: nodes of two lines send over two crossbars") { expect_unicast({8, 8}, 2, 13, 5); }
TEST_CASE("SR8000: nodes of three lines send over three crossbars") { expect_unicast({2, 2, 2}, 1, 6, 7); }

TEST_CASE("SR8000: one crossbar broadcasts to its eight nodes") { expect_broadcast({{8}}, 3, {0, 7}); }
TEST_CASE("SR8000: a broadcast over two dimensions reaches all nodes") { expect_broadcast({{8, 8}}, 37, {0, 63}); }
TEST_CASE("SR8000: a broadcast from the serialising crossbar's line saves a crossbar and a relay") {
  expect_broadcast({{8, 8}}, 32, {0, 63});
}
TEST_CASE("SR8000: a broadcast to 8x2 of 8x8 nodes reaches no other") { expect_broadcast({{8, 8}}, 9, {0, 15}); }
TEST_CASE("SR8000: a broadcast to a box in the middle reaches no other") { expect_broadcast({{8, 8}}, 27, {18, 45}); }
TEST_CASE("SR8000: a broadcast to a line in y") { expect_broadcast({{8, 8}}, 19, {3, 59}); }
TEST_CASE("SR8000: a broadcast over three dimensions to a box that no relay of the serialising crossbar belongs to") {
  expect_broadcast({{3, 3, 2}}, 16, {4, 17});
}
TEST_CASE("SR8000: a broadcast over three dimensions to a plane through the serialising crossbar's relays") {
  expect_broadcast({{3, 3, 3}}, 26, {0, 20});
}
TEST_CASE("SR8000: a broadcast to its sender alone") { expect_broadcast({{8, 8}}, 19, {19, 19}); }
TEST_CASE("SR8000: a broadcast over three dimensions from each number of wrong ones") {
  expect_broadcast({{2, 2, 2}}, 7, {0, 7});
}
TEST_CASE("SR8000: a broadcast over three dimensions from the line below the serialising crossbar") {
  expect_broadcast({{2, 3, 2}}, 6, {0, 11});
}
TEST_CASE("SR8000: a dimension of one node has no crossbars to copy") { expect_broadcast({{4, 1, 2}}, 5, {0, 7}); }
TEST_CASE("SR8000: another y-crossbar may be the serialising one") {
  Sr8000Network net{{8, 8}};
  net.crossbar.serialising = 5;
  expect_broadcast(net, 37, {0, 63}, 5);
}
TEST_CASE("SR8000: another z-crossbar may be the serialising one") {
  Sr8000Network net{{2, 2, 2}};
  net.crossbar.serialising = 3;
  expect_broadcast(net, 5, {0, 7}, 3);
}

TEST_CASE("SR8000: a long broadcast takes each wire once, so that all nodes hear it at the wires' rate") {
  Sr8000Bench b({8, 8});
  constexpr int packets = 50;
  b.at(0_ns, [&] { b.station(37).broadcast({0, 63}, large, 0, packets); });
  b.run();
  // A packet is granted an edge of each copying crossbar's or relay's clock after the one before has left.
  const Time each = sr_edge(large_length);
  REQUIRE(each - large_length < sr_cycle);
  for (int n = 0; n < 64; ++n) {
    const Arrivals& all = b.station(n).arrivals();
    REQUIRE(all.size() == packets);
    CHECK(all.front().head == sr_broadcast({8, 8}, {0, 63}, 37, n, 0, large_length));
    CHECK(all.back().head == all.front().head + (packets - 1) * each);
  }
}

TEST_CASE("SR8000: broadcasts pass the serialising crossbar one after the other") {
  Sr8000Bench b({8});
  b.at(0_ns, [&] {
    for (const int root : {5, 2}) b.station(root).broadcast({0, 7}, large, 1, 2);
  });
  b.run();
  Arrivals all;
  Time granted = sr_copied(0_ns);
  for (const std::uint32_t number : {1, 2})
    for (const int root : {2, 5}) {  // turns, from input 0 on
      all.push_back(copy(root, granted + sr_flight, number));
      granted = sr_edge(granted + large_length);  // no copy is left; no edge is a whole number of flits
    }
  for (int n = 0; n < 8; ++n) CHECK(b.station(n).arrivals() == all);
}

TEST_CASE("SR8000: a second box's broadcast waits for the first box's as there is one serialising crossbar") {
  Sr8000Bench b({4, 4});
  b.at(0_ns, [&] {
    b.station(0).broadcast({0, 3}, large);
    b.station(8).broadcast({8, 11}, large);
  });
  b.run();
  const Time first = sr_through(0_ns, large_length, 1);          // at the serialising crossbar
  const Time second = sr_edge(sr_copied(first) + large_length);  // granted
  const auto spread = [](Time t, int x) {
    t = sr_copied(t);  // the line's first relay
    return (x == 0 ? t : sr_through(sr_copied(t), large_length)) + sr_flight;
  };
  for (int x = 0; x < 4; ++x) {
    CHECK(b.station(x).arrivals() == Arrivals{copy(0, spread(sr_copied(first), x))});
    CHECK(b.station(8 + x).arrivals() == Arrivals{copy(8, spread(second, x))});
    CHECK(b.station(4 + x).arrivals().empty());
  }
}

TEST_CASE("SR8000: copies are granted together, one leaves later by a busy wire, and the next broadcast waits for it") {
  Sr8000Bench b({8});
  b.at(0_ns, [&] { b.station(6).send(3, large); });
  b.at(40_ns, [&] { b.station(0).broadcast({0, 7}, large, 0, 2); });
  b.run();
  const Time granted = sr_copied(40_ns);
  const Time free = sr_through(0_ns, large_length) + large_length;
  REQUIRE(free > granted);
  const Time next = sr_edge(free + large_length);
  for (int n = 0; n < 8; ++n) {
    CAPTURE(n);
    Arrivals all;
    if (n == 3) all.push_back(data(6, sr_through(0_ns, large_length) + sr_flight));
    all.push_back(copy(0, (n == 3 ? free : granted) + sr_flight));
    all.push_back(copy(0, next + sr_flight, 1));
    CHECK(b.station(n).arrivals() == all);
  }
}

TEST_CASE("SR8000: a broadcast's place in the input buffer is free when the last copy has left") {
  Sr8000Network net{{4}};
  net.crossbar.buffer_flits = 17;  // one packet
  Sr8000Bench b(net);
  b.at(0_ns, [&] { b.station(2).send(3, large); });
  b.at(40_ns, [&] {
    b.station(0).broadcast({0, 3}, large);
    b.station(0).send(1, large, 5);
  });
  b.run();
  const Time last = sr_through(0_ns, large_length) + 2 * large_length;  // of the copy to node 3
  const Time sent = last + sr_flight;                                   // the credit is home
  CHECK(b.station(1).arrivals() ==
        Arrivals{copy(0, sr_copied(40_ns) + sr_flight), data(0, sr_through(sent, large_length) + sr_flight, 5)});
}

TEST_CASE("SR8000: nodes without room for a broadcast hold up the next ones and no packets for one node") {
  Sr8000Network net{{4}};
  net.station.buffer_flits = 17;
  net.station.hold = 5_us;
  Sr8000Bench b(net);
  b.at(0_ns, [&] { b.station(0).broadcast({2, 3}, large, 0, 2); });
  b.at(2_us, [&] { b.station(0).send(1, large); });
  b.run();
  const Time first = sr_copied(0_ns);
  const Time room = first + sr_flight + large_length + 5_us + sr_flight;
  for (const int n : {2, 3})
    CHECK(b.station(n).arrivals() == Arrivals{copy(0, first + sr_flight), copy(0, room + sr_flight, 1)});
  CHECK(b.station(1).arrivals() == Arrivals{data(0, sr_through(2_us, large_length) + sr_flight)});
}

}  // namespace sr8000_broadcast_test
