// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"
#include "units/work.hpp"

namespace tsunagi::gpu {

/// What a GPU computes with. Defaults: Tesla K20 (see configs/parts/k20.json).
struct ComputeConfig {
  Frequency clock{706'000'000};
  std::int64_t flops_per_cycle = 1664;
  std::int64_t single_flops_per_cycle = 4992;
  Bytes cache;
  Rate memory_rate = Rate::bytes_per_second(208'000'000'000);
  Time launch_latency = 1500_ns;
};
void describe(ComputeConfig& c, config::Describer& d);

/// How long a kernel of that work occupies the whole GPU: the roofline of its peak and its memory.
Time kernel_time(const ComputeConfig& c, const Work& w);

}  // namespace tsunagi::gpu
