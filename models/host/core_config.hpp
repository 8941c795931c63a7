// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "models/host/memory/line_cache.hpp"
#include "models/host/memory/unread_lines.hpp"
#include "models/host/scheduler.hpp"
#include "units/work.hpp"

namespace tsunagi::host {

/// How fast a core copies what lies in one level of its caches.
struct CopyLevel {
  Bytes size;
  Rate rate = Rate::bytes_per_second(10'000'000'000);
};
void describe(CopyLevel& c, config::Describer& d);

/// How fast a core copies: bytes copied a second (not read plus written), by the smallest level that holds source and
/// destination, 2 n <= size; beyond them at the memory's rate.
struct CopyConfig {
  std::vector<CopyLevel> levels;
  Rate memory_rate = Rate::bytes_per_second(5'896'000'000);
  /// Of lines that cards have written past the caches (Memory::read_lines): as many as a core has under way, in
  /// `poll_detect` each. Fewer take that.
  Rate unread_rate = Rate::infinite();
  /// What memory moves at least for a block of a copy of many: caches fill by lines (the part names its processor's).
  Bytes line;

  Rate rate(Bytes n) const;
};
void describe(CopyConfig& c, config::Describer& d);

/// What a core computes with.
struct CoreComputeConfig {
  std::int64_t flops_per_cycle = 8;
  Rate memory_rate = Rate::bytes_per_second(10'000'000'000);
};
void describe(CoreComputeConfig& c, config::Describer& d);

struct CoreConfig {
  Frequency clock{2'600'000'000};
  int write_combining_buffers = 10;
  std::int64_t store_cycles = 1;
  Bytes store_width = 8_B;
  Time store_to_bus = 80_ns;
  Time store_acknowledged;
  std::int64_t poll_cycles = 10;
  Time poll_detect = 60_ns;
  Time load_to_bus = 50_ns;
  Time uncached_load = 150_ns;
  int load_buffer = 64;
  int streaming_lines = 0;
  Sharing sharing = Sharing::steps;
  std::int64_t switch_cycles = 0;
  CopyConfig copy;
  LineCacheConfig line_cache;
  CoreComputeConfig compute;

  /// How long a copy of `n` bytes takes, of which `unread` lines come from DRAM.
  Time copy_time(Bytes n, std::int64_t unread) const;
};
void describe(CoreConfig& c, config::Describer& d);

}  // namespace tsunagi::host
