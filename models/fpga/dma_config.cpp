// SPDX-License-Identifier: Apache-2.0
#include "models/fpga/dma_config.hpp"

namespace tsunagi::fpga {

void describe(DescriptorControllerConfig& c, config::Describer& d) {
  using namespace config;
  d.field("hand_over_cycles", c.hand_over_cycles, "to write a descriptor to a data mover, in cycles", within(1, 1000),
          ideal(1));
  d.field("host_fifo", c.host_fifo, "the host's descriptors that wait for a data mover, at most", within(1, 128));
  d.field("kernel_fifo", c.kernel_fifo, "the same of a kernel", within(1, 1024));
  d.field("crossing_cycles", c.crossing_cycles,
          "to cross from the kernel's clock to the controller's, or back: cycles of the clock that it comes to",
          within(1, 16), ideal(1));
  d.choice("first", c.first,
           {{"host", static_cast<std::int64_t>(First::host), "the host's"},
            {"kernel", static_cast<std::int64_t>(First::kernel), "the kernel's"}},
           "whose descriptors the priority encoder lets go first");
}

void describe(ReadMoverConfig& c, config::Describer& d) {
  using namespace config;
  d.field("start_cycles", c.start_cycles, "from a descriptor to its first request", within(1, 1000), ideal(1));
  d.field("request_cycles", c.request_cycles, "from one request to the next", within(1, 100), ideal(1));
  d.field("max_read_request", c.max_read_request,
          "largest read (MRRS, if the mover takes that); none crosses a multiple of it",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4096));
  d.field("tags", c.tags, "reads under way at most", within(1, 256), ideal(256));
  d.field("status_cycles", c.status_cycles, "from the last byte in the card's memory to the completion signal",
          within(0, 1000), ideal(0));
}

void describe(WriteMoverConfig& c, config::Describer& d) {
  using namespace config;
  d.field("start_cycles", c.start_cycles,
          "from a descriptor to its first write, but for the latency of the card's memory", within(1, 1000), ideal(1));
  d.field("turnaround_cycles", c.turnaround_cycles,
          "idle between the last write of a descriptor and the next one's first", within(0, 1000), ideal(0));
  d.field("burst", c.burst, "bytes of the card's memory that one burst reads", within(64_B, 4_KiB));
  d.field("burst_gap", c.burst_gap, "idle cycles of the memory between two bursts", within(0, 64), ideal(0));
  d.field("buffer", c.buffer, "bytes read and not yet sent, at most", within(4_KiB, 1_MiB), ideal(1_MiB));
  d.field("status_cycles", c.status_cycles, "from the last write's last beat to the completion signal", within(0, 1000),
          ideal(0));
  d.require((c.burst.count() & (c.burst.count() - 1)) == 0, "\"burst\" must be a power of two");
}

}  // namespace tsunagi::fpga
