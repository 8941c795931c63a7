// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/compute.hpp"

namespace tsunagi::gpu {

void describe(ComputeConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000'000;
  d.field("clock", c.clock, "clock of the multiprocessors", within(Frequency(1'000'000), Frequency(100'000'000'000)),
          ideal(Frequency(100'000'000'000)));
  d.field("flops_per_cycle", c.flops_per_cycle,
          "floating-point operations in double precision that all of them do a cycle at most",
          within(std::int64_t{1}, most), ideal(most));
  d.field("cache", c.cache,
          "last-level cache, which programs count on where they know what they read again (CUDA: l2CacheSize); 0: not "
          "known",
          at_most(1_GiB));
  d.field("single_flops_per_cycle", c.single_flops_per_cycle, "the same in single precision",
          within(std::int64_t{1}, most), ideal(most));
  d.field("memory_rate", c.memory_rate, "bytes a second between them and the GPU's memory",
          at_least(Rate::bytes_per_second(1'000'000)), ideal(Rate::infinite()));
  d.field("launch_latency", c.launch_latency,
          "from a kernel's command, or the end of the kernel before it, to its first thread", at_most(100_us),
          ideal(0_ns));
}

Time kernel_time(const ComputeConfig& c, const Work& w) {
  const bool single = w.precision == Precision::single;
  return roofline(w, Clock(c.clock), single ? c.single_flops_per_cycle : c.flops_per_cycle, c.memory_rate);
}

}  // namespace tsunagi::gpu
