// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/reliable/reliable_config.hpp"

namespace tsunagi::myrinet {

void describe(ReliableConfig& c, config::Describer& d) {
  using namespace config;
  d.field("window", c.window, "packets to a peer that are sent and not acknowledged, at most", within(1, 1024));
  d.field("acknowledge_each", c.acknowledge_each, "packets from a peer that one acknowledgement is sent for",
          within(1, 1024), ideal(1024));
  d.field("acknowledge_after", c.acknowledge_after,
          "from a packet until it is acknowledged if fewer than that have come", within(1_fs, 10_ms));
  d.field("acknowledge_cycles", c.acknowledge_cycles, "of the processor, to send an acknowledgement",
          within(0, 100'000), ideal(0));
  d.field("acknowledged_cycles", c.acknowledged_cycles, "of the processor an acknowledgement that has come",
          within(0, 100'000), ideal(0));
  d.field("retransmit_after", c.retransmit_after, "from the last that was sent or acknowledged until all is sent again",
          within(1_us, 10_s));
  d.field("retries", c.retries, "times that this is done without an answer before the peer is given up",
          within(0, 1000));
  d.require(c.acknowledge_after < c.retransmit_after,
            "\"acknowledge_after\" is not below \"retransmit_after\": senders would not wait for it");
}

}  // namespace tsunagi::myrinet
