// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/lanai_config.hpp"

#include "models/myrinet/descriptors.hpp"
#include "units/checked.hpp"

namespace tsunagi::myrinet {

void describe(LanaiConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the card's processor", within(Frequency(1'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("send_cycles", c.send_cycles, "of the processor a packet that is sent: its descriptor, its route, its start",
          within(0, 100'000), ideal(0));
  d.field("receive_cycles", c.receive_cycles, "of the processor a packet that has come", within(0, 100'000), ideal(0));
  d.field("dma_cycles", c.dma_cycles, "of the processor, to start a transfer on the bus", within(0, 100'000), ideal(0));
  d.field("send_latency", c.send_latency, "from a packet that is in the card's memory to the wire", at_most(10_us),
          ideal(0_ns));
  d.field("receive_latency", c.receive_latency, "from the wire to the card's memory", at_most(10_us), ideal(0_ns));
  d.field("slack", c.slack, "slack buffer of the network port", within(16_B, 1_MiB), ideal(1_MiB));
  d.field("sram", c.sram, "memory of the card, for packets and descriptors", within(16_KiB, 64_MiB), ideal(64_MiB));
  d.field("send_buffers", c.send_buffers, "packets that are read from the host and not sent yet, at most",
          within(1, 1024));
  d.field("receive_buffers", c.receive_buffers, "packets that have come and are not in the host yet, at most",
          within(1, 1024));
  d.field("send_entries", c.send_entries, "sends that software may hand to the card ahead", within(1, 4096));
  d.choice("send_queue", c.send_queue,
           {{"programmed_io", static_cast<std::int64_t>(SendQueue::programmed_io),
             "software writes descriptors into the card's memory"},
            {"host_memory", static_cast<std::int64_t>(SendQueue::host_memory),
             "software writes them into its own and rings a doorbell; the card reads them"}},
           "where descriptors of sends lie", ideal(static_cast<std::int64_t>(SendQueue::programmed_io), "send queue"));
  d.field("loss_ppm", c.loss_ppm, "packets of a million that come and fail their check",
          within(std::int64_t{0}, std::int64_t{999'999}), ideal(std::int64_t{0}));
  d.choice("firmware", c.firmware,
           {{"packets", static_cast<std::int64_t>(Firmware::packets), "packets come or do not"},
            {"reliable", static_cast<std::int64_t>(Firmware::reliable),
             "messages, writes and reads, acknowledged and sent again"}},
           "what the card's processor runs");
  d.object("reliable", c.reliable, "how firmware that is reliable is so");
  d.field("bar_base", c.bar_base, "first host address of the card's memory", at_most(largest_given));
  d.field("window", c.window, "of the card's memory that the host sees", within(8_KiB, 64_MiB));
  d.object("bus", c.bus, "I/O bus that the card sits on");
  d.require(c.firmware == Firmware::packets || c.send_queue == SendQueue::programmed_io,
            "firmware that is reliable takes descriptors in the card's memory alone: \"send_queue\" must be "
            "\"programmed_io\"");
  d.require(is_paged(c.bar_base), "\"bar_base\" must be a multiple of 4 KiB");
  d.require(is_paged(c.window), "\"window\" must be a multiple of 4 KiB");
  d.require(4_KiB + SendDescriptor::size * c.send_entries <= c.window,
            "\"window\" does not show the descriptors of sends, 32 B each, and 4 KiB of registers");
}

}  // namespace tsunagi::myrinet
