// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/facets/dma.hpp"
#include "config/describe.hpp"
#include "models/bench/card_bus.hpp"
#include "units/clock.hpp"

namespace tsunagi::bench {

/// Ways by which firmware has bytes moved.
enum class EngineMethod : std::uint8_t { dma, command };

/// A way beside the engine's descriptors: firmware writes requests to the PCIe block itself.
struct CommandConfig {
  Bytes largest;
  int start_cycles = 0;
  int end_cycles = 0;
};
void describe(CommandConfig& c, config::Describer& d);

struct EngineConfig {
  Frequency clock{10'000'000'000};
  int workers = 0;
  int start_cycles = 0;
  int end_cycles = 0;
  int read_interval_cycles = 0;
  int write_interval_cycles = 0;
  CardBusConfig bus;
  int tags = 1024;
  int tag_bits = 14;
  Bytes max_read_request = 4_KiB;
  CommandConfig command;

  int start(EngineMethod m) const { return m == EngineMethod::dma ? start_cycles : command.start_cycles; }
  int end(EngineMethod m) const { return m == EngineMethod::dma ? end_cycles : command.end_cycles; }
  /// What one operation by descriptor keeps the next in its direction from; commands have no queue.
  int interval(EngineMethod m, bool reads) const {
    if (m != EngineMethod::dma) return 0;
    return reads ? read_interval_cycles : write_interval_cycles;
  }
  Bytes largest(EngineMethod m) const { return m == EngineMethod::dma ? largest_given : command.largest; }
  static constexpr Bytes largest_given{std::int64_t{1} << 32};
};
void describe(EngineConfig& c, config::Describer& d);

}  // namespace tsunagi::bench
