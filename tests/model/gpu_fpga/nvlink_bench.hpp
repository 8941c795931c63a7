// SPDX-License-Identifier: Apache-2.0
// Two GPUs over NVLink: links of 20 GB/s, a flit of 16 B in 800 ps, engines that read 256 B a cycle.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/gpu_fpga/copy_engine_bench.hpp"

namespace nvlink_test {

using namespace copy_engine_test;

constexpr Time port = 40_ns;
constexpr Time crossing = 90_ns;
constexpr Time flit = 800_ps;
constexpr Time packet = flit * 17;                         // with 256 B
constexpr std::uint64_t other = std::uint64_t{257} << 30;  // window of gpu1

inline nvlink::LinkConfig first_generation(Bytes max_payload = 256_B) {
  nvlink::LinkConfig c;
  c.max_payload = max_payload;
  c.rate = TransferRate(20'000'000'000);
  c.lanes = 8;
  return c;
}

struct NvlinkBench : CopyBench {
  /// `switched`: by way of a switch, else wired to each other.
  explicit NvlinkBench(int links, bool switched = false) {
    config.memory_size = 256_MiB;
    config.nvlink.links = links;
    config.nvlink.port_latency = port;
    config.nvlink.buffer = 64_KiB;
    config.nvlink.tags = 64;
    more = [this, links, switched] {
      if (switched) {
        nvlink::NvSwitchConfig c;
        c.ports = 2 * links;
        c.latency = crossing;
        c.buffers = buffers;
        device("nvswitch", c);
      }
      for (int i = 0; i < links; ++i) {
        const std::string n = std::to_string(i);
        if (switched) {
          wire("gpu0.nvlink" + n, "nvswitch.port" + n, first_generation(max_payload));
          wire("gpu1.nvlink" + n, "nvswitch.port" + std::to_string(links + i), first_generation(max_payload));
        } else {
          wire("gpu0.nvlink" + n, "gpu1.nvlink" + n, first_generation(max_payload));
        }
      }
    };
  }
  pcie::BufferConfig buffers;
  Bytes max_payload = 256_B;

  /// Copies to gpu1, with a flush; returns what came there.
  std::vector<host::Extent> copy_to_peer(std::uint64_t from_offset, std::uint64_t to_offset, Bytes n) {
    CopyCommand c = copy(Aperture::local, from_offset, Aperture::nvlink, other + to_offset, n);
    c.flush = true;
    build();
    run_commands(0, 0, {c});
    run();
    expect_all_home();
    return gpu(1).extents();
  }
};

/// From what is ready at an engine until it is in the other GPU.
inline Time across(std::int64_t flits) { return port + flit * flits + flight + port; }
/// When the first data have been read.
inline Time read_first() { return begins() + cycle + reading_gpu; }
/// From a flush that is ready until it is answered: header there, header and a flit back.
inline Time flushing() { return across(1) + reading_gpu + across(2); }

inline std::vector<host::Extent> by_address(std::vector<host::Extent> seen) {
  std::sort(seen.begin(), seen.end(), [](const auto& x, const auto& y) { return x.address < y.address; });
  return seen;
}

}  // namespace nvlink_test
