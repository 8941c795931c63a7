// SPDX-License-Identifier: Apache-2.0
// The PEACH2 chip between test endpoints; times in cycles of its 250 MHz clock.
#include "support/bench.hpp"

namespace peach2_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr Time cycle = 4_ns;
constexpr Time flight = 1_ns;
constexpr int hard_ip = 24;
constexpr int route = 4;

/// Node 1 of 4; nodes 2 and 3 to the east, node 0 to the west. A probe at every port.
void build(Bench& b) {
  peach2::Peach2Config c;
  c.node = 1;
  c.nodes = 4;
  c.hard_ip_cycles = hard_ip;
  c.route_cycles = route;
  c.routes = {{peach2::east, 2, 3}, {peach2::west, 0, 0}};
  b.device("chip", c);
  for (const std::string p : {"n", "e", "w", "s"}) {
    b.device("at_" + p, port("link"));
    b.wire("at_" + p + ".link", "chip." + p, quiet(gen2_x8()));
  }
  b.build();
}

/// First byte of node `n`'s share: 512 GiB of window for 4 nodes.
constexpr std::uint64_t share(int n) { return (512 + 128 * static_cast<std::uint64_t>(n)) * GiB; }

Time at_or_after(Time t) { return cycle * ((t + cycle - 1_fs) / cycle); }

/// From the last byte at the chip to the first byte on the next wire.
constexpr Time through = cycle * (hard_ip + route + hard_ip);

}  // namespace

TEST_CASE("a small write crosses the chip in its cycles") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_w").write(share(2), 8_B); });
  b.run();
  // 32 B on the wire, aligned to the chip's clock, receive, route, transmit, 32 B again.
  b.probe("at_e").expect_first_at(at_or_after(8_ns + flight) + through + 8_ns + flight);
  CHECK(b.probe("at_e").arrivals()[0].address == share(2));
  b.expect_all_home();
}

TEST_CASE("a full write crosses it as fast: the wire starts with the first beat") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_n").write(share(3) + 64, 256_B); });
  b.run();
  b.probe("at_e").expect_first_at(at_or_after(70_ns + flight) + through + 70_ns + flight);
}

TEST_CASE("a stream leaves at a packet each 18 cycles") {
  Bench b;
  build(b);
  constexpr int n = 500;
  b.at(0_ns, [&] {
    for (int i = 0; i < n; ++i) b.probe("at_w").write(share(2), 256_B);
  });
  b.run();
  // 280 B take 70 ns, and the hard IP starts packets on its 4 ns word clock.
  const auto& seen = b.probe("at_e").arrivals();
  REQUIRE(seen.size() == n);
  CHECK(seen.back().head == seen.front().head + cycle * 18 * (n - 1));
}

TEST_CASE("routes decide the port and packets come in order") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    for (int i = 0; i < 8; ++i) b.probe("at_n").write(share(i % 4) + static_cast<std::uint64_t>(i) * 4096, 64_B);
  });
  b.run();
  CHECK(b.probe("at_w").arrivals().size() == 2);
  CHECK(b.probe("at_n").arrivals().size() == 2);
  const auto& east = b.probe("at_e").arrivals();
  REQUIRE(east.size() == 4);
  for (std::size_t i = 1; i < east.size(); ++i) CHECK(east[i - 1].head < east[i].head);
}

TEST_CASE("port N subtracts the base of the node's own region") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_e").write(share(1) + 0x12345678, 64_B); });
  b.run();
  REQUIRE(b.probe("at_n").arrivals().size() == 1);
  CHECK(b.probe("at_n").arrivals()[0].address == 0x12345678);
}

TEST_CASE("two ports into one share it evenly, and nothing is lost") {
  Bench b;
  build(b);
  b.at(0_ns, [&] {
    for (int i = 0; i < 100; ++i) {
      b.probe("at_n").write(share(2), 256_B);
      b.probe("at_w").write(share(3), 256_B);
    }
  });
  b.run();
  int ahead = 0;
  for (const Arrival& a : b.probe("at_e").arrivals()) {
    ahead += a.address == share(2) ? 1 : -1;
    REQUIRE(std::abs(ahead) <= 1);
  }
  CHECK(b.probe("at_e").arrivals().size() == 200);
  b.expect_all_home();
}

TEST_CASE("a read of another node is refused") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_n").read(share(2)); });
  CHECK(b.failure() ==
        "chip: a read of address 0xc000000000 came by port N and was refused: PEACH2 only puts across nodes; remote "
        "reads go by proxy (interrupt register)");
}

TEST_CASE("an address outside the window is told") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_n").write(0x1000, 8_B); });
  CHECK(b.failure() == "chip: address 0x1000 is outside the window");
}

TEST_CASE("the share of a node without a route is told") {
  Bench b;
  peach2::Peach2Config c;
  c.node = 0;
  c.nodes = 4;
  b.device("chip", c);
  b.device("host", port("link"));
  b.wire("host.link", "chip.n", gen2_x8());
  b.build();
  b.at(0_ns, [&] { b.probe("host").write(share(3), 8_B); });
  CHECK(b.failure() == "chip: no route to node 3 (address 0xe000000000)");
}

TEST_CASE("a region behind which nothing sits is told") {
  Bench b;
  build(b);
  b.at(0_ns, [&] { b.probe("at_w").write(share(1) + 32 * GiB, 8_B); });
  CHECK(b.failure() == "chip: nothing answers at address 0xa800000000");
}

}  // namespace peach2_test
