// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/card_config.hpp"

#include "units/checked.hpp"

namespace tsunagi::card {

void describe(TlmCardConfig& c, config::Describer& d) {
  using namespace config;
  d.field("bar_base", c.bar_base, "first host address of the card's window (BAR)", at_most(largest_given));
  d.field("bar_size", c.bar_size, "bytes of that window; what arrives there goes to the model's target",
          within(4_KiB, Bytes(std::int64_t{1} << 44)));
  d.field("queue", c.queue, "writes that wait for the link at a time", within(1, 4096));
  d.field("tags", c.tags, "reads under way at a time", within(1, 256));
  d.field("max_read_request", c.max_read_request, "bytes of a read request at most (MRRS)", within(128_B, 4_KiB));
  d.field("target_threads", c.target_threads, "reads that the model's target is given at a time, beside a write",
          within(1, 64));
  d.field("port_latency", c.port_latency, "latency of the PCIe port, one direction", at_most(1_us), ideal(0_ns));
  d.object("buffers", c.buffers, "receive buffer of the port");
}

}  // namespace tsunagi::card
