// SPDX-License-Identifier: Apache-2.0
// Source-routed worms through Myrinet crossbars against closed forms.
#include "model/myrinet/myrinet_bench.hpp"
#include "stats/random.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"

namespace myrinet_crossbar_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// What a packet of `n` bytes takes of a wire on which `route` bytes are left, with its gap.
Time length(const MyrinetParts& p, int route, Bytes n) { return p.link.bandwidth.time(myrinet::packet_size(route, n)); }

/// When a packet that leaves at 0 has come over `crossbars`: each waits for its second byte.
Time latency(const MyrinetParts& p, int crossbars, Bytes n) {
  return (p.link.flight + p.link.transceivers) * (crossbars + 1) + (p.byte() + p.crossbar.latency) * crossbars +
         length(p, 0, n);
}

/// The bytes of packets on every wire, by the wires' numbers.
class Sizes final : public net::Listener {
 public:
  explicit Sizes(std::size_t channels) : of(channels) {}
  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop& h) override { of[h.channel] += h.size.total(); }
  void overhead(const net::OverheadEvent&) override {}
  void credits(const net::CreditEvent&) override {}
  std::vector<Bytes> of;
};

}  // namespace

TEST_CASE("Myrinet: a packet arrives when route bytes, crossbars and wires say, whatever its size") {
  for (const Bytes n : {0_B, 1_B, 8_B, 10_B, 11_B, 12_B, 15_B, 16_B, 17_B, 31_B, 32_B, 100_B, 4096_B})
    for (const int piece : {8, 16, 64}) {
      const std::string seen = in_child([&] {
        MyrinetParts p;
        p.link.piece = Bytes(piece);
        MyrinetBench b(p.row(4));
        for (int to = 1; to < 4; ++to) b.at(Time(1_ms) * to, [&b, to, n] { b.host(0).send_to(to, n, 7); });
        b.run();
        for (int to = 1; to < 4; ++to) {
          REQUIRE(b.host(to).arrivals().size() == 1);
          const PacketCame& came = b.host(to).arrivals().front();
          REQUIRE(came.size == n);
          REQUIRE(came.type == 7);
          REQUIRE(came.head - Time(1_ms) * to == latency(p, to + 1, n) - length(p, 0, n));
          REQUIRE(came.tail - Time(1_ms) * to == latency(p, to + 1, n));
        }
        return std::string("ok");
      });
      CHECK(seen == "ok");
    }
}

TEST_CASE("Myrinet: rates that are no whole time a byte") {
  MyrinetParts p;
  p.link.bandwidth = Rate::bytes_per_second(160'000'000);  // the first Myrinet, 6.25 ns a byte
  p.link.flight = Time::from_fs(12'345'678);
  p.link.transceivers = 7_ns;
  p.crossbar.latency = Time::from_fs(54'321'123);
  MyrinetBench b(p.row(3));
  b.at(0_ns, [&] { b.host(0).send_to(2, 1000_B); });
  b.run();
  CHECK(b.host(2).arrivals().front().tail == latency(p, 3, 1000_B));
}

TEST_CASE("Myrinet: a packet is a byte shorter behind each crossbar") {
  const MyrinetParts p;
  MyrinetBench b(p.row(5));
  Sizes sizes(b.machine().channels().size());
  b.machine().listen(sizes);
  b.at(0_ns, [&] { b.host(0).send_to(4, 333_B); });
  b.run();
  std::sort(sizes.of.begin(), sizes.of.end());
  std::vector<Bytes> seen(sizes.of.end() - 6, sizes.of.end());
  for (int left = 0; left < 6; ++left)
    CHECK(seen[static_cast<std::size_t>(left)] == Bytes(left) + 4_B + 333_B + 1_B + 1_B);
}

TEST_CASE("Myrinet: nothing passes a packet that waits at an input") {
  // 0 sends to 2 for long; 1 sends to 2, which waits, and then to 3, which is free.
  const MyrinetParts p;
  for (const Bytes waits : {20_B, 700_B, 3000_B}) {
    const std::string seen = in_child([&] {
      MyrinetBench b(p.one_crossbar(4));
      b.at(0_ns, [&] { b.host(0).send_to(2, 8000_B); });
      b.at(100_ns, [&] {
        b.host(1).send_to(2, waits);
        b.host(1).send_to(3, 40_B);
      });
      b.run();
      const Time flight = p.link.flight;
      const Time first = flight + p.byte() + p.crossbar.latency + length(p, 0, 8000_B);  // has left the crossbar
      const Time second = first + length(p, 0, waits);
      REQUIRE(b.host(2).arrivals().at(1).tail == second + flight);
      REQUIRE(b.host(3).arrivals().at(0).tail == second + length(p, 0, 40_B) + flight);
      return std::string("ok");
    });
    CHECK(seen == "ok");
  }
}

TEST_CASE("Myrinet: a worm that waits lies across the wires behind it") {
  // In a row of crossbars 0 - 1 - 2 with two hosts each, host 4 sends to 5 for long. A packet of host 0 to 5 waits for
  // that, and keeps host 1's to host 2 from the wire between the first two crossbars if no slack buffer holds it.
  const auto arrived_at_2 = [](Bytes size) {
    return in_child([&] {
      MyrinetParts p;
      p.link.stop = 200_B;
      p.link.go = 100_B;
      MyrinetBench b(p.row(3, 2));
      b.at(0_ns, [&] { b.host(4).send_to(5, 20'000_B); });
      b.at(100_ns, [&, size] { b.host(0).send_to(5, size); });
      b.at(5_us, [&] { b.host(1).send_to(2, 40_B); });
      b.run();
      return std::to_string(b.host(2).arrivals().at(0).tail.fs());
    });
  };
  const MyrinetParts p;
  CHECK(arrived_at_2(100_B) == std::to_string((5_us + latency(p, 2, 40_B)).fs()));
  CHECK(std::stoll(arrived_at_2(2000_B)) > (4_ns * 20'000).fs());
}

TEST_CASE("Myrinet: an output takes inputs in turn, packet by packet, and is never idle") {
  const MyrinetParts p;
  MyrinetBench b(p.one_crossbar(5));
  for (int from = 0; from < 4; ++from)
    b.at(0_ns, [&b, from] {
      for (int i = 0; i < 10; ++i) b.host(from).send_to(4, 200_B, static_cast<std::uint32_t>(from));
    });
  b.run();
  const std::vector<PacketCame>& came = b.host(4).arrivals();
  REQUIRE(came.size() == 40);
  CHECK(came.back().tail == p.link.flight * 2 + p.byte() + p.crossbar.latency + length(p, 0, 200_B) * 40);
  for (std::size_t i = 4; i < came.size(); ++i) CHECK(came[i].type == came[i - 4].type);
}

namespace {

/// When packets of random sizes, at random times between random hosts of random networks, come: head and tail of each.
std::string random_times(std::int64_t seed, int max_train, const std::string& findings = {}) {
  const std::string seen = in_child([&] {
    stats::RandomStream random(static_cast<std::uint64_t>(seed), "trains");
    MyrinetParts p;
    p.link.stop = Bytes(60 + random.below(300));
    p.link.go = p.link.stop - Bytes(1 + random.below(50));
    p.link.piece = Bytes(random.chance(1, 3) ? 64 : 16);
    p.link.max_route = 16;
    p.crossbar.latency = Time::from_fs(random.below(200'000'000));
    const int crossbars = 2 + static_cast<int>(random.below(5));
    std::vector<std::string> edges;
    for (int i = 1; i < crossbars; ++i) edges.push_back(std::to_string(random.below(i)) + " " + std::to_string(i));
    if (crossbars > 2) edges.push_back("0 " + std::to_string(crossbars - 1));
    MyrinetBench b(p.edges(edges, 2, MyrinetParts::any_of("up_down", topo::UpDownConfig{"router0"})), max_train,
                   findings);
    std::vector<std::size_t> expected(static_cast<std::size_t>(b.hosts()));
    for (int i = 0; i < 60; ++i) {
      const int from = static_cast<int>(random.below(b.hosts())), to = static_cast<int>(random.below(b.hosts()));
      const Bytes n(random.chance(1, 2) ? random.below(30) : random.below(4000));
      ++expected[static_cast<std::size_t>(to)];
      b.at(Time::from_fs(random.below(20'000'000'000)), [&b, from, to, n] { b.host(from).send_to(to, n); });
    }
    if (max_train > 1) {
      if (const std::string found = b.attempt(); !found.empty()) return "again " + found;
    } else {
      b.run();
    }
    std::string out;
    for (int h = 0; h < b.hosts(); ++h) {
      REQUIRE(b.host(h).whole() == expected[static_cast<std::size_t>(h)]);
      for (const PacketCame& c : b.host(h).arrivals())
        out += std::to_string(c.head.fs()) + "-" + std::to_string(c.tail.fs()) + " ";
    }
    return out;
  });
  return seen.rfind("again ", 0) == 0 ? random_times(seed, max_train, seen.substr(6)) : seen;
}

}  // namespace

TEST_CASE("Myrinet: trains of pieces arrive when single pieces do") {
  for (std::int64_t seed = 1; seed <= from_environment("TSUNAGI_SEEDS", 12); ++seed) {
    CAPTURE(seed);
    const std::string alone = random_times(seed, 1);
    CHECK(random_times(seed, 64) == alone);
    CHECK(random_times(seed, 3) == alone);
  }
}

}  // namespace myrinet_crossbar_test
