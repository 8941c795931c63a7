// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma_config.hpp"

namespace tsunagi::peach2 {

void describe(DmaConfig& c, config::Describer& d) {
  using namespace config;
  d.field("channels", c.channels, "DMA channels", within(1, 4));
  d.field("step_cycles", c.step_cycles,
          "latency of one step of the controller (decode, request, store, write, status), in cycles", within(1, 200),
          ideal(1));
  d.field("descriptor_cycles", c.descriptor_cycles,
          "cycles to load a descriptor into the engine: after its fetch, and behind the one before on either side",
          within(0, 64), ideal(0));
  d.field("prefetch", c.prefetch, "fetched descriptors of a chain that may wait for the engine, a channel",
          within(1, 8), ideal(8));
  d.field("tags", c.tags, "read requests under way, a channel", within(1, 32), ideal(32));
  d.field("max_read_request", c.max_read_request, "largest read request (MRRS)", within(128_B, 4_KiB), ideal(4_KiB));
  d.field("buffer", c.buffer, "bytes a channel may have asked for and not yet written out", within(4_KiB, 1_MiB),
          ideal(1_MiB));
  d.require(c.max_read_request <= c.buffer, "\"buffer\" must hold one read request");
}

}  // namespace tsunagi::peach2
