// SPDX-License-Identifier: Apache-2.0
// The programs of perftest that measure an adapter of a server, with an equal server at the cable's other end.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "box/plan.hpp"

namespace tsunagi::box {

/// One program, and the cells that it measures.
struct AdapterTest {
  struct Of {
    const Place* from;
    const Place* to;
    What what;
  };
  Run run;
  std::vector<Of> cells;
  std::string how;  ///< of a cell
  /// As a reading has them.
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  std::string time;
  std::vector<std::pair<std::string, double>> bounds = {};  ///< of a cell
  double times = 1;                                         ///< as a reading has it
  std::optional<Lengths> lengths = {};                      ///< as a reading has them
};

/// Those between a memory or a GPU and an adapter: ib_write_bw and ib_read_bw, by either server, ib_write_bw -b, and of
/// a memory ib_write_lat with messages of `small` bytes. The process runs at the memory, of GPUs at the adapter's; the
/// other server's process and buffers are at its adapter's socket, so that this server's part of the way limits, or
/// both ends' alike. The adapter has a memory and a core at its root complex.
std::vector<AdapterTest> adapter_tests(const topo::Graph& graph, const Server& server, const Place& other,
                                       const Place& adapter, Bytes small);

/// All of some equal adapters at once, each with its twin: ib_write_bw by a process with a queue at each, out of that
/// memory and into it. Each has an equal share.
std::vector<AdapterTest> adapters_at_once(const topo::Graph& graph, const Server& server, const Place& memory,
                                          const std::vector<const Place*>& adapters);

}  // namespace tsunagi::box
