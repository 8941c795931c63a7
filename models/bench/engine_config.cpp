// SPDX-License-Identifier: Apache-2.0
#include "models/bench/engine_config.hpp"

#include <algorithm>

#include "models/pcie/tags.hpp"

namespace tsunagi::bench {

void describe(CommandConfig& c, config::Describer& d) {
  using namespace config;
  d.field("largest", c.largest, "the most bytes of one command; 0 B: there are none", within(0_B, 4_KiB));
  d.field("start_cycles", c.start_cycles, "from the start of a command to its first TLP", within(0, 100'000), ideal(0));
  d.field("end_cycles", c.end_cycles, "from its end until firmware sees it", within(0, 100'000), ideal(0));
}

void describe(CardBusConfig& c, config::Describer& d) {
  using namespace config;
  d.field("rate", c.rate, "rate each way", at_least(Rate::bytes_per_second(1'000'000)), ideal(Rate::infinite()));
  d.field("burst_cycles", c.burst_cycles,
          "of the engine's clock before the bytes of a burst; the request of a read by descriptor takes as long",
          within(0, 10'000), ideal(0));
  d.field("burst", c.burst, "the most bytes of a burst", within(64_B, 4_KiB));
}

void describe(EngineConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the engine", within(Frequency(10'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("workers", c.workers, "operations under way at most; 0: the card starts none", within(0, 4096));
  d.field("start_cycles", c.start_cycles, "from the start of an operation to its first TLP", within(0, 100'000),
          ideal(0));
  d.field("end_cycles", c.end_cycles, "from an operation's last completion until firmware sees it", within(0, 100'000),
          ideal(0));
  d.field("read_interval_cycles", c.read_interval_cycles, "from one read by descriptor to the next, at least",
          within(0, 100'000), ideal(0));
  d.field("write_interval_cycles", c.write_interval_cycles, "from one write by descriptor to the next, at least",
          within(0, 100'000), ideal(0));
  d.object("bus", c.bus,
           "the card's own bus, over which an operation's bytes pass as a whole: a write's before its first TLP, a "
           "read's behind its last completion");
  pcie::describe_tag_bits(c.tag_bits, d);
  d.field("tags", c.tags, "reads under way at most", within(1, 1024),
          ideal(std::min(1024, pcie::usable_tags(c.tag_bits))));
  pcie::require_tags(d, c.tags, c.tag_bits, "tags");
  d.field("max_read_request", c.max_read_request, "largest read (MRRS)", one_of({128, 256, 512, 1024, 2048, 4096}),
          ideal(4096));
  d.object("command", c.command, "small operations beside the engine's");
}

}  // namespace tsunagi::bench
