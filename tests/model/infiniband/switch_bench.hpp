// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/bench.hpp"

namespace tsunagi::test {

/// A probe in place of a host above a switch with probes as cards below it. Wires have no other costs than bytes and
/// flight. Wire 0 is the one above the switch, wire 1 + i that of card i; forward is downwards.
struct SwitchBench : Bench {
  static constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
  static constexpr Time flight = 1_ns;
  static constexpr Time latency = 100_ns;
  static constexpr Bytes write_size{256 + 24};  // 256 B to a 64-bit address
  static constexpr Bytes request_size{24};
  static std::uint64_t window(int card) { return (64 + static_cast<std::uint64_t>(card)) * GiB; }
  static constexpr std::uint64_t host_memory = 8 * GiB;

  pcie::SwitchConfig c;
  std::vector<pcie::LinkConfig> links;  // of cards
  pcie::LinkConfig above = quiet(gen2_x8());
  ProbeConfig host{{port("link")}, {}, false};

  explicit SwitchBench(int cards, sim::Kernel kernel = sim::Kernel::own) : Bench(kernel) {
    c.latency = latency;
    for (int i = 0; i < cards; ++i) {
      c.downstream.push_back({"down" + std::to_string(i), Bytes(static_cast<std::int64_t>(window(i))), 1_GiB});
      links.push_back(quiet(gen2_x8()));
    }
  }
  static pcie::LinkConfig lanes(int n) {
    pcie::LinkConfig l = quiet(gen2_x8());
    l.lanes = n;
    return l;
  }
  /// At 500 MB/s a lane.
  static Time on_wire(Bytes n, int lanes = 8) { return Time::from_fs(2'000'000 * n.count() / lanes); }
  Probe& card(int i) { return probe("card" + std::to_string(i)); }
  Probe& top() { return probe("host"); }

  void build(int max_train = 1, const std::string& findings = {}) {
    device("sw", c);
    device("host", host);
    wire("host.link", "sw.up", above);
    for (std::size_t i = 0; i < links.size(); ++i) {
      device("card" + std::to_string(i), port("link"));
      wire("sw.down" + std::to_string(i), "card" + std::to_string(i) + ".link", links[i]);
    }
    Bench::build(max_train, 1, findings);
  }
};

}  // namespace tsunagi::test
