// SPDX-License-Identifier: Apache-2.0
// The input-queued router against a clocked one, written down plainly: every cycle of the crossbar, every input, every
// output. Random packets over a crossbar; every packet arrives when the other says.
#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "model/router/card_bench.hpp"
#include "support/child.hpp"

namespace input_queued_reference_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

struct Load {
  int ports = 5;
  int virtual_channels = 2;
  int iterations = 1;
  int speedup = 1;  // 1 or 2
  int output_flits = 8;
  int packets = 400;
  int cycles = 900;  // in which they are sent
};

/// Times are half cycles of the router: the crossbar's cycle with a speedup of two.
struct Packet {
  int from, to, vc, flits, number;
  int sent;
  int head = 0, tail = 0;  // at the crossbar
};

/// In the order in which they are sent; a card sends one at a time.
std::vector<Packet> random_packets(const Load& l, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::map<std::pair<int, int>, Packet> all;
  for (int i = 0; i < l.packets; ++i) {
    const Packet p{below(l.ports), below(l.ports), below(l.virtual_channels), 1 + below(5), i, 2 * below(l.cycles)};
    all.emplace(std::pair{p.sent, p.from}, p);
  }
  std::vector<Packet> out;
  for (const auto& [when, p] : all) out.push_back(p);
  return out;
}

/// iSLIP over a matrix of requests.
class PlainIslip {
 public:
  PlainIslip(int n, int iterations) : n_(n), iterations_(iterations), grant_(n), accept_(n) {}
  std::vector<int> output_of(const std::vector<std::vector<bool>>& asks) {
    std::vector<int> out(asks.size(), -1);
    std::vector<bool> taken(asks.size());
    for (int k = 0; k < iterations_; ++k) {
      std::vector<std::vector<bool>> granted(asks.size(), std::vector<bool>(asks.size()));
      for (int o = 0; o < n_; ++o)
        for (int i = 0; i < n_ && !taken[o]; ++i)
          if (const int in = (grant_[o] + i) % n_; out[in] < 0 && asks[in][o]) {
            granted[in][o] = true;
            break;
          }
      for (int in = 0; in < n_; ++in)
        for (int i = 0; i < n_; ++i)
          if (const int o = (accept_[in] + i) % n_; granted[in][o]) {
            out[in] = o;
            taken[o] = true;
            if (k == 0) grant_[o] = (in + 1) % n_, accept_[in] = (o + 1) % n_;
            break;
          }
    }
    return out;
  }

 private:
  int n_, iterations_;
  std::vector<int> grant_, accept_;
};

/// When the heads of the packets, by number, reach the cards.
std::map<int, int> clocked(const Load& l, std::vector<Packet> packets) {
  const int n = l.ports;
  std::vector<int> wire_free(n), in_busy(n), out_busy(n), out_wire(n), turn(n);
  for (Packet& p : packets) {  // a flit is two half cycles; the wire 10, the router 6
    const int start = std::max(p.sent, wire_free[p.from]);
    wire_free[p.from] = start + 2 * p.flits;
    p.head = start + 16;
    p.tail = p.head + 2 * p.flits;
  }
  std::vector<std::vector<std::deque<Packet>>> fifo(n, std::vector<std::deque<Packet>>(l.virtual_channels));
  std::vector<std::vector<std::deque<std::pair<int, int>>>> held(
      n, std::vector<std::deque<std::pair<int, int>>>(l.virtual_channels));  // until when, flits
  PlainIslip islip(n, l.iterations);
  std::map<int, int> arrived;
  const int cycle = l.speedup == 2 ? 1 : 2;
  for (int t = 0; arrived.size() < packets.size(); t += cycle) {
    for (const Packet& p : packets)
      if (p.head > t - cycle && p.head <= t) fifo[p.from][p.vc].push_back(p);
    const auto may = [&](int in, int vc) {
      if (fifo[in][vc].empty()) return false;
      const Packet& p = fifo[in][vc].front();
      auto& space = held[p.to][vc];
      while (!space.empty() && space.front().first <= t) space.pop_front();
      int used = 0;
      for (const auto& h : space) used += h.second;
      return in_busy[in] <= t && out_busy[p.to] <= t && used + p.flits <= l.output_flits;
    };
    std::vector<std::vector<bool>> asks(n, std::vector<bool>(n));
    for (int in = 0; in < n; ++in)
      for (int vc = 0; vc < l.virtual_channels; ++vc)
        if (may(in, vc)) asks[in][fifo[in][vc].front().to] = true;
    const std::vector<int> out = islip.output_of(asks);
    for (int in = 0; in < n; ++in) {
      if (out[in] < 0) continue;
      int vc = turn[in];
      while (!may(in, vc) || fifo[in][vc].front().to != out[in]) vc = (vc + 1) % l.virtual_channels;
      turn[in] = (vc + 1) % l.virtual_channels;
      const Packet p = fifo[in][vc].front();
      fifo[in][vc].pop_front();
      const int end = std::max(t + cycle * p.flits, p.tail);
      in_busy[in] = out_busy[p.to] = end;
      // On the wire in the order in which they cross, not before it can run without a break.
      const int start = std::max({t, out_wire[p.to], end - 2 * p.flits});
      out_wire[p.to] = start + 2 * p.flits;
      held[p.to][vc].push_back({out_wire[p.to], p.flits});
      arrived[p.number] = start + 10;
    }
  }
  return arrived;
}

std::map<int, int> simulated(const Load& l, const std::vector<Packet>& packets) {
  router::LinkConfig link;
  link.virtual_channels = l.virtual_channels;
  link.max_payload = 72_B;
  router::InputQueuedRouterConfig c;
  c.virtual_channels = l.virtual_channels;
  c.buffer_flits = 100'000;
  c.speedup = l.speedup;
  c.iterations = l.iterations;
  c.output_buffer_flits = l.output_flits;
  CardBench b(any_of("input_queued_router", c), l.ports, CardConfig{l.virtual_channels, 100'000}, link);
  for (const Packet& p : packets)
    b.at(Time::from_fs(p.sent * std::int64_t{500'000}), [&b, p] {
      router::Header h = b.card(p.from).header(p.to);
      h.mix = static_cast<std::uint32_t>(p.vc) << 8;
      h.vc = static_cast<flow::FlowClass>(p.vc);
      b.card(p.from).send(h, 16_B * p.flits - 8_B, static_cast<std::uint32_t>(p.number));
    });
  b.run();
  std::map<int, int> arrived;
  for (int i = 0; i < l.ports; ++i)
    for (const CardArrival& a : b.card(i).arrivals()) {
      REQUIRE(a.head.fs() % 500'000 == 0);
      arrived[static_cast<int>(a.origin)] = static_cast<int>(a.head.fs() / 500'000);
    }
  return arrived;
}

/// The first packet, by the clocked router, that arrives at another time.
std::string difference(const std::map<int, int>& expected, const std::map<int, int>& got) {
  std::string s;
  int first = 1 << 30;
  for (const auto& [number, t] : expected) {
    const auto found = got.find(number);
    if ((found != got.end() && found->second == t) || t >= first) continue;
    first = t;
    s = "packet " + std::to_string(number) + " at " + std::to_string(t) + ", not " +
        (found == got.end() ? "never" : std::to_string(found->second));
  }
  return s;
}

void expect_same(const Load& l, int seeds) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(seeds); ++seed) {
    INFO("seed " << seed);
    const std::vector<Packet> packets = random_packets(l, seed);
    REQUIRE(in_child([&] { return difference(clocked(l, packets), simulated(l, packets)); }) == "");
  }
}

}  // namespace

TEST_CASE("input-queued, packet by packet as a clocked router: one virtual channel") { expect_same({5, 1}, 5); }
TEST_CASE("input-queued, packet by packet as a clocked router: three virtual channels") { expect_same({5, 3}, 5); }
TEST_CASE("input-queued, packet by packet as a clocked router: several iterations") { expect_same({6, 4, 3}, 5); }
TEST_CASE("input-queued, packet by packet as a clocked router: a speedup of two") { expect_same({5, 2, 1, 2}, 5); }
TEST_CASE("input-queued, packet by packet as a clocked router: with outputs of one packet") {
  expect_same({5, 2, 2, 2, 5}, 5);
}
TEST_CASE("input-queued, packet by packet as a clocked router: little load") {
  expect_same({5, 2, 1, 1, 8, 200, 3000}, 5);
}

}  // namespace input_queued_reference_test
