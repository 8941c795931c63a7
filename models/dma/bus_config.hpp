// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "config/describe.hpp"
#include "models/dma/port.hpp"
#include "models/pcie/buffers.hpp"
#include "net/specs.hpp"
#include "units/clock.hpp"

namespace tsunagi::dma {

/// Which I/O bus a card sits on.
enum class BusKind : std::uint8_t { pcie, pcix };

/// A card's end of it. Whoever has one need not know which.
struct BusConfig {
  BusKind kind = BusKind::pcie;
  Time latency = 50_ns;
  Bytes max_read = 512_B;
  Bytes max_write = 4_KiB;
  int reads = 32;
  int read_cycles = 1;
  Frequency bus_clock{133'333'333};
  bool relaxed_ordering = false;
  pcie::BufferConfig buffers;
};
void describe(BusConfig& c, config::Describer& d);

/// The port of a card that does all by it: its name is the bus's ("pcie", "pcix"). `clock`: the card's, on whose edges
/// it sends; `writers`: queues of writes beside that of reads.
net::PortSpec port_spec(const BusConfig& c, const Clock& clock, int writers);

/// What stands behind that port, port 0 of `card`. `registers` outlives it.
std::unique_ptr<Port> make_port(net::Device& card, flow::PacketPool& pool, const BusConfig& c, const Clock& clock,
                                Port::Registers& registers, int writers, int max_train);

/// To be called when the card is wired: throws config::ConfigError if it is on a bus that is faster than it can be, or
/// if the addresses that it answers to are not those of its slot.
void check_bus(const net::Device& card, const BusConfig& c, Bytes base, Bytes size, const char* what);

}  // namespace tsunagi::dma
