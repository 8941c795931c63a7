// SPDX-License-Identifier: Apache-2.0
// Drawn traffic through the SR8000's crossbars: packets for one node, broadcasts of several roots and barriers at once.
#include <algorithm>
#include <map>
#include <sstream>

#include "model/sr8000/sr8000_bench.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/random/random_machine.hpp"

namespace sr8000_traffic_test {

using namespace tsunagi;
using namespace tsunagi::test;
using sr8000::Box;
using sr8000::Purpose;

namespace {

struct How {
  int max_train = 1;
  bool reversed = false;
  std::string findings = {};
};

/// A box of drawn nodes of a network.
std::vector<int> draw_box(Dice& dice, const std::vector<std::int64_t>& sizes, Box& box) {
  std::vector<int> nodes = {0};
  int stride = 1;
  box = {};
  for (const std::int64_t k : sizes) {
    const auto first = static_cast<int>(dice.number(0, k - 1)), last = static_cast<int>(dice.number(first, k - 1));
    box.first += static_cast<std::uint32_t>(first * stride);
    box.last += static_cast<std::uint32_t>(last * stride);
    std::vector<int> more;
    for (int at = first; at <= last; ++at)
      for (const int n : nodes) more.push_back(n + at * stride);
    nodes = std::move(more);
    stride *= static_cast<int>(k);
  }
  return nodes;
}

Sr8000Network draw_network(Dice& dice) {
  const std::vector<std::int64_t> all[] = {{8}, {4, 4}, {3, 2, 2}, {8, 2}, {2, 2, 3}, {1, 3, 4}};
  Sr8000Network net{all[dice.number(0, 5)]};
  net.crossbar.buffer_flits = static_cast<int>(dice.number(17, 40));  // a packet, or two
  net.crossbar.clock = Frequency(dice.any({5'000'000, 25'000'000, 100'000'000}));
  net.crossbar.latency = static_cast<int>(dice.number(0, 10));
  net.station.buffer_flits = dice.number(17, 60);
  net.station.hold = 100_ns * dice.number(0, 30);
  net.link.flight = 1_ns * dice.number(1, 50);
  return net;
}

/// What the stations are to get: numbers of messages from a node to a node.
using Expected = std::map<std::pair<int, int>, std::vector<std::uint32_t>>;

/// Packets of messages to one node, and of broadcasts to boxes.
void send_packets(Sr8000Bench& b, Dice& dice, const Sr8000Network& net, Expected& unicasts, Expected& broadcasts) {
  const int nodes = b.nodes();
  for (int i = 0; i < 150; ++i) {
    const auto from = static_cast<int>(dice.number(0, nodes - 1)), to = static_cast<int>(dice.number(0, nodes - 1));
    const auto count = static_cast<int>(dice.number(1, 6));
    const auto number = static_cast<std::uint32_t>(100 * i);
    const Time when = 1_ns * dice.number(0, 20'000) + 250_ns * i;
    const Bytes bytes(dice.number(1, 512));
    if (dice.one_in(4)) {
      Box box;
      const std::vector<int> heard = draw_box(dice, net.sizes, box);
      for (const int n : heard)
        for (int k = 0; k < count; ++k) broadcasts[{from, n}].push_back(number + static_cast<unsigned>(k));
      b.at(when, [&b, from, box, bytes, number, count] { b.station(from).broadcast(box, bytes, number, count); });
    } else {
      for (int k = 0; k < count; ++k) unicasts[{from, to}].push_back(number + static_cast<unsigned>(k));
      b.at(when, [&b, from, to, bytes, number, count] { b.station(from).send(to, bytes, number, count); });
    }
  }
}

/// Nodes of a drawn box meet again and again.
void meet(Sr8000Bench& b, Dice& dice, const Sr8000Network& net, int times) {
  Box box;
  for (const int n : draw_box(dice, net.sizes, box)) {
    std::vector<Time> waits;
    for (int i = 0; i < times; ++i) waits.push_back(1_ns * dice.number(0, 5'000));
    Station& station = b.station(n);
    station.barrier_at(waits.front(), box, 5);
    station.on_release = [&station, box, waits, met = std::size_t{0}](std::uint32_t) mutable {
      if (++met < waits.size()) station.barrier_at(station.arrivals().back().tail + waits[met], box, 5);
    };
  }
}

/// Packets of each message in their order: what was sent first arrives first on each pair's way.
bool all_came(Sr8000Bench& b, Purpose purpose, const Expected& expected) {
  Expected came;
  for (int n = 0; n < b.nodes(); ++n)
    for (const StationArrival& a : b.station(n).arrivals())
      if (a.purpose == purpose) came[{a.from, n}].push_back(a.number);
  const auto sorted = [](Expected e) {
    for (auto& [pair, numbers] : e) std::sort(numbers.begin(), numbers.end());
    return e;
  };
  for (const auto& [pair, numbers] : came)
    for (std::size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] / 100 == numbers[i - 1] / 100 && numbers[i] != numbers[i - 1] + 1) return false;
  return sorted(came) == sorted(expected);
}

std::string traffic(std::uint64_t seed, const How& how) {
  const std::string seen = in_child([&] {
    Dice dice(seed);
    const Sr8000Network net = draw_network(dice);
    Sr8000Bench b(net, how.max_train, how.findings);
    b.simulation().agenda().reverse_ties(how.reversed);
    Expected unicasts, broadcasts;
    send_packets(b, dice, net, unicasts, broadcasts);
    meet(b, dice, net, 20);
    if (how.max_train > 1)
      if (const std::string again = b.attempt(); !again.empty()) return "again " + again;
    b.run();
    if (!all_came(b, Purpose::remote_dma, unicasts) || !all_came(b, Purpose::spreading, broadcasts))
      return std::string("something is missing");
    std::ostringstream text;
    for (int n = 0; n < b.nodes(); ++n) {
      for (const StationArrival& a : b.station(n).arrivals()) text << a << " ";
      text << "\n";
    }
    return text.str();
  });
  if (seen.rfind("again ", 0) == 0) return traffic(seed, {how.max_train, how.reversed, seen.substr(6)});
  return seen;
}

}  // namespace

TEST_CASE("SR8000: crossing packets, broadcasts of many roots and barriers all come through, at times of their own") {
  const auto last = static_cast<std::uint64_t>(from_environment("TSUNAGI_MACHINES", 25));
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    CAPTURE(seed);
    const std::string alone = traffic(seed, {});
    REQUIRE(alone.size() > 10'000);
    REQUIRE(traffic(seed, {1, true}) == alone);
    REQUIRE(traffic(seed, {64}) == alone);
    REQUIRE(traffic(seed, {64, true}) == alone);
  }
}

}  // namespace sr8000_traffic_test
