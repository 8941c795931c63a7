// SPDX-License-Identifier: Apache-2.0
#include "models/dma/bus_config.hpp"

#include <fmt/format.h>

#include "config/error_at.hpp"
#include "models/dma/pcie_port.hpp"
#include "models/pcie/slots.hpp"
#include "models/pcix/bus.hpp"
#include "models/pcix/timing.hpp"
#include "units/parse.hpp"

namespace tsunagi::dma {

void describe(BusConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("kind", c.kind,
           {{"pcie", static_cast<std::int64_t>(BusKind::pcie), "PCI Express"},
            {"pcix", static_cast<std::int64_t>(BusKind::pcix), "PCI-X"}},
           "I/O bus that the card is made for");
  d.field("latency", c.latency, "between card and bus, each way", at_most(1_us), ideal(0_ns));
  d.field("max_read", c.max_read, "bytes of a read at most: MRRS, or PCI-X's maximum memory read byte count",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field("max_write", c.max_write, "bytes of a write burst on PCI-X at most; PCI Express cuts at its link's MPS",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field("reads", c.reads, "reads under way at most: tags, or PCI-X's maximum outstanding split transactions",
          within(1, 1024), ideal(1024));
  d.field("read_cycles", c.read_cycles, "cycles of the card from one read request to the next", within(0, 10000),
          ideal(0));
  d.field("bus_clock", c.bus_clock, "fastest PCI-X bus that it can be on",
          within(Frequency(66'000'000), Frequency(133'333'334)));
  d.object("buffers", c.buffers, "receive buffer");
  const bool on_pcix = c.kind == BusKind::pcix;
  d.require(!on_pcix || pcix::is_read_byte_count(c.max_read),
            "\"max_read\": PCI-X knows byte counts of 512 B, 1 KiB, 2 KiB and 4 KiB, not " + to_string(c.max_read));
  constexpr int most_splits = 32;  // PCI-X command register, bits 6:4
  d.require(!on_pcix || c.reads <= most_splits, "\"reads\": PCI-X has 32 split transactions under way at most");
}

net::PortSpec port_spec(const BusConfig& c, const Clock& clock, int writers) {
  net::PortSpec p;
  const bool on_pcix = c.kind == BusKind::pcix;
  p.name = p.protocol = on_pcix ? "pcix" : "pcie";
  if (!on_pcix) p.role = net::LinkRole::endpoint;
  p.needed = true;
  p.expects = pcie::completions_up_to(c.max_read);
  p.tx.pipeline.delay = c.latency;
  p.tx.word_clock = clock;
  p.rx.pipeline.delay = c.latency;
  p.rx.buffers = pcie::buffer_credits(c.buffers);
  p.sources = 1 + writers;
  return p;
}

std::unique_ptr<Port> make_port(net::Device& card, flow::PacketPool& pool, const BusConfig& c, const Clock& clock,
                                Port::Registers& registers, int writers, int max_train) {
  pcie::RequesterSpec reads{clock, c.max_read, c.reads};
  reads.cycles = c.read_cycles;
  reads.tag_wait = c.kind == BusKind::pcix ? "split transaction" : "DMA read tag";
  // On PCI-X each burst is a transaction of its own.
  const bool on_pcix = c.kind == BusKind::pcix;
  return std::make_unique<PciePort>(card, pool, reads, registers, writers, on_pcix ? 1 : max_train,
                                    on_pcix ? c.max_write : pcix::most_bytes, c.relaxed_ordering);
}

void check_bus(const net::Device& card, const BusConfig& c, Bytes base, Bytes size, const char* what) {
  pcie::check_window(card, base, size, what);
  const auto* bus = dynamic_cast<const pcix::Bus*>(&card.ports().front().channel().destination());
  if (bus != nullptr && bus->config().clock.hz() > c.bus_clock.hz())
    throw config::error_at(
        "/machine", fmt::format("{} is made for PCI-X of up to {} (\"bus_clock\"), but {} runs at {}", card.name(),
                                to_string(c.bus_clock), bus->name(), to_string(bus->config().clock)));
}

}  // namespace tsunagi::dma
