// SPDX-License-Identifier: Apache-2.0
// Two nodes with library mpi on two rails, and what is to be known of their memories.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "config/message.hpp"
#include "models/host/memory/memory.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

constexpr const char* mpi_run = "mpi_latency";

using config::in_quotes;

/// Host memory that records, two cables, and both rails in use.
inline Overrides mpi_pair(const Overrides& more = {}) {
  Overrides all = {{"/machine", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/machines/ib_pair_two_rails.json"})"},
                   {"/library/rails", R"(["hca.port1", "hca.port2"])"},
                   {"/machine/topology/devices/node0/devices/memory/record", "true"},
                   {"/machine/topology/devices/node1/devices/memory/record", "true"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A node's slot with 16 lanes: no bottleneck.
inline Overrides wide_slots() {
  Overrides out;
  for (const char* node : {"0", "1"})
    out.push_back({std::string("/machine/topology/devices/node") + node + "/links/2/wire/lanes", "16"});
  return out;
}

inline comm::Buffer bytes(Bytes n, Bytes from = {}) { return {from, n, {}, {}}; }

/// What is wrong with bytes of a rank's buffers that should have been written once each; empty: nothing.
inline std::string written_once(ProgramBench& b, int rank, const comm::Buffer& there, Time until = Time::max()) {
  const host::Memory& m = b.machine().get<host::Memory>("node" + std::to_string(rank) + ".memory");
  const std::uint64_t base = unsigned_of(m.config().base + host::buffers_from(m.config().size) + there.offset);
  std::vector<host::Extent> in;
  for (const host::Extent& e : m.extents())
    if (e.address >= base && e.address < base + unsigned_of(there.size)) in.push_back(e);
  std::sort(in.begin(), in.end(), [](const auto& x, const auto& y) { return x.address < y.address; });
  std::uint64_t at = base;
  for (const host::Extent& e : in) {
    if (e.address != at) return "byte " + std::to_string(std::min(e.address, at) - base) + " is written not once";
    if (e.when > until) return "byte " + std::to_string(at - base) + " is late";
    at += unsigned_of(e.length);
  }
  return at == base + unsigned_of(there.size) ? "" : "bytes from " + std::to_string(at - base) + " on are not written";
}

}  // namespace tsunagi::test
