// SPDX-License-Identifier: Apache-2.0
// The copies by GPUs' engines that measure a server, as nvbandwidth and p2pBandwidthLatencyTest do.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "box/plan.hpp"

namespace tsunagi::box {

/// Copies at the same time, and the cells that they measure.
struct CopyTest {
  struct Of {
    const Place* from;
    const Place* to;
    What what;
    std::string how;
    std::vector<std::vector<std::pair<std::string, std::string>>> rows;  ///< as a reading has them
  };
  Run run;
  std::optional<Lengths> lengths;  ///< as a reading has them
  std::vector<Of> cells;
};

/// Makes them. What it is made of has to outlive it.
class CopyTests {
 public:
  CopyTests(const topo::Graph& graph, const Server& server, const Wish& wish);

  /// Whether one card can write to the other: NVLink joins them, or root complexes let it.
  bool peers(const Place& a, const Place& b) const;
  bool by_nvlink(const Place& a, const Place& b) const;

  /// One way each, of two GPUs also by who gets the bytes, and both ways.
  std::vector<CopyTest> rates(const Place& a, const Place& b) const;
  /// Of a small copy each way.
  std::vector<CopyTest> latencies(const Place& a, const Place& b) const;
  /// All of them at the same time; they are not none.
  CopyTest at_once(const Pairs& pairs) const;
  /// By way of host memory: GPUs that do not reach each other.
  CopyTest by_way_of_host(const Place& a, const Place& b) const;

  /// All that is measured at once: all GPUs of a socket, near or far, from each memory with a core, and to it (a
  /// process has its buffers at its GPU's socket; what is nearer would be over sooner); of GPUs that reach each other
  /// each to the next, to the next but one and so on: of its socket, or of all where NVLink joins some.
  std::vector<Pairs> sets_at_once() const;
  /// What those that are alike have in common.
  Reach reach_of(const Pairs& pairs) const;

 private:
  nlohmann::ordered_json cuda(const Place& memory, const Pairs& pairs) const;
  nlohmann::ordered_json copies(const Pairs& pairs, const std::vector<Bytes>& sizes, int queued) const;
  CopyTest over(const Place& memory, const Pairs& pairs, int queued, int times = 2) const;
  CopyTest sharing(const Place& memory, const Pairs& pairs) const;
  CopyTest one_way(const Place& memory, const Place& from, const Place& to, What what) const;
  CopyTest both_ways(const Place& memory, const Place& a, const Place& b) const;
  CopyTest alone(const Place& memory, const Place& from, const Place& to) const;
  const Place& memory_of(const Place& a, const Place& b) const;
  std::string engine_of(const Place& by, const Place& from, const Place& to) const;
  std::size_t most_links(const Pairs& pairs) const;
  Bytes shorter_of(const Pairs& pairs) const;
  std::vector<std::pair<std::size_t, bool>> directions_between(const Place& from, const Place& to) const;
  bool share_links(const Pairs& pairs) const;

  const topo::Graph& graph_;
  const Server& server_;
  const Wish& wish_;
  bool has_gen4_;  // PCIe Gen4 and later, and a CUDA of its time
};

}  // namespace tsunagi::box
